package plots

import (
	"encoding/csv"
	"errors"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func list(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}

func TestWriteLeavesPictureAndTableAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	f := draw(t, lines(5))
	for range 2 { // the second time over the first
		if err := f.Write(filepath.Join(dir, "spin.png")); err != nil {
			t.Fatal(err)
		}
	}
	if got := list(t, dir); got != "spin.csv spin.png" {
		t.Fatalf("files: %s", got)
	}
	file, err := os.Open(filepath.Join(dir, "spin.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	config, err := png.DecodeConfig(file)
	if err != nil || config.Width != 1361 || config.Height != 680 {
		t.Errorf("%d by %d pixels (%v), want 18 by 9 cm at 192 dpi", config.Width, config.Height, err)
	}
	if info, err := file.Stat(); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("mode %v (%v), want one that others may read", info.Mode(), err)
	}
}

func TestWriteLeavesNothingWhenItFails(t *testing.T) {
	ok := draw(t, lines(5))
	failed := errors.New("no table today")
	broken := *ok
	broken.table = func(*csv.Writer) error { return failed }
	t.Run("table", func(t *testing.T) {
		dir := t.TempDir()
		if err := broken.Write(filepath.Join(dir, "a.png")); !errors.Is(err, failed) {
			t.Errorf("error %v", err)
		}
		if got := list(t, dir); got != "" {
			t.Errorf("files: %s", got)
		}
	})
	for _, blocked := range []string{"a.csv", "a.png"} {
		t.Run(blocked, func(t *testing.T) {
			dir := t.TempDir()
			// A folder that is not empty cannot be replaced by a file.
			if err := os.MkdirAll(filepath.Join(dir, blocked, "x"), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := ok.Write(filepath.Join(dir, "a.png")); err == nil {
				t.Error("no error")
			}
			if got := list(t, dir); strings.Contains(got, "a.png.") || strings.Contains(got, "a.csv.") {
				t.Errorf("files: %s", got)
			}
		})
	}
	for _, name := range []string{"a.svg", "missing/a.png"} {
		dir := t.TempDir()
		if err := ok.Write(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s: no error", name)
		}
		if got := list(t, dir); got != "" {
			t.Errorf("files: %s", got)
		}
	}
}

func TestImpossibleDataAreRefusedWithTheirPlace(t *testing.T) {
	ns := Axis{"wait", Nanoseconds}
	histogram := func(b ...Bucket) *Histogram {
		return &Histogram{X: ns, Series: []HistogramSeries{{Name: "v1", Buckets: b}}}
	}
	line := func(p ...Point) *Line {
		return &Line{X: Axis{"CPUs", Count}, Y: ns, Series: []LineSeries{{Name: "v1", Points: p}}}
	}
	slice := func(s Slice) *Timeline { return &Timeline{Lanes: 2, Slices: []Slice{s}} }
	for _, c := range []struct {
		of   drawable
		want string
	}{
		{histogram(Bucket{Min: 1, Max: 1, Count: math.NaN()}), `histogram: series "v1", bucket 0: count is NaN`},
		{histogram(Bucket{Min: 1, Max: 1, Count: math.Inf(1)}), `histogram: series "v1", bucket 0: count is +Inf`},
		{histogram(Bucket{Min: 1, Max: 1, Count: 1e101}), `histogram: series "v1", bucket 0: count is 1e+101`},
		{histogram(Bucket{Min: 1, Max: 1, Count: -2}), `histogram: series "v1", bucket 0: count is -2`},
		{histogram(Bucket{Min: 1, Max: 1, Error: math.NaN()}), `histogram: series "v1", bucket 0: error is NaN`},
		{histogram(Bucket{Min: 1, Max: 1, Error: 1}), `histogram: series "v1", bucket 0: an error bar, but no word on what error bars show`},
		{histogram(Bucket{Min: 1, Max: 2}, Bucket{Min: 2, Max: 3}), `histogram: series "v1", bucket 1: 2 to 3 after 2`},
		{histogram(Bucket{Min: 4, Max: 3}), `histogram: series "v1", bucket 0: 4 to 3 after -1`},
		{histogram(Bucket{Min: -4, Max: 3}), `histogram: series "v1", bucket 0: -4 to 3 after -1`},
		{histogram(Bucket{Min: 4, Max: math.MaxInt64}), `histogram: series "v1", bucket 0: 4 to 9223372036854775807 after -1`},
		{&Histogram{X: ns, Series: make([]HistogramSeries, 65)}, "histogram: 65 series"},
		{&Histogram{}, "histogram: unknown unit 0"},
		{line(Point{X: math.NaN()}), `line: series "v1", point 0: x is NaN`},
		{line(Point{}, Point{X: 1, Y: math.Inf(-1)}), `line: series "v1", point 1: y is -Inf`},
		{line(Point{Error: -1}), `line: series "v1", point 0: error is -1`},
		{line(Point{X: 1, Error: 1}), `line: series "v1", point 0: an error bar, but no word on what error bars show`},
		{line(Point{X: 1}, Point{X: 1, Y: 2}), `line: series "v1", point 1: a second value at x = 1`},
		{&Line{X: ns, Y: ns, Series: make([]LineSeries, 65)}, "line: 65 series"},
		{&Line{X: ns}, "line: unknown unit 2 or 0"},
		{&Timeline{}, "timeline: 0 lanes"},
		{&Timeline{Lanes: 1025}, "timeline: 1025 lanes"},
		{&Timeline{Lanes: 1, From: 5, To: 5}, "timeline: shows from 5 to 5 ps"},
		{&Timeline{Lanes: 1, From: -1, To: 5}, "timeline: shows from -1 to 5 ps"},
		{slice(Slice{2, 0, 1, User}), "timeline: slice 0: lane 2 of 2"},
		{slice(Slice{-1, 0, 1, User}), "timeline: slice 0: lane -1 of 2"},
		{slice(Slice{0, 3, 1, User}), "timeline: slice 0: from 3 to 1 ps"},
		{slice(Slice{0, 0, 1, 0}), "timeline: slice 0: unknown kind 0"},
		{slice(Slice{0, 0, 1, Idle + 1}), "timeline: slice 0: unknown kind 8"},
		{&Timeline{Lanes: 1, Marks: []Mark{{Lane: 1}}}, "timeline: mark 0: lane 1 of 1"},
	} {
		if _, err := c.of.Figure(); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

func TestAnyNumbersAreDrawnOrRefused(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1e3, 1e3), rapid.Map(rapid.IntRange(-3, 9), func(n int) float64 { return float64(n) }))
	units := rapid.SampledFrom([]Unit{Count, Nanoseconds, PerSecond, CPUSeconds})
	times := rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 1000), rapid.Just[int64](math.MaxInt64))
	rapid.Check(t, func(t *rapid.T) {
		l := &Line{X: Axis{"x", units.Draw(t, "x unit")}, Y: Axis{"y", units.Draw(t, "y unit")}, Errors: "±2σ"}
		for range rapid.IntRange(1, 3).Draw(t, "series") {
			l.Series = append(l.Series, LineSeries{Points: rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Point {
				return Point{number.Draw(t, "x"), number.Draw(t, "y"), math.Abs(number.Draw(t, "error"))}
			}), 0, 20).Draw(t, "points")})
		}
		tl := &Timeline{Lanes: 2, From: times.Draw(t, "from"), To: times.Draw(t, "to")}
		if rapid.Bool().Draw(t, "all") {
			tl.From, tl.To = 0, 0
		}
		tl.Slices = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Slice {
			a, b := times.Draw(t, "start"), times.Draw(t, "end")
			return Slice{rapid.IntRange(0, 1).Draw(t, "lane"), min(a, b), max(a, b), rapid.SampledFrom([]Kind{User, Spin, IRQ, Idle}).Draw(t, "kind")}
		}), 0, 9).Draw(t, "slices")
		tl.Marks = []Mark{{0, times.Draw(t, "mark"), "tick"}}
		h := &Histogram{X: l.X, Errors: "±2σ", Series: []HistogramSeries{{}, {}}}
		low := int64(0)
		for range rapid.IntRange(0, 9).Draw(t, "buckets") {
			high := rapid.Int64Range(low, math.MaxInt64-1).Draw(t, "high")
			count := math.Abs(number.Draw(t, "count"))
			h.Series[0].Buckets = append(h.Series[0].Buckets, Bucket{low, high, count, count / 2})
			if low = high + 1; low == math.MaxInt64 {
				break
			}
		}
		for _, d := range []drawable{l, tl, h} {
			if f, err := d.Figure(); err == nil {
				f.Image()
			}
		}
	})
}

