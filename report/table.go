package report

import (
	"strings"
	"unicode/utf8"
)

// table sets rows of cells in columns that are two spaces apart. A column whose
// cells are all empty is left out.
type table struct {
	heads []string
	// words has a letter a column: 'l' for words, flush left, 'r' for numbers.
	align string
	rows  [][]string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) String() string {
	if len(t.rows) == 0 {
		return ""
	}
	widths := make([]int, len(t.heads))
	for _, row := range t.rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for i, head := range t.heads {
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(head))
		}
	}
	var b strings.Builder
	t.write(&b, t.heads, widths)
	for _, row := range t.rows {
		t.write(&b, row, widths)
	}
	return b.String()
}

func (t *table) write(b *strings.Builder, row []string, widths []int) {
	var cells []string
	for i, cell := range row {
		switch {
		case widths[i] == 0:
		case t.align[i] == 'l':
			cells = append(cells, padRight(cell, widths[i]))
		default:
			cells = append(cells, padLeft(cell, widths[i]))
		}
	}
	b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " "))
	b.WriteByte('\n')
}

func padLeft(s string, width int) string {
	return strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s))) + s
}

func padRight(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}
