package afunix

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// Layout is where a socket hangs in the hash table, and what locks it.
type Layout string

// The layouts, oldest first. In each, a half of the table has 256 buckets.
const (
	// GlobalTable is Linux up to v5.16: one lock, unix_table_lock. Named sockets of
	// both kinds share a half, the other has those without a name.
	GlobalTable Layout = "global"
	// SharedHalf is v5.17 to v5.19: the same halves, but a lock a bucket. As in the
	// state before the change of the layout, paths are looked up in a table of their
	// own, where pathname sockets hang, too.
	SharedHalf Layout = "shared-half"
	// AbstractHalf is v6.0: a half has the abstract sockets alone, the other those
	// that nobody looks up there: pathname sockets and those without a name.
	AbstractHalf Layout = "abstract-half"
)

// Layouts are all there are.
var Layouts = []Layout{GlobalTable, SharedHalf, AbstractHalf}

// The ways in which autobind chooses the first number that it tries.
const (
	// AutobindCounter goes on where the last one stopped, whoever that was.
	AutobindCounter = "counter"
	// AutobindRandom starts anywhere.
	AutobindRandom = "random"
)

// Errors of binding and looking up.
var (
	// ErrAddrInUse is EADDRINUSE: another socket has the name, or there is a file.
	ErrAddrInUse = errors.New("address already in use")
	// ErrNoSpace is ENOSPC: every name that autobind may give is taken.
	ErrNoSpace = errors.New("no name is left")
	// ErrNoEntry is ENOENT: there is no file of that path.
	ErrNoEntry = errors.New("no such file")
)

// TableParams are the parameters of the hash table.
type TableParams struct {
	// Layout is one of [Layouts], Hash one of [Hashes].
	Layout Layout
	Hash   Hash
	// Autobind is where numbers begin; "" is what the layout's kernel did: a counter
	// with GlobalTable, a random start with the others.
	Autobind string
	// Unfixed has mistakes put in, each of which a test shows the effect of.
	Unfixed TableUnfixed
}

// TableUnfixed names the rules of taking two bucket locks by the state without them.
type TableUnfixed struct {
	// GivenOrder takes the lock of the old bucket first, whichever has the lower
	// number: two binds can wait for each other.
	GivenOrder bool
	// NoSameBucket does not ask whether the two are one: with AbstractHalf a bind
	// can take a lock that it holds.
	NoSameBucket bool
}

// Table is the hash table of AF_UNIX sockets.
//
//	t := afunix.NewTable(m, afunix.TableParams{Layout: afunix.AbstractHalf, Hash: afunix.Checksum})
//	err := t.Setup(afunix.Bound{Abstract: 100000, Pathname: 100000, Names: names})
//	... in a task's thread k:
//	e := t.Socket(k, afunix.Dgram)
//	err := t.BindAbstract(k, e, "name")
//	found, err := t.ConnectAbstract(k, "name", afunix.Dgram)
//	t.Close(k, e)
//	... at the end: t.SampleChains()
//
// # Invariants
//
//   - A socket hangs in the chain of its bucket and, with a path, in that of its
//     inode. Chains change with the bucket's lock held, and at their head;
//     [Table.Check] compares them with the sockets.
//   - Two bucket locks are taken in the order of their numbers, and one lock once.
//   - A search compares sockets from the head on. What that costs follows from the
//     lines it touches and how warm they are (table_walk.go); the file system, and
//     what a system call does beside the table, cost nothing.
//   - A chain's head is a word, which stands for the chain's links, too.
//
// Left out: all network namespaces but one, references that outlive a connect(), and
// that 16 locks share a line.
//
// Read table_endpoint.go for sockets, table_bind.go, table_find.go and
// table_close.go for the system calls, table_lock.go for the locks, table_chain.go
// and table_walk.go for searches, hash.go for the hashes.
type Table struct {
	machine *cpus.Machine
	params  TableParams
	costs   tablePrices
	fn      tableFunctions

	// buckets are unix_socket_table, then bsd_socket_buckets, which GlobalTable has not.
	buckets []bucket
	// named is where the half of named, or of abstract sockets begins.
	named   int
	heat    heat
	ordinal *cpus.Word

	slab  slab
	files files
	// bound are the ranges of names that Setup has bound.
	bound []Bound
}

// tableFunctions are the names under which calls are traced, and of the samples.
type tableFunctions struct {
	create, bindAbstract, bindPathname, autobind, findOther, release cpus.NameID
	findByName, findByInode                                          cpus.NameID
	visited, chainLength                                             cpus.NameID
}