func TestNoDataGiveAPictureThatSaysSo(t *testing.T) {
	count := Axis{"x", Count}
	for name, d := range map[string]drawable{
		"no series":      &Histogram{X: count},
		"no bucket":      &Histogram{X: count, Series: make([]HistogramSeries, 3)},
		"nothing seen":   &Histogram{X: count, Series: []HistogramSeries{{Buckets: []Bucket{{Min: 1, Max: 1}}}}},
		"no line":        &Line{X: count, Y: count},
		"no point":       &Line{X: count, Y: count, Series: make([]LineSeries, 9)},
		"no slice":       &Timeline{Lanes: 64},
		"other time":     &Timeline{Lanes: 1, From: 10, To: 20, Slices: []Slice{{0, 0, 10, User}, {0, 20, 30, User}}},
		"a mark, though": &Timeline{Lanes: 1, Marks: []Mark{{0, 0, "tick"}}},
	} {
		f := draw(t, d)
		if !f.Empty() {
			t.Errorf("%s: not called empty", name)
		}
		var svg strings.Builder
		if err := f.SVG(&svg); err != nil || !strings.Contains(svg.String(), ">no samples<") {
			t.Errorf("%s: the picture does not say so (%v)", name, err)
		}
		if err := f.PNG(io.Discard); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range map[string]drawable{
		"one value": &Histogram{X: count, Series: []HistogramSeries{{Buckets: []Bucket{{Count: 1}}}}},
		"a zero":    &Line{X: count, Y: count, Series: []LineSeries{{Points: []Point{{}}}}},
		"idle":      &Timeline{Lanes: 1, Slices: []Slice{{0, 0, 10, Idle}}},
		"instant":   &Timeline{Lanes: 1, Slices: []Slice{{0, 7, 7, IRQ}}},
	} {
		f := draw(t, d)
		var svg strings.Builder
		if err := f.SVG(&svg); err != nil || f.Empty() || strings.Contains(svg.String(), ">no samples<") {
			t.Errorf("%s: called empty (%v)", name, err)
		}
		f.Image()
	}
}

func TestTablesHaveFullNumbersAndUnits(t *testing.T) {
	const third = 1.0 / 3
	for _, c := range []struct {
		of   drawable
		want string
	}{
		{
			&Histogram{X: Axis{"wait", Nanoseconds}, Errors: "95% CI", Series: []HistogramSeries{
				{Name: "a, b", Buckets: []Bucket{{256, 511, 1e7 + third, third}}},
				{Name: "c", Buckets: []Bucket{{0, 0, 1, 0}, {1 << 61, 1<<62 - 1, 2, 0}}},
			}},
			"series,min (ns),max (ns),count,error\n" +
				"\"a, b\",256,511,1.0000000333333334e+07,0.3333333333333333\n" +
				"c,0,0,1,0\nc,2305843009213693952,4611686018427387903,2,0\n",
		},
		{
			&Line{X: Axis{"machine.cpus", Count}, Y: Axis{"throughput", PerSecond}, Errors: "95% CI", Series: []LineSeries{
				{Name: "ticket", Points: []Point{{2, 2500000, 12.5}, {1, third, 0}}},
			}},
			"series,machine.cpus,throughput (1/s),error (1/s)\nticket,2,2.5e+06,12.5\nticket,1,0.3333333333333333,0\n",
		},
		{
			&Timeline{Lanes: 2, To: 10, Slices: []Slice{{1, 5, 15, Spin}, {0, 0, 2, IRQ}}, Marks: []Mark{{1, 3, "tick"}}},
			"cpu,start (ps),end (ps),kind,mark\n1,5,15,lock spin,\n0,0,2,irq,\n1,3,3,,tick\n",
		},
	} {
		var got strings.Builder
		if err := draw(t, c.of).CSV(&got); err != nil {
			t.Fatal(err)
		}
		if got.String() != c.want {
			t.Errorf("got\n%s\nwant\n%s", got.String(), c.want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestErrorsOfTheWriterAreReturned(t *testing.T) {
	f := draw(t, timeline(8, 4e6, 100e6))
	for name, write := range map[string]func(io.Writer) error{"PNG": f.PNG, "SVG": f.SVG, "CSV": f.CSV} {
		if err := write(full{}); err == nil || err.Error() != "disk full" {
			t.Errorf("%s: %v", name, err)
		}
	}
}
