package observe

import (
	"fmt"
	"math/bits"
)

const (
	subBits = 7
	// subs is how many buckets of equal width each power of two is cut into; the
	// width of a bucket is thus less than 1/128 of its values.
	subs = 1 << subBits
	// rows holds the values below subs, one a bucket, then a power of two each.
	rows = 63 - subBits + 1
)

// Hist counts integers of 0 and above in buckets that grow with the value. The
// zero Hist is empty and ready. It must not be copied; use [Hist.Merge].
//
// Values below 256 have a bucket each. The buckets are chosen such that the
// powers of two in nanoseconds, 1000·2^n picoseconds = 250·2^(n+2), are bounds
// of buckets, as 250 is below 256: [Hist.Log2] is exact in either unit.
type Hist struct {
	rows     [rows]*[subs]uint64
	count    uint64
	min, max int64
	// high and low are the sum: 2^64 values of 2^63 fit.
	high, low uint64
}

// Unit says what the integers of a histogram are, and what they are reported in.
type Unit uint8

const (
	// Count is a plain number.
	Count Unit = iota + 1
	// Nanoseconds are recorded in picoseconds and reported in nanoseconds.
	Nanoseconds
)

func (u Unit) String() string { return [...]string{"invalid", "count", "ns"}[u] }

// size is how many of what is recorded make one of what is reported.
func (u Unit) size() int64 {
	if u == Nanoseconds {
		return 1000
	}
	return 1
}

// Add counts v. It panics if v is negative.
func (h *Hist) Add(v int64) {
	if v < 0 {
		panic(fmt.Sprintf("observe: value %d in a histogram, want at least 0", v))
	}
	i := bucketOf(v)
	row := h.rows[i/subs]
	if row == nil {
		row = new([subs]uint64)
		h.rows[i/subs] = row
	}
	row[i%subs]++
	if v < h.min || h.count == 0 {
		h.min = v
	}
	if v > h.max {
		h.max = v
	}
	h.count++
	var carry uint64
	h.low, carry = bits.Add64(h.low, uint64(v), 0)
	h.high += carry
}

// Merge adds everything that other has counted. The result is the same as if
// every value had been added here.
func (h *Hist) Merge(other *Hist) {
	if other.count == 0 {
		return
	}
	for r, from := range other.rows {
		if from == nil {
			continue
		}
		if h.rows[r] == nil {
			h.rows[r] = new([subs]uint64)
		}
		for s, n := range from {
			h.rows[r][s] += n
		}
	}
	if h.count == 0 || other.min < h.min {
		h.min = other.min
	}
	h.max = max(h.max, other.max)
	h.count += other.count
	var carry uint64
	h.low, carry = bits.Add64(h.low, other.low, 0)
	h.high += other.high + carry
}

// Count returns how many values were added.
func (h *Hist) Count() uint64 { return h.count }

// Min returns the smallest value, 0 if there is none.
func (h *Hist) Min() int64 { return h.min }

// Max returns the largest value, 0 if there is none.
func (h *Hist) Max() int64 { return h.max }

// Sum returns the sum of the values, high·2^64 + low.
func (h *Hist) Sum() (high, low uint64) { return h.high, h.low }

// Mean returns the mean, 0 if there is none. The division is exact before its
// result is rounded.
func (h *Hist) Mean() float64 {
	if h.count == 0 {
		return 0
	}
	// Every value is below 2^63, so the high word is below the count.
	whole, rest := bits.Div64(h.high, h.low, h.count)
	return float64(whole) + float64(rest)/float64(h.count)
}

// Quantile returns the value at the given number of thousandths, 1 to 1000: of
// the values in ascending order, the one at the nearest rank, ⌈count·permille/1000⌉.
// What is returned is the largest value of that one's bucket, but never more than
// [Hist.Max]; the smallest of all is returned exactly. It is 0 if there is none.
func (h *Hist) Quantile(permille int) int64 {
	if permille < 1 || permille > 1000 {
		panic(fmt.Sprintf("observe: quantile %d/1000", permille))
	}
	if h.count == 0 {
		return 0
	}
	high, low := bits.Mul64(h.count, uint64(permille))
	low, carry := bits.Add64(low, 999, 0)
	rank, _ := bits.Div64(high+carry, low, 1000)
	if rank == 1 {
		return h.min
	}
	var seen uint64
	for r, row := range h.rows {
		if row == nil {
			continue
		}
		for s, n := range row {
			if seen += n; seen >= rank {
				return min(h.max, highest(r*subs+s))
			}
		}
	}
	panic(fmt.Sprintf("observe: %d values in the buckets of a histogram of %d", seen, h.count))
}

// Bucket counts the values from Min to Max, both included.
type Bucket struct {
	Min, Max int64
	Count    uint64
}

// Log2 returns how many values lie between powers of two of the unit, as bcc's
// tools count them: 0 to 1, 2 to 3, 4 to 7, and so on, fractions cut off. Ranges
// in which there is nothing are left out.
func (h *Hist) Log2(unit Unit) []Bucket {
	var buckets []Bucket
	for r, row := range h.rows {
		if row == nil {
			continue
		}
		for s, n := range row {
			if n == 0 {
				continue
			}
			v := lowest(r*subs+s) / unit.size()
			bucket := log2Bucket(v)
			if k := len(buckets) - 1; k >= 0 && buckets[k].Min == bucket.Min {
				buckets[k].Count += n
				continue
			}
			bucket.Count = n
			buckets = append(buckets, bucket)
		}
	}
	return buckets
}

// log2Bucket returns the empty bucket that v falls into.
func log2Bucket(v int64) Bucket {
	if v < 2 {
		return Bucket{Min: 0, Max: 1}
	}
	low := int64(1) << (bits.Len64(uint64(v)) - 1)
	return Bucket{Min: low, Max: low + (low - 1)}
}

// bucketOf returns the number of the bucket of v.
func bucketOf(v int64) uint64 {
	shift := bits.Len64(uint64(v)|subs) - subBits - 1
	return uint64(shift)*subs + uint64(v)>>shift
}

// lowest returns the smallest value of bucket i.
func lowest(i int) int64 {
	if i < 2*subs {
		return int64(i)
	}
	return int64(subs+i%subs) << (i/subs - 1)
}

// highest returns the largest value of bucket i.
func highest(i int) int64 {
	if i < 2*subs {
		return int64(i)
	}
	return lowest(i) + (int64(1)<<(i/subs-1) - 1)
}
