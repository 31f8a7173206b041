package kernelmodel

import (
	"fmt"
	"slices"

	"smpsim/cpus"
	"smpsim/des"
)

// Operations of a lock: Op.Sub of a call on it.
const (
	// Lock waits for the lock and takes it.
	Lock uint8 = iota + 1
	// Unlock gives it back. Only the holder may.
	Unlock
	// TryLock takes the lock if it is free; the result is 1 if it did, else 0.
	TryLock
	// LockIRQ and UnlockIRQ also mask and unmask interrupts on the CPU.
	LockIRQ
	UnlockIRQ
	// LockBH and UnlockBH also switch bottom halves off and on.
	LockBH
	UnlockBH
)

// SpinlockKinds are the kinds that [NewSpinlock] knows.
var SpinlockKinds = []string{"qspinlock", "ticket", "mcs", "test-and-set"}

// Spinlock is a lock whose waiters keep their CPU. Waiting for it and holding
// it disable preemption.
type Spinlock struct {
	machine  *cpus.Machine
	protocol protocol
	holder   *cpus.Task
	taken    des.Time
	name     string
	id       cpus.NameID
	identity cpus.Identity
}

// protocol is a way to hand a spinlock from one CPU to the next.
type protocol interface {
	// lock begins t's acquisition; t.Phase is 1.
	lock(t *cpus.Task) cpus.Until
	// step goes on with it and returns Finished once t has the lock.
	step(t *cpus.Task) cpus.Until
	// unlock begins to give the lock back and returns when the holder may go on.
	unlock(t *cpus.Task) cpus.Until
	// free reports whether a try would succeed now; take makes it so.
	free() bool
	take(t *cpus.Task)
	// line is where a try looks.
	line() *cpus.Line
}

// NewSpinlock returns a free spinlock of one of [SpinlockKinds]. It panics on
// another kind.
func NewSpinlock(m *cpus.Machine, name, kind string) *Spinlock {
	l := &Spinlock{machine: m, name: name, id: m.Intern(name)}
	l.identity = m.Identify(l)
	if m.Stepped && slices.Contains(SpinlockKinds, kind) {
		kind = "test-and-set" // the protocol is not run
	}
	switch kind {
	case "test-and-set":
		l.protocol = &testAndSet{spin: l, word: m.NewLine()}
	case "ticket":
		l.protocol = &ticket{spin: l, word: m.NewLine(), order: m.Sim.Stream("ticket/" + name)}
	case "mcs":
		l.protocol = &mcs{spin: l, tail: m.NewLine()}
	case "qspinlock":
		l.protocol = newQueued(l)
	default:
		panic(fmt.Sprintf("kernelmodel: spinlock kind %q, want one of %v", kind, SpinlockKinds))
	}
	return l
}

// Name returns the lock's name.
func (l *Spinlock) Name() string { return l.name }

// Holder returns the task that holds the lock, or nil.
func (l *Spinlock) Holder() *cpus.Task { return l.holder }

// Begin starts one of the operations above.
func (l *Spinlock) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := l.machine.Sim.Now()
	switch op.Sub {
	case Lock, LockIRQ, LockBH:
		switch op.Sub {
		case LockIRQ:
			t.CPU().IRQDisable()
		case LockBH:
			t.CPU().BHDisable()
		}
		if l.holder == t {
			return l.misuse(t, "taken again by its holder: this CPU would spin for ever")
		}
		t.PreemptDisable()
		t.BeginWait()
		t.Phase = 1
		return l.protocol.lock(t) + l.mask(op.Sub)
	case TryLock:
		t.PreemptDisable()
		t.BeginWait()
		t.Data = 0
		if l.protocol.free() {
			return l.protocol.line().RMW(t.CPU(), now)
		}
		return l.protocol.line().Read(t.CPU(), now)
	default:
		if l.holder != t {
			return l.misuse(t, "given back by a task that does not hold it")
		}
		l.machine.Trace(cpus.TraceLockReleased, t, l.id, int64(now-l.taken))
		l.holder = nil
		return l.protocol.unlock(t) + l.mask(op.Sub)
	}
}

// Step goes on with the operation.
func (l *Spinlock) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch op.Sub {
	case Lock, LockIRQ, LockBH:
		u := l.protocol.step(t)
		if u == cpus.Finished {
			l.acquired(t)
		}
		return u
	case TryLock:
		t.Result = 0
		if !l.protocol.free() {
			t.PreemptEnable()
			return cpus.Finished
		}
		l.protocol.take(t)
		l.acquired(t)
		t.Result = 1
		return cpus.Finished
	case UnlockIRQ:
		t.CPU().IRQEnable()
	case UnlockBH:
		t.CPU().BHEnable()
	}
	t.PreemptEnable()
	return cpus.Finished
}

// mask is what masking or unmasking with the operation adds to it.
func (l *Spinlock) mask(sub uint8) des.Time {
	switch sub {
	case LockBH, UnlockBH:
		return l.machine.Costs.BHPair / 2
	case LockIRQ, UnlockIRQ:
		return l.machine.Costs.Cycle
	default:
		return 0
	}
}

// acquired notes the new holder.
func (l *Spinlock) acquired(t *cpus.Task) {
	l.holder = t
	l.taken = l.machine.Sim.Now()
	if t.Data != 0 {
		l.machine.Trace(cpus.TraceContentionEnd, t, l.id, int64(l.taken-t.Began()))
	}
	l.machine.Trace(cpus.TraceLockAcquired, t, l.id, int64(l.taken-t.Began()))
}

// contended notes that t has to wait.
func (l *Spinlock) contended(t *cpus.Task) cpus.Until {
	t.Data = 1
	l.machine.Trace(cpus.TraceContentionBegin, t, l.id, 0)
	return cpus.Spinning
}

func (l *Spinlock) misuse(t *cpus.Task, what string) cpus.Until {
	l.machine.Fail(&cpus.Bug{Task: t.Name(), At: l.machine.Sim.Now(), What: "spinlock " + l.name + " " + what})
	return cpus.Spinning
}

// taskQueue is a first-in first-out queue of waiting tasks.
type taskQueue struct {
	head, tail *cpus.Task
	n          int
}

func (q *taskQueue) push(t *cpus.Task) {
	t.Next = nil
	if q.head == nil {
		q.head = t
	} else {
		q.tail.Next = t
	}
	q.tail = t
	q.n++
}

func (q *taskQueue) pop() *cpus.Task {
	t := q.head
	if t != nil {
		q.head, t.Next = t.Next, nil
		q.n--
	}
	return t
}
