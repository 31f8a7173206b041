package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// waitList is the tasks that sleep in a primitive, and those about to. Its
// lock is the primitive's.
//
// A task has a record here from join to leave. It may be listed and still run,
// up to the moment it sleeps; a wake-up in between is kept in the record, so
// that the sleep is left out. In the kernel the task's state does that.
type waitList struct {
	head, tail *waiter
	records    []*waiter
	free       *waiter
}

// waiter is one task's record.
type waiter struct {
	task *cpus.Task
	// since is when the operation that waits was begun.
	since      des.Time
	prev, next *waiter
	index      int64
	listed     bool
	// woken says that the task was told to go on since it was last listed.
	woken bool
	// exclusive waiters are woken one at a time.
	exclusive bool
	// pinned counts those who will wake it once they have unlocked the list.
	pinned int
}

// join gives t a record, whose number is then its operand B.
func (l *waitList) join(t *cpus.Task) *waiter {
	w := l.free
	if w == nil {
		w = &waiter{index: int64(len(l.records))}
		l.records = append(l.records, w)
	} else {
		l.free = w.next
	}
	*w = waiter{task: t, since: t.Machine().Sim.Now(), index: w.index}
	t.B = w.index
	return w
}

// of returns t's record.
func (l *waitList) of(t *cpus.Task) *waiter { return l.records[t.B] }

// leave gives the record back.
func (l *waitList) leave(w *waiter) {
	if w.listed {
		l.remove(w)
	}
	w.task = nil
	if w.pinned == 0 {
		w.next, l.free = l.free, w
	}
}

// pin keeps a listed waiter's record for t, who is going to wake it later: its
// number is t's operand B until wakePinned.
func (l *waitList) pin(t *cpus.Task, w *waiter) {
	w.pinned++
	t.B = w.index
}

// wakePinned wakes the waiter that t has pinned, unless it has left, and returns
// what that costs.
func (l *waitList) wakePinned(t *cpus.Task) des.Time {
	w := l.of(t)
	w.pinned--
	if w.task != nil {
		return w.wake()
	}
	if w.pinned == 0 {
		w.next, l.free = l.free, w
	}
	return 0
}

// pushFront and pushBack list a waiter; what woke it before counts no more.
func (l *waitList) pushFront(w *waiter) {
	w.listed, w.woken = true, false
	w.prev, w.next = nil, l.head
	if l.head == nil {
		l.tail = w
	} else {
		l.head.prev = w
	}
	l.head = w
}

func (l *waitList) pushBack(w *waiter) {
	w.listed, w.woken = true, false
	w.prev, w.next = l.tail, nil
	if l.tail == nil {
		l.head = w
	} else {
		l.tail.next = w
	}
	l.tail = w
}

func (l *waitList) remove(w *waiter) {
	w.listed = false
	if w.prev == nil {
		l.head = w.next
	} else {
		w.prev.next = w.next
	}
	if w.next == nil {
		l.tail = w.prev
	} else {
		w.next.prev = w.prev
	}
	w.prev, w.next = nil, nil
}

// sleep leaves the CPU unless the waiter was woken since it was listed.
func (w *waiter) sleep(now des.Time) cpus.Until {
	if w.woken {
		return now
	}
	return cpus.Blocked
}

// wake lets a waiter go on and returns what that costs the waker: nothing if
// the task had not gone to sleep yet. Whether it stays listed is up to its primitive.
func (w *waiter) wake() des.Time {
	w.woken = true
	return wake(w.task)
}

// wake wakes a task and returns the waker's part of the cost. The task is on
// its way from this instant on, while the waker still pays.
func wake(t *cpus.Task) des.Time {
	if t.State() != cpus.Asleep {
		return 0
	}
	m := t.Machine()
	m.Wake(t)
	return m.Costs.WakeWaker
}
