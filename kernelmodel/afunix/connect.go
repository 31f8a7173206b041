package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Listen is the system call listen(): from now on others connect to u. Its backlog has
// no end. It returns [ErrInvalid] for a socket that is connected, or no stream, or
// [ErrBadFD].
func (p *Process) Listen(k *cpus.Thread, u *Sock) error {
	p.enterKernel(k)
	err := p.fdget(k, u)
	if err == nil {
		err = p.unixListen(k, u)
		p.fdput(k, u)
	}
	p.leaveKernel(k)
	return err
}

func (p *Process) unixListen(k *cpus.Thread, u *Sock) error {
	if u.kind != Stream {
		return ErrInvalid
	}
	if u.lock == nil {
		u.lock = kernelmodel.NewSpinlock(p.net.machine, "unix_state_lock", "qspinlock")
	}
	u.stateLock(k)
	defer u.stateUnlock(k)
	k.Updates(&u.connected)
	if u.peer != nil {
		return ErrInvalid
	}
	u.passive = true
	k.Updates(&u.queue)
	u.listening = true
	return nil
}

// ConnectTo is the system call connect(). A datagram socket sends to the other from now
// on. A stream socket gets a peer, an embryo, that waits in the listener's receive queue
// to be accepted; what is sent before waits at the embryo. It returns [ErrRefused],
// [ErrIsConnected], [ErrInvalid] if u listens, or [ErrBadFD].
func (p *Process) ConnectTo(k *cpus.Thread, u, to *Sock) error {
	p.enterKernel(k)
	err := p.fdget(k, u)
	if err == nil {
		fn := p.net.fn.dgramConnect
		if u.kind == Stream {
			fn = p.net.fn.streamConnect
		}
		entered := k.Enter(fn)
		if u.kind == Stream {
			err = p.connectStream(k, u, to)
		} else {
			err = p.connectDgram(k, u, to)
		}
		k.Return(fn, entered)
		p.fdput(k, u)
	}
	p.leaveKernel(k)
	return err
}

func (p *Process) connectDgram(k *cpus.Thread, u, to *Sock) error {
	k.Sees(&to.queue)
	if to.released || to.kind != u.kind {
		return ErrRefused
	}
	k.Sets(&u.connected)
	u.peer = to
	return nil
}

// connectStream is unix_stream_connect(). The listener's unix_state_lock is held from
// before the embryo is u's peer until it waits in the queue: there is a while in which u
// can send to an embryo that a collector does not find.
func (p *Process) connectStream(k *cpus.Thread, u, to *Sock) error {
	n := p.net
	k.Run(n.prices.connect)
	if to.kind != Stream || to.lock == nil {
		return ErrRefused
	}
	to.stateLock(k)
	if to.released || !to.listening {
		to.stateUnlock(k)
		return ErrRefused
	}
	k.Updates(&u.connected)
	if err := u.mayConnect(); err != nil {
		to.stateUnlock(k)
		return err
	}
	embryo := n.newSock(Stream, u.name+"'s peer")
	embryo.peer, embryo.embryo, embryo.listener = u, true, to
	u.peer = embryo
	k.Updates(&to.queue)
	s := n.alloc(p.user, 0)
	s.embryo = embryo
	n.enqueue(to, s)
	to.stateUnlock(k)
	to.wakeReader(k)
	return nil
}

// mayConnect returns why a stream cannot be connected, if so.
func (u *Sock) mayConnect() error {
	switch {
	case u.peer != nil:
		return ErrIsConnected
	case u.passive:
		return ErrInvalid
	default:
		return nil
	}
}

// Accept is the system call accept(): it waits for a connection to u, and returns its
// end of it, of which the process holds a descriptor. Of the flags it knows [DontWait].
// It returns [ErrAgain], [ErrInvalid] if u does not listen, or [ErrBadFD].
func (p *Process) Accept(k *cpus.Thread, u *Sock, flags Flags) (*Sock, error) {
	p.enterKernel(k)
	var accepted *Sock
	err := p.fdget(k, u)
	if err == nil {
		fn := p.net.fn.accept
		entered := k.Enter(fn)
		accepted, err = p.unixAccept(k, u, flags)
		k.Return(fn, entered)
		p.fdput(k, u)
	}
	p.leaveKernel(k)
	return accepted, err
}

func (p *Process) unixAccept(k *cpus.Thread, u *Sock, flags Flags) (*Sock, error) {
	n := p.net
	for {
		k.Updates(&u.queue)
		if !u.listening {
			return nil, ErrInvalid
		}
		s := u.receive.first()
		if s == nil {
			if err := u.sleep(k, flags); err != nil {
				return nil, err
			}
			continue
		}
		// The file was made before, but nobody has found it.
		e := s.embryo
		e.fcount, e.calls = 1, 1
		n.unqueue(u, s)
		n.recycle(s)
		k.Run(n.prices.accept)
		n.ledger.adopt(k, e)
		k.Updates(&e.fileCount)
		e.calls, e.descriptors = 0, 1
		return e, nil
	}
}
