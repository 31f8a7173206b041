package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// Mutex is the kernel's sleeping lock. A free one is taken by a single cmpxchg
// of its owner, whoever comes first. Who finds it taken queues and sleeps; an
// unlock wakes the first of the queue, which tries again and may lose to a
// newcomer, but not twice: having lost it asks for a hand-off, and the next
// unlock makes it the owner.
//
// Waiters do not spin while the owner runs: it is a kernel without
// CONFIG_MUTEX_SPIN_ON_OWNER. Operations are Lock, Unlock and TryLock.
type Mutex struct {
	machine *cpus.Machine
	// lock guards the queue. It shares the cache line of the owner.
	lock    *Spinlock
	line    *cpus.Line
	waiters waitList
	owner   *cpus.Task
	// waiting and handoff are flags beside the owner: the queue is not empty; its
	// first has asked to be given the mutex.
	waiting, handoff bool
	taken            des.Time
	name             string
	id               cpus.NameID
	identity         cpus.Identity
}

// NewMutex returns a free mutex.
func NewMutex(m *cpus.Machine, name string) *Mutex {
	l := NewSpinlock(m, name+".wait_lock", "qspinlock")
	x := &Mutex{machine: m, name: name, id: m.Intern(name), lock: l, line: l.protocol.line()}
	x.identity = m.Identify(x)
	return x
}

// Name returns the mutex's name.
func (l *Mutex) Name() string { return l.name }

// Owner returns the task that holds the mutex, or nil.
func (l *Mutex) Owner() *cpus.Task { return l.owner }

// Stages of Lock and TryLock.
const (
	mutexFast      = iota // cmpxchg of the owner from nobody to the task
	mutexLooking          // TryLock reads the owner
	mutexGrabbing         // TryLock's cmpxchg
	mutexLocking          // the queue, which Lock enters
	mutexTrying           // reading the owner, under the queue's lock
	mutexTaking           // cmpxchg, under the queue's lock
	mutexFlagging         // having entered, the waiting flag is being set
	mutexUnlocking        // the queue, before the sleep
	mutexAsleep           //
	mutexWoken            // cmpxchg after the sleep; asks for a hand-off if it fails
	mutexOwning           // locking the queue to leave it, as owner
	mutexClearing         // the flags of an empty queue are being cleared
	mutexLeaving          // unlocking the queue, as owner
)

// Begin starts Lock, TryLock or Unlock.
func (l *Mutex) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := l.machine.Sim.Now()
	switch op.Sub {
	case Lock:
		if !maySleep(t, "lock of "+l.name) {
			return cpus.Spinning
		}
		if l.owner == t {
			return misused(t, "mutex "+l.name+" taken again by its holder: it would sleep for ever")
		}
		t.BeginWait()
		t.A = mutexFast
		return l.line.RMW(t.CPU(), now)
	case TryLock:
		t.BeginWait()
		t.A = mutexLooking
		return l.line.Read(t.CPU(), now)
	default:
		return l.beginUnlock(t)
	}
}

// open reports whether t, which waits, can take the mutex: it is free, or was
// handed to t.
func (l *Mutex) open(t *cpus.Task) bool { return l.owner == nil || l.owner == t }

// Step goes on with the operation.
func (l *Mutex) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch op.Sub {
	case Lock:
		return l.stepLock(t)
	case TryLock:
		return l.stepTryLock(t)
	default:
		return l.stepUnlock(t)
	}
}

func (l *Mutex) stepTryLock(t *cpus.Task) cpus.Until {
	free := l.owner == nil
	if free && t.A == mutexLooking {
		t.A = mutexGrabbing
		return l.line.RMW(t.CPU(), l.machine.Sim.Now())
	}
	t.Result = 0
	if free {
		t.Result = 1
		l.acquired(t, t.Began())
	}
	return cpus.Finished
}

