package plots

import (
	"cmp"
	"image/color"
	"math"
	"slices"
	"strconv"
)

// look is how a kind is drawn: its colour, and its layer, in which it covers
// what lies in the layers below.
type look struct {
	name  string
	color color.RGBA
	layer int
}

const (
	runLayer = iota
	lockLayer
	irqLayer
	layers
)

var looks = [kinds]look{
	User:   {"user", paleSky, runLayer},
	Kernel: {"kernel", blue, runLayer},
	IRQ:    {"irq", green, irqLayer},
	Switch: {"switch", purple, irqLayer},
	Held:   {"lock held", orange, lockLayer},
	Spin:   {"lock spin", vermillion, lockLayer},
	Idle:   {"idle", idle, runLayer},
}

// timelineDrawing is a timeline that has been laid out.
type timelineDrawing struct {
	t           *Timeline
	f           frame
	from, to    int64
	pitch, band int       // height of a lane with its gap; of the marks above it
	lanes       [][]Slice // what the window shows of each, clipped to it
	ticks       []tick
	label       axisLabel
	origin      int64 // the time at which ticks have 0
	empty       bool  // no slice lies in the window
}

// layout places a timeline of a window of time. Precondition: its data have been
// checked.
func (t *Timeline) layout(from, to int64) *timelineDrawing {
	d := &timelineDrawing{t: t, from: from, to: to}
	byKind := d.sortSlices()
	d.layoutX()
	f := newFrame(t.Head, d.keys(byKind))
	f.left, f.right = d.f.left, d.f.right
	d.f = f
	d.pitch = min(lanePitch, pitchOfEight*8/t.Lanes)
	if t.Lanes > 8 {
		d.pitch = max(leastPitch, (pitchOfEight*8+laneGrowth*(t.Lanes-8))/t.Lanes)
	}
	if len(t.Marks) > 0 {
		d.band = markBand
	}
	d.f.bottom = d.f.top + t.Lanes*(d.pitch+d.band)
	return d
}

// sortSlices fills lanes, joining slices of one kind that follow one another,
// and returns how many of each kind it saw.
func (d *timelineDrawing) sortSlices() (byKind [kinds]int) {
	d.empty = true
	d.lanes = make([][]Slice, d.t.Lanes)
	for _, s := range d.t.Slices {
		before := s.End < d.from || (s.End == d.from && s.Start < s.End)
		after := s.Start > d.to || (s.Start == d.to && s.Start < s.End)
		if before || after {
			continue
		}
		s.Start, s.End = max(s.Start, d.from), min(s.End, d.to)
		d.empty = false
		byKind[s.Kind]++
		if s.Kind == Idle {
			continue
		}
		lane := d.lanes[s.Lane]
		if n := len(lane); n > 0 && lane[n-1].Kind == s.Kind && lane[n-1].End == s.Start {
			lane[n-1].End = s.End
		} else {
			d.lanes[s.Lane] = append(lane, s)
		}
	}
	return byKind
}

// layoutX places the axis and chooses its ticks, which count from the start of
// the window where its times would take too many digits.
func (d *timelineDrawing) layoutX() {
	widest := 0.0
	for lane := range d.t.Lanes {
		widest = max(widest, textWidth(laneName(lane), textSize))
	}
	d.f.left = margin + int(math.Ceil(widest)) + 16
	d.f.right = figureWidth - margin - 42 // half of the last tick's label
	const (
		picoseconds = 1e3 // in a nanosecond
		most        = 1e5 // on a label
	)
	s := Nanoseconds.scale(float64(d.to-d.from) / picoseconds)
	d.label.name = "virtual time"
	if d.empty && d.t.To == 0 {
		return // no time to show
	}
	d.label.unit = s.name
	if float64(d.to)/picoseconds/s.factor > most {
		d.origin = d.from
		d.label.name += " since " + Nanoseconds.label(float64(d.origin)/picoseconds)
	}
	factor := picoseconds * s.factor
	d.ticks = s.ticks(float64(d.from-d.origin)/factor, float64(d.to-d.origin)/factor, 6)
	for i := range d.ticks {
		d.ticks[i].at *= factor
	}
	thin(d.ticks, d.tickPx)
}

