package plots

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	mostUnfolded = 60  // steps that have a box each
	mostBoxes    = 200 // more make a picture that nobody reads, of 100 MB and more
	narrowest    = 240 // px of a lane that has text in it
	laneGap      = 14
	barWidth     = 6
	boxPadding   = 12
	boxGap       = 12
	laneHead     = 60 // for the lanes' names
	numberGap    = 18 // from the numbers of steps to the lanes

	tracksWidth = 480 // at most, of all tracks
	trackPitch  = 32  // from one track to the next, at most
	namesWidth  = 260 // at most, of the tasks' names beside the tracks
)

// Lines of text in a box.
const (
	mostTextLines    = 4
	mostNoteLines    = 3
	mostFoldedLines  = 2 // for each end of a run
	mostFindingLines = 12
)

// stepBox is a step, or several that a task does in a row, and where it stands.
type stepBox struct {
	first, last int // steps, counted from 0
	lane        int // omitted: no task's
	lines       []boxLine
	found       []string
	preempts    bool
	top, bottom int
	under       int // the end of what was found, below the box
}

// omitted is the lane of a box that stands for boxes that are left out.
const omitted = -1

// boxLine is a line of a box: what the step is, or what came of it.
type boxLine struct {
	text string
	note bool
}

// number names the box's steps, counted from 1.
func (b *stepBox) number() string {
	if b.first == b.last {
		return strconv.Itoa(b.first + 1)
	}
	return fmt.Sprintf("%d–%d", b.first+1, b.last+1)
}

// interleavingDrawing is an interleaving that has been laid out.
type interleavingDrawing struct {
	l      *Interleaving
	f      frame
	boxes  []stepBox
	ending []string
	// tracks: lanes are too narrow for text.
	tracks bool
	lanes  int // the left edge of the first lane
	// text is the left edge of boxes' text relative to the box, and width the width of
	// a box; where there are tracks, boxes start at side, right of them.
	side, text, width int
	below             int // where the ending starts
	height            int
}

// layout chooses columns or tracks, and places boxes one below the other.
func (l *Interleaving) layout() *interleavingDrawing {
	d := &interleavingDrawing{l: l, f: newFrame(l.Head, nil), boxes: l.fold()}
	numbers := 0.0
	for i := range d.boxes {
		if d.boxes[i].lane != omitted {
			numbers = max(numbers, textWidth(d.boxes[i].number(), textSize))
		}
	}
	d.lanes = margin + int(math.Ceil(numbers)) + numberGap
	n := max(1, len(l.Lanes))
	d.width = (d.f.right - d.lanes - (n-1)*laneGap) / n
	d.text = barWidth + boxPadding
	if d.width < narrowest || !d.fill() {
		d.layoutTracks()
		d.fill()
	}
	d.place()
	return d
}

// layoutTracks shares the width among tracks, names and text.
func (d *interleavingDrawing) layoutTracks() {
	d.tracks = true
	names := 0.0
	for _, name := range d.l.Lanes {
		names = max(names, textWidth(name, textSize))
	}
	d.side = d.x(len(d.l.Lanes)-1) + barWidth + laneGap
	d.width = d.f.right - d.side
	d.text = 2*boxPadding + min(namesWidth, int(math.Ceil(names)))
}

// place places boxes below each other, and the ending below them.
func (d *interleavingDrawing) place() {
	y := d.f.top + laneHead
	if d.tracks {
		y = d.f.top + boxGap
	}
	for i := range d.boxes {
		b := &d.boxes[i]
		b.top = y
		b.bottom = y + len(b.lines)*lineStep + boxPadding
		b.under = b.bottom
		if len(b.found) > 0 {
			b.under += len(b.found)*lineStep + boxPadding
		}
		y = b.under + boxGap
	}
	for _, e := range d.l.Ending {
		d.ending = append(d.ending, wrap("at the end: "+e, textSize, float64(d.f.right-d.lanes-barWidth-2*boxPadding), mostFindingLines)...)
	}
	d.below = y
	d.height = y + margin
	if len(d.ending) > 0 {
		d.height += len(d.ending)*lineStep + boxPadding
	}
	if len(d.boxes) == 0 {
		d.height = max(d.height, minPlotHeight)
	}
}

// x is the left edge of a lane, or of its track.
func (d *interleavingDrawing) x(lane int) int {
	if !d.tracks {
		return d.lanes + lane*(d.width+laneGap)
	}
	if n := len(d.l.Lanes); n*trackPitch > tracksWidth {
		return d.lanes + lane*tracksWidth/n
	}
	return d.lanes + lane*trackPitch
}

// fold makes the boxes, without their text: a step each, or a run of one task's up to
// what it found.
func (l *Interleaving) fold() []stepBox {
	var boxes []stepBox
	for i := range l.Steps {
		s := &l.Steps[i]
		if n := len(boxes); len(l.Steps) > mostUnfolded && n > 0 && boxes[n-1].lane == s.Lane && len(l.Steps[i-1].Found) == 0 {
			boxes[n-1].last = i
			continue
		}
		boxes = append(boxes, stepBox{first: i, last: i, lane: s.Lane, preempts: s.Preempts})
	}
	if len(boxes) <= mostBoxes {
		return boxes
	}
	const half = mostBoxes / 2
	tail := boxes[len(boxes)-half:]
	out := stepBox{first: boxes[half].first, last: tail[0].first - 1, lane: omitted}
	return append(append(boxes[:half:half], out), tail...)
}

// fill sets the text of the boxes, and reports whether there was room for all of it.
func (d *interleavingDrawing) fill() bool {
	whole := true
	for i := range d.boxes {
		whole = d.fillBox(&d.boxes[i]) && whole
	}
	return whole
}

func (d *interleavingDrawing) fillBox(b *stepBox) (whole bool) {
	b.lines, b.found = nil, nil
	if b.lane == omitted {
		b.lines = []boxLine{{d.omission(b), true}}
		return true
	}
	whole = true
	put := func(text string, most int, note bool) {
		lines := wrap(text, textSize, float64(d.width-d.text-boxPadding), most)
		whole = whole && !isCut(lines)
		for _, line := range lines {
			b.lines = append(b.lines, boxLine{line, note})
		}
	}
	first, last := &d.l.Steps[b.first], &d.l.Steps[b.last]
	if n := b.last - b.first + 1; n == 1 {
		put(first.Text, mostTextLines, false)
		put(first.Note, mostNoteLines, true)
	} else {
		put(first.Text, mostFoldedLines, false)
		if n > 2 {
			put(fmt.Sprintf("and %d more, then", n-2), 1, true)
		}
		put(last.Text, mostFoldedLines, false)
	}
	if len(b.lines) == 0 {
		b.lines = []boxLine{{}} // a step without text has a box, too
	}
	for _, f := range last.Found {
		lines := wrap(f, textSize, float64(d.width-barWidth-2*boxPadding), mostFindingLines)
		whole = whole && !isCut(lines)
		b.found = append(b.found, lines...)
	}
	return whole
}

// isCut reports whether one of the lines has been shortened.
func isCut(lines []string) bool {
	return slices.ContainsFunc(lines, func(s string) bool { return strings.HasSuffix(s, "…") })
}

// omission says what is left out.
func (d *interleavingDrawing) omission(b *stepBox) string {
	text := fmt.Sprintf("steps %s are left out here", b.number())
	found := 0
	for i := b.first; i <= b.last; i++ {
		found += len(d.l.Steps[i].Found)
	}
	switch found {
	case 0:
	case 1:
		text += ", with 1 finding"
	default:
		text += fmt.Sprintf(", with %d findings", found)
	}
	return text + "; the table has them"
}
