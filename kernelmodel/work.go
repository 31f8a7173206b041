package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// Work is a work item. Its operations are WorkQueue, WorkFlush and WorkCancel.
type Work struct {
	queue *Workqueue
	// pending is the PENDING bit; the entry and the rest are on its line.
	pending *cpus.Word
	entry   entry
	body    cpus.Behavior
	// pool is where the item was queued last, worker who runs it.
	pool   *pool
	worker *worker
	queued des.Time
	// cancelling says that who took PENDING was a cancellation; latecomers among
	// those wait for it.
	cancelling bool
	cancellers waitList
	name       string
	id         cpus.NameID
	runs       cpus.Identity
}

// Name returns the item's name.
func (w *Work) Name() string { return w.name }

// Pending returns the item's PENDING bit: 1 from the queueing to the start of
// the run. work_pending() is a marked load of it.
func (w *Work) Pending() *cpus.Word { return w.pending }

// Busy reports whether the item is pending or runs.
func (w *Work) Busy() bool { return w.pending.Value != 0 || w.worker != nil }

// QueueWork queues w and reports whether it did: false means that it was
// pending already.
func QueueWork(k *cpus.Thread, w *Work) bool { return k.Call(w, WorkQueue) == 1 }

// FlushWork waits for the last queued instance of w to end, and reports whether
// there was one.
func FlushWork(k *cpus.Thread, w *Work) bool { return k.Call(w, WorkFlush) == 1 }

// Stages of WorkQueue. Interrupts are off all the while.
const (
	queueMarking      = iota // PENDING is being set
	queueLocking             // the item's last pool, another than the CPU's
	queueLeaving             // unlocking it: the item does not run there
	queueLockingLocal        // the CPU's pool, or the last one if they are the same
	queueCounting            // reading how many are active
	queueInserting           // writing the list
	queueWaking              // a worker, if one is needed
	queueUnlocking
)

// The stages of WorkFlush and WorkCancel follow, in other files.
const (
	flushStages  = 16
	cancelStages = 32
)

// Begin starts WorkQueue, WorkFlush or WorkCancel.
func (w *Work) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch op.Sub {
	case WorkQueue:
		t.A = queueMarking
		return w.mark(t)
	case WorkFlush:
		t.Result = 0
		return w.beginFlush(t, "flush")
	default:
		return w.beginCancel(t)
	}
}

// mark masks interrupts and begins the test_and_set of PENDING.
func (w *Work) mark(t *cpus.Task) cpus.Until {
	m := w.queue.machine
	t.CPU().IRQDisable()
	return w.pending.Line.RMW(t.CPU(), m.Sim.Now()+m.Costs.Cycle)
}

// Step goes on with it.
func (w *Work) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch {
	case t.A >= cancelStages:
		return w.stepCancel(t)
	case t.A >= flushStages:
		return w.stepFlush(t, op)
	default:
		return w.stepQueue(t)
	}
}

func (w *Work) stepQueue(t *cpus.Task) cpus.Until {
	m := w.queue.machine
	now := m.Sim.Now()
	p := w.queue.local[t.CPU().Index()]
	if t.A > queueMarking {
		p = w.queue.pools[t.B]
	}
	switch t.A {
	case queueMarking:
		if w.pending.Value != 0 {
			return w.queueEnd(t, 0)
		}
		m.SetWord(w.pending, 1)
		if w.pool == nil || w.pool == p {
			return w.lockPool(t, p, queueLockingLocal)
		}
		return w.lockPool(t, w.pool, queueLocking)
	case queueLocking:
		if u := p.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		if w.worker != nil && w.worker.pool == p {
			// It runs there: it must go to the same worker.
			t.A = queueCounting
			return p.counts.Read(t.CPU(), now)
		}
		t.A = queueLeaving
		return p.lock.Begin(t, &unlockCall)
	case queueLeaving:
		p.lock.Step(t, &unlockCall)
		return w.lockPool(t, w.queue.local[t.CPU().Index()], queueLockingLocal)
	case queueLockingLocal:
		if u := p.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		t.A = queueCounting
		return p.counts.Read(t.CPU(), now)
	case queueCounting:
		t.A = queueInserting
		issued, _ := p.counts.Write(t.CPU(), now)
		return w.link(t, p, issued)
	case queueInserting:
		w.pool, w.queued = p, now
		m.Trace(cpus.TraceQueueWork, t, w.id, 0)
		cost := des.Time(0)
		if p.insert(w) {
			cost = p.kick()
		}
		t.A = queueWaking
		return now + cost
	case queueWaking:
		t.A = queueUnlocking
		return p.lock.Begin(t, &unlockCall)
	default: // queueUnlocking
		p.lock.Step(t, &unlockCall)
		return w.queueEnd(t, 1)
	}
}

// lockPool begins to take a pool's lock; interrupts are off. B is the pool.
func (w *Work) lockPool(t *cpus.Task, p *pool, stage int64) cpus.Until {
	t.A, t.B = stage, int64(p.index)
	return p.lock.Begin(t, &lockCall)
}

// link begins to write the list's links: the item's, and the pool's.
func (w *Work) link(t *cpus.Task, p *pool, at des.Time) des.Time {
	at, _ = w.pending.Line.Write(t.CPU(), at)
	at, _ = p.lock.protocol.line().Write(t.CPU(), at)
	return at
}

func (w *Work) queueEnd(t *cpus.Task, queued int64) cpus.Until {
	t.CPU().IRQEnable()
	t.Result = queued
	return cpus.Finished
}
