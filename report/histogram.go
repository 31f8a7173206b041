package report

import (
	"fmt"
	"math/bits"
	"strings"

	"smpsim/observe"
)

// Histogram prints a distribution in powers of two, in the form of bcc's
// funclatency: a row for every power from 0 to the largest that has samples, then
// average, total and count. Wider numbers and shorter bars show samples of 2^32 and
// above, as there.
//
// With elide set, the empty rows before the first sample, but for the last of
// them, are one line "[...]", as people abridge it in mails.
func Histogram(m *observe.Metric, elide bool) string {
	if m.Samples.Count == 0 {
		return ""
	}
	label := "value"
	if m.Unit == "ns" {
		label = "nsecs"
	}
	counts := octaves(m.Samples.Log2)
	form := formOf(len(counts))
	var b strings.Builder
	fmt.Fprintf(&b, form.header, label)
	most := uint64(0)
	first := -1
	for i, n := range counts {
		most = max(most, n)
		if first < 0 && n > 0 {
			first = i
		}
	}
	for i, n := range counts {
		if elide && i < first-1 {
			if i == 0 {
				b.WriteString("[...]\n")
			}
			continue
		}
		low, high := uint64(1)<<i, uint64(2)<<i-1
		if i == 0 {
			low = 0
		}
		fmt.Fprintf(&b, form.row, low, high, n, form.width, stars(n, most, form.width))
	}
	// funclatency divides and prints whole numbers.
	fmt.Fprintf(&b, "\navg = %d %s, total: %d %s, count: %d\n",
		int64(m.Samples.Mean), label, int64(m.Samples.Total), label, m.Samples.Count)
	return b.String()
}

// histogramForm is one of bcc's two layouts.
type histogramForm struct {
	header, row string
	width       int // of the bars
}

func formOf(octaves int) histogramForm {
	if octaves <= 32 {
		return histogramForm{
			header: "     %-19s : count     distribution\n",
			row:    "%10d -> %-10d : %-8d |%-*s|\n",
			width:  40,
		}
	}
	return histogramForm{
		header: "               %-29s : count     distribution\n",
		row:    "%20d -> %-20d : %-8d |%-*s|\n",
		width:  20,
	}
}

// octaves returns the count of each power of two up to the largest with samples:
// of 0 to 1 first, then of 2 to 3, 4 to 7, and so on.
func octaves(buckets []observe.Bucket) []uint64 {
	var counts []uint64
	for _, bucket := range buckets {
		i := max(1, bits.Len64(uint64(bucket.Max))) - 1
		for len(counts) <= i {
			counts = append(counts, 0)
		}
		counts[i] += bucket.Count
	}
	return counts
}

// stars is a bar whose length is count's part of most, rounded down.
func stars(count, most uint64, width int) string {
	high, low := bits.Mul64(count, uint64(width))
	n, _ := bits.Div64(high, low, most)
	return strings.Repeat("*", int(n))
}
