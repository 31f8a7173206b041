package afunix

import (
	"fmt"
	"slices"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// Variant is a generation of the collector.
type Variant string

// The collectors, oldest first.
const (
	// Inline is Linux up to v6.8: a sender that finds too much in flight collects
	// itself, any CPU may enter, and every sender waits for the end.
	Inline Variant = "inline"
	// Worker is patch 3 of the series, as posted: one work item collects, every
	// sender flushes it.
	Worker Variant = "worker"
	// WorkerAsync is patch 4 as posted: only those flush who pass sockets and have
	// more than SaneUser in flight.
	WorkerAsync Variant = "worker-async"
	// Merged is v6.9: gc_in_progress says that a collection is queued or running.
	Merged Variant = "merged"
	// SCC is v6.10: strongly connected components of a graph, and nothing to do
	// while no cycle is possible.
	SCC Variant = "scc"
)

// Variants are all there are.
var Variants = []Variant{Inline, Worker, WorkerAsync, Merged, SCC}

// DefaultTrigger is the kernel's UNIX_INFLIGHT_TRIGGER_GC.
const DefaultTrigger = 16000

// Params are the parameters of the subsystem.
type Params struct {
	// GC is the collector.
	GC Variant
	// InflightCount says how a socket counts its references in flight: "atomic",
	// the default, or "plain". SCC has no such count.
	InflightCount string
	// Trigger is how many references in flight start a collection when exceeded:
	// [DefaultTrigger] in the kernel.
	Trigger int64
	// SaneUser is how many references of a user may be in flight before its
	// senders wait for the collector; if nil 32 for WorkerAsync, which lets that
	// number pass, and 2024 for Merged and SCC, which do not.
	SaneUser *int64
	// NoFile is RLIMIT_NOFILE: a user other than root with more references in
	// flight gets [ErrTooManyRefs]. 0 means 524288, a usual hard limit.
	NoFile int64
	// Unbound is the workqueue that collects, system_unbound_wq; New makes one if
	// it is nil.
	Unbound *kernelmodel.Workqueue
	// Unfixed takes documented fixes out.
	Unfixed Unfixed
}

// Unfixed names fixes by the state before them. What each leaves broken is shown
// by a test.
type Unfixed struct {
	// NoRecheck takes away the test of gc_in_progress under unix_gc_lock: of those
	// who pass the test outside, every one collects. Inline.
	NoRecheck bool
	// FlagSetByWork lets the work item set gc_in_progress itself, while senders test
	// it or work_pending(), as the series did before it was merged: a sender may not
	// wait for the collection that it has queued. Merged and SCC.
	FlagSetByWork bool
	// StaleIndex leaves the scc_index of a new vertex as it comes from the
	// allocator, as before "af_unix: Initialise scc_index in unix_add_edge()"
	// (60e6489f8e3b, v6.18, CVE-2025-40214): the queue of a live socket may be freed.
	// SCC.
	StaleIndex bool
	// MixedIndex leaves the members of a component the scc_index that the search
	// has found for each, as before "af_unix: Unify scc_index when finalising SCC in
	// __unix_walk_scc()" (4a4263dfeaba, September 2026): garbage may never be freed.
	// SCC.
	MixedIndex bool
	// PeekWithoutBarrier lets MSG_PEEK take references behind the collector's back, as
	// before "af_unix: fix garbage collect vs MSG_PEEK" (cbcf01128d0a, v5.14), and in SCC
	// before "af_unix: Give up GC if MSG_PEEK intervened." (e5b31d988a41, 2026): the queue
	// of a socket that was peeked at may be freed.
	PeekWithoutBarrier bool
	// ConnectWithoutBarrier lets the collector go on while a connect() to a candidate is
	// under way, as before "af_unix: Fix garbage collector racing against connect()"
	// (47d8ac011fe1, v6.9): an embryo that appears between two phases leaves counts wrong.
	// All but SCC, whose edges to an embryo are the listener's.
	ConnectWithoutBarrier bool
}

const (
	// scmMaxFD is SCM_MAX_FD, how many descriptors a message carries at most.
	scmMaxFD      = 253
	defaultNoFile = 524288
)

// Net is the subsystem's state, which the kernel has once, not once a network
// namespace.
type Net struct {
	machine *cpus.Machine
	variant Variant
	params  Params
	sane    int64
	prices  prices
	fn      functions
	stats   Stats

	// gcLock is unix_gc_lock, totInflight unix_tot_inflight, and so on.
	gcLock       *kernelmodel.Spinlock
	totInflight  *cpus.Word
	gcInProgress *cpus.Word
	gcIdle       *kernelmodel.WaitPoint
	gcWait       *kernelmodel.WaitQueue
	gcWork       *kernelmodel.Work
	fputWork     *kernelmodel.Work
	// kworker is whom the work items act for; delayed is delayed_fput_list.
	kworker     *Process
	delayed     []*Sock
	delayedList cpus.Shared
	// peeks is unix_peek_seq, where there is a graph: how many messages with sockets were
	// peeked at.
	peeks *cpus.Word

	ledger ledger
	// generation counts the changes of everything that a collection looks at.
	generation uint64

	users    []*User
	socks    []*Sock
	messages []*skb
	spare    []*skb
	nextID   int64
}

// ledger is how references in flight are recorded, and how garbage is found
// among them: as a list with a count each, or as a graph.
type ledger interface {
	// record notes that message s goes into to's receive queue. With a nil k it
	// does so at no cost, before time starts.
	record(k *cpus.Thread, s *skb, to *Sock)
	// forget notes that the descriptors of s, which is in no receive queue any
	// more, are no longer in flight.
	forget(k *cpus.Thread, s *skb)
	// adopt notes that an embryo is accepted, so that what waits at it is no longer
	// held by the listener.
	adopt(k *cpus.Thread, e *Sock)
	// collect moves the messages that keep garbage alive to hitlist and reports
	// whether there was anything to look at. The caller holds unix_gc_lock.
	collect(k *cpus.Thread, hitlist *list[skb]) bool
	// left returns what of the garbage is still on the collector's hands, which
	// must be nothing once the hitlist is gone.
	left() int
	// check compares the records with the messages.
	check() error
}

// functions are the names under which calls are traced.
type functions struct {
	dgramSendmsg, streamSendmsg, dgramRecvmsg, streamRecvmsg, releaseSock cpus.NameID
	waitForGC, unixGC, gcWork, inflight, notinflight, addEdges, delEdges  cpus.NameID
	dgramConnect, streamConnect, accept, updateEdges                      cpus.NameID
}

// Stats are the counters of a run.
type Stats struct {
	// Entered is gc_enter: entries into the collector's function.
	Entered int64
	// Collections is gc_run: those that did collect.
	Collections int64
	// Spun is gc_spin: the time that CPUs spun on unix_gc_lock.
	Spun des.Time
	// InFlight is in_flight_at_end: references in flight now.
	InFlight int64
	// Freed is how many sockets have been released.
	Freed int64
}

// New returns the subsystem of a machine, with nothing in flight. It panics on
// an unknown variant or kind of count.
func New(m *cpus.Machine, p Params) *Net {
	if !slices.Contains(Variants, p.GC) {
		panic(fmt.Sprintf("afunix: collector %q, want one of %v", p.GC, Variants))
	}
	n := &Net{machine: m, variant: p.GC, params: p, sane: saneUser(p)}
	if n.params.NoFile == 0 {
		n.params.NoFile = defaultNoFile
	}
	n.prices = priced(&m.Costs)
	n.gcLock = kernelmodel.NewSpinlock(m, "unix_gc_lock", "qspinlock")
	n.totInflight = m.NewWord("unix_tot_inflight", 0)
	n.gcInProgress = m.NewWord("gc_in_progress", 0)
	n.gcWait = kernelmodel.NewWaitQueue(m, "unix_gc_wait")
	n.gcIdle = n.gcWait.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool {
		return n.gcInProgress.Value == 0
	}), n.gcInProgress)
	if n.params.Unbound == nil {
		n.params.Unbound = kernelmodel.NewWorkqueue(m, kernelmodel.WorkqueueSpec{Name: "events_unbound"})
	}
	n.kworker = n.NewProcess("root")
	n.kworker.kthread = true
	n.gcWork = n.params.Unbound.NewWork("unix_gc_work", m.Func(n.collectInWork))
	n.fputWork = n.params.Unbound.NewWork("delayed_fput_work", m.Func(n.delayedFput))
	n.intern(m)
	m.Share(&n.delayedList, "delayed_fput_list")
	if p.GC == SCC {
		n.peeks = m.NewWord("unix_peek_seq", 0)
		n.ledger = newGraph(n)
	} else {
		n.ledger = newInflightList(n)
	}
	return n
}

