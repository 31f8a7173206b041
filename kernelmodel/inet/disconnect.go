package inet

import "smpsim/cpus"

// Disconnect is the system call connect() with an address of the family AF_UNSPEC.
func (u *Sock) Disconnect(k *cpus.Thread) {
	u.net.enterKernel(k)
	entered := k.Enter(u.net.fn.connect)
	u.lockSock(k)
	u.tcpDisconnect(k)
	u.releaseSock(k)
	k.Return(u.net.fn.connect, entered)
	u.net.leaveKernel(k)
}

// tcpDisconnect is tcp_disconnect(). It leaves inet_sport as it is: a socket that is
// disconnected goes on to show its last port.
func (u *Sock) tcpDisconnect(k *cpus.Thread) {
	entered := k.Enter(u.net.fn.tcpDisconnect)
	before := State(k.LoadPlain(u.state))
	u.own.begin(k)
	u.peer.begin(k)
	u.writeBegin(k)
	if before != Close {
		u.closeState(k)
	}
	u.write(k, u.dport, 0)
	u.resetSaddr(k)
	u.own.end(k, u.OwnName())
	u.peer.end(k, Name{})
	u.writeEnd(k)
	if before == Established {
		k.Run(u.net.prices.reset)
	}
	k.Return(u.net.fn.tcpDisconnect, entered)
}

// closeState is tcp_set_state(sk, TCP_CLOSE): the socket leaves the tables, gives back a
// port that was not asked for, and only then changes its state.
func (u *Sock) closeState(k *cpus.Thread) {
	if !u.portLock {
		k.StorePlain(u.num, 0)
	}
	k.Store(u.state, int64(Close))
}
