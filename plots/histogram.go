package plots

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"math"
	"strconv"
)

// Histogram shows how often values of each size occurred. A single series fills
// the picture; several are drawn below one another, over the same axis of
// values, since bars of one would hide those of another.
type Histogram struct {
	Head
	// X says what was measured and in which unit the buckets' bounds are.
	X Axis
	// YLabel says what was counted, "calls per run".
	YLabel string
	// Errors says what the error bars show, "±2σ over 30 seeds". It is required
	// if there are any.
	Errors string
	Series []HistogramSeries // at most 64
}

// HistogramSeries are the buckets of one variant.
type HistogramSeries struct {
	Name string
	// Note is printed after the name where there are several series, "n = 4096".
	Note string
	// Buckets ascend and do not overlap. What lies between them was not seen.
	Buckets []Bucket
}

// Bucket counts the values from Min to Max, both included: {256, 511} is the
// one that bcc prints as "256 -> 511". Its bar spans exactly [256, 512).
type Bucket struct {
	Min, Max int64
	// Count is at least 0. It need not be whole: it may be a mean over runs.
	Count float64
	// Error is the half-width of the interval around Count; 0 draws none.
	Error float64
}

// Heights of the rows of a histogram of several series, in pixels.
const (
	rowTitle = 36
	rowPlot  = 104 // smallest; up to three rows share what a single plot has
	rowGap   = 8
)

// Figure checks the data and lays the picture out. Its rows are at least 1.96 cm
// apart: with more than three of them the picture grows taller than 9 cm.
func (h *Histogram) Figure() (*Figure, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	f := newFrame(h.Head, h.keys())
	rows := max(1, len(h.Series))
	pitch := f.bottom - f.top
	if rows > 1 {
		pitch = max((pitch+rowGap)/rows, rowTitle+rowPlot+rowGap)
		f.bottom = max(f.bottom, f.top+rows*pitch-rowGap)
	}
	axes, label := h.yAxes()
	for i := range axes {
		f.left = max(f.left, margin+axes[i].width())
	}
	drawing := histogramDrawing{h: h, f: f, axes: axes, label: label, pitch: pitch}
	drawing.lo, drawing.hi = h.bounds()
	return &Figure{
		width: figureWidth, height: f.height(),
		empty: drawing.hi == 0,
		paint: drawing.paint,
		table: h.table,
	}, nil
}

func (h *Histogram) check() error {
	if !h.X.Unit.valid() {
		return fmt.Errorf("histogram: unknown unit %d", h.X.Unit)
	}
	if len(h.Series) > maxSeries {
		return fmt.Errorf("histogram: %d series", len(h.Series))
	}
	for _, s := range h.Series {
		end := int64(-1)
		for i, b := range s.Buckets {
			where := fmt.Sprintf("histogram: series %q, bucket %d", s.Name, i)
			if b.Min <= end || b.Max < b.Min || b.Max == math.MaxInt64 {
				return fmt.Errorf("%s: %d to %d after %d", where, b.Min, b.Max, end)
			}
			end = b.Max
			if err := check("count", b.Count, false); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if err := check("error", b.Error, false); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if b.Error > 0 && h.Errors == "" {
				return fmt.Errorf("%s: an error bar, but no word on what error bars show", where)
			}
		}
	}
	return nil
}

// span returns between which values the bar stands. A logarithmic axis has no
// place for zero; the bucket that holds it takes one octave.
func (b Bucket) span() (lo, hi float64) {
	hi = float64(b.Max) + 1
	if b.Min == 0 {
		return hi / 2, hi
	}
	return float64(b.Min), hi
}

func (b Bucket) seen() bool { return b.Count > 0 || b.Error > 0 }

// bounds returns between which values anything was seen, or 0, 0.
func (h *Histogram) bounds() (lo, hi float64) {
	for _, s := range h.Series {
		for _, b := range s.Buckets {
			if !b.seen() {
				continue
			}
			from, to := b.span()
			if hi == 0 || from < lo {
				lo = from
			}
			hi = max(hi, to)
		}
	}
	return lo, hi
}

// yAxes returns the axis of each row, without ticks if nothing was seen, and
// their common label. Rows share one scale, so that heights compare, unless that
// would flatten one of them.
func (h *Histogram) yAxes() ([]yAxis, axisLabel) {
	const flat = 8 // times lower than the highest
	tops := make([]float64, max(1, len(h.Series)))
	highest, lowest := 0.0, math.Inf(1)
	for i, s := range h.Series {
		for _, b := range s.Buckets {
			tops[i] = max(tops[i], b.Count+b.Error)
		}
		if tops[i] > 0 {
			highest, lowest = max(highest, tops[i]), min(lowest, tops[i])
		}
	}
	want := 6
	if len(tops) > 2 {
		want = 3
	}
	own := lowest*flat < highest
	axes := make([]yAxis, len(tops))
	for i, top := range tops {
		empty := top == 0
		if !own {
			top = highest
		}
		axes[i] = newYAxis(Axis{Label: h.YLabel, Unit: Count}, 0, top, want)
		if empty {
			axes[i].ticks = nil
		}
	}
	if own {
		return axes, axisLabel{h.YLabel, "own scales"}
	}
	return axes, axisLabel{name: h.YLabel}
}

