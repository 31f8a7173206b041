package plots

import (
	"encoding/csv"
	"fmt"
	"image/color"
	"strconv"
)

// Interleaving shows the steps of several tasks in the order in which they happened:
// a column a task, time downwards, and where something was found. A line leads from
// each step to the next where another task goes on: a heavy one where the first task
// could have gone on itself.
//
// Of more than 60 steps, those that a task does in a row are one box.
type Interleaving struct {
	Head
	// Lanes name the tasks, 1 to 64.
	Lanes []string
	Steps []InterleavingStep
	// Ending is what was found when nobody could go on.
	Ending []string
}

// InterleavingStep is one step.
type InterleavingStep struct {
	Lane int
	// Line is where the step stands in its file, 0 for nowhere.
	Line int
	// Text is the step and Note what came of it, such as a value read.
	Text, Note string
	// Preempts says that the task of the step before could have gone on.
	Preempts bool
	// Found is what the step found wrong.
	Found []string
}

const (
	mostBoxes    = 60
	stepColumn   = 60 // px for numbers of steps, left of the lanes
	laneGap      = 14
	boxPadding   = 12
	boxGap       = 12
	laneHead     = 46
	barWidth     = 6
	elbowHeight  = boxGap / 2
	preemptWidth = 5
)

// Figure checks the data and lays the picture out, as tall as its steps need.
func (l *Interleaving) Figure() (*Figure, error) {
	if n := len(l.Lanes); n > maxSeries {
		return nil, fmt.Errorf("interleaving: %d tasks, at most %d", n, maxSeries)
	}
	for i := range l.Steps {
		if s := &l.Steps[i]; s.Lane < 0 || s.Lane >= len(l.Lanes) {
			return nil, fmt.Errorf("interleaving: step %d in lane %d of %d", i, s.Lane, len(l.Lanes))
		}
	}
	d := l.layout()
	return &Figure{
		width: figureWidth, height: d.height, empty: len(l.Steps) == 0,
		paint: d.paint, table: l.table,
	}, nil
}

