package plots

import (
	"image/color"
	"math"
)

// Distances in the frame of a picture, in pixels.
const (
	titleBaseline  = 68  // from the top of the picture
	subtitleStep   = 37  // from the title's baseline to the subtitle's
	lineStep       = 33  // from one line of small text to the next
	headGap        = 17  // from the last baseline of the head to the plot
	footHeight     = 116 // from the end of the plot to the bottom of the picture
	minorTick      = 5
	majorTick      = 10
	smallRise      = 8.5 // from the middle of small digits to their baseline
	minPlotHeight  = 360 // a head that needs more makes the picture taller
	swatch         = 24  // side of a key's colour sample
	lineSwatch     = 66  // its width where it shows a line
	keyGap         = 13  // from a key's sample to its text
	keySpace       = 32  // from one key to the next
	yLabelWidth    = 47  // what the label of a y axis needs, with its gap
	yLabelBaseline = margin + 25
)

// frame is what surrounds the data of a picture: head, legend and the place of
// the plot between left and right, top and bottom.
type frame struct {
	head                     Head
	subtitle                 []string
	keys                     []placedKey
	left, right, top, bottom int
}

// key is one entry of a legend.
type key struct {
	name   string
	sample sample
	style  style
}

// sample is what a key shows beside its name.
type sample uint8

const (
	box sample = iota + 1
	stretch
	interval
	shares
)

// placedKey is a key and where it stands: its left edge and its baseline.
type placedKey struct {
	key
	x float64
	y int
}

func (k key) width() float64 {
	if k.sample == stretch {
		return lineSwatch + keyGap + textWidth(k.name, textSize)
	}
	return swatch + keyGap + textWidth(k.name, textSize)
}

// newFrame lays out the head and the legend and gives the plot the height that
// a picture of 9 cm leaves, but no less than the smallest one.
func newFrame(h Head, keys []key) frame {
	const width = figureWidth - 2*margin
	f := frame{
		head:     Head{Title: shorten(h.Title, titleSize, width)},
		subtitle: wrap(h.Subtitle, textSize, width, 2),
		left:     margin,
		right:    figureWidth - margin,
	}
	baseline := titleBaseline + subtitleStep + max(0, len(f.subtitle)-1)*lineStep
	used := 0.0
	if n := len(f.subtitle); n > 0 {
		used = textWidth(f.subtitle[n-1], textSize) + 2*keySpace
	}
	f.keys, baseline = placeKeys(keys, baseline, used)
	f.top = baseline + headGap
	f.bottom = f.top + max(minPlotHeight, figureHeight-footHeight-f.top)
	return f
}

// placeKeys puts the legend at the right of the line with that baseline if
// nothing stands there up to used, else on lines of its own, from the left. It
// returns the last baseline taken.
func placeKeys(keys []key, baseline int, used float64) ([]placedKey, int) {
	const width = figureWidth - 2*margin
	strip := -float64(keySpace)
	for _, k := range keys {
		strip += keySpace + k.width()
	}
	x, y := width-strip, baseline
	if len(keys) > 0 && used+strip > width {
		x, y = 0, baseline+lineStep
	}
	var placed []placedKey
	for _, k := range keys {
		k.name = shorten(k.name, textSize, width-lineSwatch-keyGap)
		if x > 0 && math.Floor(x+k.width()) > width {
			x, y = 0, y+lineStep
		}
		placed = append(placed, placedKey{k, margin + x, y})
		x += k.width() + keySpace
	}
	return placed, y
}

// height returns the height of the whole picture.
func (f *frame) height() int { return f.bottom + footHeight }

// paint draws the head and the legend.
func (f *frame) paint(p *pen) {
	p.text(f.head.Title, titleSize, margin, titleBaseline, left, ink)
	for i, s := range f.subtitle {
		p.text(s, textSize, margin, float64(titleBaseline+subtitleStep+i*lineStep), left, grey)
	}
	for _, k := range f.keys {
		k.paint(p)
	}
}

func (k placedKey) paint(p *pen) {
	x, mid := int(math.Round(k.x)), k.y-swatch/2+3
	width := swatch
	switch k.sample {
	case box:
		p.rect(x, mid-swatch/2, x+swatch, mid+swatch/2, k.style.color)
	case interval:
		p.errorBar(float64(x+swatch/2), mid-swatch/2+1, mid+swatch/2-1, false, capWidth, k.style.color)
	case shares:
		for i, h := range [...]int{9, 15, 6, 12} {
			col, low := x+i*swatch/4, mid+swatch/2
			p.rect(col, low-h, col+swatch/4, low, grey)
			p.rect(col, mid-swatch/2, col+swatch/4, low-h, grid)
		}
	case stretch:
		width = lineSwatch
		p.line([]point{{k.x, float64(mid)}, {k.x + lineSwatch, float64(mid)}}, seriesWidth, k.style.dashes, k.style.color)
		p.mark(k.style.marker, point{k.x + lineSwatch/2, float64(mid)}, markerRadius, k.style.color)
	}
	p.text(k.name, textSize, float64(x+width+keyGap), float64(k.y), left, ink)
}

