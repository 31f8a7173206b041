package afunix

import (
	"slices"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// bucket is a chain of sockets with its lock.
type bucket struct {
	lock *kernelmodel.Spinlock
	// head has the address of the chain's first socket, 0 for none.
	head *cpus.Word
	// chain has the sockets with the last, at the end, as the chain's head.
	chain []node
}

// node is a socket in a chain. Searches compare mark, which lies in the chain, and
// look at the socket only if it is right.
type node struct {
	mark   uint32
	socket *Endpoint
}

// push puts a socket at the head of the chain.
func (b *bucket) push(e *Endpoint) {
	b.chain = append(b.chain, node{e.mark, e})
	b.head.Value = b.first()
}

// first is the value of head.
func (b *bucket) first() int64 {
	if n := len(b.chain); n > 0 {
		return int64(b.chain[n-1].socket.slot.address)
	}
	return 0
}

// byName compares the chain with an abstract name, from the head on, and returns
// whose it is, if anybody's, and how many sockets it has compared.
func (b *bucket) byName(name string, kind Kind) (found *Endpoint, visited int) {
	mark := fingerprint(name, kind)
	for i := len(b.chain) - 1; i >= 0; i-- {
		if b.chain[i].mark != mark {
			continue
		}
		if e := b.chain[i].socket; e.has == abstractName && e.kind == kind && e.name == name {
			return e, len(b.chain) - i
		}
	}
	return nil, len(b.chain)
}

// byInode does the same with an inode.
func (b *bucket) byInode(inode uint64) (found *Endpoint, visited int) {
	for i := len(b.chain) - 1; i >= 0; i-- {
		if b.chain[i].mark != uint32(inode) {
			continue
		}
		if e := b.chain[i].socket; e.has == pathName && e.inode == inode {
			return e, len(b.chain) - i
		}
	}
	return nil, len(b.chain)
}

// insert puts a socket at the head of its bucket's chain, whose lock is held.
func (t *Table) insert(k *cpus.Thread, e *Endpoint) { t.insertIn(k, int(e.bucket), e) }

func (t *Table) insertIn(k *cpus.Thread, at int, e *Endpoint) {
	b := &t.buckets[at]
	k.StorePlain(b.head, int64(e.slot.address))
	b.chain = append(b.chain, node{e.mark, e})
	t.heat.inserted(at)
}

// remove takes a socket out of a chain, whose lock is held.
func (t *Table) remove(k *cpus.Thread, at int, e *Endpoint) {
	b := &t.buckets[at]
	i := len(b.chain) - 1
	for i >= 0 && b.chain[i].socket != e {
		i--
	}
	k.BugOn(i < 0, "%v is not in bucket %d, its own", e, at)
	depth := len(b.chain) - i
	after := b.first()
	if depth == 1 {
		after = 0
		if i > 0 {
			after = int64(b.chain[i-1].socket.slot.address)
		}
	}
	k.StorePlain(b.head, after)
	b.chain = slices.Delete(b.chain, i, i+1)
	t.heat.removed(at, depth)
}
