package des

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Time is a point in virtual time, or a span of it, in picoseconds. A cycle of
// a 3 GHz machine is 333 ps; an int64 holds 106 days.
type Time int64

// Units of virtual time.
const (
	Picosecond  Time = 1
	Nanosecond       = 1000 * Picosecond
	Microsecond      = 1000 * Nanosecond
	Millisecond      = 1000 * Microsecond
	Second           = 1000 * Millisecond
)

// Forever is later than every event.
const Forever Time = math.MaxInt64

// String prints t exactly, in the largest unit that keeps it at or above one:
// "1.5us", "333ps", "0s".
func (t Time) String() string {
	if t == Forever {
		return "forever"
	}
	if t < 0 {
		if t == math.MinInt64 {
			return "-9223372.036854775808s"
		}
		return "-" + (-t).String()
	}
	units := [...]struct {
		size Time
		name string
	}{{Second, "s"}, {Millisecond, "ms"}, {Microsecond, "us"}, {Nanosecond, "ns"}, {Picosecond, "ps"}}
	for _, u := range units {
		if t < u.size {
			continue
		}
		whole, rest := t/u.size, t%u.size
		if rest == 0 {
			return strconv.FormatInt(int64(whole), 10) + u.name
		}
		width := len(strconv.FormatInt(int64(u.size), 10)) - 1
		frac := strings.TrimRight(fmt.Sprintf("%0*d", width, rest), "0")
		return fmt.Sprintf("%d.%s%s", whole, frac, u.name)
	}
	return "0s"
}

// Nanoseconds returns t in nanoseconds, for reports; the simulation itself
// never leaves integers.
func (t Time) Nanoseconds() float64 { return float64(t) / float64(Nanosecond) }
