package des

import "fmt"

// A Chooser decides which of the events that are due fires next. It is the
// only freedom a simulation has: timed order is what happens without one.
type Chooser interface {
	// Choose returns an index into due, the processes whose events could fire
	// now, in timed order. due is valid during the call and holds at least two: where
	// there is one alone, it fires unasked.
	Choose(s *Sim, due []ID) int
}

// SetChooser puts c in charge from the next [Sim.Run] on. Events count as due
// when they lie within slack of the earliest; one that is taken late fires at
// the time the clock has then. A nil c restores timed order.
func (s *Sim) SetChooser(c Chooser, slack Time) {
	if slack < 0 {
		panic(fmt.Sprintf("des: slack must not be negative, got %v", slack))
	}
	s.chooser, s.slack = c, slack
}

// runChosen is Run with a chooser: a loop of its own, so that timed runs pay
// nothing for it.
func (s *Sim) runChosen() Reason {
	var ids []ID
	for !s.stopped {
		s.emptyLane()
		s.gatherDue()
		if len(s.due) == 0 {
			return Drained
		}
		if s.due[0].At > s.until {
			s.putBack(-1)
			s.now = max(s.now, s.until)
			return Elapsed
		}
		if s.fired >= s.limit {
			s.putBack(-1)
			return Exhausted
		}
		ids = ids[:0]
		for _, e := range s.due {
			ids = append(ids, ID(e.Key&idMask))
		}
		i := 0
		if len(ids) > 1 {
			i = s.chooser.Choose(s, ids)
		}
		if i < 0 || i >= len(ids) {
			panic(fmt.Sprintf("des: chooser took event %d of %d", i, len(ids)))
		}
		e := s.due[i]
		s.putBack(i)
		s.fired++
		s.now = max(s.now, e.At)
		p := &s.slots[e.Key&idMask]
		p.armed = 0
		p.process.Step(s, ID(e.Key&idMask))
	}
	return Stopped
}

// emptyLane moves events due now into the queue, where the chooser looks.
func (s *Sim) emptyLane() {
	for _, key := range s.lane[s.laneHead:] {
		s.queue.Push(Event{s.now, key})
	}
	s.lane, s.laneHead = s.lane[:0], 0
}

// gatherDue takes the events within slack of the earliest out of the queue.
func (s *Sim) gatherDue() {
	s.due = s.due[:0]
	latest := Forever
	for s.queue.Len() > 0 && s.queue.Min().At <= latest {
		e := s.queue.Pop()
		if !s.live(e) {
			s.stale--
			continue
		}
		if len(s.due) == 0 {
			latest = max(s.now, e.At)
			latest = min(latest+min(s.slack, Forever-latest), s.until)
		}
		s.due = append(s.due, e)
	}
}

// putBack returns the gathered events to the queue, all but the one taken.
func (s *Sim) putBack(taken int) {
	for i, e := range s.due {
		if i != taken {
			s.queue.Push(e)
		}
	}
}
