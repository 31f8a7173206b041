package plots

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Unit says what a number counts.
type Unit uint8

const (
	// Count is a plain number: entries, nodes, CPUs.
	Count Unit = iota + 1
	// Nanoseconds are shown as ns, µs, ms or s.
	Nanoseconds
	// PerSecond is a rate, shown with k, M or G.
	PerSecond
	// CPUSeconds is CPU time per second: how many CPUs were busy with something.
	CPUSeconds
)

// scale is one way to show the numbers of an axis: divided by factor.
type scale struct {
	factor float64
	name   string  // of the unit, beside the axis's label
	suffix string  // of every number
	from   float64 // the smallest end of an axis that is shown so
}

// scales has the ways to show each unit, the finest first. Each is used from
// where its axis has at least a few whole steps.
var scales = [...][]scale{
	Count:       {{1, "", "", 0}, {1e3, "", "k", 1e4}, {1e6, "", "M", 1e7}, {1e9, "", "G", 1e10}},
	Nanoseconds: {{1, "ns", "", 0}, {1e3, "µs", "", 2e3}, {1e6, "ms", "", 2e6}, {1e9, "s", "", 2e9}},
	PerSecond:   {{1, "1/s", "", 0}, {1e3, "k/s", "", 2e3}, {1e6, "M/s", "", 2e6}, {1e9, "G/s", "", 2e9}},
	CPUSeconds:  {{1, "CPU s/s", "", 0}},
}

func (u Unit) valid() bool { return u >= Count && u <= CPUSeconds }

// scale returns how to show an axis that reaches end.
func (u Unit) scale(end float64) scale {
	s := scales[u][0]
	for _, next := range scales[u][1:] {
		if end >= next.from {
			s = next
		}
	}
	return s
}

// header names a column of numbers in this unit, unscaled.
func (u Unit) header(name string) string {
	return withUnit(name, scales[u][0].name)
}

func withUnit(name, unit string) string {
	switch {
	case unit == "":
		return name
	case name == "":
		return unit
	}
	return name + " (" + unit + ")"
}

// label writes one number with its unit, for an axis on which magnitudes differ.
func (u Unit) label(v float64) string {
	s := scales[u][0]
	for _, next := range scales[u][1:] {
		whole := math.Mod(v, next.factor) == 0 && v >= next.from
		if v >= next.factor && (next.suffix == "" || whole) {
			s = next
		}
	}
	text := number(v/s.factor) + s.suffix
	if s.name == "" || u == CPUSeconds {
		return text
	}
	return text + " " + strings.TrimPrefix(s.name, "1")
}

// number writes v so that rounding in its last bits does not show.
func number(v float64) string {
	const digits = 12
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', digits, 64), 64)
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// exact writes v so that reading it gives v.
func exact(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }

// check returns an error unless v can be drawn: it is a number, not negative
// unless it may have a sign, and of a size of which ticks can be computed.
func check(what string, v float64, signed bool) error {
	const least, most = 1e-100, 1e100
	size := math.Abs(v)
	if math.IsNaN(v) || (v < 0 && !signed) || size > most || (v != 0 && size < least) {
		return fmt.Errorf("%s is %v", what, v)
	}
	return nil
}
