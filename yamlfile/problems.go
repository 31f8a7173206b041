package yamlfile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// MaxProblems is how many mistakes are kept. A file that is something else altogether
// should not fill the terminal.
const MaxProblems = 200

// Mistake says what is wrong with a value, wherever it stands.
type Mistake struct {
	Message string   // what was found and why it cannot be; lower case, no full stop
	Nearest string   // the allowed name that looks most like what was found, or empty
	Allowed []string // what could stand there, or nil
}

// Error is the message, the nearest name and what was allowed, on one line.
func (m *Mistake) Error() string {
	text := m.Message
	if m.Nearest != "" {
		text += fmt.Sprintf("; did you mean %q?", m.Nearest)
	}
	if len(m.Allowed) > 0 {
		text += "; allowed: " + strings.Join(m.Allowed[:min(len(m.Allowed), maxAllowed)], ", ")
	}
	if more := len(m.Allowed) - maxAllowed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// maxAllowed is how many of the allowed names are printed.
const maxAllowed = 40

// Problem is a mistake and its place.
type Problem struct {
	Pos Pos
	Mistake
}

// String is file:line:column: message.
func (p Problem) String() string { return p.Pos.String() + ": " + p.Mistake.Error() }

// Problems gathers the mistakes of a file. The zero value is ready for use.
// Something said twice of one place is kept once.
type Problems struct {
	list []Problem
	seen map[string]struct{}
	cut  bool // there were more
}

// Add notes a mistake at a place.
func (p *Problems) Add(pos Pos, m Mistake) {
	if p.Full() {
		p.cut = true
		return
	}
	problem := Problem{Pos: pos, Mistake: m}
	text := problem.String()
	if _, ok := p.seen[text]; ok {
		return
	}
	if p.seen == nil {
		p.seen = make(map[string]struct{})
	}
	p.seen[text] = struct{}{}
	p.list = append(p.list, problem)
}

// Addf notes a mistake that has nothing to suggest.
func (p *Problems) Addf(pos Pos, format string, args ...any) {
	p.Add(pos, Mistake{Message: fmt.Sprintf(format, args...)})
}

// AddUnknown notes that name is none of the allowed ones, and finds the nearest.
func (p *Problems) AddUnknown(pos Pos, message, name string, allowed []string) {
	if p.Full() {
		p.cut = true // finding the nearest name takes time
		return
	}
	p.Add(pos, Mistake{Message: message, Nearest: Nearest(name, allowed), Allowed: allowed})
}

// Merge notes all mistakes of another collection.
func (p *Problems) Merge(other *Problems) {
	for _, problem := range other.list {
		p.Add(problem.Pos, problem.Mistake)
	}
	p.cut = p.cut || other.cut
}

// Len is the number of mistakes kept.
func (p *Problems) Len() int { return len(p.list) }

// Full reports whether further mistakes would not be kept, so that a reader may stop.
func (p *Problems) Full() bool { return len(p.list) >= MaxProblems }

// List is every mistake kept, by file, line and column; those of one place stay in
// the order in which they were found.
func (p *Problems) List() []Problem {
	sorted := slices.Clone(p.list)
	slices.SortStableFunc(sorted, func(a, b Problem) int {
		return cmp.Or(
			cmp.Compare(a.Pos.File, b.Pos.File),
			cmp.Compare(a.Pos.Line, b.Pos.Line),
			cmp.Compare(a.Pos.Column, b.Pos.Column),
		)
	})
	return sorted
}

// Error is one line a mistake, in the order of List.
func (p *Problems) Error() string {
	lines := make([]string, 0, len(p.list)+1)
	for _, problem := range p.List() {
		lines = append(lines, problem.String())
	}
	if p.cut {
		lines = append(lines, "and more mistakes than are worth printing")
	}
	return strings.Join(lines, "\n")
}

// Err is p as an error, or nil if there is no mistake.
func (p *Problems) Err() error {
	if p.Len() == 0 {
		return nil
	}
	return p
}
