package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Recvmsg is the system call recvmsg(): it waits for a message, appends the
// sockets whose descriptors came with it to fds, and returns that. The process
// holds the descriptors from now on.
func (p *Process) Recvmsg(k *cpus.Thread, u *Sock, fds []*Sock) []*Sock {
	p.enterKernel(k)
	fn := p.net.fn.dgramRecvmsg
	if u.kind == Stream {
		fn = p.net.fn.streamRecvmsg
	}
	entered := k.Enter(fn)
	fds = p.unixRecvmsg(k, u, fds)
	k.Return(fn, entered)
	p.leaveKernel(k)
	return fds
}

func (p *Process) unixRecvmsg(k *cpus.Thread, u *Sock, fds []*Sock) []*Sock {
	n := p.net
	for k.Updates(&u.state); u.queued == 0; k.Updates(&u.state) {
		r := u.blocking()
		r.readers++
		k.Call(r.notEmpty, kernelmodel.WaitExclusive)
		r.readers--
	}
	s := u.receive.first()
	n.unqueue(u, s)
	u.wakeWriter(k)
	k.Run(n.prices.receive(s.size))
	if len(s.fds) > 0 {
		// unix_detach_fds(): nothing of the message is in flight any more.
		n.ledger.forget(k, s)
		// scm_detach_fds(): its references become the process's descriptors.
		k.Run(n.prices.install * cpus.Until(len(s.fds)))
		for _, fd := range s.fds {
			fd.descriptors++
		}
		fds = append(fds, s.fds...)
		s.fds = s.fds[:0]
	}
	n.recycle(s)
	return fds
}
