package plots

import (
	"math"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// read turns a label back into a number, in the unit that labels are made from.
func read(t rapid.TB, label string) float64 {
	t.Helper()
	factors := map[string]float64{
		"": 1, "ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "/s": 1, "k/s": 1e3, "M/s": 1e6, "G/s": 1e9,
		"k": 1e3, "M": 1e6, "G": 1e9,
	}
	label = strings.ReplaceAll(label, "−", "-")
	end := strings.LastIndexAny(label, "0123456789") + 1
	v, err := strconv.ParseFloat(label[:end], 64)
	factor, ok := factors[strings.TrimSpace(label[end:])]
	if err != nil || !ok {
		t.Fatalf("label %q is no number with a unit", label)
	}
	return v * factor
}

// checkTicks fails unless ticks lie within lo and hi, ascend, and carry at
// least two labels, each of which says where it stands.
func checkTicks(t rapid.TB, ticks []tick, lo, hi float64) {
	t.Helper()
	labels := make(map[string]bool)
	for i, k := range ticks {
		if k.at < lo || k.at > hi || (i > 0 && k.at <= ticks[i-1].at) {
			t.Fatalf("tick %d at %v: %v to %v after %v", i, k.at, lo, hi, ticks[max(0, i-1)].at)
		}
		if k.label == "" {
			continue
		}
		if labels[k.label] {
			t.Fatalf("two labels %q from %v to %v", k.label, lo, hi)
		}
		labels[k.label] = true
		if got := read(t, k.label); math.Abs(got-k.at) > 1e-9*math.Max(math.Abs(lo), math.Abs(hi)) {
			t.Fatalf("label %q at %v", k.label, k.at)
		}
	}
	if len(labels) < 2 {
		t.Fatalf("%d labels from %v to %v", len(labels), lo, hi)
	}
}

func TestLogTicksLabelAnyRangeTruthfully(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Exp2(rapid.Float64Range(-1, 45).Draw(t, "log2 of lo"))
		hi := lo * math.Exp2(rapid.Float64Range(0.01, 40).Draw(t, "octaves"))
		u := rapid.SampledFrom([]Unit{Count, Nanoseconds, PerSecond, CPUSeconds}).Draw(t, "unit")
		checkTicks(t, logTicks(lo, hi, u), lo, hi)
	})
}

func TestLinearTicksLabelAnyRangeTruthfully(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-1e6, 1e6).Draw(t, "lo")
		hi := lo + math.Exp2(rapid.Float64Range(-10, 60).Draw(t, "log2 of range"))
		ticks := linearTicks(lo, hi, rapid.IntRange(5, 10).Draw(t, "want"))
		checkTicks(t, ticks, lo, hi)
		if len(ticks) > 150 {
			t.Fatalf("%d ticks", len(ticks))
		}
	})
}

func TestYAxesHaveZeroAndHeadRoomAndLabels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hi := math.Exp2(rapid.Float64Range(-20, 50).Draw(t, "log2 of hi"))
		lo := -hi * rapid.SampledFrom([]float64{0, 0, 0.01, 1, 7}).Draw(t, "below")
		want := 6
		if lo == 0 {
			want = rapid.IntRange(3, 6).Draw(t, "want")
		}
		u := rapid.SampledFrom([]Unit{Count, Nanoseconds, PerSecond, CPUSeconds}).Draw(t, "unit")
		y := newYAxis(Axis{"y", u}, lo, hi, want)
		for i, k := range y.ticks {
			y.ticks[i].label = strings.TrimRight(k.label, "kMG") // ticks are in thousands too
		}
		checkTicks(t, y.ticks, y.lo, y.hi)
		const top, bottom = 100, 541
		if got := y.px(0, top, bottom); lo == 0 && got != bottom {
			t.Fatalf("zero is at %v, not at the bottom", got)
		}
		// 12% of each side lies beyond the outermost value.
		room := (bottom - top) * 0.12 / 1.12 * hi / (hi - lo)
		if got := y.px(hi, top, bottom) - top; math.Abs(got-room) > 1e-6 {
			t.Fatalf("%v pixels above the highest value, want %v", got, room)
		}
	})
}

func TestAxesWithoutAnythingAboveZeroStillHaveTwoLabels(t *testing.T) {
	y := newYAxis(Axis{"count(torn)", Count}, 0, 0, 6)
	checkTicks(t, y.ticks, y.lo, y.hi)
}

