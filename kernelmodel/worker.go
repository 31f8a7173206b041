package kernelmodel

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/des"
)

// worker is a kernel thread that takes entries from its pool's list. It is a
// [cpus.Behavior], whose operations are the pool lock's, those of the items, and
// a few of its own, for which it is a [cpus.Primitive].
type worker struct {
	pool         *pool
	task         *cpus.Task
	above, below *worker
	// scheduled is what this worker does next: the entry it has taken with what
	// is linked to it, and items that were queued again while it ran them.
	scheduled entryList
	// current is the item that runs, barrier the one just reached.
	current *Work
	barrier *barrier
	// queued and started are when the item's present run was queued and began.
	queued, started des.Time
	state           workerState
	idle            bool
	// kicked says that it was woken since it last looked.
	kicked bool
	// asleep says that it left its CPU in the midst of an item, and counts as
	// running no more.
	asleep bool

	lock, unlock, take, finish, pass, rest cpus.Op
}

// workerState is what a worker does when its present operation has ended.
type workerState uint8

const (
	workerWoken     workerState = iota // lock the pool, to look
	workerLooking                      // the pool is locked: is there work?
	workerPicking                      // the pool is locked: take the next entry
	workerTaken                        // unlock, to run the item
	workerStarting                     // the pool is unlocked: run
	workerRunning                      // the item's operations
	workerFinishing                    // the pool is locked: take the item off the books
	workerPassing                      // unlocked: a barrier is reached
	workerPassed                       // lock the pool, to go on
	workerResting                      // unlocked, nothing to do: sleep
)

// Operations of a worker of its own.
const (
	workerTake uint8 = iota + 1
	workerFinish
	workerPass
	workerRest
)

// calls makes the worker's operations.
func (w *worker) calls() {
	w.lock, w.unlock = lockIRQCall, unlockIRQCall
	w.lock.Prim, w.unlock.Prim = w.pool.lock, w.pool.lock
	w.take = cpus.Op{Kind: cpus.Call, Prim: w, Sub: workerTake}
	w.finish = cpus.Op{Kind: cpus.Call, Prim: w, Sub: workerFinish}
	w.pass = cpus.Op{Kind: cpus.Call, Prim: w, Sub: workerPass}
	w.rest = cpus.Op{Kind: cpus.Call, Prim: w, Sub: workerRest}
}

// Next returns the worker's next operation: the loop of the kernel's
// worker_thread() and process_one_work().
func (w *worker) Next(t *cpus.Task) *cpus.Op {
	p := w.pool
	switch w.state {
	case workerWoken:
		w.state = workerLooking
		return &w.lock
	case workerLooking:
		p.leaveIdle(w)
		if !p.needMore() {
			return w.goIdle()
		}
		if p.idle == nil {
			p.hire(t.CPU())
		}
		if p.managed {
			p.running++
		}
		w.assign(p.list.head)
		return w.pick()
	case workerPicking:
		return w.pick()
	case workerTaken:
		w.state = workerStarting
		return &w.unlock
	case workerStarting:
		w.begin(t)
		w.state = workerRunning
		return w.run(t)
	case workerRunning:
		return w.run(t)
	case workerFinishing:
		w.state = workerPicking
		return &w.finish
	case workerPassing:
		w.state = workerPassed
		return &w.pass
	case workerPassed:
		w.state = workerPicking
		return &w.lock
	case workerResting:
		w.state = workerWoken
		return &w.rest
	default:
		panic(fmt.Sprintf("kernelmodel: worker in state %d", w.state))
	}
}

// assign gives the worker an entry of the pool's list with what is linked to
// it. An item that another worker is running goes to that one: it is not
// reentrant.
func (w *worker) assign(e *entry) {
	to := w
	if e.work != nil && e.work.worker != nil {
		to = e.work.worker
	}
	moveLinked(&to.scheduled, e)
}

