package plots

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

// Timeline shows what each CPU did when: a lane a CPU, CPU 0 on top.
//
// A slice narrower than the shortest visible width (0.75 pt) is drawn that wide
// where it stands alone. Where such slices crowd, every pixel column shows
// instead what share of its time each kind took, bottom up, and a note below
// the axis says so.
type Timeline struct {
	Head
	// Lanes is the number of CPUs, 1 to 1024.
	Lanes int
	// From and To bound the time shown, in picoseconds from 0 on. If both are 0,
	// it is the time that the slices cover.
	From, To int64
	// Slices come in any order. Those of one lane may overlap in layers only: a
	// lock state covers what runs, an interrupt or a switch covers both.
	Slices []Slice
	// Marks are points in time worth a word.
	Marks []Mark
}

// Slice is a stretch of time, from Start to End in picoseconds, on one CPU.
type Slice struct {
	Lane       int
	Start, End int64
	Kind       Kind
}

// Mark is an event. It is drawn as a tick above its lane with a label. Where
// two labels would overlap the later one is left out, and where two ticks would
// touch the later tick too.
type Mark struct {
	Lane  int
	At    int64 // picoseconds
	Label string
}

// Kind is what a CPU did during a slice.
type Kind uint8

const (
	User   Kind = iota + 1
	Kernel      // running kernel code
	IRQ         // timer tick, interrupt or softirq
	Switch      // switching from one task to another
	Held        // running with a lock held
	Spin        // spinning for a lock
	Idle        // left as background
	kinds  = int(Idle) + 1
)

const (
	pitchOfEight = 55 // px from lane to lane where there are eight
	lanePitch    = 72 // the largest; fewer than six lanes make the picture lower
	laneGrowth   = 15 // px that each lane beyond eight makes the picture taller
	leastPitch   = 6
	markBand     = 27 // above each lane, if there are marks
	markTick     = 7
	maxLanes     = 1024
)

// Figure checks the data and lays the picture out. The lanes of up to eight
// CPUs are at most 72 px apart and together at most as tall as in a picture of
// 9 cm; each further CPU makes the picture 15 px (2 mm) taller, and marks make
// it 27 px (3.6 mm) taller a lane.
func (t *Timeline) Figure() (*Figure, error) {
	if err := t.check(); err != nil {
		return nil, err
	}
	from, to, err := t.window()
	if err != nil {
		return nil, err
	}
	d := t.layout(from, to)
	return &Figure{
		width: figureWidth, height: d.f.height(),
		empty: d.empty,
		paint: d.paint,
		table: t.table,
	}, nil
}

// window returns the time shown, which is never empty.
func (t *Timeline) window() (from, to int64, err error) {
	from, to = t.From, t.To
	if from == 0 && to == 0 {
		if len(t.Slices) > 0 {
			from, to = math.MaxInt64, math.MinInt64
		}
		for _, s := range t.Slices {
			from, to = min(from, s.Start), max(to, s.End)
		}
		to = max(to, from+1) // nothing happened, or all of it at one instant
	}
	if from < 0 || to <= from {
		return 0, 0, fmt.Errorf("timeline: shows from %d to %d ps", from, to)
	}
	return from, to, nil
}

func (t *Timeline) check() error {
	if t.Lanes < 1 || t.Lanes > maxLanes {
		return fmt.Errorf("timeline: %d lanes", t.Lanes)
	}
	for i, s := range t.Slices {
		switch {
		case s.Lane < 0 || s.Lane >= t.Lanes:
			return fmt.Errorf("timeline: slice %d: lane %d of %d", i, s.Lane, t.Lanes)
		case s.End < s.Start:
			return fmt.Errorf("timeline: slice %d: from %d to %d ps", i, s.Start, s.End)
		case s.Kind < User || s.Kind > Idle:
			return fmt.Errorf("timeline: slice %d: unknown kind %d", i, s.Kind)
		}
	}
	for i, m := range t.Marks {
		if m.Lane < 0 || m.Lane >= t.Lanes {
			return fmt.Errorf("timeline: mark %d: lane %d of %d", i, m.Lane, t.Lanes)
		}
	}
	return nil
}

func (t *Timeline) table(w *csv.Writer) error {
	err := w.Write([]string{"cpu", "start (ps)", "end (ps)", "kind", "mark"})
	row := func(lane int, start, end int64, kind, mark string) {
		if err == nil {
			err = w.Write([]string{
				strconv.Itoa(lane), strconv.FormatInt(start, 10), strconv.FormatInt(end, 10), kind, mark,
			})
		}
	}
	for _, s := range t.Slices {
		row(s.Lane, s.Start, s.End, looks[s.Kind].name, "")
	}
	for _, m := range t.Marks {
		row(m.Lane, m.At, m.At, "", m.Label)
	}
	return err
}
