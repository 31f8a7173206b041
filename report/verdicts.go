package report

import (
	"fmt"
	"strings"
)

// Param is the value of a swept path.
type Param struct{ Path, Value string }

func where(params []Param) string {
	parts := make([]string, 0, len(params))
	for _, p := range params {
		parts = append(parts, p.Path+"="+p.Value)
	}
	return strings.Join(parts, ", ")
}

// Comparison is a published figure beside the predicted one.
type Comparison struct {
	What, Variant string
	// Minus is the variant whose figure was subtracted, if any.
	Minus                string
	Where                []Param
	Published, Predicted float64
	Unit                 string
	// Anchors are the given costs that the prediction contains.
	Anchors []string
}

// Ratio is the predicted figure over the published.
func (c *Comparison) Ratio() float64 { return c.Predicted / c.Published }

// Comparisons prints what was predicted beside what was published. A ratio is
// information, not a verdict.
func Comparisons(comparisons []Comparison) string {
	t := table{heads: []string{"figure", "variant", "where", "published", "predicted", "ratio", "anchors"}, align: "lllrrrl"}
	anchors := false
	for _, c := range comparisons {
		variant := c.Variant
		if c.Minus != "" {
			variant += " less " + c.Minus
		}
		ratio := "-"
		if c.Published != 0 {
			ratio = significant(c.Ratio())
		}
		anchors = anchors || len(c.Anchors) > 0
		t.add(
			c.What, variant, where(c.Where), Value(c.Published, c.Unit), Value(c.Predicted, c.Unit), ratio,
			strings.Join(c.Anchors, ", "),
		)
	}
	text := t.String()
	if anchors {
		text += "an anchor is a cost that was given: that part of a figure is no prediction\n"
	}
	return text
}

// Expectation is what a file said must hold.
type Expectation struct {
	What, Variant string
	// Over is the variant whose figure it was divided by, if any.
	Over  string
	Where []Param
	// Want is the condition as the file has it, Got what was found.
	Want, Got string
	OK        bool
}

// Expectations prints a line for each expectation, "ok" or "FAILED" with the value
// found, and how many failed.
func Expectations(expectations []Expectation) string {
	var b strings.Builder
	failed := 0
	for _, e := range expectations {
		verdict := "ok"
		if !e.OK {
			verdict = "FAILED"
			failed++
		}
		of := e.What
		if e.Variant != "" {
			of += " of " + e.Variant
		}
		if e.Over != "" {
			of += " over " + e.Over
		}
		if w := where(e.Where); w != "" {
			of += " at " + w
		}
		fmt.Fprintf(&b, "%-6s  %s %s: found %s\n", verdict, of, e.Want, e.Got)
	}
	if failed > 0 {
		fmt.Fprintf(&b, "%d of %d expectations failed\n", failed, len(expectations))
	}
	return b.String()
}

// Sensitivity is how a figure answers to a cost that has no source.
type Sensitivity struct {
	// Cost is the cost's name, Value what it is.
	Cost, Value string
	// What is the figure that the conclusion rests on, with half of the cost, with
	// the cost as it is, and with double.
	What               string
	Half, Base, Double float64
	Unit               string
	// Turns says that the conclusion is another at half or at double.
	Turns bool
}

// Sensitivities prints, for each cost without a source, whether the conclusion would
// be another if it were half or double.
func Sensitivities(sensitivities []Sensitivity) string {
	t := table{
		heads: []string{"unsourced cost", "value", "figure", "at half", "as given", "at double", "conclusion"},
		align: "lrlrrrl",
	}
	for _, s := range sensitivities {
		conclusion := "holds"
		if s.Turns {
			conclusion = "TURNS"
		}
		t.add(s.Cost, s.Value, s.What, Value(s.Half, s.Unit), Value(s.Base, s.Unit), Value(s.Double, s.Unit), conclusion)
	}
	return t.String()
}
