package kernelmodel

import "smpsim/cpus"

// Stages of Unlock.
const (
	unlockOwner   = iota // the owner is being cleared
	unlockLocking        // the queue
	unlockHanding        // the first of the queue is being made the owner
	unlockQueued         // unlocking the queue
	unlockWaking         // the first of the queue is being woken
)

// beginUnlock gives up the mutex: at once where nobody waits, else through the
// queue.
func (l *Mutex) beginUnlock(t *cpus.Task) cpus.Until {
	if l.owner != t {
		return misused(t, "mutex "+l.name+" given back by a task that does not hold it")
	}
	now := l.machine.Sim.Now()
	l.machine.Trace(cpus.TraceLockReleased, t, l.id, int64(now-l.taken))
	t.A = unlockOwner
	return l.line.RMW(t.CPU(), now)
}

func (l *Mutex) stepUnlock(t *cpus.Task) cpus.Until {
	now := l.machine.Sim.Now()
	switch t.A {
	case unlockOwner:
		// Asked for a hand-off, it stays the owner until there is another.
		if !l.handoff {
			l.owner = nil
			if !l.waiting {
				return cpus.Finished
			}
		}
		t.A = unlockLocking
		return l.lock.Begin(t, &lockCall)
	case unlockLocking:
		if u := l.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		if l.handoff && l.owner == t {
			t.A = unlockHanding
			return l.line.RMW(t.CPU(), now)
		}
		return l.releaseQueue(t)
	case unlockHanding:
		l.handoff, l.owner = false, nil
		if w := l.waiters.head; w != nil {
			l.owner = w.task
		}
		return l.releaseQueue(t)
	case unlockQueued:
		l.lock.Step(t, &unlockCall)
		if t.B < 0 {
			return cpus.Finished
		}
		t.A = unlockWaking
		return now + l.waiters.wakePinned(t)
	default: // unlockWaking
		return cpus.Finished
	}
}

// releaseQueue unlocks the queue; its first, if there is one, is woken after.
func (l *Mutex) releaseQueue(t *cpus.Task) cpus.Until {
	t.B = -1
	if w := l.waiters.head; w != nil {
		l.waiters.pin(t, w)
	}
	t.A = unlockQueued
	return l.lock.Begin(t, &unlockCall)
}