func saneUser(p Params) int64 {
	switch {
	case p.SaneUser != nil:
		return *p.SaneUser
	case p.GC == WorkerAsync:
		return 32
	default:
		return scmMaxFD * 8
	}
}

func (n *Net) intern(m *cpus.Machine) {
	n.fn = functions{
		dgramSendmsg: m.Intern("unix_dgram_sendmsg"), streamSendmsg: m.Intern("unix_stream_sendmsg"),
		dgramRecvmsg: m.Intern("unix_dgram_recvmsg"), streamRecvmsg: m.Intern("unix_stream_recvmsg"),
		releaseSock: m.Intern("unix_release_sock"), waitForGC: m.Intern("wait_for_unix_gc"),
		unixGC: m.Intern("unix_gc"), gcWork: m.Intern("__unix_gc"),
		inflight: m.Intern("unix_inflight"), notinflight: m.Intern("unix_notinflight"),
		addEdges: m.Intern("unix_add_edges"), delEdges: m.Intern("unix_del_edges"),
		dgramConnect: m.Intern("unix_dgram_connect"), streamConnect: m.Intern("unix_stream_connect"),
		accept: m.Intern("unix_accept"), updateEdges: m.Intern("unix_update_edges"),
	}
}

// Machine returns the machine that the subsystem runs on.
func (n *Net) Machine() *cpus.Machine { return n.machine }

// Stats returns the counters as they are now.
func (n *Net) Stats() Stats {
	s := n.stats
	s.InFlight = n.totInflight.Value
	return s
}

// lock takes unix_gc_lock and adds up what CPUs spin on it.
func (n *Net) lock(k *cpus.Thread) {
	kernelmodel.SpinLock(k, n.gcLock)
	// A spinlock leaves in Data whether its taker had to wait.
	if t := k.Task(); t.Data != 0 {
		n.stats.Spun += k.Now() - t.Began()
	}
}

func (n *Net) unlock(k *cpus.Thread) { kernelmodel.SpinUnlock(k, n.gcLock) }

// add changes a counter that unix_gc_lock protects and others read without it:
// a plain load and a marked store.
func (n *Net) add(k *cpus.Thread, w *cpus.Word, by int64) { k.Store(w, k.LoadPlain(w)+by) }

// Sockets returns how many sockets have not been released.
func (n *Net) Sockets() int { return len(n.socks) }
