package kernelmodel

import "smpsim/cpus"

// Stages of WorkCancel.
const (
	cancelMarking   = iota + cancelStages // PENDING is being set, or found set
	cancelLocking                         // the pool, to take the item off its list
	cancelRemoving                        // the list is being written
	cancelUnlocking                       // having taken it off
	cancelRetrying                        // unlocking: it was just not there
	cancelPausing                         // before another try
	cancelAsleep                          // until another cancellation has ended
	cancelClearing                        // PENDING is being cleared
	cancelWaking                          // cancellations that wait
)

// beginCancel starts cancel_work_sync(): take PENDING, so that nobody can queue
// the item; if it was queued, take it off its list; wait for it if it runs;
// clear PENDING. Afterwards the item is idle. Barriers behind it stay where they
// are, so that who flushes it is woken when a worker comes to them.
func (w *Work) beginCancel(t *cpus.Task) cpus.Until {
	if !maySleep(t, "cancel of "+w.name) {
		return cpus.Spinning
	}
	t.A = cancelMarking
	return w.mark(t)
}

func (w *Work) stepCancel(t *cpus.Task) cpus.Until {
	m := w.queue.machine
	now := m.Sim.Now()
	switch t.A {
	case cancelMarking:
		return w.grab(t)
	case cancelLocking:
		p := w.queue.pools[t.B]
		if u := p.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		if w.entry.list == nil || w.pool != p || w.cancelling {
			t.A = cancelRetrying
			return p.lock.Begin(t, &unlockCall)
		}
		w.takeBack(p)
		w.cancelling = true
		t.A = cancelRemoving
		at, _ := p.counts.Write(t.CPU(), p.counts.Read(t.CPU(), now))
		return w.link(t, p, at)
	case cancelRemoving:
		t.A = cancelUnlocking
		return w.queue.pools[t.B].lock.Begin(t, &unlockCall)
	case cancelUnlocking:
		w.queue.pools[t.B].lock.Step(t, &unlockCall)
		t.CPU().IRQEnable()
		t.Result = 1
		return w.beginFlush(t, "cancel")
	case cancelRetrying:
		w.queue.pools[t.B].lock.Step(t, &unlockCall)
		return w.retry(t)
	case cancelPausing, cancelAsleep:
		t.A = cancelMarking
		return w.mark(t)
	case cancelClearing:
		m.SetWord(w.pending, 0)
		w.cancelling = false
		t.A = cancelWaking
		return w.wakeCanceller(t)
	default: // cancelWaking
		return w.wakeCanceller(t)
	}
}

// grab goes on with what the test_and_set of PENDING found.
func (w *Work) grab(t *cpus.Task) cpus.Until {
	switch {
	case w.pending.Value == 0:
		w.queue.machine.SetWord(w.pending, 1)
		w.cancelling = true
		t.CPU().IRQEnable()
		t.Result = 0
		return w.beginFlush(t, "cancel")
	case w.cancelling:
		t.CPU().IRQEnable()
		c := w.cancellers.join(t)
		w.cancellers.pushBack(c)
		t.A = cancelAsleep
		return cpus.Blocked
	case w.pool == nil:
		return w.retry(t)
	default:
		return w.lockPool(t, w.pool, cancelLocking)
	}
}

// retry looks again in a moment: somebody who has set PENDING is on the way to
// the list, or a worker has just taken the item.
func (w *Work) retry(t *cpus.Task) cpus.Until {
	m := w.queue.machine
	t.CPU().IRQEnable()
	t.A = cancelPausing
	return m.Sim.Now() + m.Costs.Pause
}

// takeBack takes the item off its list, as if it had run.
func (w *Work) takeBack(p *pool) {
	if w.entry.list == &p.inactive {
		// What is linked to it must not wait for a turn.
		p.activate(&w.entry)
	}
	w.entry.remove()
	p.finished()
}

// flushed goes on when the item runs no more: PENDING is cleared.
func (w *Work) flushed(t *cpus.Task) cpus.Until {
	t.A = cancelClearing
	issued, _ := w.pending.Line.Write(t.CPU(), w.queue.machine.Sim.Now())
	return issued
}

// wakeCanceller wakes one of the cancellations that wait for this one.
func (w *Work) wakeCanceller(t *cpus.Task) cpus.Until {
	c := w.cancellers.head
	if c == nil {
		return cpus.Finished
	}
	cost := wake(c.task)
	w.cancellers.leave(c)
	return w.queue.machine.Sim.Now() + cost
}
