package des

import (
	"fmt"
	"slices"
)

// world is what a random system of processes needs of a simulation. A [Sim] is
// one; sortedSim is another, too simple to be wrong.
type world interface {
	Now() Time
	Schedule(id ID, at Time)
	Cancel(id ID)
	Pending(id ID) bool
	RunAhead(at Time) bool
}

// system is a set of processes that schedule and cancel one another at random.
// What each does follows from its own stream and from the times at which it
// fires, so that two worlds which fire the same events see the same system.
type system struct {
	streams []*Stream
	ahead   bool
	// ranAhead counts the steps that were run ahead to.
	ranAhead int
	left     int
	trace    []string
}

func newSystem(seed uint64, processes, events int, ahead bool) *system {
	sys := &system{left: events, ahead: ahead}
	for i := range processes {
		sys.streams = append(sys.streams, New(seed).Stream(fmt.Sprint("process", i)))
	}
	return sys
}

// step is what process id does when it fires in w.
func (sys *system) step(w world, id ID) {
	r := sys.streams[id]
	for {
		sys.trace = append(sys.trace, fmt.Sprint(w.Now(), " ", id))
		if sys.left--; sys.left < 0 {
			return
		}
		for range r.Below(3) {
			other := ID(r.Below(uint64(len(sys.streams))))
			switch r.Below(4) {
			case 0:
				w.Cancel(other)
			case 1:
				// Often at this very instant.
				w.Schedule(other, w.Now()+Time(r.Below(4)))
			case 2:
				w.Schedule(other, w.Now())
			}
		}
		if w.Pending(id) && r.Below(4) > 0 {
			return
		}
		at := w.Now() + Time(r.Below(6))
		if w.Pending(id) || !sys.ahead || !w.RunAhead(at) {
			w.Schedule(id, at)
			return
		}
		sys.ranAhead++
	}
}

// runOn runs the system in a Sim and returns its trace.
func (sys *system) runOn(s *Sim) []string {
	for i := range sys.streams {
		id := s.Spawn(StepFunc(func(s *Sim, id ID) { sys.step(s, id) }))
		s.Schedule(id, Time(i%3))
	}
	s.Run(Forever)
	return sys.trace
}

// sortedSim fires events from a sorted slice, without a lane, holes or stale
// entries.
type sortedSim struct {
	now    Time
	seq    uint64
	events sortedQueue
}

func (s *sortedSim) Now() Time { return s.now }

func (s *sortedSim) Schedule(id ID, at Time) {
	s.Cancel(id)
	s.seq++
	s.events.push(Event{at, s.seq<<idBits | uint64(id)})
}

func (s *sortedSim) Cancel(id ID) {
	s.events = slices.DeleteFunc(s.events, func(e Event) bool { return ID(e.Key&idMask) == id })
}

func (s *sortedSim) Pending(id ID) bool {
	return slices.ContainsFunc(s.events, func(e Event) bool { return ID(e.Key&idMask) == id })
}

func (s *sortedSim) RunAhead(Time) bool { return false }

func (s *sortedSim) run(sys *system) []string {
	for i := range sys.streams {
		s.Schedule(ID(i), Time(i%3))
	}
	for len(s.events) > 0 {
		e := s.events[0]
		s.events = s.events[1:]
		s.now = e.At
		sys.step(s, ID(e.Key&idMask))
	}
	return sys.trace
}
