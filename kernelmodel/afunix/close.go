package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// OpenSocket is the system call socket().
func (p *Process) OpenSocket(k *cpus.Thread, kind Kind) *Sock {
	p.enterKernel(k)
	k.Run(p.net.prices.create)
	u := p.net.Socket(kind)
	p.leaveKernel(k)
	return u
}

// Close is the system call close() of a descriptor of u. If it was the last
// reference, the socket is released before the call returns. If no descriptor is open
// it returns [ErrBadFD].
func (p *Process) Close(k *cpus.Thread, u *Sock) error {
	p.enterKernel(k)
	k.Updates(&u.fileCount)
	var err error
	if u.descriptors > 0 {
		u.descriptors--
		p.fput(k, u)
	} else {
		err = ErrBadFD
	}
	p.leaveKernel(k)
	return err
}

// releaseSock is unix_release_sock(): the other end of a stream hangs up, what waits in
// the receive queue is freed, and as long as anything is in flight the collector is
// called.
func (p *Process) releaseSock(k *cpus.Thread, u *Sock) {
	n := p.net
	entered := k.Enter(n.fn.releaseSock)
	u.stateLock(k)
	k.Updates(&u.queue)
	u.released = true
	u.stateUnlock(k)
	n.stats.Freed++
	k.Run(n.prices.release)
	u.hangUp(k)
	p.emptyQueue(k, u)
	if r := u.reader; r != nil && r.backlog > 0 && u.mayWait(r.writers) {
		kernelmodel.WakeUpAll(k, r.peerWait)
	}
	n.removeSock(u)
	if k.Load(n.totInflight) != 0 {
		n.unixGC(k, p)
	}
	k.Return(n.fn.releaseSock, entered)
}

// hangUp tells the other end of a stream that u is gone.
func (u *Sock) hangUp(k *cpus.Thread) {
	peer := u.peer
	if u.kind != Stream || peer == nil || peer.kind != Stream {
		return
	}
	k.Updates(&peer.queue)
	peer.hungUp = true
	if r := peer.reader; r != nil && peer.mayWait(r.readers) {
		kernelmodel.WakeUpAll(k, r.wait)
	}
}

// emptyQueue frees what waits at u, which is released: messages, and embryos with what
// waits at them.
func (p *Process) emptyQueue(k *cpus.Thread, u *Sock) {
	for {
		k.Updates(&u.queue)
		s := u.receive.first()
		if s == nil {
			return
		}
		p.net.unqueue(u, s)
		if s.embryo == nil {
			p.freeSkb(k, s)
			continue
		}
		p.releaseSock(k, s.embryo)
		p.net.recycle(s)
	}
}
