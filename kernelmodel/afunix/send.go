package afunix

import (
	"errors"
	"fmt"

	"smpsim/cpus"
)

// Errors of the system calls.
var (
	// ErrTooManyRefs is ETOOMANYREFS: the user has too many descriptors in flight.
	ErrTooManyRefs = errors.New("too many references in flight")
	// ErrNotConnected is ENOTCONN: the socket has nobody to send to.
	ErrNotConnected = errors.New("socket is not connected")
	// ErrRefused is ECONNREFUSED: the receiver's socket is gone.
	ErrRefused = errors.New("the receiver's socket is closed")
)

// Process is a task as AF_UNIX sees it: whose it is, and what it has to do when
// it returns to user space.
type Process struct {
	net  *Net
	user *User
	// kthread processes are the work items of the subsystem itself.
	kthread bool
	// dropped are the sockets whose last reference the process has dropped.
	dropped []*Sock
	// hitlist is what a collection by the process is about to free.
	hitlist list[skb]
}

// NewProcess returns a process of the named user. Tasks need one each.
func (n *Net) NewProcess(user string) *Process {
	p := &Process{net: n, user: n.User(user)}
	p.hitlist.init()
	return p
}

// Sendmsg is the system call sendmsg(): size bytes and the given sockets'
// descriptors, of which the caller keeps its own, go to u's peer. It returns one
// of the errors above.
func (p *Process) Sendmsg(k *cpus.Thread, u *Sock, size int64, fds []*Sock) error {
	p.enterKernel(k)
	fn := p.net.fn.dgramSendmsg
	if u.kind == Stream {
		fn = p.net.fn.streamSendmsg
	}
	entered := k.Enter(fn)
	err := p.unixSendmsg(k, u, size, fds)
	k.Return(fn, entered)
	p.leaveKernel(k)
	return err
}

// enterKernel and leaveKernel charge the two halves of a system call's entry and
// exit; on the way out the process does its task work.
func (p *Process) enterKernel(k *cpus.Thread) { k.Run(k.Machine().Costs.Syscall / 2) }

func (p *Process) leaveKernel(k *cpus.Thread) {
	p.taskWork(k)
	syscall := k.Machine().Costs.Syscall
	k.Run(syscall - syscall/2)
}

// unixSendmsg is the body of unix_dgram_sendmsg() and unix_stream_sendmsg().
func (p *Process) unixSendmsg(k *cpus.Thread, u *Sock, size int64, fds []*Sock) error {
	n := p.net
	if len(fds) > scmMaxFD {
		panic(fmt.Sprintf("afunix: %d descriptors in a message, at most %d", len(fds), scmMaxFD))
	}
	switch n.variant {
	case Inline, Worker:
		n.waitForUnixGC(k, p, fds)
		p.scmSend(k, fds)
	default:
		// Since patch 4: only now is it known what the message carries.
		p.scmSend(k, fds)
		n.waitForUnixGC(k, p, fds)
	}
	err := p.deliver(k, u, size, fds)
	// The message has references of its own, so that no socket looks like garbage
	// while its message is in no queue yet; those of the call go now (scm_destroy).
	for i := len(fds) - 1; i >= 0; i-- {
		p.fputCall(k, fds[i])
	}
	return err
}

// scmSend is scm_send(): the call takes a reference to each descriptor.
func (p *Process) scmSend(k *cpus.Thread, fds []*Sock) {
	if len(fds) == 0 {
		return
	}
	for _, fd := range fds {
		p.net.fget(k, fd)
	}
	k.Run(p.net.prices.pass * cpus.Until(len(fds)))
}

// deliver makes a message and puts it into the receive queue of u's peer.
func (p *Process) deliver(k *cpus.Thread, u *Sock, size int64, fds []*Sock) error {
	n := p.net
	to := u.peer
	k.Run(n.prices.body(size))
	if to != nil {
		k.Sees(&to.state)
	}
	if err := reachable(to); err != nil {
		return err
	}
	if len(fds) == 0 && to.discard {
		return nil
	}
	if len(fds) > 0 && k.Load(p.user.inflight) > n.params.NoFile && p.user.name != "root" {
		return ErrTooManyRefs
	}
	s := n.alloc(p.user, size)
	for _, fd := range fds {
		n.take(k, s, fd)
	}
	// The graph learns of a message when it is queued, the list already here, before
	// the sender may have to wait for room.
	if len(fds) > 0 && n.variant != SCC {
		n.ledger.record(k, s, to)
	}
	if u.kind == Dgram {
		to.awaitRoom(k)
	}
	if len(fds) > 0 && n.variant == SCC {
		n.ledger.record(k, s, to)
	}
	k.Updates(&to.state)
	if err := reachable(to); err != nil {
		p.freeSkb(k, s)
		return err
	}
	n.enqueue(to, s)
	to.wakeReader(k)
	return nil
}

func reachable(to *Sock) error {
	switch {
	case to == nil:
		return ErrNotConnected
	case to.released:
		return ErrRefused
	default:
		return nil
	}
}

// taskWork releases the sockets whose last reference the process has dropped,
// and those that go with them.
func (p *Process) taskWork(k *cpus.Thread) {
	for i := 0; i < len(p.dropped); i++ {
		p.releaseSock(k, p.dropped[i])
	}
	p.dropped = p.dropped[:0]
}