func (h *Histogram) keys() []key {
	if len(h.Series) > 1 {
		if h.Errors == "" {
			return nil
		}
		return []key{{h.Errors, interval, style{color: ink}}}
	}
	name := h.Errors
	if len(h.Series) == 1 && h.Series[0].Name != "" {
		name = h.Series[0].Name
		if h.Errors != "" {
			name += ", " + h.Errors
		}
	}
	if name == "" {
		return nil
	}
	return []key{{name, box, styleOf(0)}}
}

func (h *Histogram) table(w *csv.Writer) error {
	err := w.Write([]string{"series", h.X.Unit.header("min"), h.X.Unit.header("max"), "count", "error"})
	for _, s := range h.Series {
		for _, b := range s.Buckets {
			if err != nil {
				return err
			}
			err = w.Write([]string{
				s.Name, strconv.FormatInt(b.Min, 10), strconv.FormatInt(b.Max, 10), exact(b.Count), exact(b.Error),
			})
		}
	}
	return err
}

// histogramDrawing is a histogram that has been laid out.
type histogramDrawing struct {
	h      *Histogram
	f      frame
	axes   []yAxis
	label  axisLabel // of the y axes
	lo, hi float64   // of the x axis; both 0 if nothing was seen
	pitch  int       // from one row to the next
}

func (d *histogramDrawing) px(v float64) float64 {
	octaves := math.Log2(d.hi) - math.Log2(d.lo)
	return float64(d.f.left) + (math.Log2(v)-math.Log2(d.lo))/octaves*float64(d.f.right-d.f.left)
}

func (d *histogramDrawing) paint(p *pen) {
	d.f.paint(p)
	d.f.paintYLabel(p, d.label, d.f.top, d.f.bottom)
	for i := range d.axes {
		d.row(p, i)
	}
	d.f.paintX(p, axisLabel{name: d.h.X.Label}, d.xTicks(), d.px)
}

// xTicks leaves out what lies in the bucket that holds zero, whose place on the
// axis is not its own.
func (d *histogramDrawing) xTicks() []tick {
	if d.hi == 0 {
		return nil
	}
	lo, zero := d.lo, tick{}
	for _, s := range d.h.Series {
		for _, b := range s.Buckets {
			if from, to := b.span(); b.Min == 0 && b.seen() && to > lo {
				lo, zero = to, tick{at: math.Sqrt(from * to), label: "0"}
				if b.Max > 0 {
					zero.label = "< " + d.h.X.Unit.label(to)
				}
			}
		}
	}
	var ticks []tick
	if lo < d.hi {
		if d.h.X.Unit == Count {
			ticks = octaveTicks(lo, d.hi)
		}
		if len(ticks) < 2 {
			ticks = logTicks(lo, d.hi, d.h.X.Unit)
		}
	}
	if zero.label != "" {
		ticks = append([]tick{zero}, ticks...)
	}
	thin(ticks, d.px)
	return ticks
}

// row draws one series.
func (d *histogramDrawing) row(p *pen, i int) {
	f, y := &d.f, &d.axes[i]
	top, bottom, c := f.top, f.bottom, styleOf(i).color
	if len(d.axes) > 1 {
		bottom = f.bottom - (len(d.axes)-1-i)*d.pitch
		top = bottom - d.pitch + rowGap + rowTitle
		d.rowTitle(p, d.h.Series[i], top-11, c)
	}
	f.paintY(p, y, top, bottom)
	p.rect(f.left-stroke, bottom, f.right, bottom+stroke, ink)
	if len(y.ticks) == 0 {
		f.paintEmpty(p, top, bottom)
		return
	}
	for _, b := range d.h.Series[i].Buckets {
		if b.seen() {
			d.bar(p, b, y, top, bottom, c)
		}
	}
}

func (d *histogramDrawing) rowTitle(p *pen, s HistogramSeries, baseline int, c color.RGBA) {
	x, room := float64(d.f.left), float64(d.f.right-d.f.left)
	name := shorten(s.Name, textSize, room)
	p.text(name, textSize, x, float64(baseline), left, dark(c))
	used := textWidth(name, textSize) + keyGap
	if room-used > 100 {
		p.text(shorten(s.Note, textSize, room-used), textSize, x+used, float64(baseline), left, grey)
	}
}

// barEdges returns the pixels of a bar that spans lo to hi. A pixel at each end
// is left white, to part neighbours, unless nothing else would be left.
func (d *histogramDrawing) barEdges(lo, hi float64) (x0, x1 int) {
	x0, x1 = int(math.Round(d.px(lo))), int(math.Round(d.px(hi)))
	if x1-x0 > 4 {
		return x0 + 1, x1 - 1
	}
	x0 = min(x0, d.f.right-1)
	return x0, max(x1, x0+1)
}

func (d *histogramDrawing) bar(p *pen, b Bucket, y *yAxis, top, bottom int, c color.RGBA) {
	lo, hi := b.span()
	x0, x1 := d.barEdges(lo, hi)
	height := bottom - int(math.Round(y.px(b.Count, top, bottom)))
	if b.Count > 0 {
		// One value in a million must be seen: outliers are what one looks for.
		height = max(height, stroke)
	}
	p.rect(x0, bottom-height, x1, bottom, c)
	if b.Error > 0 {
		low := max(b.Count-b.Error, 0)
		p.errorBar(float64(x0+x1)/2,
			int(math.Round(y.px(b.Count+b.Error, top, bottom))), int(math.Round(y.px(low, top, bottom))),
			b.Count < b.Error, min(capWidth, (x1-x0)/2), ink)
	}
}