func (l *Mutex) stepLock(t *cpus.Task) cpus.Until {
	switch t.A {
	case mutexFast:
		// It takes the mutex only if the flags are clear, too.
		if l.owner == nil && !l.waiting {
			l.acquired(t, t.Began())
			return cpus.Finished
		}
		w := l.waiters.join(t)
		w.since = t.Began()
		l.machine.Trace(cpus.TraceContentionBegin, t, l.id, 0)
		t.A = mutexLocking
		return l.lock.Begin(t, &lockCall)
	case mutexLocking:
		if u := l.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		t.A = mutexTrying
		return l.line.Read(t.CPU(), l.machine.Sim.Now())
	case mutexTrying:
		if !l.open(t) {
			return l.queue(t)
		}
		t.A = mutexTaking
		return l.line.RMW(t.CPU(), l.machine.Sim.Now())
	case mutexTaking:
		if !l.open(t) {
			return l.queue(t)
		}
		return l.leave(t)
	case mutexFlagging:
		// An unlock that came before the flag woke nobody: look once more.
		l.waiting = true
		t.A = mutexTrying
		return l.line.Read(t.CPU(), l.machine.Sim.Now())
	default:
		return l.stepQueued(t)
	}
}

// queue goes on under the queue's lock without the mutex: t enters, or sleeps if
// it has entered.
func (l *Mutex) queue(t *cpus.Task) cpus.Until {
	w := l.waiters.of(t)
	if w.listed {
		t.A = mutexUnlocking
		return l.lock.Begin(t, &unlockCall)
	}
	l.waiters.pushBack(w)
	t.A = mutexFlagging
	if l.waiting {
		return setState(t)
	}
	return l.line.RMW(t.CPU(), setState(t))
}

// stepQueued goes on with a task that is in the queue.
func (l *Mutex) stepQueued(t *cpus.Task) cpus.Until {
	w := l.waiters.of(t)
	now := l.machine.Sim.Now()
	switch t.A {
	case mutexUnlocking:
		l.lock.Step(t, &unlockCall)
		t.A = mutexAsleep
		return w.sleep(now)
	case mutexAsleep:
		t.A = mutexWoken
		w.woken = false
		return l.line.RMW(t.CPU(), setState(t))
	case mutexWoken:
		if l.open(t) {
			l.owner = t
			t.A = mutexOwning
			return l.lock.Begin(t, &lockCall)
		}
		if l.waiters.head == w {
			l.handoff = true
		}
		t.A = mutexLocking
		return l.lock.Begin(t, &lockCall)
	case mutexOwning:
		if u := l.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		return l.leave(t)
	case mutexClearing:
		l.waiting, l.handoff = false, false
		return l.unlockQueue(t)
	default: // mutexLeaving
		l.lock.Step(t, &unlockCall)
		since := w.since
		l.waiters.leave(w)
		l.machine.Trace(cpus.TraceContentionEnd, t, l.id, int64(now-since))
		l.acquired(t, since)
		return cpus.Finished
	}
}

// leave takes the mutex, whose queue t has locked, and t out of the queue.
func (l *Mutex) leave(t *cpus.Task) cpus.Until {
	l.owner = t
	if w := l.waiters.of(t); w.listed {
		l.waiters.remove(w)
	}
	if l.waiting && l.waiters.head == nil {
		t.A = mutexClearing
		return l.line.RMW(t.CPU(), l.machine.Sim.Now())
	}
	return l.unlockQueue(t)
}

func (l *Mutex) unlockQueue(t *cpus.Task) cpus.Until {
	t.A = mutexLeaving
	return l.lock.Begin(t, &unlockCall)
}

// acquired notes the new owner, which asked for the mutex at since.
func (l *Mutex) acquired(t *cpus.Task, since des.Time) {
	l.owner, l.taken = t, l.machine.Sim.Now()
	l.machine.Trace(cpus.TraceLockAcquired, t, l.id, int64(l.taken-since))
}
