package report

import (
	"math"
	"strconv"
	"strings"

	"smpsim/des"
)

// digits is how many significant digits a number is written with.
const digits = 4

// scale is a multiple of a unit and its name.
type scale struct {
	size float64
	name string
}

// scales are the multiples of each unit, ascending.
var scales = map[string][]scale{
	"ns":    {{1, " ns"}, {1e3, " µs"}, {1e6, " ms"}, {1e9, " s"}},
	"1/s":   {{1, "/s"}, {1e3, "k/s"}, {1e6, "M/s"}, {1e9, "G/s"}},
	"count": {{1, ""}},
	"s/s":   {{1, ""}},
}

// scalesOf returns the multiples of a unit; one that is not known has itself alone.
func scalesOf(unit string) []scale {
	if s, ok := scales[unit]; ok {
		return s
	}
	if unit == "" {
		return scales["count"]
	}
	return []scale{{1, " " + unit}}
}

// Value writes a value in a metric's unit, with four significant digits:
// durations ("ns") as ns, µs, ms or s, rates ("1/s") with k, M or G, others as they
// are. Whole numbers that count something are written in full.
func Value(v float64, unit string) string {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return strconv.FormatFloat(v, 'g', -1, 64)
	case unit == "count" && v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	s := scaleOf(v, unit)
	return significant(v/s.size) + s.name
}

// scaleOf returns the largest multiple of the unit that v, as it will be rounded,
// reaches: 999.96 ns are 1 µs.
func scaleOf(v float64, unit string) scale {
	steps := scalesOf(unit)
	for i, s := range steps[:len(steps)-1] {
		if math.Abs(mustParse(significant(v/s.size))) < steps[i+1].size/s.size {
			return s
		}
	}
	return steps[len(steps)-1]
}

// Duration writes a virtual time as [Value] does.
func Duration(d des.Time) string { return Value(d.Nanoseconds(), "ns") }

// Count writes a whole number.
func Count(n uint64) string { return strconv.FormatUint(n, 10) }

// significant writes v with four significant digits at most, none of them a
// trailing zero, but with all the digits before the point.
func significant(v float64) string {
	if v == 0 {
		return "0"
	}
	return trim(strconv.FormatFloat(v, 'f', max(0, digits-1-exponent(v)), 64))
}

// exponent returns which power of ten the first significant digit of v stands for,
// when v is written with four of them.
func exponent(v float64) int {
	text := strconv.FormatFloat(v, 'e', digits-1, 64)
	e, err := strconv.Atoi(text[strings.IndexByte(text, 'e')+1:])
	if err != nil {
		panic(err)
	}
	return e
}

// trim removes zeros at the end of a fraction.
func trim(s string) string {
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func mustParse(s string) float64 {
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return v
}