// tickPx returns where a tick lies.
func (d *timelineDrawing) tickPx(at float64) float64 { return d.px(d.origin) + at*d.scale() }

// keys returns an entry for every kind that is shown, and one for shares if
// any lane has them.
func (d *timelineDrawing) keys(byKind [kinds]int) []key {
	var keys []key
	for k := User; k < Idle; k++ {
		if byKind[k] > 0 {
			keys = append(keys, key{looks[k].name, box, style{color: looks[k].color}})
		}
	}
	columns := make([]column, d.f.right-d.f.left)
	for _, slices := range d.lanes {
		d.addShort(columns, slices)
		for x := range columns {
			if columns[x].crowded {
				return append(keys, key{name: "share of time, where events crowd", sample: shares})
			}
		}
	}
	return keys
}

func laneName(lane int) string { return "CPU " + strconv.Itoa(lane) }

// scale returns pixels per picosecond.
func (d *timelineDrawing) scale() float64 {
	return float64(d.f.right-d.f.left) / float64(d.to-d.from)
}

func (d *timelineDrawing) px(t int64) float64 {
	return float64(d.f.left) + float64(t-d.from)*d.scale()
}

func (d *timelineDrawing) paint(p *pen) {
	d.f.paint(p)
	columns := make([]column, d.f.right-d.f.left)
	for lane, slices := range d.lanes {
		l := d.place(lane)
		p.rect(d.f.left, l.y0, d.f.right, l.y1, idle)
		d.addShort(columns, slices)
		l.paint(p, slices, columns)
	}
	d.paintNames(p)
	d.paintMarks(p)
	d.f.paintX(p, d.label, d.ticks, d.tickPx)
	if d.empty {
		d.f.paintEmpty(p, d.f.top, d.f.bottom)
	}
}

// nameStride returns which lanes have names: all, or every second, fourth and so
// on if names would touch.
func (d *timelineDrawing) nameStride() int {
	const textHeight = 26
	stride := 1
	for stride*(d.pitch+d.band) < textHeight {
		stride *= 2
	}
	return stride
}

func (d *timelineDrawing) paintNames(p *pen) {
	for lane := 0; lane < d.t.Lanes; lane += d.nameStride() {
		l := d.place(lane)
		p.text(laneName(lane), textSize, margin, float64(l.y0+l.y1)/2+smallRise, left, ink)
	}
}

func (d *timelineDrawing) paintMarks(p *pen) {
	marks := slices.Clone(d.t.Marks)
	slices.SortStableFunc(marks, func(a, b Mark) int {
		return cmp.Or(cmp.Compare(a.Lane, b.Lane), cmp.Compare(a.At, b.At))
	})
	lane, tickEnd, labelEnd := -1, 0, 0.0
	for _, m := range marks {
		if m.At < d.from || m.At > d.to {
			continue
		}
		if m.Lane != lane {
			lane, tickEnd, labelEnd = m.Lane, 0, float64(d.f.left)
		}
		l, x := d.place(lane), int(math.Round(d.px(m.At)))
		if x-1 < tickEnd+stroke {
			continue
		}
		p.rect(x-1, l.y0-markTick, x+1, l.y0, ink)
		tickEnd = x + 1
		half := textWidth(m.Label, markSize) / 2
		start := max(float64(d.f.left), min(float64(x)-half, float64(figureWidth-margin)-2*half))
		if start < labelEnd {
			continue
		}
		p.text(m.Label, markSize, start, float64(l.y0-markTick-5), left, ink)
		labelEnd = start + 2*half + 8
	}
}
