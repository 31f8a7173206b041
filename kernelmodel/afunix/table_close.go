package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Close is the system call close() of a socket that nobody else uses: it leaves the
// table, and its memory serves the next one. The file of a path stays.
func (t *Table) Close(k *cpus.Thread, e *Endpoint) {
	entered := t.enter(k, t.fn.release)
	k.BugOn(e.closed, "%v is closed twice", e)
	t.takeOut(k, int(e.bucket), e)
	if e.has == pathName {
		if at := t.byInode(e.inode); at != int(e.bucket) {
			t.takeOut(k, at, e)
		}
	}
	k.Run(t.costs.release)
	e.closed = true
	k.Updates(&t.slab.shared)
	t.slab.free = append(t.slab.free, e.slot)
	t.slab.live--
	t.leave(k, t.fn.release, entered)
}

// takeOut takes a socket out of a chain.
func (t *Table) takeOut(k *cpus.Thread, at int, e *Endpoint) {
	b := &t.buckets[at]
	kernelmodel.SpinLock(k, b.lock)
	t.remove(k, at, e)
	kernelmodel.SpinUnlock(k, b.lock)
}
