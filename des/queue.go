package des

import "math/bits"

// Event is one entry of a [Queue]: when, then what. The key holds a sequence
// number above the process, so that comparing (At, Key) gives first-come order
// among equals. It is 16 bytes without a pointer: four siblings fill one cache
// line, and the garbage collector never scans the queue.
type Event struct {
	At  Time
	Key uint64
}

// Queue is a min-heap of events with four children a node, ordered by (At,
// Key). The zero value is an empty queue.
//
// Four children rather than two halve the depth and cost no more cache misses;
// the smallest child is found by borrows instead of branches, which no
// predictor could guess. A calendar queue is faster when its bucket width fits
// the load and collapses when it does not, so it was left out.
type Queue struct {
	events []Event
}

// Len returns the number of events.
func (q *Queue) Len() int { return len(q.events) }

// Min returns the earliest event. The queue must not be empty.
func (q *Queue) Min() Event { return q.events[0] }

// Push adds an event.
func (q *Queue) Push(e Event) {
	q.events = append(q.events, e)
	q.up(len(q.events)-1, e)
}

// Pop removes and returns the earliest event. The queue must not be empty.
func (q *Queue) Pop() Event {
	top := q.events[0]
	q.dropMin()
	return top
}

// Replace removes the earliest event and adds e in one pass from the root: the
// usual case, a process that fires and waits again.
func (q *Queue) Replace(e Event) { q.down(0, e) }

// secondAt returns when the earliest event other than the root is due.
func (q *Queue) secondAt() Time {
	at := Forever
	for _, e := range q.events[min(1, len(q.events)):min(5, len(q.events))] {
		at = min(at, e.At)
	}
	return at
}

// filter keeps the events that ok accepts and restores the heap.
func (q *Queue) filter(ok func(Event) bool) {
	kept := q.events[:0]
	for _, e := range q.events {
		if ok(e) {
			kept = append(kept, e)
		}
	}
	q.events = kept
	for i := (len(kept) - 2) / 4; i >= 0 && len(kept) > 1; i-- {
		q.down(i, kept[i])
	}
}

func (q *Queue) dropMin() {
	n := len(q.events) - 1
	last := q.events[n]
	q.events = q.events[:n]
	if n > 0 {
		q.down(0, last)
	}
}

func (q *Queue) up(i int, e Event) {
	events := q.events
	for i > 0 {
		parent := (i - 1) / 4
		if less(e, events[parent]) == 0 {
			break
		}
		events[i] = events[parent]
		i = parent
	}
	events[i] = e
}

// down places e in the subtree at i, whose root is free.
func (q *Queue) down(i int, e Event) {
	events := q.events
	for {
		child := 4*i + 1
		if child+3 >= len(events) {
			break
		}
		four := events[child : child+4 : child+4]
		left := less(four[1], four[0])
		right := 2 + less(four[3], four[2])
		best := left + (right-left)*less(four[right&3], four[left&3])
		if less(four[best&3], e) == 0 {
			events[i] = e
			return
		}
		events[i] = four[best&3]
		i = child + int(best)
	}
	// At most one node has fewer than four children, and it is a parent of leaves.
	child := 4*i + 1
	if child < len(events) {
		best := child
		for c := child + 1; c < len(events); c++ {
			if less(events[c], events[best]) == 1 {
				best = c
			}
		}
		if less(events[best], e) == 1 {
			events[i] = events[best]
			i = best
		}
	}
	events[i] = e
}

// less is 1 if a fires before b and 0 if not: the borrow of a 128-bit
// subtraction. Times are never negative, so comparing them unsigned is right.
func less(a, b Event) uint64 {
	_, borrow := bits.Sub64(a.Key, b.Key, 0)
	_, borrow = bits.Sub64(uint64(a.At), uint64(b.At), borrow)
	return borrow
}
