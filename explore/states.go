package explore

import (
	"errors"
	"fmt"
	"slices"
)

// States visits each reachable state once, whatever way leads to it, and takes each of
// its transitions: where many classes of executions meet in few states it is the one
// to choose (explicit-state model checking: Holzmann, "The Model Checker SPIN", 1997).
// States are told apart by 128 bits of hash; see digest.
//
// It gives states, transitions and final states, and finds what a transition or an end
// shows; under Options.Cycles also every livelock, for it sees the whole graph. It
// cannot see data races, which belong to executions. Options.Executions is the most
// states, Options.Steps the longest way to one. One worker explores.
func States() Strategy { return states{} }

type states struct{}

func (states) String() string { return "state-hash" }

func (states) explore(x *exploration) error {
	switch {
	case x.Races:
		return errors.New("states cannot see data races")
	case x.Classes:
		return errors.New("states cannot count classes")
	}
	s := &stateSearch{exploration: x, system: x.newSystem()}
	s.snapshots, _ = s.system.(Snapshotter)
	if err := s.search(); err != nil {
		return err
	}
	x.total.locks = lockdepOf(s.system)
	x.limits(int64(s.visited.count), "states")
	r := &x.result
	if r.Longest = x.total.longest; r.Complete {
		x.reached()
		r.States, r.Transitions = count(int64(s.visited.count)), count(s.transitions)
	}
	return nil
}

// stateSearch is a depth-first search of the graph of states.
type stateSearch struct {
	*exploration
	system    System
	snapshots Snapshotter // nil if the system is none

	// visited has the number of each state, or closed.
	visited     digests
	transitions int64
	frames      []stateFrame
	path        []Agent
	enabled     []Agent
	saved       []byte
	bytes       []byte
	// here: the system is in the state of the last frame.
	here bool

	components components
}

// closed is the number of a state from which all has been seen.
const closed = -2

// stateFrame is a state on the present way, of whose enabled agents, enabled[from:to],
// next is to be tried. number is the state's; saved is where its snapshot begins.
type stateFrame struct {
	from, to, next int
	saved          int
	number         int32
}

func (s *stateSearch) search() error {
	s.system.Reset()
	if over := s.listen(s.system.Finding); over {
		return nil
	}
	if _, err := s.arrive(nobody, 0); err != nil {
		return err
	}
	for len(s.frames) > 0 && !s.total.ended() {
		f := &s.frames[len(s.frames)-1]
		if f.next == f.to {
			if err := s.leave(); err != nil {
				return err
			}
			continue
		}
		a := s.enabled[f.next]
		from := f.number
		f.next++
		s.goTo(f)
		s.here = false
		s.system.Do(a)
		s.transitions++
		s.path = append(s.path, a)
		down := false
		if over := s.listen(s.system.Finding); !over {
			var err error
			if down, err = s.arrive(a, from); err != nil {
				return err
			}
		}
		if !down {
			s.path = s.path[:len(s.path)-1]
		}
	}
	return nil
}

// goTo brings the system into the state of the last frame.
func (s *stateSearch) goTo(f *stateFrame) {
	switch {
	case s.here:
	case s.snapshots != nil:
		s.snapshots.Restore(s.saved[f.saved:])
	default:
		s.system.Reset()
		for _, a := range s.path {
			s.system.Do(a)
		}
	}
}

// arrive looks at the state that the system has reached by an agent's step from
// another state, and reports whether the search goes on there.
func (s *stateSearch) arrive(a Agent, from int32) (down bool, err error) {
	s.bytes = s.system.State(s.bytes[:0])
	if len(s.bytes) == 0 {
		return false, errors.New("states needs a system that can tell its state")
	}
	h := digestOf(s.bytes)
	number, fresh := s.visited.put(h, int32(s.visited.count))
	if s.Cycles && a != nobody {
		s.components.edge(from, number, a)
	}
	if !fresh {
		return false, nil
	}
	if err := s.count(); err != nil {
		return false, err
	}
	at := len(s.enabled)
	s.enabled = s.system.Enabled(s.enabled)
	if len(s.enabled) == at {
		return false, s.finish(h)
	}
	if len(s.path) >= s.Steps {
		s.total.endless = true
		s.enabled = s.enabled[:at]
		s.visited.set(h, closed)
		return false, nil
	}
	if s.Cycles {
		s.components.open(number, h)
	}
	s.frames = append(s.frames, stateFrame{at, len(s.enabled), at, len(s.saved), number})
	if s.snapshots != nil {
		s.saved = s.snapshots.Save(s.saved)
	}
	s.here = true
	s.total.longest = max(s.total.longest, len(s.path))
	return true, nil
}

// count counts a state against the limits.
func (s *stateSearch) count() error {
	n := int64(s.visited.count)
	t := s.total
	t.full = s.Executions > 0 && n > s.Executions
	t.crowded = s.Memory > 0 && s.visited.bytes()+int64(len(s.saved)) > s.Memory
	t.stopped = t.stopped || n%4096 == 0 && s.Watch != nil && !s.Watch(n)
	if n >= 1<<31-1 {
		return errors.New("states: more than 2^31 states")
	}
	return nil
}

// finish judges a state in which nobody is enabled.
func (s *stateSearch) finish(h digest) error {
	s.visited.set(h, closed)
	s.total.longest = max(s.total.longest, len(s.path))
	s.listen(s.system.End)
	s.bytes = s.system.Final(s.bytes[:0])
	s.seen.finals.put(digestOf(s.bytes), 0)
	if !s.CheckDeterminism {
		return nil
	}
	if err := Follow(s.system, s.path, func(int, []Agent, Agent, *Step) {}); err != nil {
		return fmt.Errorf("not deterministic: %w", err)
	}
	if s.bytes = s.system.State(s.bytes[:0]); digestOf(s.bytes) != h {
		return fmt.Errorf("not deterministic: schedule %s leads to another state when it is done again", Schedule(s.path))
	}
	return nil
}

// leave goes back from a state all of whose transitions have been taken.
func (s *stateSearch) leave() error {
	f := s.frames[len(s.frames)-1]
	s.frames = s.frames[:len(s.frames)-1]
	s.enabled, s.saved = s.enabled[:f.from], s.saved[:f.saved]
	s.here = false
	var err error
	if s.Cycles {
		ring := s.components.leave(f.number, &s.visited)
		if ring != nil {
			err = s.livelock(append(slices.Clone(s.path), ring...))
		}
	}
	if len(s.path) > 0 {
		s.path = s.path[:len(s.path)-1]
	}
	return err
}

// listen keeps what is found and reports whether it ends the execution.
func (s *stateSearch) listen(next func() *Finding) bool {
	over := false
	for f := next(); f != nil; f = next() {
		s.keep(*f, s.path)
		over = over || s.EndAtFinding && ends(f.Kind)
	}
	return over
}

func (s *stateSearch) keep(f Finding, way []Agent) {
	if s.seen.finding(&f) {
		s.total.findings = append(s.total.findings, Found{f, slices.Clone(way), len(way)})
		s.total.found = s.UntilFound
	}
}

// livelock keeps the livelock to which a schedule leads, as a replay finds it.
func (s *stateSearch) livelock(schedule []Agent) error {
	k := &replayWalker{schedule: schedule}
	w := s.newWorker()
	t, err := w.work(share{walker: k, stops: true}, -1)
	if err == nil {
		err = k.err
	}
	if err != nil {
		return err
	}
	for _, f := range t.findings {
		s.keep(f.Finding, f.Schedule)
	}
	return nil
}
