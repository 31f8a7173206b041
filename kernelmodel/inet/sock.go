package inet

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// State is a state of TCP, with the kernel's number.
type State int64

// The states that a socket here can be in.
const (
	Established State = 1
	SynSent     State = 2
	Close       State = 7
)

// Sock is a TCP socket: struct sock and inet_sock in one. Its words lie on lines
// as the kernel's fields do, with one exception: owned and wq are on slock's
// line there and have a line of their own here.
type Sock struct {
	net *Net

	// The first line of struct sock, sock_common.
	daddr, rcvSaddr, dport, num, state *cpus.Word

	// sk_lock. wq counts who is on the wait queue or about to be, which is what
	// waitqueue_active() tells.
	slock     *kernelmodel.Spinlock
	owned, wq *cpus.Word
	waiters   *kernelmodel.WaitQueue
	unowned   *kernelmodel.WaitPoint

	// sk_backlog: backlogHead is how many segments wait, backlogLen how many came
	// since it was last drained, backlog the segments themselves and batch those that
	// the owner has taken out.
	backlogHead, backlogLen *cpus.Word
	backlog, batch          []segment

	// tsqFlags is sk_tsq_flags, which the protocol looks at whenever the socket is
	// given back.
	tsqFlags *cpus.Word

	// The line of inet_sock. sequence is the variant Seqcount's, even where readers
	// wait until it is even.
	saddr, sport, sequence *cpus.Word
	even                   *cpus.Poll

	// What only the owner touches: sk_userlocks, the port to try next, and whether
	// the next connect() is to fail.
	addrLock, portLock bool
	nextPort           uint16
	failing            bool

	// accepted counts segments that were taken in, processed those that were dealt with.
	accepted, processed int64

	// Names as calls are to return them; no peer is a peer without a name.
	own, peer history
}

// The kernel's range of ports for sockets that ask for none; connect() takes even
// ones first.
const (
	firstPort = 32768
	lastPort  = 60999
)

// Socket makes a socket without a name, at no cost.
func (n *Net) Socket() *Sock {
	m := n.machine
	u := &Sock{net: n, nextPort: firstPort}
	common, lock, backlog, inet := m.NewLine(), m.NewLine(), m.NewLine(), m.NewLine()
	u.daddr, u.rcvSaddr = m.NewWordOn(common, "inet_daddr", 0), m.NewWordOn(common, "inet_rcv_saddr", 0)
	u.dport, u.num = m.NewWordOn(common, "inet_dport", 0), m.NewWordOn(common, "inet_num", 0)
	u.state = m.NewWordOn(common, "sk_state", int64(Close))
	u.slock = kernelmodel.NewSpinlock(m, "slock-AF_INET", "qspinlock")
	u.owned, u.wq = m.NewWordOn(lock, "sk_lock.owned", 0), m.NewWordOn(lock, "sk_lock.wq", 0)
	u.waiters = kernelmodel.NewWaitQueue(m, "sk_lock.wq")
	u.unowned = u.waiters.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool { return u.owned.Value == 0 }), u.owned)
	u.backlogHead, u.backlogLen = m.NewWordOn(backlog, "sk_backlog.head", 0), m.NewWordOn(backlog, "sk_backlog.len", 0)
	u.tsqFlags = m.NewWord("sk_tsq_flags", 0)
	u.saddr, u.sport = m.NewWordOn(inet, "inet_saddr", 0), m.NewWordOn(inet, "inet_sport", 0)
	u.sequence = m.NewWordOn(inet, "inet_name_seq", 0)
	u.even = m.NewPoll("inet_name_seq", []*cpus.Word{u.sequence}, evenWord{u.sequence})
	u.own.init(m, "own name")
	u.peer.init(m, "peer's name")
	n.socks = append(n.socks, u)
	return u
}

// evenWord holds while a word is even.
type evenWord struct{ word *cpus.Word }

// Holds looks at the word.
func (e evenWord) Holds(*cpus.Task) bool { return e.word.Value&1 == 0 }

// Establish makes u a connected socket before time starts, at no cost, as accept()
// returns one.
func (u *Sock) Establish(own, peer Name) {
	u.saddr.Value, u.rcvSaddr.Value, u.sport.Value = int64(own.Addr), int64(own.Addr), int64(own.Port)
	u.daddr.Value, u.dport.Value = int64(peer.Addr), int64(peer.Port)
	u.num.Value, u.state.Value = int64(own.Port), int64(Established)
	u.own.names, u.peer.names = []Name{own}, []Name{peer}
}

// OwnName returns what a reader of u's name finds in memory, without reading it.
func (u *Sock) OwnName() Name {
	addr := u.rcvSaddr.Value
	if addr == 0 {
		addr = u.saddr.Value
	}
	return Name{uint32(addr), uint16(u.sport.Value)}
}

// PeerName is OwnName for the other end.
func (u *Sock) PeerName() Name { return Name{uint32(u.daddr.Value), uint16(u.dport.Value)} }

// State returns the state, without reading it.
func (u *Sock) State() State { return State(u.state.Value) }

// Owned reports whether somebody owns the socket, without looking.
func (u *Sock) Owned() bool { return u.owned.Value != 0 }

// write writes a field of the name. The caller owns u. Where readers take no lock, on
// purpose, the access is marked; Unlocked writers knew nothing of marks.
func (u *Sock) write(k *cpus.Thread, w *cpus.Word, v int64) {
	if u.net.marks(w == u.daddr) {
		k.Store(w, v)
	} else {
		k.StorePlain(w, v)
	}
}

// read reads a field of the name, marked if writers mark it.
func (u *Sock) read(k *cpus.Thread, w *cpus.Word) int64 {
	if u.net.marks(w == u.daddr || w == u.state) {
		return k.Load(w)
	}
	return k.LoadPlain(w)
}

// marks reports whether accesses to a field are marked. ReadOnce has overlooked some
// of them, as its reviewers said.
func (n *Net) marks(overlooked bool) bool {
	return n.variant == Seqcount || n.variant == ReadOnce && !overlooked
}
