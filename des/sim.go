package des

import "fmt"

// ID names a process of a [Sim]. IDs are small and dense; one that was
// released is used again.
type ID uint32

const (
	idBits = 20
	// MaxProcesses is how many processes a Sim can hold at once: an ID has 20
	// bits in an event's key, which leaves 44 for the sequence number.
	MaxProcesses = 1 << idBits
	idMask       = MaxProcesses - 1
)

// A Process reacts to its own timer.
type Process interface {
	// Step runs when the process's event fires, at s.Now(). It may schedule
	// any process, itself included, and must not block.
	Step(s *Sim, id ID)
}

// StepFunc lets a function be a [Process].
type StepFunc func(s *Sim, id ID)

// Step calls f.
func (f StepFunc) Step(s *Sim, id ID) { f(s, id) }

// Sim is one simulation: a clock, a queue of events and the processes they
// belong to. It is not safe for concurrent use; run many Sims side by side
// instead.
type Sim struct {
	now   Time
	until Time
	seq   uint64
	queue Queue
	// hole says that the root of the queue is the event now firing: the first
	// Schedule of its Step takes its place in one sift.
	hole bool
	// lane holds keys of events due now, in order. Events in the queue that are
	// due now are older than all of these, since they were scheduled before the
	// clock came here.
	lane     []uint64
	laneHead int
	slots    []slot
	free     []ID
	stale    int

	stopped    bool
	fired      uint64
	limit      uint64
	seed       uint64
	chooser    Chooser
	slack      Time
	due        []Event
	coroutines []*Coroutine
}

// slot holds a process and the key of its pending event, 0 if it has none. An
// event whose key differs was cancelled or replaced.
type slot struct {
	process Process
	armed   uint64
}

// New returns a simulation at time zero. Its streams derive from seed.
func New(seed uint64) *Sim {
	return &Sim{seed: seed, until: Forever, limit: ^uint64(0)}
}

// Now returns the current virtual time.
func (s *Sim) Now() Time { return s.now }

// Seed returns the seed that the streams derive from.
func (s *Sim) Seed() uint64 { return s.seed }

// Fired returns how many events have fired, those run ahead of included.
func (s *Sim) Fired() uint64 { return s.fired }

// SetEventLimit makes Run stop once n events have fired. It panics if n is 0.
func (s *Sim) SetEventLimit(n uint64) {
	if n == 0 {
		panic("des: event limit must be positive, got 0")
	}
	s.limit = n
}

// Spawn adds a process and returns its ID. It panics beyond [MaxProcesses].
func (s *Sim) Spawn(p Process) ID {
	if n := len(s.free); n > 0 {
		id := s.free[n-1]
		s.free = s.free[:n-1]
		s.slots[id].process = p
		return id
	}
	if len(s.slots) == MaxProcesses {
		panic(fmt.Sprintf("des: more than %d processes", MaxProcesses))
	}
	s.slots = append(s.slots, slot{process: p})
	return ID(len(s.slots) - 1)
}

// Release removes a process and cancels its event; its ID will be used again.
func (s *Sim) Release(id ID) {
	s.Cancel(id)
	s.slots[id].process = nil
	s.free = append(s.free, id)
}

// ProcessOf returns the process with that ID.
func (s *Sim) ProcessOf(id ID) Process { return s.slots[id].process }

// Schedule arms id's event for time at, in place of one already pending. It
// panics if at lies in the past.
func (s *Sim) Schedule(id ID, at Time) {
	if at < s.now {
		panic(fmt.Sprintf("des: process %d scheduled at %v, before now, %v", id, at, s.now))
	}
	p := &s.slots[id]
	if p.armed != 0 {
		s.Cancel(id)
	}
	s.seq++
	key := s.seq<<idBits | uint64(id)
	p.armed = key
	switch {
	case at == s.now:
		s.lane = append(s.lane, key)
	case s.hole:
		s.hole = false
		s.queue.Replace(Event{at, key})
	default:
		s.queue.Push(Event{at, key})
	}
}

// Cancel disarms id's event, if one is pending.
func (s *Sim) Cancel(id ID) {
	if s.slots[id].armed == 0 {
		return
	}
	s.slots[id].armed = 0
	s.stale++
	// Cancelled events stay where they are until they surface; a sweep keeps them
	// below half of all.
	if s.stale > 64 && s.stale > (s.queue.Len()+len(s.lane)-s.laneHead)/2 {
		s.sweep()
	}
}

