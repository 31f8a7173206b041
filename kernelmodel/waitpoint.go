package kernelmodel

import "smpsim/cpus"

// WaitPoint is a place where tasks wait on a queue until a condition holds:
// wait_event(queue, condition). Make one for each condition, not for each wait.
//
// Its operations are Wait and WaitExclusive. A task tests; if the condition does
// not hold it enters the queue and tests again before it sleeps, so that no
// wake-up between test and sleep is lost; woken, it does the same.
type WaitPoint struct {
	queue *WaitQueue
	words []*cpus.Word
	cond  cpus.Condition
}

// ConditionFunc lets a function of a task be a [cpus.Condition].
type ConditionFunc func(t *cpus.Task) bool

// Holds calls f.
func (f ConditionFunc) Holds(t *cpus.Task) bool { return f(t) }

// Until returns the point at which tasks wait on q until cond holds. Each test
// loads the words, which must be all that cond looks at.
func (q *WaitQueue) Until(cond cpus.Condition, words ...*cpus.Word) *WaitPoint {
	return &WaitPoint{queue: q, words: words, cond: cond}
}

// Name returns the name of the queue.
func (p *WaitPoint) Name() string { return p.queue.name }

// Stages of a wait.
const (
	waitTesting    = iota // for the first time, not in the queue
	waitLocking           // to enter the queue
	waitPreparing         // the task's state is being set
	waitUnlocking         // having entered
	waitRetesting         // in the queue
	waitAsleep            //
	waitFinishing         // the queue is locked in order to leave it
	waitUnlocking2        // having left
)

// Begin starts Wait or WaitExclusive.
func (p *WaitPoint) Begin(t *cpus.Task, _ *cpus.Op) cpus.Until {
	if !maySleep(t, "wait on "+p.queue.name) {
		return cpus.Spinning
	}
	t.A = waitTesting
	return p.load(t)
}

// load returns when t has read all the words.
func (p *WaitPoint) load(t *cpus.Task) cpus.Until {
	at := p.queue.machine.Sim.Now()
	for _, w := range p.words {
		at = w.Line.Read(t.CPU(), at)
	}
	return at
}

// Step goes on with it.
func (p *WaitPoint) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	q := p.queue
	switch t.A {
	case waitTesting:
		if p.cond.Holds(t) {
			return cpus.Finished
		}
		q.waiters.join(t).exclusive = op.Sub == WaitExclusive
		t.A = waitLocking
		return q.lock.Begin(t, &lockIRQCall)
	case waitLocking:
		if u := q.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		w := q.waiters.of(t)
		if w.exclusive {
			q.waiters.pushBack(w)
		} else {
			q.waiters.pushFront(w)
		}
		t.A = waitPreparing
		return setState(t)
	case waitPreparing:
		t.A = waitUnlocking
		return q.lock.Begin(t, &unlockIRQCall)
	case waitUnlocking:
		q.lock.Step(t, &unlockIRQCall)
		t.A = waitRetesting
		return p.load(t)
	default:
		return p.stepQueued(t)
	}
}

// stepQueued goes on with a task that has entered the queue.
func (p *WaitPoint) stepQueued(t *cpus.Task) cpus.Until {
	q := p.queue
	w := q.waiters.of(t)
	switch t.A {
	case waitRetesting:
		if !p.cond.Holds(t) {
			t.A = waitAsleep
			return w.sleep(q.machine.Sim.Now())
		}
		if !w.listed {
			// Whoever woke it has taken it off the list.
			q.waiters.leave(w)
			return cpus.Finished
		}
		t.A = waitFinishing
		return q.lock.Begin(t, &lockIRQCall)
	case waitAsleep:
		t.A = waitLocking
		return q.lock.Begin(t, &lockIRQCall)
	case waitFinishing:
		if u := q.lock.Step(t, &lockIRQCall); u != cpus.Finished {
			return u
		}
		q.waiters.leave(w)
		t.A = waitUnlocking2
		return q.lock.Begin(t, &unlockIRQCall)
	default: // waitUnlocking2
		return q.lock.Step(t, &unlockIRQCall)
	}
}
