package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Flags are flags of a system call.
type Flags uint8

const (
	// Peek is MSG_PEEK: the message stays in the queue, and whoever looks gets
	// descriptors of his own.
	Peek Flags = 1 << iota
	// DontWait is MSG_DONTWAIT, or O_NONBLOCK: [ErrAgain] rather than to wait.
	DontWait
)

// Recvmsg is the system call recvmsg(): it waits for a message, appends the
// sockets whose descriptors came with it to fds, and returns that. The process
// holds the descriptors from now on.
func (p *Process) Recvmsg(k *cpus.Thread, u *Sock, fds []*Sock) []*Sock {
	fds, _ = p.RecvmsgFlags(k, u, fds, 0)
	return fds
}

// RecvmsgFlags is Recvmsg with flags. It returns [ErrAgain], [ErrInvalid] or
// [ErrBadFD]; no message and no error is the end of a stream.
func (p *Process) RecvmsgFlags(k *cpus.Thread, u *Sock, fds []*Sock, flags Flags) ([]*Sock, error) {
	p.enterKernel(k)
	err := p.fdget(k, u)
	if err == nil {
		fn := p.net.fn.dgramRecvmsg
		if u.kind == Stream {
			fn = p.net.fn.streamRecvmsg
		}
		entered := k.Enter(fn)
		fds, err = p.unixRecvmsg(k, u, fds, flags)
		k.Return(fn, entered)
		p.fdput(k, u)
	}
	p.leaveKernel(k)
	return fds, err
}

func (p *Process) unixRecvmsg(k *cpus.Thread, u *Sock, fds []*Sock, flags Flags) ([]*Sock, error) {
	n := p.net
	if u.kind == Stream {
		k.Sees(&u.connected)
		if u.peer == nil {
			return fds, ErrInvalid
		}
	}
	s, err := u.await(k, flags)
	if s == nil {
		return fds, err
	}
	if flags&Peek != 0 {
		fds = p.peek(k, s, fds)
		u.unlockIO(k)
		return fds, nil
	}
	u.wakeWriter(k)
	k.Run(n.prices.receive(s.size))
	if len(s.fds) > 0 {
		// unix_detach_fds(): nothing of the message is in flight any more.
		n.ledger.forget(k, s)
		// scm_detach_fds(): its references become the process's descriptors.
		k.Run(n.prices.install * cpus.Until(len(s.fds)))
		fds = append(fds, s.fds...)
		for i := len(s.fds) - 1; i >= 0; i-- {
			fd := s.fds[i]
			k.Updates(&fd.fileCount)
			s.fds = s.fds[:i]
			fd.descriptors++
		}
	}
	n.recycle(s)
	u.unlockIO(k)
	return fds, nil
}

// await waits for a message at u, takes it off the queue unless it is only peeked at,
// and returns with u's iolock held if there is one.
func (u *Sock) await(k *cpus.Thread, flags Flags) (*skb, error) {
	for {
		u.lockIO(k)
		if flags&Peek != 0 {
			k.Sees(&u.queue)
		} else {
			k.Updates(&u.queue)
		}
		s, hungUp := u.receive.first(), u.hungUp
		if s != nil {
			if flags&Peek == 0 {
				u.net.unqueue(u, s)
			}
			return s, nil
		}
		u.unlockIO(k)
		if hungUp {
			return nil, nil
		}
		if err := u.sleep(k, flags); err != nil {
			return nil, err
		}
	}
}

// sleep waits for something in u's receive queue.
func (u *Sock) sleep(k *cpus.Thread, flags Flags) error {
	if flags&DontWait != 0 {
		return ErrAgain
	}
	r := u.blocking()
	r.readers++
	k.Call(r.notEmpty, kernelmodel.WaitExclusive)
	r.readers--
	return nil
}

// peek is unix_peek_fds(): the process gets references of its own to what s carries,
// which stays in flight, and then they become its descriptors.
//
// The collector looks at each f_count once. One that it has found to be all in flight
// must not become a descriptor, by which the process reaches what the collector is about
// to judge, while another that it has not looked at yet loses one. So the process lets a
// collection pass before it goes on or, where there is a graph, leaves it a note.
func (p *Process) peek(k *cpus.Thread, s *skb, fds []*Sock) []*Sock {
	n := p.net
	k.Run(n.prices.receive(s.size))
	if len(s.fds) == 0 {
		return fds
	}
	from := len(fds)
	fds = append(fds, s.fds...)
	for _, fd := range fds[from:] {
		k.Updates(&fd.fileCount)
		k.BugOn(fd.fcount == 0, "the file of %v, which a message carries, is freed", fd)
		fd.fcount++
		fd.calls++
		n.generation++
	}
	k.Run(n.prices.install * cpus.Until(len(fds)-from))
	switch {
	case n.params.Unfixed.PeekWithoutBarrier:
	case n.variant == SCC:
		k.AddReturn(n.peeks, 1)
	default:
		n.lock(k)
		n.unlock(k)
	}
	for _, fd := range fds[from:] {
		k.Updates(&fd.fileCount)
		fd.calls--
		fd.descriptors++
	}
	return fds
}
