package afunix

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Endpoint is a socket as the hash table knows it.
type Endpoint struct {
	slot *slot
	kind Kind
	has  nameKind
	// closed sockets are in no chain, their memory is another's.
	closed bool
	// bucket is sk_hash. It changes with the locks of both buckets held.
	bucket int32
	// mark is what a search compares first: a fingerprint of the name, or the inode.
	mark uint32
	// name is the abstract name, inode that of the path.
	name  string
	inode uint64
}

// nameKind says what name a socket has.
type nameKind uint8

const (
	noName nameKind = iota
	abstractName
	pathName
)

// slot is memory of a socket, which serves one after another, and what stays in it
// from one to the next.
type slot struct {
	address uint64
	// bindlock serializes binds of one socket. It is made when first needed.
	bindlock *kernelmodel.Mutex
}

// slab is the allocator of sockets. What is freed last is used first.
type slab struct {
	shared cpus.Shared
	free   []*slot
	made   uint64
	live   int
}

const (
	// slabBase is where sockets begin in memory, socketSize how far apart they are:
	// those of the kernel are about a KiB.
	slabBase   = 0xffff_8881_0000_0000
	socketSize = 1024
)

// alloc takes a slot.
func (t *Table) alloc() *slot {
	s := &t.slab
	s.live++
	if n := len(s.free); n > 0 {
		got := s.free[n-1]
		s.free = s.free[:n-1]
		return got
	}
	got := &slot{address: slabBase + socketSize*s.made}
	s.made++
	if t.machine.Stepped {
		t.bindlock(got)
	}
	return got
}

// bindlock returns the slot's mutex.
func (t *Table) bindlock(s *slot) *kernelmodel.Mutex {
	if s.bindlock == nil {
		s.bindlock = kernelmodel.NewMutex(t.machine, "bindlock")
	}
	return s.bindlock
}

// String tells the socket from the others of its kind.
func (e *Endpoint) String() string {
	switch e.has {
	case abstractName:
		return fmt.Sprintf("socket @%q", e.name)
	case pathName:
		return fmt.Sprintf("socket of inode %d", e.inode)
	default:
		return fmt.Sprintf("socket at %#x", e.slot.address)
	}
}

// Bucket returns the number of the bucket that the socket hangs in, 0 to 511, or -1
// if it is closed.
func (e *Endpoint) Bucket() int {
	if e.closed {
		return -1
	}
	return int(e.bucket)
}

// NewEndpoint makes a socket without a name, at no cost, before time starts.
func (t *Table) NewEndpoint(kind Kind) *Endpoint {
	e := &Endpoint{kind: kind, slot: t.alloc()}
	e.bucket = int32(t.unbound(e))
	t.buckets[e.bucket].push(e)
	return e
}

// Socket is the system call socket().
func (t *Table) Socket(k *cpus.Thread, kind Kind) *Endpoint {
	entered := t.enter(k, t.fn.create)
	k.Run(t.costs.create)
	k.Updates(&t.slab.shared)
	e := &Endpoint{kind: kind, slot: t.alloc()}
	e.bucket = int32(t.unbound(e))
	b := &t.buckets[e.bucket]
	kernelmodel.SpinLock(k, b.lock)
	t.insert(k, e)
	kernelmodel.SpinUnlock(k, b.lock)
	t.leave(k, t.fn.create, entered)
	return e
}
