package plots

import (
	"cmp"
	"math"
	"slices"
)

// lineDrawing is a line plot that has been laid out.
type lineDrawing struct {
	l      *Line
	f      frame
	points [][]Point // of each series, ascending in x
	xs     []float64 // all of their x, ascending
	log    bool      // whether the x axis is logarithmic
	x0, x1 float64   // where the first and the last x lie, in pixels
	y      yAxis
}

// layout places a line plot. Precondition: its data have been checked.
func (l *Line) layout() *lineDrawing {
	d := &lineDrawing{l: l, f: newFrame(l.Head, l.keys()), xs: l.values()}
	for _, s := range l.Series {
		ordered := slices.Clone(s.Points)
		slices.SortFunc(ordered, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
		d.points = append(d.points, ordered)
	}
	lo, hi := l.extent()
	d.y = newYAxis(l.Y, lo, hi, 6)
	if len(d.xs) == 0 {
		d.y.ticks = nil
	}
	d.f.left += d.y.width()
	d.x0, d.x1 = float64(d.f.left+inset), float64(d.f.right-inset)
	if l.direct() {
		widest := 0.0
		for _, s := range l.Series {
			widest = max(widest, textWidth(shorten(s.Name, textSize, maxLabel), textSize))
		}
		if widest > 0 {
			d.x1 = float64(d.f.right-labelColumn) - widest
			d.f.right = int(d.x1) + inset
		}
	}
	d.log = growsByFactors(d.xs)
	return d
}

func (d *lineDrawing) px(x float64) float64 {
	first, last := d.xs[0], d.xs[len(d.xs)-1]
	if first == last {
		return (d.x0 + d.x1) / 2
	}
	if d.log {
		first, last, x = math.Log2(first), math.Log2(last), math.Log2(x)
	}
	return d.x0 + (x-first)/(last-first)*(d.x1-d.x0)
}

func (d *lineDrawing) at(p Point) point {
	return point{d.px(p.X), d.y.px(p.Y, d.f.top, d.f.bottom)}
}

func (d *lineDrawing) paint(p *pen) {
	d.f.paint(p)
	d.f.paintY(p, &d.y, d.f.top, d.f.bottom)
	d.f.paintYLabel(p, d.y.label, d.f.top, d.f.bottom)
	ticks, label := d.xTicks()
	for i := range d.points {
		d.errorBars(p, i)
	}
	// Where two lines coincide, one with gaps shows the other between them.
	for _, solid := range []bool{true, false} {
		for i := range d.points {
			if (styleOf(i).dashes == nil) == solid {
				d.line(p, i)
			}
		}
	}
	for i := range d.points {
		d.markers(p, i, true)
	}
	d.f.paintX(p, label, ticks, d.px)
	for i := range d.points {
		d.markers(p, i, false)
	}
	if len(d.xs) == 0 {
		d.f.paintEmpty(p, d.f.top, d.f.bottom)
	}
	if d.l.direct() {
		d.names(p)
	}
}

// xTicks returns the ticks of the x axis and its label: ticks at the values if
// they are few, else round ones.
func (d *lineDrawing) xTicks() ([]tick, axisLabel) {
	label, unit := axisLabel{name: d.l.X.Label}, d.l.X.Unit
	if len(d.xs) == 0 {
		return nil, label
	}
	var ticks []tick
	if len(d.xs) <= ticksAtValues {
		for _, x := range d.xs {
			ticks = append(ticks, tick{x, unit.label(x)})
		}
		// The values need not be evenly spaced: drop just what collides.
		thinUnevenly(ticks, d.px)
		return ticks, label
	}
	first, last := d.xs[0], d.xs[len(d.xs)-1]
	if d.log {
		ticks = logTicks(first, last, unit)
	} else {
		s := unit.scale(last)
		label.unit = s.name
		ticks = s.ticks(first/s.factor, last/s.factor, 8)
		for i := range ticks {
			ticks[i].at *= s.factor
		}
	}
	thin(ticks, d.px)
	return ticks, label
}

func (d *lineDrawing) errorBars(p *pen, i int) {
	marked := d.marked(i)
	for k, q := range d.points[i] {
		if q.Error == 0 {
			continue
		}
		y0 := d.y.px(q.Y+q.Error, d.f.top, d.f.bottom)
		y1 := d.y.px(q.Y-q.Error, d.f.top, d.f.bottom)
		end := float64(d.f.bottom) // of the axis, as it need not reach below 0
		width := capWidth
		if !marked[k] {
			width = stroke // bars so near each other need no caps to be seen
		}
		p.errorBar(d.px(q.X), int(math.Round(y0)), int(math.Round(min(y1, end))), y1 > end, width, styleOf(i).color)
	}
}

// line draws the series in pieces that end where it lacks a value of x.
func (d *lineDrawing) line(p *pen, i int) {
	style := styleOf(i)
	var piece []point
	next := 0 // the first of xs not passed
	for _, q := range d.points[i] {
		if len(piece) > 0 && d.xs[next] != q.X {
			p.line(piece, seriesWidth, style.dashes, style.color)
			piece = nil
		}
		piece = append(piece, d.at(q))
		at, _ := slices.BinarySearch(d.xs, q.X)
		next = at + 1
	}
	p.line(piece, seriesWidth, style.dashes, style.color)
}

// markers draws the markers of a series, or again those that the x axis has
// crossed, without the white edge that would cut it.
func (d *lineDrawing) markers(p *pen, i int, all bool) {
	style, marked := styleOf(i), d.marked(i)
	for k, q := range d.points[i] {
		switch at := d.at(q); {
		case !marked[k]:
		case all:
			p.mark(style.marker, at, markerRadius, style.color)
		case at.y > float64(d.f.bottom-2*markerRadius):
			p.shape(style.marker, at, markerRadius, style.color)
		}
	}
}

// marked says which points of a series get a marker: the first, and each that
// is far enough from the last one marked.
func (d *lineDrawing) marked(i int) []bool {
	marked := make([]bool, len(d.points[i]))
	last := math.Inf(-1)
	for k, q := range d.points[i] {
		if x := d.px(q.X); x >= last+markerSpacing {
			marked[k], last = true, x
		}
	}
	return marked
}

// names writes the name of each line at its end, moved apart where they would
// touch, and joined to the line.
func (d *lineDrawing) names(p *pen) {
	type end struct {
		at     point
		series int
	}
	var ends []end
	for i, ps := range d.points {
		if len(ps) > 0 && d.l.Series[i].Name != "" {
			ends = append(ends, end{d.at(ps[len(ps)-1]), i})
		}
	}
	slices.SortStableFunc(ends, func(a, b end) int { return cmp.Compare(a.at.y, b.at.y) })
	want := make([]float64, len(ends))
	for i, e := range ends {
		want[i] = e.at.y
	}
	for i, y := range spread(want, labelHeight, d.f.top, d.f.bottom) {
		e, c := ends[i], styleOf(ends[i].series).color
		x := d.x1 + labelColumn
		mid := float64(y)
		if math.Abs(mid-e.at.y) < stroke {
			mid = e.at.y
		}
		var dots []float64
		if e.at.x < d.x1 {
			dots = []float64{2, 6} // not to be taken for a line with data
		}
		p.line([]point{{e.at.x + markerRadius + 5, e.at.y}, {d.x1 + inset, e.at.y}}, 1.5, dots, c)
		p.line([]point{{d.x1 + inset, e.at.y}, {x - 6, mid}}, 1.5, nil, c)
		name := shorten(d.l.Series[e.series].Name, textSize, maxLabel)
		p.text(name, textSize, x, float64(y)+smallRise, left, dark(c))
	}
}
