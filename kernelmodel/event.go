package kernelmodel

import "smpsim/cpus"

// Event is the kernel's completion: a count of signals, each of which lets one
// task past, whether it waits already or comes later. A task that comes while
// one is left takes it, even from under a waiter who was woken for it.
//
// Its operations are Signal, SignalAll and Await.
type Event struct {
	machine *cpus.Machine
	lock    *Spinlock
	waiters waitList
	// done counts the signals not used up yet; all says that everybody passes.
	done int64
	all  bool
	name string

	identity cpus.Identity
}

// NewEvent returns an event that has not happened.
func NewEvent(m *cpus.Machine, name string) *Event {
	e := &Event{machine: m, name: name, lock: NewSpinlock(m, name+".lock", "qspinlock")}
	e.identity = m.Identify(e)
	return e
}

// Name returns the event's name.
func (e *Event) Name() string { return e.name }

// Done reports whether a task would pass now.
func (e *Event) Done() bool { return e.all || e.done > 0 }

// Stages of Signal and SignalAll.
const (
	signalLocking = iota
	signalWaking
	signalUnlocking
)

// Stages of Await.
const (
	awaitLocking = iota + signalUnlocking + 1
	awaitUnlocking
	awaitAsleep
	awaitPassing
)

// Begin starts Signal, SignalAll or Await.
func (e *Event) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	t.A = signalLocking
	if op.Sub == Await {
		if !maySleep(t, "wait for "+e.name) {
			return cpus.Spinning
		}
		e.waiters.join(t)
		t.A = awaitLocking
	}
	return e.lock.Begin(t, &lockIRQCall)
}

// Step goes on with it.
func (e *Event) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch t.A {
	case signalLocking:
		if u := e.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		if op.Sub == SignalAll {
			e.all = true
		} else {
			e.done++
		}
		t.A = signalWaking
		return e.wakeNext(t)
	case signalWaking:
		if op.Sub == SignalAll {
			return e.wakeNext(t)
		}
		return e.unlock(t, signalUnlocking)
	case signalUnlocking:
		return e.lock.Step(t, &unlockIRQCall)
	default:
		return e.stepAwait(t)
	}
}

// wakeNext wakes the first of the list, under the lock.
func (e *Event) wakeNext(t *cpus.Task) cpus.Until {
	w := e.waiters.head
	if w == nil {
		return e.unlock(t, signalUnlocking)
	}
	e.waiters.remove(w)
	return e.machine.Sim.Now() + w.wake()
}

func (e *Event) unlock(t *cpus.Task, stage int64) cpus.Until {
	t.A = stage
	return e.lock.Begin(t, &unlockIRQCall)
}

func (e *Event) stepAwait(t *cpus.Task) cpus.Until {
	w := e.waiters.of(t)
	switch t.A {
	case awaitLocking:
		if u := e.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		if !e.Done() {
			e.waiters.pushBack(w)
			return e.unlock(t, awaitUnlocking)
		}
		if !e.all {
			e.done--
		}
		e.waiters.leave(w)
		return e.unlock(t, awaitPassing)
	case awaitUnlocking:
		e.lock.Step(t, &unlockIRQCall)
		t.A = awaitAsleep
		return w.sleep(e.machine.Sim.Now())
	case awaitAsleep:
		t.A = awaitLocking
		return e.lock.Begin(t, &lockIRQCall)
	default: // awaitPassing
		return e.lock.Step(t, &unlockIRQCall)
	}
}