// pick takes the next entry, having locked the pool; without one it goes idle.
func (w *worker) pick() *cpus.Op {
	p := w.pool
	for w.scheduled.head == nil {
		if !p.keepWorking() {
			if p.managed {
				p.running--
			}
			return w.goIdle()
		}
		w.assign(p.list.head)
	}
	e := w.scheduled.head
	e.remove()
	if e.barrier != nil {
		w.barrier = e.barrier
		w.state = workerPassing
		return &w.unlock
	}
	w.current, e.work.worker = e.work, w
	w.queued = e.work.queued
	w.state = workerTaken
	return &w.take
}

func (w *worker) goIdle() *cpus.Op {
	w.kicked = false
	w.pool.enterIdle(w)
	w.state = workerResting
	return &w.unlock
}

// run hands out the item's next operation, and turns to the pool when there is
// none left.
func (w *worker) run(t *cpus.Task) *cpus.Op {
	if w.asleep {
		w.asleep = false
		w.pool.running++
	}
	if op := w.current.body.Next(t); op.Kind != cpus.Exit {
		return op
	}
	w.end(t)
	w.state = workerFinishing
	return &w.lock
}

// slept notes that the worker has left its CPU to wait. If it did so inside an
// item, and a managed pool has work and nobody left who runs, another worker is
// woken. The kernel charges that to the sleeper on its way out; here it is free.
func (w *worker) slept(*cpus.Task) {
	if w.state != workerRunning || !w.pool.managed || w.asleep {
		return
	}
	w.asleep = true
	w.pool.running--
	w.pool.kick()
}

// Name returns the name of the pool's lock.
func (w *worker) Name() string { return w.pool.lock.name }

// Begin starts one of the worker's own operations.
func (w *worker) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := w.pool.queue.machine.Sim.Now()
	t.Phase = 0
	switch op.Sub {
	case workerTake:
		// Without concurrency management, whoever takes one entry wakes the next
		// worker if there are more.
		return w.current.pending.Line.Read(t.CPU(), now+w.pool.kick())
	case workerFinish:
		return w.pool.counts.Read(t.CPU(), now)
	case workerPass:
		return w.barrier.line.RMW(t.CPU(), now)
	default: // workerRest
		if w.kicked {
			return cpus.Finished
		}
		return cpus.Blocked
	}
}

// Step goes on with it.
func (w *worker) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	m := w.pool.queue.machine
	now := m.Sim.Now()
	phase := t.Phase
	t.Phase++
	switch op.Sub {
	case workerTake:
		return w.stepTake(t, phase)
	case workerFinish:
		if phase == 0 {
			issued, _ := w.pool.counts.Write(t.CPU(), now)
			return issued
		}
		w.current.worker = nil
		w.current = nil
		w.pool.finished()
	case workerPass:
		if phase == 0 {
			return now + w.barrier.reached()
		}
		w.barrier = nil
	}
	return cpus.Finished
}

// stepTake clears PENDING before the item runs: from here on it can be queued
// again. A full barrier follows, so that the run sees what was written before a
// queueing that found the bit still set.
func (w *worker) stepTake(t *cpus.Task, phase uint8) cpus.Until {
	m := w.pool.queue.machine
	now := m.Sim.Now()
	switch phase {
	case 0:
		issued, _ := w.current.pending.Line.Write(t.CPU(), now)
		return issued
	case 1:
		m.SetWord(w.current.pending, 0)
		return max(now, t.CPU().Drained()) + m.Costs.Fence
	default:
		return cpus.Finished
	}
}

// begin and end pass the tracepoints of a run.
func (w *worker) begin(t *cpus.Task) {
	m := w.pool.queue.machine
	w.started = m.Sim.Now()
	m.Trace(cpus.TraceExecuteStart, t, w.current.id, int64(w.started-w.queued))
}

func (w *worker) end(t *cpus.Task) {
	m := w.pool.queue.machine
	m.Trace(cpus.TraceExecuteEnd, t, w.current.id, int64(m.Sim.Now()-w.started))
}
