package inet

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// segment is what a softirq brings: data, or the answer to a SYN.
type segment struct {
	number int64
	answer bool
}

// backlogLimit is how many segments a backlog takes until it is drained, so that a
// wild sender cannot keep an owner draining for ever: the buffers that the kernel
// gives a socket by default, 2*128 KiB + 8 KiB + 64 KiB, by what a small segment
// takes of them, 768 bytes.
const backlogLimit = (2*131072 + 8192 + 65536) / 768

var (
	bhOff = cpus.Op{Kind: cpus.BHOff}
	bhOn  = cpus.Op{Kind: cpus.BHOn}
)

// Receive is a softirq that brings u a segment of data: bottom halves are off from
// its beginning to its end.
func (u *Sock) Receive(k *cpus.Thread) {
	k.Do(&bhOff)
	u.tcpV4Rcv(k, false)
	k.Do(&bhOn)
}

// tcpV4Rcv is tcp_v4_rcv() from where it has found the socket. It must look at owned
// with slock held.
func (u *Sock) tcpV4Rcv(k *cpus.Thread, answer bool) {
	n := u.net
	entered := k.Enter(n.fn.receive)
	n.stats.Received++
	kernelmodel.SpinLock(k, u.slock)
	if k.Load(u.owned) == 0 {
		u.process(k, u.accept(answer))
	} else {
		u.addBacklog(k, answer)
	}
	kernelmodel.SpinUnlock(k, u.slock)
	k.Return(n.fn.receive, entered)
}

// accept numbers a segment. The caller holds slock.
func (u *Sock) accept(answer bool) segment {
	s := segment{number: u.accepted, answer: answer}
	u.accepted++
	return s
}

// addBacklog is tcp_add_backlog(): it leaves a segment to the socket's owner.
func (u *Sock) addBacklog(k *cpus.Thread, answer bool) {
	n := u.net
	entered := k.Enter(n.fn.addBacklog)
	if length := k.LoadPlain(u.backlogLen); length < backlogLimit {
		k.Store(u.backlogHead, k.Load(u.backlogHead)+1)
		k.StorePlain(u.backlogLen, length+1)
		u.backlog = append(u.backlog, u.accept(answer))
		n.stats.Backlogged++
	} else {
		n.stats.Dropped++
	}
	k.Return(n.fn.addBacklog, entered)
}

// drainBacklog is __release_sock(): batch by batch, with slock given back while a
// batch is dealt with, until nothing is left. Only then is there room again.
func (u *Sock) drainBacklog(k *cpus.Thread) {
	entered := k.Enter(u.net.fn.drain)
	for k.Load(u.backlogHead) != 0 {
		k.Store(u.backlogHead, 0)
		u.batch, u.backlog = u.backlog, u.batch[:0]
		k.Call(u.slock, kernelmodel.UnlockBH)
		for _, s := range u.batch {
			u.process(k, s)
		}
		k.Call(u.slock, kernelmodel.LockBH)
	}
	k.StorePlain(u.backlogLen, 0)
	k.Return(u.net.fn.drain, entered)
}

// process is tcp_v4_do_rcv(): its caller owns the socket, or holds slock while nobody
// does.
func (u *Sock) process(k *cpus.Thread, s segment) {
	n := u.net
	entered := k.Enter(n.fn.rcv)
	if s.number != u.processed {
		k.BugOn(true, "segment %d is processed after %d others", s.number, u.processed)
	}
	u.processed++
	switch {
	case !s.answer:
		k.Run(n.prices.process)
	case State(k.LoadPlain(u.state)) == SynSent:
		k.Run(n.prices.acknowledge)
		k.Store(u.state, int64(Established))
		u.peer.end(k, u.PeerName())
	default:
		// Somebody has disconnected the socket in the meantime.
		k.Run(n.prices.reset)
	}
	k.Return(n.fn.rcv, entered)
}