func TestHistogramAxesLabelAnyLog2Buckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(0, 50).Draw(t, "first")
		last := rapid.IntRange(first, 61).Draw(t, "last")
		u := rapid.SampledFrom([]Unit{Count, Nanoseconds}).Draw(t, "unit")
		lo, hi := math.Exp2(float64(first)), math.Exp2(float64(last+1))
		h := &Histogram{X: Axis{"x", u}, Series: []HistogramSeries{{Buckets: []Bucket{
			{Min: int64(1) << first, Max: 2<<first - 1, Count: 1},
		}}}}
		if last > first {
			h.Series[0].Buckets = append(h.Series[0].Buckets, Bucket{Min: 1 << last, Max: int64(1)<<last - 1 + 1<<last, Count: 1})
		}
		d := histogramDrawing{h: h, f: frame{left: 150, right: 1329}, lo: lo, hi: hi}
		ticks := d.xTicks()
		checkTicks(t, ticks, lo, hi)
		checkApart(t, ticks, d.px)
	})
}

// checkApart fails if two labels are less than 6 pt apart.
func checkApart(t rapid.TB, ticks []tick, px func(float64) float64) {
	t.Helper()
	end := math.Inf(-1)
	for _, k := range ticks {
		if k.label == "" {
			continue
		}
		half := textWidth(k.label, textSize) / 2
		if px(k.at)-half < end+15.9 {
			t.Fatalf("label %q touches the one before", k.label)
		}
		end = px(k.at) + half
	}
}

func TestTicksAtValuesKeepWhatFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := 0.0
		var ticks []tick
		for range rapid.IntRange(1, 16).Draw(t, "ticks") {
			at += rapid.Float64Range(1, 200).Draw(t, "step")
			ticks = append(ticks, tick{at, strings.Repeat("8", rapid.IntRange(1, 9).Draw(t, "digits"))})
		}
		px := func(at float64) float64 { return at }
		before := append([]tick(nil), ticks...)
		thinUnevenly(ticks, px)
		checkApart(t, ticks, px)
		last := 0
		for i := 1; i < len(ticks); i++ {
			if ticks[i].label != "" {
				last = i
			} else if !touch(before[last], before[i], px) {
				t.Fatalf("label %d was removed though it fits", i)
			}
		}
	})
}

func TestUnitsAreWrittenAsPeopleWriteThem(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		v    float64
		want string
	}{
		{Nanoseconds, 1, "1 ns"},
		{Nanoseconds, 0.274, "0.274 ns"},
		{Nanoseconds, 100, "100 ns"},
		{Nanoseconds, 1500, "1.5 µs"},
		{Nanoseconds, 2e6, "2 ms"},
		{Nanoseconds, 1e12, "1000 s"},
		{Count, 64, "64"},
		{Count, 1000, "1000"},
		{Count, 16384, "16384"},
		{Count, 50000, "50k"},
		{Count, 1e7, "10M"},
		{PerSecond, 20, "20 /s"},
		{PerSecond, 2.5e6, "2.5 M/s"},
		{CPUSeconds, 0.1 + 0.2, "0.3"},
	} {
		if got := c.unit.label(c.v); got != c.want {
			t.Errorf("%v in unit %d: %q, want %q", c.v, c.unit, got, c.want)
		}
	}
}

func TestScalesLeaveAxesAFewWholeSteps(t *testing.T) {
	for _, c := range []struct {
		unit Unit
		end  float64
		want string
	}{
		{Nanoseconds, 1999, "ns"},
		{Nanoseconds, 2000, "µs"},
		{Nanoseconds, 2e6, "ms"},
		{Nanoseconds, 1e12, "s"},
		{PerSecond, 1999, "1/s"},
		{PerSecond, 2e9, "G/s"},
		{Count, 9999, ""},
		{Count, 10000, "k"},
		{Count, 1e7, "M"},
		{CPUSeconds, 1e6, "CPU s/s"},
	} {
		s := c.unit.scale(c.end)
		if got := s.name + s.suffix; got != c.want {
			t.Errorf("an axis up to %v in unit %d: %q, want %q", c.end, c.unit, got, c.want)
		}
	}
}
