package plots

import (
	"image"
	"image/color"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// runs returns where row y of a picture has stretches of a colour.
func runs(img *image.RGBA, y int, c color.RGBA) (spans [][2]int) {
	for x := 0; x < img.Rect.Max.X; x++ {
		if img.RGBAAt(x, y) != c {
			continue
		}
		start := x
		for x < img.Rect.Max.X && img.RGBAAt(x, y) == c {
			x++
		}
		spans = append(spans, [2]int{start, x})
	}
	return spans
}

// The plot of a single histogram lies between these rows and ends here.
const plotTop, plotBottom, plotRight = 122, 564, figureWidth - margin

func TestBarsSpanExactlyTheirBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		first := rapid.IntRange(0, 40).Draw(t, "first")
		n := rapid.IntRange(1, 20).Draw(t, "buckets")
		h := &Histogram{X: Axis{"wait", Nanoseconds}, Series: []HistogramSeries{{}}}
		for k := first; k < first+n; k++ {
			low := int64(1) << k
			h.Series[0].Buckets = append(h.Series[0].Buckets, Bucket{Min: low, Max: 2*low - 1, Count: 5})
		}
		f, err := h.Figure()
		if err != nil {
			t.Fatal(err)
		}
		// The axis begins where the first octave does; its lower row has no tick
		// of the other axis.
		img := f.Image()
		bars := runs(img, plotBottom-100, blue)
		axis := runs(img, plotBottom+1, ink)
		if len(bars) != n {
			t.Fatalf("%d bars, want %d", len(bars), n)
		}
		left := float64(axis[len(axis)-1][0] + stroke)
		octave := (plotRight - left) / float64(n)
		for k, bar := range bars {
			from, to := left+float64(k)*octave, left+float64(k+1)*octave
			if bar[0] != int(math.Round(from))+1 || bar[1] != int(math.Round(to))-1 {
				t.Fatalf("bar %d at %v, want %v to %v with a white pixel at each end", k, bar, from, to)
			}
		}
	})
}

// column returns how many pixels of a colour column x of a picture has.
func pixelsIn(img *image.RGBA, x int, c color.RGBA) (n int) {
	for y := range img.Rect.Max.Y {
		if img.RGBAAt(x, y) == c {
			n++
		}
	}
	return n
}

func TestBarsAreAsHighAsTheirCounts(t *testing.T) {
	h := &Histogram{X: Axis{"wait", Nanoseconds}, Series: []HistogramSeries{{Buckets: log2(8, 1000, 500, 250, 0, 1e-3)}}}
	for i := range h.Series[0].Buckets {
		h.Series[0].Buckets[i].Error = 0
	}
	img := draw(t, h).Image()
	bars := runs(img, plotBottom-1, blue)
	if len(bars) != 4 {
		t.Fatalf("%d bars, want 4", len(bars))
	}
	highest := (plotBottom - plotTop) / 1.12 // head-room of 12%
	for i, want := range []float64{highest, highest / 2, highest / 4, stroke} {
		if got := pixelsIn(img, bars[i][0]+3, blue); math.Abs(float64(got)-want) > 1 {
			t.Errorf("bar %d is %d pixels high, want %v", i, got, want)
		}
	}
}

func TestBarsNarrowerThanAPixelHideNothing(t *testing.T) {
	h := &Histogram{X: Axis{"nodes", Count}, Series: []HistogramSeries{{}}}
	for v := int64(1000); v < 3000; v++ {
		h.Series[0].Buckets = append(h.Series[0].Buckets, Bucket{v, v, 1, 0})
	}
	if bars := runs(draw(t, h).Image(), plotBottom-100, blue); len(bars) != 1 || bars[0][1] != plotRight {
		t.Errorf("2000 neighbours are drawn at %v", bars)
	}
}

func TestErrorBarsReachAboveAndBelow(t *testing.T) {
	h := &Histogram{X: Axis{"wait", Nanoseconds}, Errors: "±2σ", Series: []HistogramSeries{{
		Buckets: []Bucket{{Min: 256, Max: 511, Count: 100, Error: 50}},
	}}}
	img := draw(t, h).Image()
	bar := runs(img, plotBottom-1, blue)[0]
	mid := (bar[0] + bar[1]) / 2
	var top, bottom int
	for y := plotTop; y < plotBottom; y++ {
		if img.RGBAAt(mid, y) == ink {
			if top == 0 {
				top = y
			}
			bottom = y
		}
	}
	perCount := (plotBottom - plotTop) / 1.12 / 150
	if math.Abs(float64(plotBottom-top)-150*perCount) > 2 || math.Abs(float64(plotBottom-bottom)-50*perCount) > 2 {
		t.Errorf("from %d to %d, want 150 and 50 counts of %v pixels above %d", top, bottom, perCount, plotBottom)
	}
}

func TestRowsShareAScaleUnlessThatFlattensOne(t *testing.T) {
	two := func(a, b float64) *Histogram {
		bucket := func(c float64) []Bucket { return []Bucket{{Min: 1, Max: 1, Count: c}} }
		return &Histogram{X: Axis{"x", Count}, YLabel: "calls", Series: []HistogramSeries{
			{Buckets: bucket(a)}, {Buckets: bucket(b)}, {},
		}}
	}
	axes, label := two(800, 101).yAxes()
	if axes[0].hi != axes[1].hi || axes[2].hi != axes[0].hi || label.full() != "calls" {
		t.Errorf("own scales for near counts: %v and %v, %q", axes[0].hi, axes[1].hi, label.full())
	}
	axes, label = two(900, 100).yAxes()
	if axes[0].hi == axes[1].hi || label.full() != "calls (own scales)" {
		t.Errorf("one scale for distant counts: %v and %v, %q", axes[0].hi, axes[1].hi, label.full())
	}
}
