package inet

import (
	"errors"

	"smpsim/cpus"
)

// ErrNotConnected is ENOTCONN: the socket has no peer.
var ErrNotConnected = errors.New("socket is not connected")

// GetSockName is the system call getsockname(): the socket's own name.
func (u *Sock) GetSockName(k *cpus.Thread) Name {
	entered := k.Enter(u.net.fn.getsockname)
	since := u.own.call(k)
	k.Run(u.net.prices.call)
	name, _ := u.inetGetname(k, false)
	k.Run(u.net.prices.back)
	u.own.returned(k, since, name)
	k.Return(u.net.fn.getsockname, entered)
	return name
}

// GetPeerName is the system call getpeername(): the name of the other end, or
// [ErrNotConnected].
func (u *Sock) GetPeerName(k *cpus.Thread) (Name, error) {
	entered := k.Enter(u.net.fn.getpeername)
	since := u.peer.call(k)
	k.Run(u.net.prices.call)
	name, err := u.inetGetname(k, true)
	k.Run(u.net.prices.back)
	if err == nil {
		u.peer.returned(k, since, name)
	}
	k.Return(u.net.fn.getpeername, entered)
	return name, err
}

// inetGetname is inet_getname().
func (u *Sock) inetGetname(k *cpus.Thread, peer bool) (name Name, err error) {
	entered := k.Enter(u.net.fn.getname)
	switch u.net.variant {
	case LockSock:
		u.lockSock(k)
		name, err = u.readName(k, peer)
		u.releaseSock(k)
	case LockSockFast:
		slow := u.lockSockFast(k)
		name, err = u.readName(k, peer)
		u.unlockSockFast(k, slow)
	case Seqcount:
		for retry := true; retry; {
			start := u.readBegin(k)
			name, err = u.readName(k, peer)
			retry = u.readRetry(k, start)
		}
	default:
		name, err = u.readName(k, peer)
	}
	k.Return(u.net.fn.getname, entered)
	return name, err
}

// readName reads one of the names, field by field.
func (u *Sock) readName(k *cpus.Thread, peer bool) (Name, error) {
	if peer {
		return u.readPeer(k)
	}
	addr := u.read(k, u.rcvSaddr)
	if addr == 0 {
		addr = u.read(k, u.saddr)
	}
	return Name{uint32(addr), uint16(u.read(k, u.sport))}, nil
}

// readPeer reads the peer's name, if there is one. Written without marks, it reads the
// port twice: to test it, and to return it.
func (u *Sock) readPeer(k *cpus.Thread) (Name, error) {
	port := u.read(k, u.dport)
	if port == 0 {
		return Name{}, ErrNotConnected
	}
	if s := State(u.read(k, u.state)); s == Close || s == SynSent {
		return Name{}, ErrNotConnected
	}
	if !u.net.marks(false) {
		port = u.read(k, u.dport)
	}
	return Name{uint32(u.read(k, u.daddr)), uint16(port)}, nil
}