// tablePrices are anchors less what the model charges op by op.
type tablePrices struct{ create, release des.Time }

// NewTable returns an empty table. It panics on an unknown layout, hash or way of
// autobind.
func NewTable(m *cpus.Machine, p TableParams) *Table {
	if p.Autobind == "" {
		p.Autobind = AutobindRandom
		if p.Layout == GlobalTable {
			p.Autobind = AutobindCounter
		}
	}
	if !slices.Contains(Layouts, p.Layout) || !slices.Contains(Hashes, p.Hash) ||
		!slices.Contains([]string{AutobindCounter, AutobindRandom}, p.Autobind) {
		panic(fmt.Sprintf("afunix: table %+v, want a layout of %v and a hash of %v", p, Layouts, Hashes))
	}
	t := &Table{machine: m, params: p, ordinal: m.NewWord("ordernum", 0)}
	t.files.inodes = map[string]uint64{}
	m.Share(&t.files.shared, "directory")
	m.Share(&t.slab.shared, "slab")
	t.makeBuckets()
	t.intern()
	// Creating a socket takes a lock and links it; releasing it does the same again.
	c := &m.Costs
	linking := c.Atomic + c.L1Hit + 2*c.PlainIncrement
	t.costs = tablePrices{create: max(0, socketAndClose/2-linking), release: max(0, socketAndClose/2-linking)}
	return t
}

func (t *Table) intern() {
	m := t.machine
	t.fn = tableFunctions{
		create: m.Intern("unix_create1"), bindAbstract: m.Intern("unix_bind_abstract"),
		bindPathname: m.Intern("unix_bind_bsd"), autobind: m.Intern("unix_autobind"),
		findOther: m.Intern("unix_find_other"), release: m.Intern("unix_release_sock"),
		findByName: m.Intern("unix_find_socket_byname"), findByInode: m.Intern("unix_find_socket_byinode"),
		visited: m.Intern("nodes_visited"), chainLength: m.Intern("chain_length"),
	}
}

// makeBuckets makes the chains and their locks.
func (t *Table) makeBuckets() {
	const headsALine = cpus.LineSize / 8
	m := t.machine
	n := tableSize
	if t.params.Layout != GlobalTable {
		n += half
	}
	if t.params.Layout == AbstractHalf {
		t.named = half
	}
	t.buckets = make([]bucket, n)
	t.heat.init(n)
	var global *kernelmodel.Spinlock
	if t.params.Layout == GlobalTable {
		global = kernelmodel.NewSpinlock(m, "unix_table_lock", "qspinlock")
	}
	var line *cpus.Line
	for i := range t.buckets {
		if i%headsALine == 0 {
			line = m.NewLine()
		}
		array, index := "unx.table", i
		if i >= tableSize {
			array, index = "bsd_socket", i-tableSize
		}
		number := ""
		if m.Stepped {
			// Who explores wants to know which; measured, all locks of an array are one.
			number = "[" + strconv.Itoa(index) + "]"
		}
		b := &t.buckets[i]
		b.head = m.NewWordOn(line, array+".buckets"+number, 0)
		if b.lock = global; global == nil {
			b.lock = kernelmodel.NewSpinlock(m, array+".locks"+number, "qspinlock")
		}
	}
}

// unbound, pathname and abstract return the bucket of a socket.
func (t *Table) unbound(e *Endpoint) int { return half - t.named + pointerHash(e.slot.address, e.kind) }

func (t *Table) pathname(inode uint64) int { return inodeHash(inode) }

func (t *Table) abstract(name string, kind Kind) int {
	return t.named + abstractHash(t.params.Hash, name, kind)
}

// byInode returns the bucket in which a path is looked up.
func (t *Table) byInode(inode uint64) int {
	if t.params.Layout == GlobalTable {
		return inodeHash(inode)
	}
	return tableSize + inodeHash(inode)
}

// enter and leave are the ends of a system call, most of which is the function fn.
func (t *Table) enter(k *cpus.Thread, fn cpus.NameID) des.Time {
	k.Run(t.machine.Costs.Syscall / 2)
	return k.Enter(fn)
}

func (t *Table) leave(k *cpus.Thread, fn cpus.NameID, entered des.Time) {
	k.Return(fn, entered)
	syscall := t.machine.Costs.Syscall
	k.Run(syscall - syscall/2)
}
