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
	// fcount is the file's f_count. It is the sum of three: descriptors that
	// processes hold, references of system calls under way, and references of
	// messages, which are found in them.
	fcount, descriptors, calls int64
	// fileCount stands for f_count, which is atomic, and state for the receive queue, peer
	// and released, which unix_state_lock and the queue's own lock protect.
	fileCount, state cpus.Shared
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
	// index is the place in Net.socks.
	index int
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
func (n *Net) Socket(kind Kind) *Sock {
	u := &Sock{net: n, kind: kind, id: n.nextID, fcount: 1, descriptors: 1, index: len(n.socks)}
	n.nextID++
	u.receive.init()
	n.socks = append(n.socks, u)
	if n.machine.Stepped {
		u.share()
	}
	return u
}

// share tells an explorer of the socket's state: who sleeps for a message waits for the
// queue.
func (u *Sock) share() {
	m := u.net.machine
	m.Share(&u.fileCount, fmt.Sprintf("f_count of socket %d", u.id))
	m.ShareWord(&u.state, u.blocking().length)
	u.line()
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
		length: m.NewWord("sk_receive_queue.qlen", int64(u.queued)),
		wait:   kernelmodel.NewWaitQueue(m, "sk_wq"), peerWait: kernelmodel.NewWaitQueue(m, "peer_wait"),
	}
	r.notEmpty = r.wait.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool { return r.length.Value > 0 }), r.length)
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

// fget takes a reference to u's file for a system call. Its locked operation,
// like every one on f_count, is in the anchors.
func (n *Net) fget(k *cpus.Thread, u *Sock) {
	k.Updates(&u.fileCount)
	u.fcount++
	u.calls++
	n.generation++
}

// fputCall gives back what fget took.
func (p *Process) fputCall(k *cpus.Thread, u *Sock) {
	k.Updates(&u.fileCount)
	u.calls--
	p.fput(k, u)
}

// fput drops a reference to u's file. The last one has the socket released, but
// not here: when the process returns to user space, as task work, or, if it is a
// kernel thread, by a work item.
//
// The caller has just announced the change of the count, and taken the reference from
// where it was.
func (p *Process) fput(k *cpus.Thread, u *Sock) {
	n := p.net
	n.generation++
	u.fcount--
	switch {
	case u.fcount > 0:
	case !p.kthread:
		p.dropped = append(p.dropped, u)
	default:
		k.Updates(&n.delayedList)
		n.delayed = append(n.delayed, u)
		if len(n.delayed) == 1 {
			kernelmodel.QueueWork(k, n.fputWork)
		}
	}
}

// delayedFput is the body of delayed_fput_work. The kernel starts it a tick
// after it was queued; here it starts at once.
func (n *Net) delayedFput(k *cpus.Thread) {
	k.Updates(&n.delayedList)
	all := n.delayed
	n.delayed = nil
	for _, u := range all {
		n.kworker.releaseSock(k, u)
	}
}

// removeSock takes u out of those that exist.
func (n *Net) removeSock(u *Sock) {
	last := n.socks[len(n.socks)-1]
	n.socks[u.index], last.index = last, u.index
	n.socks = n.socks[:len(n.socks)-1]
}
