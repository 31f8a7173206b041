package plots

import "math"

// place returns where a lane is drawn.
func (d *timelineDrawing) place(lane int) lanePlace {
	y0 := d.f.top + lane*(d.pitch+d.band) + d.band + d.pitch/10
	return lanePlace{d: d, y0: y0, y1: y0 + d.pitch - max(1, d.pitch/5)}
}

// lanePlace is a lane's rectangle, from y0 to y1.
type lanePlace struct {
	d      *timelineDrawing
	y0, y1 int
}

// column is what slices narrower than a pixel add up to in one column.
type column struct {
	time    [kinds]float64 // in pixels; more than 0 for what occurred at all
	total   float64
	crowded bool // so many columns nearby have some that widening them would lie
}

// addShort sets columns to the slices narrower than one.
func (d *timelineDrawing) addShort(columns []column, slices []Slice) {
	const instant = 1e-9 // what has no length is there all the same
	clear(columns)
	add := func(x int, k Kind, time float64) {
		columns[x].time[k] += time
		columns[x].total += time
	}
	for _, s := range slices {
		x0, x1 := d.px(s.Start)-float64(d.f.left), d.px(s.End)-float64(d.f.left)
		if x1-x0 >= 1 {
			continue
		}
		x := min(int(x0), len(columns)-1)
		next := float64(x + 1)
		add(x, s.Kind, max(instant, min(x1, next)-x0))
		if x1 > next && x+1 < len(columns) {
			add(x+1, s.Kind, x1-next)
		}
	}
	// A column is crowded if of the nearby columns more than a quarter have
	// slices: drawn in the shortest visible width they would cover half.
	const nearby = 12 // to either side
	count := 0
	for x := -nearby; x < len(columns); x++ {
		if in := x + nearby; in < len(columns) && columns[in].total > 0 {
			count++
		}
		if out := x - nearby - 1; out >= 0 && columns[out].total > 0 {
			count--
		}
		if x >= 0 {
			columns[x].crowded = columns[x].total > 0 && 4*count > 2*nearby+1
		}
	}
}

// paint draws a lane's slices: those of a pixel and more one by one, in layers,
// then the columns of the short ones.
func (l lanePlace) paint(p *pen, slices []Slice, columns []column) {
	for layer := range layers {
		y0, y1 := l.band(layer == lockLayer)
		for _, s := range slices {
			x0, x1 := l.d.px(s.Start), l.d.px(s.End)
			if looks[s.Kind].layer == layer && x1-x0 >= 1 {
				from := int(math.Round(x0))
				to := max(int(math.Round(x1)), from+stroke)
				p.rect(from, y0, min(to, l.d.f.right), y1, looks[s.Kind].color)
			}
		}
	}
	for x := range columns {
		if columns[x].total > 0 {
			l.paintColumn(p, columns, x)
		}
	}
}

// band returns the height of what runs, or 65% of it for the state of a lock.
func (l lanePlace) band(lock bool) (y0, y1 int) {
	if !lock {
		return l.y0, l.y1
	}
	inset := int(math.Round(0.175 * float64(l.y1-l.y0)))
	return l.y0 + inset, l.y1 - inset
}

// paintColumn draws the short slices of column x: as shares of the column's
// time if they crowd, else filling the lane, in the shortest visible width
// unless that would touch the next.
func (l lanePlace) paintColumn(p *pen, columns []column, x int) {
	c := &columns[x]
	if c.crowded {
		l.stack(p, c, x, max(1, c.total))
		return
	}
	l.stack(p, c, x, c.total)
	short := func(x int) bool { return x >= 0 && x < len(columns) && columns[x].total > 0 }
	switch {
	case short(x-1) || short(x+1) || short(x+2):
	case x+1 < len(columns):
		l.stack(p, c, x+1, c.total)
	default:
		l.stack(p, c, x-1, c.total)
	}
}

// stack divides one column of the lane among the kinds that occurred, bottom
// up, by their share of whole; each has a pixel at least.
func (l lanePlace) stack(p *pen, c *column, x int, whole float64) {
	present, locks := 0, 0
	for k, time := range c.time {
		if time > 0 {
			present++
			if looks[k].layer == lockLayer {
				locks++
			}
		}
	}
	top, bottom := l.band(locks == present)
	free := max(0, bottom-top-present) // pixels beyond the first of each
	x += l.d.f.left
	y, before, drawn := bottom, 0.0, 0
	for k, time := range c.time {
		if time == 0 {
			continue
		}
		before += time
		drawn++
		end := max(top, bottom-drawn-int(math.Round(before/whole*float64(free))))
		p.rect(x, end, x+1, y, looks[k].color)
		y = end
	}
}
