package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// Seqlock is the kernel's seqlock_t: a spinlock among writers, and a number
// that is odd while one is inside and has grown when it has left. Readers take
// no lock and write nothing: they wait until the number is even, read, and read
// again if it has changed meanwhile.
//
// Operations are ReadBegin, ReadRetry, WriteLock and WriteUnlock. The lock's own
// tracepoints are the writers'.
type Seqlock struct {
	machine *cpus.Machine
	lock    *Spinlock
	// sequence is on the spinlock's line.
	sequence *cpus.Word
	order    *des.Stream
	// readers poll an odd number.
	readers taskQueue
}

// NewSeqlock returns a free lock whose number is 0.
func NewSeqlock(m *cpus.Machine, name string) *Seqlock {
	l := NewSpinlock(m, name, "qspinlock")
	return &Seqlock{
		machine: m, lock: l, order: m.Sim.Stream("seqlock/" + name),
		sequence: m.NewWordOn(l.protocol.line(), name+".sequence", 0),
	}
}

// Name returns the lock's name.
func (s *Seqlock) Name() string { return s.lock.name }

// Sequence returns the number.
func (s *Seqlock) Sequence() *cpus.Word { return s.sequence }

// Stages of WriteLock and WriteUnlock.
const (
	seqLocking = iota
	seqOpening // the number becomes odd
	seqClosing // the number becomes even
	seqUnlocking
)

// Phases of ReadBegin.
const (
	seqReading = iota
	seqPolling
)

// Begin starts one of the four operations.
func (s *Seqlock) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := s.machine.Sim.Now()
	switch op.Sub {
	case WriteLock:
		t.A = seqLocking
		return s.lock.Begin(t, &lockCall)
	case WriteUnlock:
		if s.lock.holder != t {
			return misused(t, "seqlock "+s.lock.name+" given back by a task that is not its writer")
		}
		t.A = seqClosing
		return s.store(t)
	default:
		t.Phase = seqReading
		return s.sequence.Line.Read(t.CPU(), now)
	}
}

// store begins the plain store of the next number.
func (s *Seqlock) store(t *cpus.Task) cpus.Until {
	issued, _ := s.sequence.Line.Write(t.CPU(), s.machine.Sim.Now())
	return issued
}

// Step goes on with it.
func (s *Seqlock) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch op.Sub {
	case ReadBegin:
		return s.stepRead(t)
	case ReadRetry:
		t.Result = 0
		if s.sequence.Value != t.A {
			t.Result = 1
		}
		return cpus.Finished
	}
	switch t.A {
	case seqLocking:
		if u := s.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		t.A = seqOpening
		return s.store(t)
	case seqOpening:
		s.machine.SetWord(s.sequence, s.sequence.Value+1)
		return cpus.Finished
	case seqClosing:
		s.machine.SetWord(s.sequence, s.sequence.Value+1)
		for r := s.readers.pop(); r != nil; r = s.readers.pop() {
			s.machine.Resume(r, s.sequence.Line.Seen(r.CPU(), s.order))
		}
		t.A = seqUnlocking
		return s.lock.Begin(t, &unlockCall)
	default: // seqUnlocking
		return s.lock.Step(t, &unlockCall)
	}
}

func (s *Seqlock) stepRead(t *cpus.Task) cpus.Until {
	line := s.sequence.Line
	if t.Phase == seqPolling {
		line.Unpoll(t.CPU())
	}
	if s.sequence.Value&1 == 0 {
		t.Result = s.sequence.Value
		return cpus.Finished
	}
	t.Phase = seqPolling
	line.Poll(t.CPU(), false)
	s.readers.push(t)
	return cpus.Spinning
}
