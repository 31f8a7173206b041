package experiment

import (
	"fmt"
	"math"
	"strings"

	"smpsim/report"
)

// compare puts the published figures beside the predicted ones.
func (t *table) compare() []ComparisonResult {
	var all []ComparisonResult
	for k := range t.experiment.Compare {
		c := &t.experiment.Compare[k]
		for i := range t.experiment.Cells {
			cell := &t.experiment.Cells[i]
			if !cell.Matches(c.Variant, c.Where) || cell.Variant == c.Minus {
				continue
			}
			if r, ok := t.compareCell(c, i); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

func (t *table) compareCell(c *Compare, i int) (ComparisonResult, bool) {
	predicted, unit, ok := t.difference(c, i)
	if !ok {
		return ComparisonResult{}, false
	}
	cell := &t.experiment.Cells[i]
	published := c.Published.in(unit)
	return ComparisonResult{
		What: c.Figure.String(), Variant: t.experiment.variantName(cell), Minus: c.Minus, Where: whereOf(cell), Unit: unit,
		Published: Number(published), Predicted: Number(predicted), Ratio: Number(predicted / published),
		Anchors: anchors(c.Figure, c.Minus != ""),
	}, true
}

// difference is the predicted figure, less that of the variant to subtract.
func (t *table) difference(c *Compare, i int) (float64, string, bool) {
	f, ok := t.figure(i, c.Figure.String())
	if !ok || c.Minus == "" {
		return f.Mean, f.Unit, ok
	}
	k, ok := t.partner(i, c.Minus)
	if !ok {
		return 0, "", false
	}
	other, ok := t.figure(k, c.Figure.String())
	return f.Mean - other.Mean, f.Unit, ok
}

// whereOf is the cell's place in the sweep, without what follows from the rest.
func whereOf(c *Cell) Ordered {
	o := Ordered{}
	for _, p := range c.Params {
		if !p.Derived {
			o = append(o, Member{p.Path, jsonValue(p.Value)})
		}
	}
	return o
}

// in converts the amount to the unit of a figure. Times are reported in ns.
func (a *Amount) in(unit string) float64 {
	if !a.Time {
		return a.Number
	}
	if unit == "s" {
		return float64(a.PS) / 1e12
	}
	return float64(a.PS) / 1e3
}

// expect judges what must hold of figures.
func (t *table) expect() []ExpectationResult {
	var all []ExpectationResult
	for k := range t.experiment.Expect {
		e := &t.experiment.Expect[k]
		if e.Exploration != nil {
			continue
		}
		found := false
		for i := range t.experiment.Cells {
			cell := &t.experiment.Cells[i]
			if cell.Matches(e.Variant, e.Where) && cell.Variant != e.Over {
				found = true
				all = append(all, t.expectCell(e, i))
			}
		}
		if !found {
			all = append(all, ExpectationResult{
				What: e.Figure.String(), Variant: e.Variant, Over: e.Over,
				Where: conditions(e.Where), Want: e.want() + " (no such cell)", Got: Number(0),
			})
		}
	}
	return all
}

func (t *table) expectCell(e *Expectation, i int) ExpectationResult {
	cell := &t.experiment.Cells[i]
	r := ExpectationResult{
		What: e.Figure.String(), Variant: t.experiment.variantName(cell), Over: e.Over, Where: whereOf(cell), Want: e.want(),
		Got: Number(0),
	}
	f, ok := t.figure(i, e.Figure.String())
	got, unit := f.Mean, f.Unit
	if ok && e.Over != "" {
		var k int
		if k, ok = t.partner(i, e.Over); ok {
			var over report.Figure
			over, ok = t.figure(k, e.Figure.String())
			got, unit = got/over.Mean, ""
		}
	}
	if !ok || math.IsNaN(got) || math.IsInf(got, 0) {
		r.Want += " (nothing was measured)"
		return r
	}
	r.Got, r.unit, r.OK = Number(got), unit, e.holds(got, unit)
	return r
}

func (e *Expectation) holds(got float64, unit string) bool {
	switch {
	case e.Is != nil:
		want := e.Is.in(unit)
		return math.Abs(got-want) <= math.Abs(want)*float64(e.WithinPPM)/1e6
	case e.AtLeast != nil && got < e.AtLeast.in(unit):
		return false
	case e.AtMost != nil && got > e.AtMost.in(unit):
		return false
	default:
		return true
	}
}

func (e *Expectation) want() string {
	var parts []string
	if e.Is != nil {
		text := "is " + e.Is.Text
		if e.WithinPPM > 0 {
			text += fmt.Sprintf(" within %s%%", Number(float64(e.WithinPPM)/1e4))
		}
		parts = append(parts, text)
	}
	if e.AtLeast != nil {
		parts = append(parts, "at_least "+e.AtLeast.Text)
	}
	if e.AtMost != nil {
		parts = append(parts, "at_most "+e.AtMost.Text)
	}
	return strings.Join(parts, ", ")
}

// anchors are the costs that a metric contains as given. A difference of two
// variants cancels them.
func anchors(m Figure, cancelled bool) []string {
	if cancelled {
		return nil
	}
	switch m.Arg {
	case "getsockname", "getpeername":
		return []string{"kernel.inet.base"}
	case "unix_dgram_sendmsg":
		return []string{"unix_dgram_sendmsg.base"}
	case "scm_rights_round_trip":
		return []string{"unix_dgram_sendmsg.base", "pass_unix_fd.base"}
	default:
		return nil
	}
}
