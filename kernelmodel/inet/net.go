package inet

import (
	"fmt"
	"slices"

	"smpsim/cpus"
	"smpsim/des"
)

// GetName is a way in which getsockname() and getpeername() read a name.
type GetName string

// The ways to read a name.
const (
	// Unlocked is Linux up to v5.15: plain loads, whatever connect() does meanwhile.
	Unlocked GetName = "unlocked"
	// LockSock is what "inet: remove races in inet{6}_getname()" (9dfc685e0262) made
	// of it: the reader owns the socket.
	LockSock GetName = "lock_sock"
	// LockSockFast reads with the spinlock held and does not own the socket, unless
	// it has to wait.
	LockSockFast GetName = "lock_sock_fast"
	// ReadOnce is the patch "inet: reduce the execution time of getsockname()", which
	// was not merged: no lock, and marked accesses to what it names.
	ReadOnce GetName = "read_once"
	// Seqcount reads again if a writer came between.
	Seqcount GetName = "seqcount"
)

// GetNames are all there are.
var GetNames = []GetName{Unlocked, LockSock, LockSockFast, ReadOnce, Seqcount}

// Params are the parameters of the subsystem.
type Params struct {
	GetName GetName
	// Base is an anchor: what getsockname() takes, from user space and back, where it
	// takes no lock and nobody disturbs it. getpeername() is taken to be alike.
	Base des.Time
}

// Net is the sockets of a machine.
type Net struct {
	machine *cpus.Machine
	variant GetName
	prices  prices
	fn      functions
	stats   Stats
	socks   []*Sock
}

// functions are the names under which calls are traced.
type functions struct {
	getsockname, getpeername, connect, bind, getname    cpus.NameID
	lockSock, lockSockFast, releaseSock, drain          cpus.NameID
	tcpConnect, tcpDisconnect, receive, addBacklog, rcv cpus.NameID
}

// Stats are the counters of a run.
type Stats struct {
	// Torn is how many calls have returned a pair of address and port that was the
	// socket's name, or its peer's, at no instant of the call.
	Torn int64
	// Received is how many segments of data and answers have come, Backlogged how
	// many of them went through a backlog, Dropped how many found it full.
	Received, Backlogged, Dropped int64
}

// New returns the subsystem of a machine, without sockets. It panics on an
// unknown way to read names.
func New(m *cpus.Machine, p Params) *Net {
	if !slices.Contains(GetNames, p.GetName) {
		panic(fmt.Sprintf("inet: getname %q, want one of %v", p.GetName, GetNames))
	}
	n := &Net{machine: m, variant: p.GetName, prices: priced(&m.Costs, p.Base)}
	n.fn = functions{
		getsockname: m.Intern("getsockname"), getpeername: m.Intern("getpeername"),
		connect: m.Intern("connect"), bind: m.Intern("bind"), getname: m.Intern("inet_getname"),
		lockSock: m.Intern("lock_sock_nested"), lockSockFast: m.Intern("__lock_sock_fast"),
		releaseSock: m.Intern("release_sock"), drain: m.Intern("__release_sock"),
		tcpConnect: m.Intern("tcp_v4_connect"), tcpDisconnect: m.Intern("tcp_disconnect"),
		receive: m.Intern("tcp_v4_rcv"), addBacklog: m.Intern("tcp_add_backlog"), rcv: m.Intern("tcp_v4_do_rcv"),
	}
	return n
}

// Stats returns the counters as they are now. Calls that have returned what a change
// under way may still make a name are not counted yet.
func (n *Net) Stats() Stats {
	s := n.stats
	for _, u := range n.socks {
		s.Torn += u.own.torn + u.peer.torn
	}
	return s
}

// enterKernel and leaveKernel charge the two halves of a system call's entry and
// exit.
func (n *Net) enterKernel(k *cpus.Thread) { k.Run(n.machine.Costs.Syscall / 2) }

func (n *Net) leaveKernel(k *cpus.Thread) {
	syscall := n.machine.Costs.Syscall
	k.Run(syscall - syscall/2)
}
