package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// qspinlock is the kernel's qspinlock: one word with a locked byte, a pending bit
// and the tail of a queue of nodes. The first contender sets the pending bit
// and polls the word; those after it queue as in an MCS lock, and the head of
// the queue polls the word until neither locked nor pending is set.
type qspinlock struct {
	spin   *Spinlock
	word   *cpus.Line
	order  *des.Stream
	locked bool
	// pending is the task that owns the pending bit, head the first of the queue.
	pending *cpus.Task
	head    *cpus.Task
	last    *cpus.Task
	waiters taskQueue
	nodes   nodes
}

func newQueued(l *Spinlock) *qspinlock {
	return &qspinlock{spin: l, word: l.machine.NewLine(), order: l.machine.Sim.Stream("qspinlock/" + l.name)}
}

// Phases of an acquisition.
const (
	qFast    = 1 // cmpxchg of the word from 0 to locked
	qPending = 2 // the pending bit is being set
	qWait    = 3 // polling the locked byte, as owner of the pending bit
	qTake    = 4 // storing locked, the poll having succeeded
	qJoin    = 5 // xchg of the tail
	qQueued  = 6 // polling the own node
	qLook    = 7 // reading the word for the first time, as head of the queue
	qHead    = 8 // polling the word, as head of the queue
)

func (l *qspinlock) lock(t *cpus.Task) cpus.Until {
	t.Data = 0
	return l.word.RMW(t.CPU(), l.now())
}

func (l *qspinlock) now() des.Time { return l.spin.machine.Sim.Now() }

func (l *qspinlock) step(t *cpus.Task) cpus.Until {
	switch t.Phase {
	case qFast:
		if l.free() {
			l.locked = true
			return cpus.Finished
		}
		t.Phase = qJoin
		if l.pending == nil && l.head == nil && l.last == nil {
			t.Phase = qPending
		}
		return l.word.RMW(t.CPU(), l.now())
	case qPending:
		if l.pending != nil || l.last != nil {
			// Somebody was faster: queue.
			t.Phase = qJoin
			return l.word.RMW(t.CPU(), l.now())
		}
		l.pending = t
		t.Phase = qWait
		if !l.locked {
			return l.claim(t)
		}
		return l.poll(t)
	case qWait, qHead:
		l.word.Unpoll(t.CPU())
		return l.claim(t)
	case qJoin:
		return l.join(t)
	case qQueued:
		return l.lookAsHead(t)
	case qLook:
		if l.locked || l.pending != nil {
			t.Phase = qHead
			return l.poll(t)
		}
		t.Phase = qHead
		return l.claim(t)
	default: // qTake
		return l.taken(t)
	}
}

// poll parks t until an unlock finds it entitled.
func (l *qspinlock) poll(t *cpus.Task) cpus.Until {
	l.word.Poll(t.CPU(), false)
	if t.Data != 0 {
		return cpus.Spinning
	}
	return l.spin.contended(t)
}

// claim sets the locked byte. The lock is t's from here on: nobody else is
// entitled to it, so that a plain store is enough, which t need not wait for. Only
// the last of the queue has to clear the tail too, by a cmpxchg.
func (l *qspinlock) claim(t *cpus.Task) cpus.Until {
	l.locked = true
	t.Phase = qTake
	switch {
	case t == l.pending:
		l.pending = nil
	case l.waiters.head == nil:
		return l.word.RMW(t.CPU(), l.now())
	}
	issued, _ := l.word.Write(t.CPU(), l.now())
	return issued
}

// taken ends the acquisition; a head of the queue makes its successor head.
func (l *qspinlock) taken(t *cpus.Task) cpus.Until {
	if t != l.head {
		return cpus.Finished
	}
	next := l.waiters.pop()
	l.head = next
	if next == nil {
		l.last = nil
		return cpus.Finished
	}
	m := l.spin.machine
	m.Resume(next, handOver(l.nodes.of(m, next.CPU()), t, next, l.now()))
	return cpus.Finished
}

// join enters the queue: as its head if it is empty, else behind the last.
func (l *qspinlock) join(t *cpus.Task) cpus.Until {
	before := l.last
	l.last = t
	if before == nil {
		l.head = t
		return l.lookAsHead(t)
	}
	m := l.spin.machine
	now := l.now()
	t.Phase = qQueued
	l.nodes.of(m, t.CPU()).Write(t.CPU(), now)
	l.nodes.of(m, before.CPU()).Write(t.CPU(), now)
	l.waiters.push(t)
	if t.Data != 0 {
		return cpus.Spinning
	}
	return l.spin.contended(t)
}

// lookAsHead reads the word, which the head of the queue polls.
func (l *qspinlock) lookAsHead(t *cpus.Task) cpus.Until {
	t.Phase = qLook
	return l.word.Read(t.CPU(), l.now())
}

func (l *qspinlock) unlock(t *cpus.Task) cpus.Until {
	issued, _ := l.word.Write(t.CPU(), l.now())
	l.locked = false
	next := l.pending
	if next == nil {
		next = l.head
	}
	if next != nil && (next.Phase == qWait || next.Phase == qHead) && next.State() == cpus.SpinState {
		l.spin.machine.Resume(next, l.word.Seen(next.CPU(), l.order))
	}
	return issued
}

func (l *qspinlock) free() bool { return !l.locked && l.pending == nil && l.last == nil }

func (l *qspinlock) take(*cpus.Task) { l.locked = true }

func (l *qspinlock) line() *cpus.Line { return l.word }
