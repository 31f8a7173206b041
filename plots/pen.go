package plots

import (
	"image"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// pen draws on a canvas in device pixels, y down, and so hides the canvas's
// points and its y up.
type pen struct {
	canvas vg.Canvas
	pixels *image.RGBA // where canvas keeps its pixels; nil if it has none
	height int
}

// point is a place that need not lie on a pixel's edge.
type point struct{ x, y float64 }

// align says which part of a text stands at the given x.
type align float64

const (
	left   align = 0
	center align = 0.5
	right  align = 1
)

// rect fills the pixels from (x0, y0) up to but not including (x1, y1).
func (p *pen) rect(x0, y0, x1, y1 int, c color.RGBA) {
	if x0 >= x1 || y0 >= y1 {
		return
	}
	if p.pixels != nil {
		p.fill(image.Rect(x0, y0, x1, y1).Intersect(p.pixels.Rect), c)
		return
	}
	a, b := point{float64(x0), float64(y0)}, point{float64(x1), float64(y1)}
	p.polygon([]point{a, {b.x, a.y}, b, {a.x, b.y}}, c)
}

// fill sets pixels. The rasterizer would set the same ones, but a timeline has
// 100,000 rectangles.
func (p *pen) fill(r image.Rectangle, c color.RGBA) {
	if r.Empty() {
		return
	}
	first := p.pixels.Pix[p.pixels.PixOffset(r.Min.X, r.Min.Y):][:4*r.Dx()]
	for i := 0; i < len(first); i += 4 {
		first[i], first[i+1], first[i+2], first[i+3] = c.R, c.G, c.B, c.A
	}
	for y := r.Min.Y + 1; y < r.Max.Y; y++ {
		copy(p.pixels.Pix[p.pixels.PixOffset(r.Min.X, y):], first)
	}
}

// polygon fills the area within a closed line.
func (p *pen) polygon(corners []point, c color.RGBA) {
	path := p.path(corners)
	path.Close()
	p.canvas.SetColor(c)
	p.canvas.Fill(path)
}

// line strokes an open line.
func (p *pen) line(through []point, width float64, dashes []float64, c color.RGBA) {
	if len(through) < 2 {
		return
	}
	var pattern []vg.Length
	for _, d := range dashes {
		pattern = append(pattern, points(d))
	}
	p.canvas.SetColor(c)
	p.canvas.SetLineWidth(points(width))
	p.canvas.SetLineDash(pattern, 0)
	p.canvas.Stroke(p.path(through))
}

func (p *pen) path(through []point) vg.Path {
	path := make(vg.Path, 0, len(through)+1)
	for i, at := range through {
		if i == 0 {
			path.Move(p.at(at))
		} else {
			path.Line(p.at(at))
		}
	}
	return path
}

func (p *pen) at(q point) vg.Point {
	return vg.Point{X: points(q.x), Y: points(float64(p.height) - q.y)}
}

// text writes s with its baseline at y.
func (p *pen) text(s string, size int, x, y float64, a align, c color.RGBA) {
	x -= float64(a) * textWidth(s, size)
	p.canvas.SetColor(c)
	p.canvas.FillString(face(size), p.at(point{x, y}), s)
}

// textUp writes s upwards, its baseline at x and its middle at y.
func (p *pen) textUp(s string, size int, x, y float64, c color.RGBA) {
	at := p.at(point{x, y + textWidth(s, size)/2})
	p.canvas.SetColor(c)
	p.canvas.Push()
	p.canvas.Rotate(math.Pi / 2)
	p.canvas.FillString(face(size), vg.Point{X: at.Y, Y: -at.X}, s)
	p.canvas.Pop()
}

// marker is the shape of a point.
type marker uint8

const (
	circle marker = iota + 1
	square
	triangle
	diamond
	nabla
)

// corners of the shapes other than circle, for a circle of the same area and
// radius 1, y down.
var corners = map[marker][]point{
	square:   {{-0.89, -0.89}, {0.89, -0.89}, {0.89, 0.89}, {-0.89, 0.89}},
	diamond:  {{0, -1.25}, {1.25, 0}, {0, 1.25}, {-1.25, 0}},
	triangle: {{0, -1.45}, {1.26, 0.73}, {-1.26, 0.73}},
	nabla:    {{0, 1.45}, {1.26, -0.73}, {-1.26, -0.73}},
}

// mark draws a marker with a white edge that sets it off lines beneath.
func (p *pen) mark(m marker, at point, radius float64, c color.RGBA) {
	p.shape(m, at, radius+2.5, white)
	p.shape(m, at, radius, c)
}

func (p *pen) shape(m marker, at point, radius float64, c color.RGBA) {
	if m == circle {
		var path vg.Path
		path.Move(p.at(point{at.x + radius, at.y}))
		path.Arc(p.at(at), points(radius), 0, 2*math.Pi)
		path.Close()
		p.canvas.SetColor(c)
		p.canvas.Fill(path)
		return
	}
	var shape []point
	for _, q := range corners[m] {
		shape = append(shape, point{at.x + radius*q.x, at.y + radius*q.y})
	}
	p.polygon(shape, c)
}

// capWidth is the width of an error bar's ends.
const capWidth = 14

// errorBar draws the interval from y0 down to y1 with caps of the given width.
// A cap is left out where the interval was cut.
func (p *pen) errorBar(x float64, y0, y1 int, cut bool, width int, c color.RGBA) {
	mid := int(math.Round(x))
	p.rect(mid-1, y0, mid+1, y1, c)
	p.rect(mid-width/2, y0-1, mid+width/2, y0+1, c)
	if !cut {
		p.rect(mid-width/2, y1-1, mid+width/2, y1+1, c)
	}
}
