package afunix

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Kind is a type of socket.
type Kind uint8

// Types of sockets. They differ in the names of their functions and in what
// limits a receive queue.
const (
	Dgram Kind = iota + 1
	Stream
)

// Sock is an AF_UNIX socket and the open file in front of it: struct file,
// socket and unix_sock in one.
type Sock struct {
	net  *Net
	kind Kind
	id   int64
	name string
	// fcount is the file's f_count. It is the sum of three: descriptors that
	// processes hold, references of system calls under way, and references of
	// messages, which are found in them.
	fcount, descriptors, calls int64
	// inflight counts the messages that carry the socket, where the variant
	// counts; links stands for the pointers of its place in the collector's list.
	// Both are on one line, as in struct unix_sock; it is made when first touched.
	inflight, links cpus.Word
	link            link[Sock]
	flags           gcFlags
	// position is the place in the list at the last selection.
	position int32
	vertex   *vertex

	receive list[skb]
	queued  int
	peer    *Sock
	reader  *reader
	// discard makes messages without descriptors vanish on arrival.
	discard  bool
	released bool
	// hungUp: the other end of the stream is gone.
	hungUp bool
	// listening is TCP_LISTEN: the receive queue holds embryos, which connect() has made
	// and nobody has accepted yet. passive: it can no longer be connected itself.
	listening, passive bool
	// embryo: it was made by a connect(). listener is whose queue it waits in, as long
	// as the collector must know; sentFDs is scm_stat.nr_unix_fds, where there is a graph.
	embryo   bool
	listener *Sock
	sentFDs  int
	// index is the place in Net.socks.
	index int
	// tally is Net.Check's, marked what it has visited.
	tally  int64
	marked bool
	guard
}

// reader is what a socket needs whose receiver sleeps until a message comes,
// and whose senders sleep while too many wait.
type reader struct {
	length            *cpus.Word
	backlog           int64
	wait, peerWait    *kernelmodel.WaitQueue
	notEmpty, notFull *kernelmodel.WaitPoint
	readers, writers  int
}

// maxDgramQlen is how many datagrams wait at a socket before its senders do:
// net.unix.max_dgram_qlen, 10 by default, and one more by the way it is tested.
const maxDgramQlen = 10

// User is a user_struct: who pays for references in flight.
type User struct {
	name string
	// inflight is unix_inflight: descriptors in flight that the user has passed.
	inflight *cpus.Word
	tally    int64
}

// User returns the user of that name.
func (n *Net) User(name string) *User {
	for _, u := range n.users {
		if u.name == name {
			return u
		}
	}
	u := &User{name: name, inflight: n.machine.NewWord("unix_inflight/"+name, 0)}
	n.users = append(n.users, u)
	return u
}

// InFlight returns how many descriptors the user has in flight.
func (u *User) InFlight() int64 { return u.inflight.Value }

// Socket makes a socket that a process holds one descriptor of, at no cost.
func (n *Net) Socket(kind Kind) *Sock { return n.NamedSocket(kind, "") }

// NamedSocket is Socket with a name for reports.
func (n *Net) NamedSocket(kind Kind, name string) *Sock {
	u := n.newSock(kind, name)
	u.fcount, u.descriptors = 1, 1
	return u
}

// newSock makes a socket without a file.
func (n *Net) newSock(kind Kind, name string) *Sock {
	u := &Sock{net: n, kind: kind, id: n.nextID, name: name, index: len(n.socks)}
	n.nextID++
	u.receive.init()
	n.socks = append(n.socks, u)
	u.share()
	return u
}

// String returns the socket's name or number.
func (u *Sock) String() string {
	if u.name != "" {
		return u.name
	}
	return fmt.Sprintf("socket %d", u.id)
}

// Socketpair makes two sockets that send to each other, at no cost.
func (n *Net) Socketpair(kind Kind) (a, b *Sock) {
	a, b = n.Socket(kind), n.Socket(kind)
	a.peer, b.peer = b, a
	return a, b
}

// Connect lets u send to peer, at no cost. Many may be connected to one.
func (u *Sock) Connect(peer *Sock) { u.peer = peer }

// Dup gives a process another descriptor of u, at no cost.
func (u *Sock) Dup() {
	u.fcount++
	u.descriptors++
}

// Discard makes u a socket whose messages are received as they arrive, at no
// cost to anybody. Those that carry descriptors stay.
func (u *Sock) Discard() { u.discard = true }

// Released reports whether the last reference to the socket is gone.
func (u *Sock) Released() bool { return u.released }

// Queued returns how many messages wait to be received.
func (u *Sock) Queued() int { return u.queued }

// AwaitReader makes senders of datagrams to u wait while more than the kernel's
// max_dgram_qlen wait there. Without it the queue has no limit.
func (u *Sock) AwaitReader() { u.blocking().backlog = maxDgramQlen }

// blocking returns u's reader, made at first use.
func (u *Sock) blocking() *reader {
	if u.reader != nil {
		return u.reader
	}
	m := u.net.machine
	r := &reader{
		length: m.NewWord(u.queueName(), int64(u.queued)),
		wait:   kernelmodel.NewWaitQueue(m, "sk_wq"), peerWait: kernelmodel.NewWaitQueue(m, "peer_wait"),
	}
	r.notEmpty = r.wait.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool { return r.length.Value > 0 || u.hungUp }), r.length)
	r.notFull = r.peerWait.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool {
		return r.backlog == 0 || r.length.Value <= r.backlog
	}), r.length)
	u.reader = r
	return r
}

// line lets the words of u be touched by ops.
func (u *Sock) line() *Sock {
	if u.inflight.Line == nil {
		m := u.net.machine
		l := m.NewLine()
		u.inflight = *m.NewWordOn(l, "inflight", u.inflight.Value)
		u.links = *m.NewWordOn(l, "link", u.links.Value)
	}
	return u
}

// removeSock takes u out of those that exist.
func (n *Net) removeSock(u *Sock) {
	last := n.socks[len(n.socks)-1]
	n.socks[u.index], last.index = last, u.index
	n.socks = n.socks[:len(n.socks)-1]
	u.marked = false
}
