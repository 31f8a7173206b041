package inet

import (
	"errors"

	"smpsim/cpus"
)

// Errors of connect() and bind().
var (
	// ErrIsConnected is EISCONN.
	ErrIsConnected = errors.New("socket is connected")
	// ErrAborted is ECONNABORTED: somebody has disconnected the socket while connect()
	// waited for the answer.
	ErrAborted = errors.New("connection was aborted")
	// ErrNoMemory is ENOMEM: there was none for a bucket of the port's.
	ErrNoMemory = errors.New("out of memory")
	// ErrInvalid is EINVAL: the socket has a name.
	ErrInvalid = errors.New("socket has a name")
)

// Route is where to, and from which of the host's addresses one gets there.
type Route struct {
	Source uint32
	Peer   Name
}

// Connect is the system call connect(): it returns once the peer, which always answers
// at once, has answered.
func (u *Sock) Connect(k *cpus.Thread, r Route) error {
	u.net.enterKernel(k)
	entered := k.Enter(u.net.fn.connect)
	u.lockSock(k)
	err := u.streamConnect(k, r)
	u.releaseSock(k)
	k.Return(u.net.fn.connect, entered)
	u.net.leaveKernel(k)
	return err
}

// FailNextConnect lets the memory run out in the next connect(), when it has written
// address and port already.
func (u *Sock) FailNextConnect() { u.failing = true }

// streamConnect is __inet_stream_connect(). The caller owns the socket, which is given
// back while it waits.
func (u *Sock) streamConnect(k *cpus.Thread, r Route) error {
	if State(k.LoadPlain(u.state)) != Close {
		return ErrIsConnected
	}
	if err := u.tcpV4Connect(k, r); err != nil {
		return err
	}
	// An answer for which the backlog had no room makes another SYN necessary.
	for State(k.LoadPlain(u.state)) == SynSent {
		u.sendSyn(k)
		u.releaseSock(k)
		u.lockSock(k)
	}
	if State(k.LoadPlain(u.state)) == Close {
		return ErrAborted
	}
	return nil
}

// sendSyn sends a SYN over the loopback device. The softirq that it raises, on the same
// CPU, brings the answer before the sender goes on: into the backlog, since the sender
// owns the socket.
func (u *Sock) sendSyn(k *cpus.Thread) {
	k.Run(u.net.prices.syn)
	k.Do(&bhOff)
	u.tcpV4Rcv(k, true)
	k.Do(&bhOn)
}

// tcpV4Connect is tcp_v4_connect(): it writes address, peer and state before it looks
// for a port, so that half of the name is new for a while, and takes all back if it
// fails.
func (u *Sock) tcpV4Connect(k *cpus.Thread, r Route) error {
	entered := k.Enter(u.net.fn.tcpConnect)
	u.own.begin(k)
	u.peer.begin(k)
	u.writeBegin(k)
	if k.LoadPlain(u.saddr) == 0 {
		u.updateSaddr(k, r.Source)
	}
	u.write(k, u.dport, int64(r.Peer.Port))
	u.write(k, u.daddr, int64(r.Peer.Addr))
	k.Store(u.state, int64(SynSent))
	err := u.hashConnect(k)
	if err != nil {
		u.closeState(k)
		u.resetSaddr(k)
		u.write(k, u.dport, 0)
		u.peer.end(k, Name{})
	}
	u.own.end(k, u.OwnName())
	u.writeEnd(k)
	k.Return(u.net.fn.tcpConnect, entered)
	return err
}

// hashConnect is __inet_hash_connect(): it finds a port, if the socket has none, and
// enters the socket into the tables.
func (u *Sock) hashConnect(k *cpus.Thread) error {
	port := k.LoadPlain(u.num)
	if port == 0 {
		port = u.takePort()
	}
	k.Run(u.net.prices.search)
	k.StorePlain(u.num, port)
	u.write(k, u.sport, port)
	if u.failing {
		u.failing = false
		u.write(k, u.sport, 0)
		k.StorePlain(u.num, 0)
		return ErrNoMemory
	}
	return nil
}

// takePort returns the next port of the range, by twos and round again. A socket has
// all of them to itself: those of others lead to other peers.
func (u *Sock) takePort() int64 {
	port := u.nextPort
	if u.nextPort += 2; u.nextPort > lastPort {
		u.nextPort = firstPort
	}
	return int64(port)
}

// updateSaddr is inet_update_saddr().
func (u *Sock) updateSaddr(k *cpus.Thread, addr uint32) {
	u.write(k, u.saddr, int64(addr))
	u.write(k, u.rcvSaddr, int64(addr))
}

// resetSaddr is inet_reset_saddr(), for a socket whose address was not asked for.
func (u *Sock) resetSaddr(k *cpus.Thread) {
	if u.addrLock {
		return
	}
	u.write(k, u.rcvSaddr, 0)
	u.write(k, u.saddr, 0)
}
