package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// ConnectAbstract is connect() to an abstract name, as far as the table goes: it
// looks up who has the name, takes a reference and drops it. It returns
// [ErrRefused] if nobody has.
func (t *Table) ConnectAbstract(k *cpus.Thread, name string, kind Kind) (*Endpoint, error) {
	entered := t.enter(k, t.fn.findOther)
	at := t.abstract(name, kind)
	kernelmodel.SpinLock(k, t.buckets[at].lock)
	found := t.findByName(k, at, name, kind)
	t.hold(k, found)
	kernelmodel.SpinUnlock(k, t.buckets[at].lock)
	t.leave(k, t.fn.findOther, entered)
	t.put(k, found)
	if found == nil {
		return nil, ErrRefused
	}
	return found, nil
}

// ConnectPathname is the same with a path. It returns [ErrNoEntry] if there is no
// such file, and [ErrRefused] if no socket is bound to it any more, or yet.
func (t *Table) ConnectPathname(k *cpus.Thread, path string) (*Endpoint, error) {
	entered := t.enter(k, t.fn.findOther)
	found, err := t.findBSD(k, path)
	t.leave(k, t.fn.findOther, entered)
	t.put(k, found)
	return found, err
}

// findBSD is unix_find_bsd().
func (t *Table) findBSD(k *cpus.Thread, path string) (*Endpoint, error) {
	k.Sees(&t.files.shared)
	inode, ok := t.files.inodes[path]
	if !ok {
		return nil, ErrNoEntry
	}
	at := t.byInode(inode)
	b := &t.buckets[at]
	kernelmodel.SpinLock(k, b.lock)
	entered := k.Enter(t.fn.findByInode)
	k.LoadPlain(b.head)
	found, visited := b.byInode(inode)
	t.search(k, at, visited)
	k.Return(t.fn.findByInode, entered)
	t.hold(k, found)
	kernelmodel.SpinUnlock(k, b.lock)
	if found == nil {
		return nil, ErrRefused
	}
	return found, nil
}

// findByName is __unix_find_socket_byname(), traced without the underscores: who in
// a bucket, whose lock is held, has an abstract name.
func (t *Table) findByName(k *cpus.Thread, at int, name string, kind Kind) *Endpoint {
	entered := k.Enter(t.fn.findByName)
	b := &t.buckets[at]
	k.LoadPlain(b.head)
	found, visited := b.byName(name, kind)
	t.search(k, at, visited)
	k.Return(t.fn.findByName, entered)
	return found
}

// search charges for a search that has compared some sockets of a chain.
func (t *Table) search(k *cpus.Thread, at, visited int) {
	t.walk(k, at, visited)
	t.machine.Trace(cpus.TraceSample, k.Task(), t.fn.visited, int64(visited))
}

// hold and put are the locked operations on a socket's count of references, whose
// line the search has just brought.
func (t *Table) hold(k *cpus.Thread, e *Endpoint) {
	if e != nil {
		k.Run(t.machine.Costs.Atomic)
	}
}

func (t *Table) put(k *cpus.Thread, e *Endpoint) { t.hold(k, e) }