// Pending reports whether id has an event to come.
func (s *Sim) Pending(id ID) bool { return s.slots[id].armed != 0 }

// Waiting returns how many events are pending.
func (s *Sim) Waiting() int {
	n := s.queue.Len() + len(s.lane) - s.laneHead - s.stale
	if s.hole {
		n--
	}
	return n
}

// Stop makes Run return after the event now firing.
func (s *Sim) Stop() { s.stopped = true }

// Reason says why [Sim.Run] returned.
type Reason int

const (
	// Drained means that no event is left.
	Drained Reason = iota + 1
	// Elapsed means that the given time was reached.
	Elapsed
	// Stopped means that a process called Stop.
	Stopped
	// Exhausted means that the event limit was reached.
	Exhausted
)

// Run fires every event due up to and including until, and says why it
// returned. The clock then stands at until if that was reached, else at the
// last event.
func (s *Sim) Run(until Time) Reason {
	s.until, s.stopped = until, false
	if s.chooser != nil {
		return s.runChosen()
	}
	for !s.stopped {
		var key uint64
		at := s.now
		if s.laneHead < len(s.lane) && (s.queue.Len() == 0 || s.queue.events[0].At > s.now) {
			key = s.takeLane()
		} else if s.queue.Len() > 0 {
			top := s.queue.events[0]
			if top.At > until {
				if s.Waiting() == 0 {
					return Drained
				}
				s.now = max(s.now, until)
				return Elapsed
			}
			at, key = top.At, top.Key
			s.hole = true
		} else {
			return Drained
		}
		p := &s.slots[key&idMask]
		if p.armed != key {
			s.closeHole()
			s.stale--
			continue
		}
		if s.fired >= s.limit {
			s.putBackFirst(key)
			return Exhausted
		}
		s.now = at
		s.fired++
		p.armed = 0
		p.process.Step(s, ID(key&idMask))
		s.closeHole()
	}
	return Stopped
}

// RunAhead moves the clock to at in place, as if an event had been scheduled
// for then and had fired, and reports whether that was possible: only where
// nothing else could fire first, by any choice of a chooser. A caller for which it
// succeeds saves a trip through the queue.
func (s *Sim) RunAhead(at Time) bool {
	if s.laneHead < len(s.lane) || at > s.until || s.stopped || s.fired >= s.limit {
		return false
	}
	if s.chooser != nil {
		// What lies within the slack of at could be chosen before it.
		if s.queue.Len() > 0 && s.queue.events[0].At-at <= s.slack {
			return false
		}
	} else if s.hole {
		if s.queue.secondAt() <= at {
			return false
		}
	} else if s.queue.Len() > 0 && s.queue.events[0].At <= at {
		return false
	}
	s.fired++
	s.now = at
	return true
}

// Close unwinds every coroutine that has not returned, running its deferred
// calls. The simulation must not be used afterwards.
func (s *Sim) Close() {
	for len(s.coroutines) > 0 {
		s.coroutines[len(s.coroutines)-1].release()
	}
}

func (s *Sim) closeHole() {
	if s.hole {
		s.hole = false
		s.queue.dropMin()
	}
}

func (s *Sim) takeLane() uint64 {
	key := s.lane[s.laneHead]
	s.laneHead++
	if s.laneHead == len(s.lane) {
		s.lane, s.laneHead = s.lane[:0], 0
	}
	return key
}

// putBackFirst undoes the taking of an event that the limit keeps from firing.
func (s *Sim) putBackFirst(key uint64) {
	switch {
	case s.hole:
		s.hole = false
	case s.laneHead > 0:
		s.laneHead--
	default:
		s.lane = append(s.lane, key)
	}
}

// sweep drops the cancelled events.
func (s *Sim) sweep() {
	s.closeHole()
	s.queue.filter(s.live)
	kept := s.lane[:0]
	for _, key := range s.lane[s.laneHead:] {
		if s.live(Event{s.now, key}) {
			kept = append(kept, key)
		}
	}
	s.lane, s.laneHead = kept, 0
	s.stale = 0
}

func (s *Sim) live(e Event) bool { return s.slots[e.Key&idMask].armed == e.Key }