func (l *Interleaving) table(w *csv.Writer) error {
	if err := w.Write([]string{"step", "task", "line", "text", "note", "preempts", "found"}); err != nil {
		return err
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		found := ""
		for k, f := range s.Found {
			if k > 0 {
				found += "; "
			}
			found += f
		}
		row := []string{strconv.Itoa(i + 1), l.Lanes[s.Lane], strconv.Itoa(s.Line), s.Text, s.Note, strconv.FormatBool(s.Preempts), found}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}

// stepBox is a step, or several that a task does in a row, and where it stands.
type stepBox struct {
	first, last int // steps, counted from 0
	lane        int
	lines       []string
	found       []string
	preempts    bool
	top, bottom int
	under       int // the end of what was found, below the box
}

// interleavingDrawing is an interleaving that has been laid out.
type interleavingDrawing struct {
	l      *Interleaving
	f      frame
	boxes  []stepBox
	ending []string
	width  int // of a lane, without its gap
	below  int // where the ending starts
	height int
}

// layout places boxes one below the other.
func (l *Interleaving) layout() *interleavingDrawing {
	d := &interleavingDrawing{l: l, f: newFrame(l.Head, nil)}
	d.width = (figureWidth - 2*margin - stepColumn - (len(l.Lanes)-1)*laneGap) / max(1, len(l.Lanes))
	d.fold()
	y := d.f.top + laneHead
	for i := range d.boxes {
		b := &d.boxes[i]
		b.top = y
		b.bottom = y + len(b.lines)*lineStep + boxPadding
		b.under = b.bottom + len(b.found)*lineStep
		y = b.under + boxGap
	}
	for _, e := range l.Ending {
		d.ending = append(d.ending, wrap("at the end: "+e, textSize, figureWidth-2*margin-stepColumn, 3)...)
	}
	d.below = y
	d.height = y + len(d.ending)*lineStep + margin
	if len(l.Steps) == 0 {
		d.height = max(d.height, minPlotHeight)
	}
	return d
}

// fold makes the boxes: a step each, or a run of one task's.
func (d *interleavingDrawing) fold() {
	folded := len(d.l.Steps) > mostBoxes
	text := float64(d.width - 2*boxPadding - barWidth)
	for i := range d.l.Steps {
		s := &d.l.Steps[i]
		found := []string{}
		for _, f := range s.Found {
			found = append(found, wrap(f, textSize, float64(d.width), 3)...)
		}
		if n := len(d.boxes); folded && n > 0 && d.boxes[n-1].lane == s.Lane && len(d.boxes[n-1].found) == 0 {
			b := &d.boxes[n-1]
			b.last, b.found = i, found
			continue
		}
		d.boxes = append(d.boxes, stepBox{first: i, last: i, lane: s.Lane, found: found, preempts: s.Preempts})
	}
	for i := range d.boxes {
		b := &d.boxes[i]
		first, last := &d.l.Steps[b.first], &d.l.Steps[b.last]
		b.lines = []string{shorten(first.Text, textSize, text)}
		switch n := b.last - b.first + 1; {
		case n == 2:
			b.lines = append(b.lines, shorten(last.Text, textSize, text))
		case n > 2:
			b.lines = append(b.lines, shorten(fmt.Sprintf("… %d steps, up to %s", n, last.Text), textSize, text))
		case first.Note != "":
			b.lines = append(b.lines, shorten(first.Note, textSize, text))
		}
	}
}

// x is the left edge of a lane.
func (d *interleavingDrawing) x(lane int) int {
	return margin + stepColumn + lane*(d.width+laneGap)
}

func (d *interleavingDrawing) paint(p *pen) {
	d.f.paint(p)
	for lane, name := range d.l.Lanes {
		x := d.x(lane)
		p.text(shorten(name, labelSize, float64(d.width)), labelSize, float64(x), float64(d.f.top+laneHead-20), left, ink)
		if len(d.boxes) > 0 {
			middle := x + barWidth/2
			p.rect(middle-1, d.f.top+laneHead, middle+1, d.boxes[len(d.boxes)-1].bottom, grid)
		}
	}
	for i := range d.boxes {
		if i > 0 && d.boxes[i-1].lane != d.boxes[i].lane {
			d.paintSwitch(p, &d.boxes[i-1], &d.boxes[i])
		}
	}
	for i := range d.boxes {
		d.paintBox(p, &d.boxes[i])
	}
	for i, text := range d.ending {
		p.text(text, textSize, float64(d.x(0)), float64(d.below+(i+1)*lineStep-8), left, dark(vermillion))
	}
	if len(d.boxes) == 0 {
		d.f.paintEmpty(p, d.f.top, d.height-margin)
	}
}

// paintBox draws a step: a pale box with the task's colour at its left, the number of
// the step beside it.
func (d *interleavingDrawing) paintBox(p *pen, b *stepBox) {
	x := d.x(b.lane)
	p.rect(x, b.top, x+d.width, b.bottom, idle)
	p.rect(x, b.top, x+barWidth, b.bottom, d.color(b))
	number := strconv.Itoa(b.first + 1)
	p.text(number, textSize, margin+stepColumn-18, float64(b.top+boxPadding/2+lineStep-9), right, grey)
	for i, text := range b.lines {
		c := ink
		if i > 0 {
			c = grey
		}
		p.text(text, textSize, float64(x+barWidth+boxPadding), float64(b.top+boxPadding/2+(i+1)*lineStep-9), left, c)
	}
	for i, text := range b.found {
		p.text(text, textSize, float64(x), float64(b.bottom+(i+1)*lineStep-7), left, dark(vermillion))
	}
}

// color is that of the box's task; a step that found something is marked by its own.
func (d *interleavingDrawing) color(b *stepBox) color.RGBA {
	if len(b.found) > 0 {
		return vermillion
	}
	return laneColors[b.lane%len(laneColors)]
}

// laneColors are the palette without the colour of findings.
var laneColors = []color.RGBA{blue, green, purple, orange, sky, ink}

// paintSwitch leads from one task to the next: heavy where it takes over.
func (d *interleavingDrawing) paintSwitch(p *pen, from, to *stepBox) {
	c, width := grey, stroke
	if to.preempts {
		c, width = vermillion, preemptWidth
	}
	x0, x1 := d.x(from.lane)+barWidth/2, d.x(to.lane)+barWidth/2
	y := to.top - elbowHeight
	p.rect(min(x0, x1)-width/2, y-width/2, max(x0, x1)+width-width/2, y+width-width/2, c)
	p.rect(x0-width/2, from.bottom, x0+width-width/2, y, c)
	p.rect(x1-width/2, y, x1+width-width/2, to.top, c)
}
