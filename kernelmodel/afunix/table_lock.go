package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// lockTwo is unix_table_double_lock(): it takes the locks of two buckets, the one
// with the lower number first, so that two who want the same two cannot wait for
// each other. If both are one bucket, as can be where two kinds of sockets share a
// half, there is one lock to take; GlobalTable has no other.
func (t *Table) lockTwo(k *cpus.Thread, from, to int) {
	first, second := t.order(from, to)
	kernelmodel.SpinLock(k, t.buckets[first].lock)
	if t.two(from, to) {
		kernelmodel.SpinLock(k, t.buckets[second].lock)
	}
}

// unlockTwo gives back what lockTwo has taken.
func (t *Table) unlockTwo(k *cpus.Thread, from, to int) {
	first, second := t.order(from, to)
	kernelmodel.SpinUnlock(k, t.buckets[first].lock)
	if t.two(from, to) {
		kernelmodel.SpinUnlock(k, t.buckets[second].lock)
	}
}

func (t *Table) order(from, to int) (first, second int) {
	if from > to && !t.params.Unfixed.GivenOrder {
		return to, from
	}
	return from, to
}

// two reports whether two buckets have two locks.
func (t *Table) two(from, to int) bool {
	if t.params.Layout == GlobalTable {
		return false
	}
	return from != to || t.params.Unfixed.NoSameBucket
}
