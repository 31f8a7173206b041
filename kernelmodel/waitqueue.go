package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// WaitQueue is a list of tasks that sleep until somebody wakes them: the
// kernel's wait queue, with its lock. Those who wait together are in front, the
// latest first; behind them, in the order of their coming, are the exclusive,
// of whom a Wake takes one.
//
// Its operations are Wake, WakeAll and SleepOn; one waits for a condition at a
// [WaitPoint].
type WaitQueue struct {
	machine *cpus.Machine
	lock    *Spinlock
	waiters waitList
	name    string

	identity cpus.Identity
}

// NewWaitQueue returns an empty wait queue.
func NewWaitQueue(m *cpus.Machine, name string) *WaitQueue {
	q := &WaitQueue{machine: m, name: name, lock: NewSpinlock(m, name+".lock", "qspinlock")}
	q.identity = m.Identify(q)
	return q
}

// Name returns the queue's name.
func (q *WaitQueue) Name() string { return q.name }

// Waiting returns how many tasks are listed.
func (q *WaitQueue) Waiting() int {
	n := 0
	for w := q.waiters.head; w != nil; w = w.next {
		n++
	}
	return n
}

// Stages of Wake and WakeAll.
const (
	wakeLocking = iota
	waking
	wakingLast // it was an exclusive one
	wakeUnlocking
)

// Stages of SleepOn.
const (
	onLocking = iota + wakeUnlocking + 1
	onUnlocking
	onAsleep
	onRelocking
	onLeaving
)

// Begin starts Wake, WakeAll or SleepOn.
func (q *WaitQueue) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	if op.Sub == SleepOn {
		if !maySleep(t, "sleep_on of "+q.name) {
			return cpus.Spinning
		}
		q.waiters.join(t)
		t.A = onLocking
	} else {
		t.A, t.B = wakeLocking, 0
	}
	return q.lock.Begin(t, &lockIRQCall)
}

// Step goes on with it.
func (q *WaitQueue) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch t.A {
	case wakeLocking:
		if u := q.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		t.A = waking
		return q.wakeNext(t, op.Sub == WakeAll)
	case waking:
		return q.wakeNext(t, op.Sub == WakeAll)
	case wakingLast:
		return q.wakeEnd(t)
	case wakeUnlocking:
		t.Result = t.B
		return q.lock.Step(t, &unlockIRQCall)
	default:
		return q.stepSleepOn(t)
	}
}

// wakeNext wakes the first of the list, who leaves it; the waker holds the lock
// all the while. B counts them.
func (q *WaitQueue) wakeNext(t *cpus.Task, all bool) cpus.Until {
	w := q.waiters.head
	if w == nil {
		return q.wakeEnd(t)
	}
	t.B++
	if w.exclusive && !all {
		t.A = wakingLast
	}
	q.waiters.remove(w)
	return q.machine.Sim.Now() + w.wake()
}

func (q *WaitQueue) wakeEnd(t *cpus.Task) cpus.Until {
	t.A = wakeUnlocking
	return q.lock.Begin(t, &unlockIRQCall)
}

// stepSleepOn enqueues, sleeps and leaves, as sleep_on() did: whoever tested
// something before is not asked again.
func (q *WaitQueue) stepSleepOn(t *cpus.Task) cpus.Until {
	w := q.waiters.of(t)
	switch t.A {
	case onLocking:
		if u := q.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		q.waiters.pushFront(w)
		t.A = onUnlocking
		return q.lock.Begin(t, &unlockIRQCall)
	case onUnlocking:
		q.lock.Step(t, &unlockIRQCall)
		t.A = onAsleep
		return w.sleep(q.machine.Sim.Now())
	case onAsleep:
		t.A = onRelocking
		return q.lock.Begin(t, &lockIRQCall)
	case onRelocking:
		if u := q.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		q.waiters.leave(w)
		t.A = onLeaving
		return q.lock.Begin(t, &unlockIRQCall)
	default: // onLeaving
		return q.lock.Step(t, &unlockIRQCall)
	}
}

// setState is what it costs t to declare itself asleep: a store with a full
// barrier to its own state, so that what it tests next is not older.
func setState(t *cpus.Task) des.Time {
	m := t.Machine()
	return max(m.Sim.Now(), t.CPU().Drained()) + m.Costs.Atomic
}
