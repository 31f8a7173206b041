package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// barrier is what a flusher puts behind the instance it waits for. The worker
// that comes to it wakes the flusher, one barrier after the other: flushers
// cost the worker a wake-up each.
type barrier struct {
	entry entry
	// line is that of the completion, on the flusher's stack.
	line    *cpus.Line
	flusher *cpus.Task
	pool    *pool
	next    *barrier
	index   int64
	done    bool
}

// newBarrier returns a barrier for t, whose number is then t's operand B.
func (q *Workqueue) newBarrier(t *cpus.Task, p *pool) *barrier {
	b := q.free
	if b == nil {
		b = &barrier{line: q.machine.NewLine(), index: int64(len(q.barriers))}
		b.entry.barrier = b
		q.barriers = append(q.barriers, b)
	} else {
		q.free = b.next
	}
	b.flusher, b.pool, b.done = t, p, false
	t.B = b.index
	return b
}

func (q *Workqueue) freeBarrier(b *barrier) {
	b.flusher, b.next = nil, q.free
	q.free = b
}

// reached lets the flusher go on, and returns what that costs the worker.
func (b *barrier) reached() des.Time {
	b.done = true
	return wake(b.flusher)
}

// Stages of WorkFlush.
const (
	flushLooking   = iota + flushStages // for the pool where the item was last
	flushLocking                        // that pool
	flushInserting                      // the barrier
	flushUnlocking                      //
	flushAsleep                         //
	flushPassing                        // looking at the barrier, after the sleep
	flushLeaving                        // unlocking the pool: there is nothing to wait for
)

// beginFlush starts to wait for the last queued instance of the item, if there
// is any: the one that is pending, else the one that runs. Who queues it again
// later is not waited for.
func (w *Work) beginFlush(t *cpus.Task, what string) cpus.Until {
	if !maySleep(t, what+" of "+w.name) {
		return cpus.Spinning
	}
	if w.worker != nil && w.worker.task == t {
		return misused(t, "work item "+w.name+" waits for its own end")
	}
	t.A = flushLooking
	return w.pending.Line.Read(t.CPU(), w.queue.machine.Sim.Now())
}

func (w *Work) stepFlush(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := w.queue.machine.Sim.Now()
	switch t.A {
	case flushLooking:
		if w.pool == nil {
			return w.flushEnd(t, op, 0)
		}
		t.A, t.B = flushLocking, int64(w.pool.index)
		return w.pool.lock.Begin(t, &lockIRQCall)
	case flushLocking:
		p := w.queue.pools[t.B]
		if u := p.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		if !w.addBarrier(t, p) {
			t.A = flushLeaving
			return p.lock.Begin(t, &unlockIRQCall)
		}
		t.A = flushInserting
		return w.link(t, p, now)
	case flushLeaving:
		w.queue.pools[t.B].lock.Step(t, &unlockIRQCall)
		return w.flushEnd(t, op, 0)
	}
	b := w.queue.barriers[t.B]
	switch t.A {
	case flushInserting:
		t.A = flushUnlocking
		return b.pool.lock.Begin(t, &unlockIRQCall)
	case flushUnlocking:
		b.pool.lock.Step(t, &unlockIRQCall)
		t.A = flushAsleep
		if b.done {
			return now
		}
		return cpus.Blocked
	case flushAsleep:
		t.A = flushPassing
		return b.line.RMW(t.CPU(), now)
	default: // flushPassing
		w.queue.freeBarrier(b)
		return w.flushEnd(t, op, 1)
	}
}

// addBarrier puts a barrier behind the instance to wait for, in front of those
// that others have put there, and reports whether there is such an instance in p.
func (w *Work) addBarrier(t *cpus.Task, p *pool) bool {
	switch {
	case w.entry.list != nil && w.pool == p:
		e := &w.queue.newBarrier(t, p).entry
		w.entry.list.insertAfter(&w.entry, e)
		e.linked, w.entry.linked = w.entry.linked, true
	case w.entry.list == nil && w.worker != nil && w.worker.pool == p:
		e := &w.queue.newBarrier(t, p).entry
		w.worker.scheduled.insertAfter(nil, e)
		e.linked = false
	default:
		return false
	}
	return true
}

// flushEnd ends a flush, or goes on with the cancellation it is part of.
func (w *Work) flushEnd(t *cpus.Task, op *cpus.Op, waited int64) cpus.Until {
	if op.Sub == WorkCancel {
		return w.flushed(t)
	}
	t.Result = waited
	return cpus.Finished
}
