package kernelmodel

import (
	"fmt"

	"smpsim/cpus"
)

// Semaphore is a number of units that tasks take and give back, in the order of
// their coming: a unit given back while somebody waits is that task's own at
// once, and no newcomer can take it.
//
// Its operations are Down and Up.
type Semaphore struct {
	machine *cpus.Machine
	lock    *Spinlock
	waiters waitList
	count   int64
	name    string
	id      cpus.NameID

	identity cpus.Identity
}

// NewSemaphore returns a semaphore with count units, at least 0.
func NewSemaphore(m *cpus.Machine, name string, count int64) *Semaphore {
	if count < 0 {
		panic(fmt.Sprintf("kernelmodel: semaphore %s with %d units", name, count))
	}
	s := &Semaphore{
		machine: m, name: name, id: m.Intern(name), count: count,
		lock: NewSpinlock(m, name+".lock", "qspinlock"),
	}
	s.identity = m.Identify(s)
	return s
}

// Name returns the semaphore's name.
func (s *Semaphore) Name() string { return s.name }

// Count returns how many units are left.
func (s *Semaphore) Count() int64 { return s.count }

// Stages of Down and of Up.
const (
	downLocking = iota
	downUnlocking
	downAsleep
	downRelocking
	downTaken
	upLocking
	upWaking
	upUnlocking
)

// Begin starts Down or Up.
func (s *Semaphore) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	t.A = upLocking
	if op.Sub == Down {
		if !maySleep(t, "down of "+s.name) {
			return cpus.Spinning
		}
		s.waiters.join(t)
		t.A = downLocking
	}
	return s.lock.Begin(t, &lockIRQCall)
}

// Step goes on with it.
func (s *Semaphore) Step(t *cpus.Task, _ *cpus.Op) cpus.Until {
	switch t.A {
	case upLocking:
		if u := s.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		w := s.waiters.head
		if w == nil {
			s.count++
			return s.unlock(t, upUnlocking)
		}
		s.waiters.remove(w)
		t.A = upWaking
		return s.machine.Sim.Now() + w.wake()
	case upWaking:
		return s.unlock(t, upUnlocking)
	case upUnlocking:
		return s.lock.Step(t, &unlockIRQCall)
	default:
		return s.stepDown(t)
	}
}

func (s *Semaphore) unlock(t *cpus.Task, stage int64) cpus.Until {
	t.A = stage
	return s.lock.Begin(t, &unlockIRQCall)
}

func (s *Semaphore) stepDown(t *cpus.Task) cpus.Until {
	w := s.waiters.of(t)
	switch t.A {
	case downLocking:
		if u := s.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		if s.count > 0 {
			s.count--
			return s.unlock(t, downTaken)
		}
		s.waiters.pushBack(w)
		s.machine.Trace(cpus.TraceContentionBegin, t, s.id, 0)
		return s.unlock(t, downUnlocking)
	case downUnlocking:
		s.lock.Step(t, &unlockIRQCall)
		t.A = downAsleep
		return w.sleep(s.machine.Sim.Now())
	case downAsleep:
		t.A = downRelocking
		return s.lock.Begin(t, &lockIRQCall)
	case downRelocking:
		if u := s.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		// Woken means that the unit is its own already.
		s.machine.Trace(cpus.TraceContentionEnd, t, s.id, s.waited(w))
		return s.unlock(t, downTaken)
	default: // downTaken
		s.machine.Trace(cpus.TraceLockAcquired, t, s.id, s.waited(w))
		s.waiters.leave(w)
		return s.lock.Step(t, &unlockIRQCall)
	}
}

func (s *Semaphore) waited(w *waiter) int64 { return int64(s.machine.Sim.Now() - w.since) }
