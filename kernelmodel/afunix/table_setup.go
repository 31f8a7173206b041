package afunix

import (
	"fmt"
	"math"
)

// Bound describes sockets that are bound before time starts.
type Bound struct {
	// Abstract and Pathname are how many have a name of each kind.
	Abstract, Pathname int
	// Names are their names, from number From on; a path is a slash and such a name.
	Names Names
	From  int64
}

// Setup binds datagram sockets, the abstract ones first, at no cost. It fails if a
// number is negative or a name is taken, and then leaves the table as it is.
func (t *Table) Setup(b Bound) error {
	if b.Abstract < 0 || b.Pathname < 0 || b.From < 0 {
		return fmt.Errorf("%d abstract and %d pathname sockets from number %d: want at least 0", b.Abstract, b.Pathname, b.From)
	}
	if b.From > math.MaxInt64-int64(max(b.Abstract, b.Pathname)) {
		return fmt.Errorf("names from number %d on: want less", b.From)
	}
	if err := t.free(b); err != nil {
		return err
	}
	t.bound = append(t.bound, b)
	all := make([]Endpoint, b.Abstract+b.Pathname)
	slots := make([]slot, len(all))
	for i := range all {
		e := &all[i]
		*e = Endpoint{kind: Dgram, slot: &slots[i]}
		e.slot.address = slabBase + socketSize*t.slab.made
		t.slab.made++
		if t.machine.Stepped {
			t.bindlock(e.slot)
		}
		if i < b.Abstract {
			e.has, e.name = abstractName, b.Names.Name(b.From+int64(i))
			e.mark, e.bucket = fingerprint(e.name, e.kind), int32(t.abstract(e.name, e.kind))
		} else {
			path := "/" + b.Names.Name(b.From+int64(i-b.Abstract))
			inode, err := t.files.create(path)
			if err != nil {
				return fmt.Errorf("path %q: %w", path, err)
			}
			e.has, e.inode, e.mark, e.bucket = pathName, inode, uint32(inode), int32(t.pathname(inode))
			if at := t.byInode(inode); at != int(e.bucket) {
				t.buckets[at].push(e)
			}
		}
		t.buckets[e.bucket].push(e)
		t.slab.live++
	}
	return nil
}

// free returns an error if a name of b is taken. Names of one kind cannot be, if
// those with the same numbers are not: no two numbers have one name.
func (t *Table) free(b Bound) error {
	for _, earlier := range t.bound {
		if earlier.Names != b.Names {
			return t.freeEach(b)
		}
		if overlap(earlier.From, earlier.Abstract, b.From, b.Abstract) || overlap(earlier.From, earlier.Pathname, b.From, b.Pathname) {
			return fmt.Errorf("names from %q on: %w", b.Names.Name(max(earlier.From, b.From)), ErrAddrInUse)
		}
	}
	return nil
}

// overlap reports whether two ranges of numbers have one in common.
func overlap(from int64, n int, from2 int64, n2 int) bool {
	return n > 0 && n2 > 0 && from < from2+int64(n2) && from2 < from+int64(n)
}

// freeEach looks up each name.
func (t *Table) freeEach(b Bound) error {
	for i := range b.Abstract {
		name := b.Names.Name(b.From + int64(i))
		if found, _ := t.buckets[t.abstract(name, Dgram)].byName(name, Dgram); found != nil {
			return fmt.Errorf("name %q: %w", name, ErrAddrInUse)
		}
	}
	for i := range b.Pathname {
		path := "/" + b.Names.Name(b.From+int64(i))
		if _, exists := t.files.inodes[path]; exists {
			return fmt.Errorf("path %q: %w", path, ErrAddrInUse)
		}
	}
	return nil
}

// Chains returns how many sockets hang in each bucket of the half in which abstract
// names are looked up.
func (t *Table) Chains() []int {
	all := make([]int, half)
	for i := range all {
		all[i] = len(t.buckets[t.named+i].chain)
	}
	return all
}

// SampleChains traces these numbers as samples of chain_length.
func (t *Table) SampleChains() {
	for _, n := range t.Chains() {
		t.machine.Sample(t.fn.chainLength, int64(n))
	}
}

// Check compares chains and sockets, and returns the first thing that is wrong.
// Between two steps of a bind or a close it may find something that is not.
func (t *Table) Check() error {
	inTable := 0
	names := map[string]*Endpoint{}
	for i := range t.buckets {
		b := &t.buckets[i]
		if b.head.Value != b.first() {
			return fmt.Errorf("bucket %d begins at %#x, its head says %#x", i, b.first(), b.head.Value)
		}
		for _, n := range b.chain {
			e := n.socket
			if err := t.checkPlace(e, i); err != nil {
				return err
			}
			if i < tableSize {
				inTable++
			}
			if e.has != abstractName {
				continue
			}
			key := fmt.Sprint(e.kind, e.name)
			if names[key] != nil {
				return fmt.Errorf("two sockets, or one twice, have the name %q", e.name)
			}
			names[key] = e
		}
	}
	if inTable != t.slab.live {
		return fmt.Errorf("%d sockets are in the table, want %d", inTable, t.slab.live)
	}
	return nil
}

// checkPlace returns an error if a socket does not belong into a bucket.
func (t *Table) checkPlace(e *Endpoint, at int) error {
	want := 0
	switch e.has {
	case abstractName:
		want = t.abstract(e.name, e.kind)
	case pathName:
		want = t.pathname(e.inode)
	default:
		want = t.unbound(e)
	}
	switch {
	case e.closed:
		return fmt.Errorf("%v is closed, and in bucket %d", e, at)
	case int(e.bucket) != want:
		return fmt.Errorf("%v says bucket %d, want %d", e, e.bucket, want)
	case at != want && (e.has != pathName || at != t.byInode(e.inode)):
		return fmt.Errorf("%v is in bucket %d, want %d", e, at, want)
	}
	return nil
}