// paintEmpty says that there is nothing to see between top and bottom.
func (f *frame) paintEmpty(p *pen, top, bottom int) {
	const text = "no samples"
	x, y := (f.left+f.right)/2, (top+bottom)/2
	half := int(textWidth(text, labelSize)/2) + keyGap
	p.rect(x-half, y-swatch, x+half, y+swatch, white)
	p.text(text, labelSize, float64(x), float64(y)+smallRise, center, grey)
}

// paintX draws the horizontal axis below the plot.
func (f *frame) paintX(p *pen, label axisLabel, ticks []tick, px func(float64) float64) {
	p.rect(f.left-stroke, f.bottom, f.right, f.bottom+stroke, ink)
	for _, t := range ticks {
		x, length := int(math.Round(px(t.at))), minorTick
		if t.label != "" {
			length = majorTick
			p.text(t.label, textSize, float64(x), float64(f.bottom+31), center, ink)
		}
		p.rect(x-stroke/2, f.bottom, x+stroke/2, f.bottom+stroke+length, ink)
	}
	width := float64(f.right - f.left)
	p.text(label.within(labelSize, width), labelSize, float64(f.left)+width/2, float64(f.bottom+76), center, ink)
}

// yAxis is a vertical axis that contains zero.
type yAxis struct {
	label  axisLabel
	lo, hi float64 // in the axis's scale, like the ticks
	factor float64 // what numbers are divided by to be in that scale
	ticks  []tick
}

// newYAxis makes an axis for numbers from lo to hi with 12% head-room beyond
// them and about want steps. Preconditions: lo <= 0 <= hi, want >= 3.
func newYAxis(a Axis, lo, hi float64, want int) yAxis {
	const room = 1.12
	s := a.Unit.scale(max(-lo, hi))
	if lo == hi {
		// All is zero: show where one would be.
		return yAxis{label: axisLabel{a.Label, s.name}, hi: room, factor: s.factor, ticks: []tick{{0, "0"}, {1, "1"}}}
	}
	y := yAxis{label: axisLabel{a.Label, s.name}, lo: lo / s.factor * room, hi: hi / s.factor * room, factor: s.factor}
	y.ticks = s.ticks(y.lo, y.hi, want)
	return y
}

// px returns where v lies between top and bottom.
func (y *yAxis) px(v float64, top, bottom int) float64 {
	return float64(bottom) - (v/y.factor-y.lo)/(y.hi-y.lo)*float64(bottom-top)
}

// width returns what the axis and its label take at the left of the plot.
func (y *yAxis) width() int {
	widest := 0.0
	for _, t := range y.ticks {
		widest = max(widest, textWidth(t.label, textSize))
	}
	w := int(math.Ceil(widest)) + majorTick + 8
	if y.label != (axisLabel{}) {
		w += yLabelWidth
	}
	return w
}

// paintY draws a vertical axis and its grid between top and bottom.
func (f *frame) paintY(p *pen, y *yAxis, top, bottom int) {
	for _, t := range y.ticks {
		at, length := int(math.Round(y.px(t.at*y.factor, top, bottom))), minorTick
		if t.label != "" {
			length = majorTick
			if t.at != y.lo {
				p.rect(f.left, at-stroke/2, f.right, at+stroke/2, gridColor(t.at))
			}
			p.text(t.label, textSize, float64(f.left-stroke-majorTick-8), float64(at)+smallRise, right, ink)
		}
		p.rect(f.left-stroke-length, at-stroke/2, f.left, at+stroke/2, ink)
	}
	p.rect(f.left-stroke, top, f.left, bottom, ink)
}

// gridColor sets zero off where an axis reaches below it.
func gridColor(at float64) color.RGBA {
	if at == 0 {
		return ink
	}
	return grid
}

// paintYLabel writes the label of the vertical axes between top and bottom. One
// too long for that may reach to the lower margin, in small type if need be.
func (f *frame) paintYLabel(p *pen, label axisLabel, top, bottom int) {
	size := labelSize
	fits := func() bool { return textWidth(label.full(), size) <= float64(bottom-top) }
	if !fits() {
		bottom = f.height() - margin
	}
	if !fits() {
		size = textSize
	}
	p.textUp(label.within(size, float64(bottom-top)), size, yLabelBaseline, float64(top+bottom)/2, ink)
}

// axisLabel is what an axis shows and in which unit.
type axisLabel struct{ name, unit string }

func (l axisLabel) full() string { return withUnit(l.name, l.unit) }

// within returns the label with its name shortened to fit, never its unit.
func (l axisLabel) within(size int, width float64) string {
	rest := textWidth(l.full(), size) - textWidth(l.name, size)
	return axisLabel{shorten(l.name, size, width-rest), l.unit}.full()
}
