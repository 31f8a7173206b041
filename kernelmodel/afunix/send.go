package afunix

import (
	"fmt"

	"smpsim/cpus"
)

// Sendmsg is the system call sendmsg(): size bytes and the given sockets'
// descriptors, of which the caller keeps its own, go to u's peer. It returns
// [ErrTooManyRefs], [ErrNotConnected], [ErrRefused], [ErrPipe] or [ErrBadFD].
func (p *Process) Sendmsg(k *cpus.Thread, u *Sock, size int64, fds []*Sock) error {
	return p.SendmsgTo(k, u, nil, size, fds)
}

// SendmsgTo is Sendmsg with an address: the message goes to the socket that is bound to
// it. Only a datagram has one; of a stream it is [ErrIsConnected] or [ErrInvalid].
func (p *Process) SendmsgTo(k *cpus.Thread, u, to *Sock, size int64, fds []*Sock) error {
	p.enterKernel(k)
	err := p.fdget(k, u)
	if err == nil {
		fn := p.net.fn.dgramSendmsg
		if u.kind == Stream {
			fn = p.net.fn.streamSendmsg
		}
		entered := k.Enter(fn)
		err = p.unixSendmsg(k, u, to, size, fds)
		k.Return(fn, entered)
		p.fdput(k, u)
	}
	p.leaveKernel(k)
	return err
}

// unixSendmsg is the body of unix_dgram_sendmsg() and unix_stream_sendmsg().
func (p *Process) unixSendmsg(k *cpus.Thread, u, to *Sock, size int64, fds []*Sock) error {
	n := p.net
	if len(fds) > scmMaxFD {
		panic(fmt.Sprintf("afunix: %d descriptors in a message, at most %d", len(fds), scmMaxFD))
	}
	early := n.variant == Inline || n.variant == Worker
	if early {
		n.waitForUnixGC(k, p, fds)
	}
	if err := p.scmSend(k, fds); err != nil {
		return err
	}
	if !early {
		// Since patch 4: only now is it known what the message carries.
		n.waitForUnixGC(k, p, fds)
	}
	err := p.deliver(k, u, to, size, fds)
	// The message has references of its own, so that no socket looks like garbage
	// while its message is in no queue yet; those of the call go now (scm_destroy).
	p.scmDestroy(k, fds)
	return err
}

// scmSend is scm_send(): the call takes a reference to each descriptor.
func (p *Process) scmSend(k *cpus.Thread, fds []*Sock) error {
	if len(fds) == 0 {
		return nil
	}
	for i, fd := range fds {
		if err := p.fget(k, fd); err != nil {
			p.scmDestroy(k, fds[:i])
			return err
		}
	}
	k.Run(p.net.prices.pass * cpus.Until(len(fds)))
	return nil
}

// scmDestroy is scm_destroy(): the call drops its references.
func (p *Process) scmDestroy(k *cpus.Thread, fds []*Sock) {
	for i := len(fds) - 1; i >= 0; i-- {
		p.fputCall(k, fds[i])
	}
}

// deliver makes a message and puts it into the receive queue of to, or of u's peer if
// that is nil.
func (p *Process) deliver(k *cpus.Thread, u, to *Sock, size int64, fds []*Sock) error {
	n := p.net
	to, err := u.receiver(k, to)
	k.Run(n.prices.body(size))
	if err != nil {
		return err
	}
	k.Sees(&to.queue)
	if to.released {
		return u.gone()
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
	// With unix_state_lock held: who is released afterwards frees the message.
	k.Updates(&to.queue)
	if to.released {
		p.freeSkb(k, s)
		return u.gone()
	}
	n.enqueue(to, s)
	to.wakeReader(k)
	return nil
}

// receiver returns to whom u sends: to, or its peer.
func (u *Sock) receiver(k *cpus.Thread, to *Sock) (*Sock, error) {
	k.Sees(&u.connected)
	switch {
	case u.kind == Stream && to != nil && u.peer != nil:
		return nil, ErrIsConnected
	case u.kind == Stream && to != nil:
		return nil, ErrInvalid
	case to != nil:
		return to, nil
	case u.peer == nil:
		return nil, ErrNotConnected
	default:
		return u.peer, nil
	}
}

// gone returns what u's sender is told of a receiver that is released.
func (u *Sock) gone() error {
	if u.kind == Stream {
		return ErrPipe
	}
	return ErrRefused
}
