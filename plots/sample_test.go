package plots

import (
	"math/rand/v2"
	"testing"
)

// The samples are what the package is for: variants of one kernel function
// compared, and a machine at work. Goldens, determinism and speed use them.

const provenance = "xeon-server, 8 CPUs · run 3f9a01c2 · seeds 1–5 · smpsim 0.1.0"

type drawable interface{ Figure() (*Figure, error) }

func draw(t testing.TB, d drawable) *Figure {
	t.Helper()
	f, err := d.Figure()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// log2 makes buckets from [2^first, 2^(first+1)) on, with errors of a twelfth.
func log2(first int, counts ...float64) []Bucket {
	var buckets []Bucket
	for i, c := range counts {
		low := int64(1) << (first + i)
		buckets = append(buckets, Bucket{Min: low, Max: 2*low - 1, Count: c, Error: c / 12})
	}
	return buckets
}

func oneHistogram() *Histogram {
	return &Histogram{
		Head:   Head{"Spinlock wait time", "8 CPUs, ticket lock, hold 200 ns · seeds 1–30"},
		X:      Axis{"wait time (log2 buckets)", Nanoseconds},
		YLabel: "acquisitions per run", Errors: "mean of 30 seeds, ±2σ",
		Series: []HistogramSeries{{Buckets: log2(3, 2, 12, 66, 254, 632, 1065, 1227, 966, 527, 190, 45, 7, 1)}},
	}
}

func fiveHistograms() *Histogram {
	return &Histogram{
		Head:   Head{"A sane sendmsg() while 32K AF_UNIX sockets are in flight", provenance},
		X:      Axis{"unix_dgram_sendmsg (log2 buckets)", Nanoseconds},
		YLabel: "calls per run", Errors: "mean of 5 runs, 95% CI",
		Series: []HistogramSeries{
			{"v6.6.0", "n = 4096, p50 1.6 ms, p99 7.1 ms", log2(18, 150, 790, 1480, 1210, 400, 60, 6)},
			{"v1-trusted", "n = 4096, p50 0.9 ms", log2(17, 140, 730, 1460, 1260, 440, 62, 4)},
			{"v2-async", "n = 4096, p50 410 ns", log2(6, 190, 840, 1560, 1110, 330, 50, 6, 3, 2, 2, 3)},
			{"v2-flush", "n = 4096, p50 520 ns", log2(6, 40, 400, 1180, 1500, 770, 160, 20, 4, 2, 1)},
			{"many-enter", "n = 4096, p50 2.0 ms", log2(18, 80, 530, 1420, 1380, 570, 100, 10, 3, 2, 1)},
		},
	}
}

func zeroHistogram() *Histogram {
	return &Histogram{
		Head: Head{"Chain lengths", provenance},
		X:    Axis{"chain_length", Count}, YLabel: "buckets",
		Series: []HistogramSeries{
			{Name: "before", Buckets: []Bucket{{0, 0, 60, 0}, {1, 1, 76, 0}, {2, 3, 60, 0}, {4, 7, 20, 0}}},
			{Name: "after", Buckets: []Bucket{{0, 0, 30000, 0}, {1, 1, 56, 0}}},
			{Name: "none"},
		},
	}
}

// lines has n series over 1 to 64 CPUs; the third lacks a value, and the fourth
// ends early beside the fifth.
func lines(n int) *Line {
	l := &Line{
		Head: Head{"Many CPUs may enter the collector, or one worker runs it", provenance},
		X:    Axis{"machine.cpus", Count}, Y: Axis{"throughput(unix_dgram_sendmsg)", PerSecond},
		Errors: "95% CI of 5 runs",
	}
	names := []string{"ticket", "qspinlock", "test-and-set", "mutex", "no lock", "rwlock", "seqlock"}
	cost := []float64{0.3, 0.5, 0.9, 0.12, 0.1, 0.2, 0.7} // of contention, per CPU
	for i, name := range names[:n] {
		s := LineSeries{Name: name}
		for _, cpus := range []float64{1, 2, 4, 8, 16, 32, 64} {
			if (i == 2 && cpus == 8) || (i == 3 && cpus == 64) {
				continue
			}
			y := 3e6 * cpus / (1 + cost[i]*(cpus-1))
			s.Points = append(s.Points, Point{cpus, y, y / 25})
		}
		l.Series = append(l.Series, s)
	}
	return l
}

// linearLine has values below and at zero, and more of them than ticks.
func linearLine() *Line {
	l := &Line{
		Head: Head{"What the patch saves", provenance},
		X:    Axis{"tasks.caller.count", Count}, Y: Axis{"mean(getsockname)", Nanoseconds},
		Errors: "95% CI of 5 runs",
	}
	for _, slope := range []float64{300, 0, -120} {
		s := LineSeries{Name: map[float64]string{300: "locked", 0: "fast", -120: "seqcount"}[slope]}
		for n := range 40 {
			s.Points = append(s.Points, Point{float64(n + 1), slope * float64(n), 150})
		}
		l.Series = append(l.Series, s)
	}
	return l
}

// timeline has slices of about mean picoseconds until end on each CPU, and a
// timer tick of 800 ns every 20 µs.
func timeline(lanes int, mean, end int64) *Timeline {
	const microsecond = 1e6
	r := rand.New(rand.NewPCG(1, 2))
	t := &Timeline{Head: Head{"Per-CPU timeline", provenance}, Lanes: lanes, To: end}
	for lane := range lanes {
		for at := int64(0); at < end; {
			kind := []Kind{User, Kernel, Spin, Held, Idle, Switch}[r.IntN(6)]
			length := mean/10 + r.Int64N(2*mean)
			if kind == Switch {
				length = min(length, microsecond)
			}
			t.Slices = append(t.Slices, Slice{lane, at, at + length, kind})
			at += length
		}
		for at := int64(lane) * 3 * microsecond; at < end; at += 20 * microsecond {
			t.Slices = append(t.Slices, Slice{lane, at, at + 0.8*microsecond, IRQ})
		}
	}
	return t
}

func markedTimeline() *Timeline {
	t := timeline(8, 4e6, 100e6)
	t.Marks = []Mark{
		{0, 1e6, "queue_work"},
		{0, 2e6, "hidden by the one before"},
		{0, 30e6, "tick"},
		{3, 50e6, "gc_enter"},
		{3, 50.05e6, "touches"},
		{7, 99.9e6, "flush_work"},
	}
	return t
}

// samples are the pictures whose look is approved.
func samples() []struct {
	name string
	of   drawable
} {
	return []struct {
		name string
		of   drawable
	}{
		{"histogram", oneHistogram()},
		{"histograms", fiveHistograms()},
		{"histogram-zero", zeroHistogram()},
		{"lines", lines(5)},
		{"lines-legend", lines(7)},
		{"lines-linear", linearLine()},
		{"timeline", timeline(8, 4e6, 100e6)},
		{"timeline-marks", markedTimeline()},
		{"timeline-shares", timeline(20, 1e6, 1e9)},
		{"timeline-empty", &Timeline{Head: Head{"Nothing", provenance}, Lanes: 4}},
		{"interleaving", doubleEntry()},
		{"interleaving-folded", longInterleaving(4)},
		{"interleaving-tracks", longInterleaving(9)},
		{"interleaving-empty", &Interleaving{Head: Head{"Nothing", provenance}}},
		{"lines-empty", &Line{Head: Head{"Nothing", provenance}, X: Axis{"x", Count}, Y: Axis{"y", Count}}},
	}
}
