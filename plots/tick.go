package plots

import (
	"math"
	"strconv"
	"strings"
)

// tick is a place on an axis, in the axis's numbers. Minor ticks have no label.
type tick struct {
	at    float64
	label string
}

// linearTicks divides lo to hi in round steps, about want of them. Labels are
// decimal and exact. At least two come out, for a want of at least 3 if lo is 0,
// of at least 5 otherwise. Precondition: lo < hi.
func linearTicks(lo, hi float64, want int) []tick {
	if max(math.Abs(lo), math.Abs(hi)) > 1e15*(hi-lo) {
		return nil // numbers that a float64 hardly tells apart
	}
	mantissa, minor, exponent := roundStep((hi - lo) / float64(want))
	per := minor // minor steps in a step
	at := func(k int64) float64 { return scaled(float64(k*mantissa), exponent) / float64(per) }
	first, last := int64(math.Ceil(lo/at(1))), int64(math.Floor(hi/at(1)))
	var ticks []tick
	for k := first; k <= last; k++ {
		t := tick{at: at(k)}
		if t.at < lo || t.at > hi {
			continue // the division above was rounded
		}
		if k%per == 0 {
			t.label = decimal(k/per*mantissa, exponent)
		}
		ticks = append(ticks, t)
	}
	return ticks
}

// roundStep returns the smallest step mantissa * 10^exponent that is at least
// as large as the one wanted, and into how many minor steps it divides.
func roundStep(wanted float64) (mantissa, minor int64, exponent int) {
	exponent = int(math.Floor(math.Log10(wanted)))
	for _, s := range []struct {
		mantissa, minor int64
		shift           int
	}{{1, 5, 0}, {2, 4, 0}, {25, 5, -1}, {5, 5, 0}, {1, 5, 1}} {
		// The tolerance forgives the division that led here, nothing more.
		if scaled(float64(s.mantissa), exponent+s.shift) >= wanted*(1-1e-9) {
			return s.mantissa, s.minor, exponent + s.shift
		}
	}
	return 2, 4, exponent + 1 // Log10 was a hair too small
}

// scaled returns v * 10^e, with a single rounding.
func scaled(v float64, e int) float64 {
	if e < 0 {
		return v / math.Pow10(-e)
	}
	return v * math.Pow10(e)
}

// decimal writes n * 10^e, with -e decimals if e is negative.
func decimal(n int64, e int) string {
	if n == 0 {
		return "0"
	}
	sign := ""
	if n < 0 {
		sign, n = "−", -n
	}
	s := strconv.FormatInt(n, 10)
	if e >= 0 {
		return sign + s + strings.Repeat("0", e)
	}
	if len(s) <= -e {
		s = strings.Repeat("0", -e-len(s)+1) + s
	}
	return sign + s[:len(s)+e] + "." + s[len(s)+e:]
}

// logTicks marks the decades from lo to hi and their multiples. It labels the
// decades if there are three, else 1, 2 and 5 of each, else all multiples, else
// round steps; two labels come out of any range. Preconditions: 0 < lo < hi.
func logTicks(lo, hi float64, u Unit) []tick {
	var ticks []tick
	var digits []int // the leading digit of each tick
	for e := int(math.Floor(math.Log10(lo))) - 1; scaled(1, e) <= hi; e++ {
		for d := 1; d <= 9; d++ {
			if v := scaled(float64(d), e); v >= lo && v <= hi {
				ticks = append(ticks, tick{at: v})
				digits = append(digits, d)
			}
		}
	}
	const enough = 3
	for _, labelled := range []string{"1", "125", "123456789"} {
		count := 0
		for i, d := range digits {
			ticks[i].label = ""
			if strings.Contains(labelled, strconv.Itoa(d)) {
				ticks[i].label = u.label(ticks[i].at)
				count++
			}
		}
		if count >= enough {
			return ticks
		}
	}
	ticks = linearTicks(lo, hi, 5)
	for i, t := range ticks {
		if t.label != "" {
			ticks[i].label = u.label(t.at)
		}
	}
	return ticks
}

// octaveTicks marks the powers of two from lo to hi, where buckets begin, if
// they are short enough to read.
func octaveTicks(lo, hi float64) []tick {
	const readable = 1 << 17
	var ticks []tick
	for v := 1.0; v <= hi && hi <= readable; v *= 2 {
		if v >= lo {
			ticks = append(ticks, tick{v, Count.label(v)})
		}
	}
	return ticks
}

// labelGap is what parts two labels, in pixels.
const labelGap = 16

// thin removes labels, every second, every third and so on, until none of them
// touches another when centred at px(at).
func thin(ticks []tick, px func(float64) float64) {
	var major []int
	for i, t := range ticks {
		if t.label != "" {
			major = append(major, i)
		}
	}
	collide := func(stride int) bool {
		for i := stride; i < len(major); i += stride {
			if touch(ticks[major[i-stride]], ticks[major[i]], px) {
				return true
			}
		}
		return false
	}
	stride := 1
	for stride < len(major) && collide(stride) {
		stride++
	}
	for i, m := range major {
		if i%stride != 0 {
			ticks[m].label = ""
		}
	}
}

// thinUnevenly removes, from the left, just the labels that touch the one before.
func thinUnevenly(ticks []tick, px func(float64) float64) {
	last := 0
	for i := 1; i < len(ticks); i++ {
		if touch(ticks[last], ticks[i], px) {
			ticks[i].label = ""
		} else {
			last = i
		}
	}
}

// touch reports whether the label of b, at the right, comes too near that of a.
func touch(a, b tick, px func(float64) float64) bool {
	room := px(b.at) - px(a.at) - labelGap
	return (textWidth(a.label, textSize)+textWidth(b.label, textSize))/2 > room
}

// ticks divides an axis whose ends are given in this scale.
func (s scale) ticks(lo, hi float64, want int) []tick {
	ticks := linearTicks(lo, hi, want)
	for i, t := range ticks {
		if t.label != "" && t.at != 0 {
			ticks[i].label += s.suffix
		}
	}
	return ticks
}
