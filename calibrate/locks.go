package calibrate

import (
	"sync/atomic"
	"unsafe"
)

// The locks of the contended experiments, in user space: each is the algorithm of
// the model of the same name, without what a kernel adds. Words that different
// threads poll are on lines of their own.

// lockPatience is how many steps a waiter takes before it offers its CPU to others:
// more than fit into a window, so that it happens only where the holder was preempted.
const lockPatience = 1 << 15

// await is one step of waiting by loads that has taken so many before.
func await(spins int) {
	if spins < lockPatience {
		pauses(1)
		return
	}
	yield()
}

// tasLock is taken by whoever exchanges a 1 for the 0 in it.
type tasLock struct {
	_    [128]byte
	held uint32
	_    [124]byte
}

func (l *tasLock) lock() {
	for spins := 0; atomic.SwapUint32(&l.held, 1) != 0; spins++ {
		if spins > lockPatience {
			yield()
		}
	}
}

func (l *tasLock) unlock() { storeRelease(&l.held, 0) }

// ticketLock serves those who draw tickets in their order.
type ticketLock struct {
	_    [128]byte
	next uint32
	// serving is on the line of next, as the two halves of one word are in a kernel.
	serving uint32
	_       [120]byte
}

func (l *ticketLock) lock() {
	mine := atomic.AddUint32(&l.next, 1) - 1
	for spins := 0; atomic.LoadUint32(&l.serving) != mine; spins++ {
		await(spins)
	}
}

func (l *ticketLock) unlock() { storeRelease(&l.serving, l.serving+1) }

// queueNode is where one thread waits in a queue.
type queueNode struct {
	// next is the number of the thread behind, plus 1; 0 while there is none.
	next   uint32
	served uint32
	_      [120]byte
}

// mcsLock is a queue in which each waits on a line of its own.
type mcsLock struct {
	_     [128]byte
	tail  uint32 // number of the last thread in the queue, plus 1
	_     [128 - 4]byte
	nodes []queueNode
	_     [128 - unsafe.Sizeof([]queueNode{})]byte
}

func (l *mcsLock) lock(me int) {
	n := &l.nodes[me]
	n.next, n.served = 0, 0
	before := atomic.SwapUint32(&l.tail, uint32(me)+1)
	if before == 0 {
		return
	}
	atomic.StoreUint32(&l.nodes[before-1].next, uint32(me)+1)
	for spins := 0; atomic.LoadUint32(&n.served) == 0; spins++ {
		await(spins)
	}
}

func (l *mcsLock) unlock(me int) {
	n := &l.nodes[me]
	if atomic.LoadUint32(&n.next) == 0 {
		if atomic.CompareAndSwapUint32(&l.tail, uint32(me)+1, 0) {
			return
		}
		for spins := 0; atomic.LoadUint32(&n.next) == 0; spins++ {
			await(spins)
		}
	}
	storeRelease(&l.nodes[n.next-1].served, 1)
}

// queuedLock keeps the first waiter, by a pending bit, from needing a queue: it is
// one word of a locked byte, a pending bit and the queue's tail. Those behind queue
// up; the first of them waits until the word shows neither holder nor pending one.
type queuedLock struct {
	_     [128]byte
	word  uint32
	_     [128 - 4]byte
	nodes []queueNode
	_     [128 - unsafe.Sizeof([]queueNode{})]byte
}

// The parts of a queuedLock's word.
const (
	queuedLocked  = 1
	queuedPending = 1 << 8
	queuedTail    = 1 << 16 // times the number of the last thread in the queue, plus 1
)

func (l *queuedLock) lock(me int) {
	if atomic.CompareAndSwapUint32(&l.word, 0, queuedLocked) {
		return
	}
	v := atomic.LoadUint32(&l.word)
	if v&^queuedLocked == 0 {
		v = atomic.OrUint32(&l.word, queuedPending)
		if v&^queuedLocked == 0 {
			for spins := 0; atomic.LoadUint32(&l.word)&queuedLocked != 0; spins++ {
				await(spins)
			}
			// Pending becomes locked; the tail may change meanwhile.
			atomic.AddUint32(&l.word, 1<<32+queuedLocked-queuedPending)
			return
		}
		if v&queuedPending == 0 {
			// Somebody queued up first: the bit is ours, and theirs to see go.
			atomic.AndUint32(&l.word, ^uint32(queuedPending))
		}
	}
	l.queue(me)
}

// unlock is a locked operation, where a kernel stores a byte: Go has no release of
// a part of a word.
func (l *queuedLock) unlock() { atomic.AndUint32(&l.word, ^uint32(queuedLocked)) }

// queue waits behind the others in the queue, then for holder and pending one.
func (l *queuedLock) queue(me int) {
	n := &l.nodes[me]
	n.next, n.served = 0, 0
	mine := (uint32(me) + 1) * queuedTail
	before := l.exchangeTail(mine)
	if before != 0 {
		atomic.StoreUint32(&l.nodes[before-1].next, uint32(me)+1)
		for spins := 0; atomic.LoadUint32(&n.served) == 0; spins++ {
			await(spins)
		}
	}
	for spins := 0; ; spins++ {
		v := atomic.LoadUint32(&l.word)
		if v&(queuedLocked|queuedPending) != 0 {
			await(spins)
			continue
		}
		if v == mine {
			if atomic.CompareAndSwapUint32(&l.word, mine, queuedLocked) {
				return
			}
			continue
		}
		atomic.OrUint32(&l.word, queuedLocked)
		break
	}
	for spins := 0; atomic.LoadUint32(&n.next) == 0; spins++ {
		await(spins)
	}
	storeRelease(&l.nodes[n.next-1].served, 1)
}

// exchangeTail puts a tail into the word and returns the number that was there.
func (l *queuedLock) exchangeTail(tail uint32) uint32 {
	for {
		v := atomic.LoadUint32(&l.word)
		if atomic.CompareAndSwapUint32(&l.word, v, v&(queuedTail-1)|tail) {
			return v / queuedTail
		}
	}
}
