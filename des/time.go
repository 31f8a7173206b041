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
	sign, magnitude := "", uint64(t)
	if t < 0 {
		sign, magnitude = "-", -magnitude
	}
	units := [...]struct {
		size  uint64
		width int
		name  string
	}{{uint64(Second), 12, "s"}, {uint64(Millisecond), 9, "ms"}, {uint64(Microsecond), 6, "us"}, {uint64(Nanosecond), 3, "ns"}, {1, 0, "ps"}}
	for _, u := range units {
		if magnitude < u.size {
			continue
		}
		whole, rest := magnitude/u.size, magnitude%u.size
		text := sign + strconv.FormatUint(whole, 10)
		if rest > 0 {
			text += "." + strings.TrimRight(fmt.Sprintf("%0*d", u.width, rest), "0")
		}
		return text + u.name
	}
	return "0s"
}

// Nanoseconds returns t in nanoseconds, for reports; the simulation itself
// never leaves integers.
func (t Time) Nanoseconds() float64 { return float64(t) / float64(Nanosecond) }
