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
// reference, the socket is released before the call returns.
func (p *Process) Close(k *cpus.Thread, u *Sock) {
	p.enterKernel(k)
	k.Updates(&u.fileCount)
	u.descriptors--
	p.fput(k, u)
	p.leaveKernel(k)
}

// releaseSock is unix_release_sock(): what waits in the receive queue is freed,
// and as long as anything is in flight the collector is called.
func (p *Process) releaseSock(k *cpus.Thread, u *Sock) {
	n := p.net
	entered := k.Enter(n.fn.releaseSock)
	k.Updates(&u.state)
	u.released = true
	n.stats.Freed++
	k.Run(n.prices.release)
	for {
		k.Updates(&u.state)
		s := u.receive.first()
		if s == nil {
			break
		}
		n.unqueue(u, s)
		p.freeSkb(k, s)
	}
	if r := u.reader; r != nil && (r.writers > 0 || k.Machine().Stepped && r.backlog > 0) {
		kernelmodel.WakeUpAll(k, r.peerWait)
	}
	n.removeSock(u)
	if k.Load(n.totInflight) != 0 {
		n.unixGC(k, p)
	}
	k.Return(n.fn.releaseSock, entered)
}
