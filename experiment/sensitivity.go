package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"smpsim/cpus"
	"smpsim/report"
)

// conclusion is a figure of the first replica that a comparison or an expectation
// rests on.
type conclusion struct {
	what string
	// cells are those that it takes.
	cells []int
	// value computes it from records of the first replica, by cell.
	value func(records map[int]*Record) (v float64, unit string, ok bool)
	holds func(v float64, unit string) bool
}

// moved is the relative change of a figure that is worth a line.
const moved = 0.005

// sensitivity runs the cells that comparisons and expectations rest on again, with
// each cost that has no source halved and doubled, and tells what moved. Counts are
// left out: an expectation of a count is of what the model does, not of what it takes.
// A file that concludes nothing of the kind is judged by its line plots, at the middle
// of the sweep.
func (t *table) sensitivity(ctx context.Context, opts RunOptions) (string, error) {
	all := t.conclusions()
	cells := t.concerned(all)
	if len(cells) == 0 {
		return "", nil
	}
	var (
		scales  []*scaledCost
		entries []*cpus.PresetEntry
	)
	for _, i := range cells {
		preset := t.linked[i].preset
		for _, name := range preset.Unsourced() {
			known := func(s *scaledCost) bool { return s.name == name }
			if !slices.ContainsFunc(scales, known) {
				scales = append(scales, &scaledCost{name, 1, 2}, &scaledCost{name, 2, 1})
				entries = append(entries, preset.Entry(name))
			}
		}
	}
	var jobs []job
	for _, scale := range scales {
		for _, i := range cells {
			jobs = append(jobs, job{
				cell: &t.experiment.Cells[i], linked: t.linked[i], seed: t.experiment.Seed, scale: scale,
			})
		}
	}
	opts.Progress = nil
	records, _, err := execute(ctx, jobs, opts)
	if err != nil {
		return "", err
	}
	first := func(record func(n, i int) *Record) map[int]*Record {
		m := map[int]*Record{}
		for n, i := range cells {
			m[i] = record(n, i)
		}
		return m
	}
	base := first(func(_, i int) *Record { return t.records[i][0] })
	var (
		lines []report.Sensitivity
		still []string
	)
	for k := 0; k < len(scales); k += 2 {
		half := first(func(n, _ int) *Record { return records[k*len(cells)+n] })
		double := first(func(n, _ int) *Record { return records[(k+1)*len(cells)+n] })
		entry := entries[k/2]
		before := len(lines)
		for _, c := range all {
			line := report.Sensitivity{Cost: entry.Name, Value: strings.TrimSpace(entry.Value + " " + entry.Unit), What: c.what}
			if c.compare(&line, base, half, double) {
				lines = append(lines, line)
			}
		}
		if len(lines) == before {
			still = append(still, entry.Name)
		}
	}
	return t.sensitivityText(lines, still), nil
}

// sensitivityText shows the costs that move something, and names those that do not.
func (t *table) sensitivityText(lines []report.Sensitivity, still []string) string {
	text := ""
	if len(lines) > 0 {
		text = report.Sensitivities(lines)
	}
	if len(still) > 0 {
		text += fmt.Sprintf("halving or doubling %s moves none of these figures by more than %g%%\n", strings.Join(still, ", "), 100*moved)
	}
	return text
}

// compare fills a line in and reports whether it says anything.
func (c *conclusion) compare(line *report.Sensitivity, base, half, double map[int]*Record) bool {
	var ok [3]bool
	line.Base, line.Unit, ok[0] = c.value(base)
	line.Half, _, ok[1] = c.value(half)
	line.Double, _, ok[2] = c.value(double)
	if ok != [3]bool{true, true, true} {
		return false
	}
	holds := c.holds(line.Base, line.Unit)
	line.Turns = c.holds(line.Half, line.Unit) != holds || c.holds(line.Double, line.Unit) != holds
	for _, v := range []float64{line.Half, line.Double} {
		if change := v/line.Base - 1; change > moved || change < -moved {
			return true
		}
	}
	return line.Turns
}

// concerned lists the cells that conclusions take, in order.
func (t *table) concerned(all []conclusion) []int {
	needed := map[int]bool{}
	for _, c := range all {
		for _, i := range c.cells {
			needed[i] = true
		}
	}
	var cells []int
	for i := range t.experiment.Cells {
		if needed[i] {
			cells = append(cells, i)
		}
	}
	return cells
}

// conclusions lists the comparisons, and the expectations of more than counts.
func (t *table) conclusions() []conclusion {
	var all []conclusion
	for k := range t.experiment.Compare {
		c := &t.experiment.Compare[k]
		for i := range t.experiment.Cells {
			if cell := &t.experiment.Cells[i]; cell.Matches(c.Variant, c.Where) && cell.Variant != c.Minus {
				all = append(all, t.conclude(i, c.Figure.String(), "less", c.Minus, func(float64, string) bool { return true }))
			}
		}
	}
	for k := range t.experiment.Expect {
		e := &t.experiment.Expect[k]
		if e.Exploration != nil || e.Figure.Func == "count" {
			continue
		}
		for i := range t.experiment.Cells {
			if cell := &t.experiment.Cells[i]; cell.Matches(e.Variant, e.Where) && cell.Variant != e.Over {
				all = append(all, t.conclude(i, e.Figure.String(), "over", e.Over, e.holds))
			}
		}
	}
	if len(all) == 0 {
		all = t.plotted()
	}
	return all
}

// plotted lists the figures of line plots, for each variant at the middle of the sweep.
func (t *table) plotted() []conclusion {
	var all []conclusion
	perVariant := len(t.experiment.Cells) / len(t.experiment.Variants)
	for k := range t.experiment.Plots {
		p := &t.experiment.Plots[k]
		if p.Kind != LinePlot {
			continue
		}
		for i := perVariant / 2; i < len(t.experiment.Cells); i += perVariant {
			if t.experiment.Cells[i].Matches(p.Variant, p.Where) {
				all = append(all, t.conclude(i, p.Figure.String(), "", "", func(float64, string) bool { return true }))
			}
		}
	}
	return all
}

// conclude watches a figure of cell i, "less" or "over" that of another variant if
// there is one.
func (t *table) conclude(i int, what, relation, other string, holds func(float64, string) bool) conclusion {
	c := conclusion{what: what + " of " + cellName(&t.experiment.Cells[i]), cells: []int{i}, holds: holds}
	k, partnered := t.partner(i, other)
	if partnered {
		c.cells = append(c.cells, k)
		c.what += " " + relation + " " + other
	}
	c.value = func(records map[int]*Record) (float64, string, bool) {
		v, ok := records[i].value(what)
		if !ok || !partnered {
			return v.V, v.Unit, ok
		}
		w, ok := records[k].value(what)
		if relation == "over" {
			return v.V / w.V, "", ok
		}
		return v.V - w.V, v.Unit, ok
	}
	return c
}
