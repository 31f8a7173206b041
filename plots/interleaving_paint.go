package plots

import "image/color"

const (
	elbowHeight  = boxGap / 2
	preemptWidth = 5
)

// laneColors are the palette without the colour of findings, which is pale behind text.
var (
	laneColors     = []color.RGBA{blue, green, purple, orange, sky, ink}
	paleVermillion = color.RGBA{0xFC, 0xEC, 0xE2, 0xFF}
)

func (d *interleavingDrawing) paint(p *pen) {
	d.f.paint(p)
	if len(d.boxes) == 0 {
		d.f.paintEmpty(p, d.f.top, d.height-margin)
	}
	d.paintLanes(p)
	for i := range d.boxes {
		if b := &d.boxes[i]; i > 0 && b.lane != omitted && d.boxes[i-1].lane != omitted && d.boxes[i-1].lane != b.lane {
			d.paintSwitch(p, &d.boxes[i-1], b)
		}
	}
	for i := range d.boxes {
		if b := &d.boxes[i]; b.lane == omitted {
			d.paintOmission(p, b)
		} else {
			d.paintBox(p, b)
		}
	}
	if len(d.ending) > 0 {
		d.paintFound(p, d.ending, d.lanes, d.f.right, d.below)
	}
}

// paintLanes draws the lanes' names, where there is room, and lines.
func (d *interleavingDrawing) paintLanes(p *pen) {
	for lane, name := range d.l.Lanes {
		x := d.x(lane)
		if !d.tracks {
			p.text(shorten(name, labelSize, float64(d.width)), labelSize, float64(x), float64(d.f.top+laneHead-20), left, ink)
		}
		if n := len(d.boxes); n > 0 {
			middle := x + barWidth/2
			p.rect(middle-stroke/2, d.boxes[0].top, middle+stroke/2, d.boxes[n-1].bottom, grid)
		}
	}
}

// paintBox draws a step: a pale box with a bar in the task's colour, in its track if
// there are tracks, and the number of the step at the left.
func (d *interleavingDrawing) paintBox(p *pen, b *stepBox) {
	bar, x := d.x(b.lane), d.x(b.lane)
	c := laneColors[b.lane%len(laneColors)]
	baseline := float64(b.top + boxPadding/2 + lineStep - 9)
	if d.tracks {
		x = d.side
	}
	p.rect(x, b.top, x+d.width, b.bottom, idle)
	p.rect(bar, b.top, bar+barWidth, b.bottom, c)
	p.text(b.number(), textSize, float64(d.lanes-numberGap), baseline, right, grey)
	if d.tracks {
		p.text(shorten(d.l.Lanes[b.lane], textSize, namesWidth), textSize, float64(x+boxPadding), baseline, left, dark(c))
	}
	for i, line := range b.lines {
		c := ink
		if line.note {
			c = grey
		}
		p.text(line.text, textSize, float64(x+d.text), baseline+float64(i*lineStep), left, c)
	}
	if len(b.found) > 0 {
		d.paintFound(p, b.found, x, x+d.width, b.bottom)
	}
}

// paintFound draws what was found from top on.
func (d *interleavingDrawing) paintFound(p *pen, lines []string, x0, x1, top int) {
	bottom := top + len(lines)*lineStep + boxPadding
	p.rect(x0, top, x1, bottom, paleVermillion)
	p.rect(x0, top, x0+barWidth, bottom, vermillion)
	for i, text := range lines {
		p.text(text, textSize, float64(x0+barWidth+boxPadding), float64(top+boxPadding/2+(i+1)*lineStep-9), left, dark(vermillion))
	}
}

// paintOmission breaks all lanes and says what is missing.
func (d *interleavingDrawing) paintOmission(p *pen, b *stepBox) {
	p.rect(d.lanes, b.top, d.f.right, b.bottom, white)
	for _, y := range [...]int{b.top, b.bottom} {
		p.line([]point{{float64(d.lanes), float64(y)}, {float64(d.f.right), float64(y)}}, stroke, []float64{4, 6}, grey)
	}
	p.text(b.lines[0].text, textSize, float64(d.lanes+d.f.right)/2, float64(b.top+boxPadding/2+lineStep-9), center, grey)
}

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
