package workloads

import (
	"smpsim/cpus"
	"smpsim/kernelmodel/inet"
)

// Inet is what the loads on internet sockets of one run share: the subsystem, and the
// sockets that several tasks have. Make every body before the machine runs.
type Inet struct {
	Net    *inet.Net
	shared []namedSocket
	made   int
}

// namedSocket is a socket that all have who name it.
type namedSocket struct {
	name string
	sock *inet.Sock
}

// NewInet returns what the loads on net share.
func NewInet(net *inet.Net) *Inet { return &Inet{Net: net} }

// OwnSocket, in place of a socket's name, stands for one that nobody else has.
const OwnSocket = "own"

// socket returns the socket of that name. Sockets are connected when the run starts, as
// accept() returns them: their own port is a server's, their peer's is any.
func (x *Inet) socket(name string) *inet.Sock {
	if name != OwnSocket {
		for _, s := range x.shared {
			if s.name == name {
				return s.sock
			}
		}
	}
	u := x.Net.Socket()
	u.Establish(inet.Name{Addr: host, Port: 80}, inet.Name{Addr: host + 1, Port: uint16(32768 + x.made%28232)})
	x.made++
	if name != OwnSocket {
		x.shared = append(x.shared, namedSocket{name, u})
	}
	return u
}

// The addresses of the machine, 10.0.0.1 and 127.0.0.1.
const (
	host     = 10<<24 | 1
	loopback = 127<<24 | 1
)

// routes are where connect_loop connects to in turn: over two interfaces, so that both
// address and port of the socket's own name change each time.
var routes = [...]inet.Route{
	{Source: loopback, Peer: inet.Name{Addr: loopback, Port: 81}},
	{Source: host, Peer: inet.Name{Addr: host + 1, Port: 80}},
}

// GetSockName is the load getsockname: it asks a socket for its own name.
type GetSockName struct {
	// Calls is how many; 0 means for ever.
	Calls int64
	// Socket is the socket's name, or OwnSocket.
	Socket string
	Pace
}

// Body returns the load as a thread's function.
func (l GetSockName) Body(x *Inet) func(k *cpus.Thread) {
	u := x.socket(l.Socket)
	return func(k *cpus.Thread) {
		for turn := l.start(k, l.Calls); turn.next(k); {
			u.GetSockName(k)
		}
	}
}

// GetPeerName is the load getpeername: it asks a socket for its peer's name. Where the
// socket has no peer the call fails, and counts like any other.
type GetPeerName struct {
	// Calls is how many; 0 means for ever.
	Calls int64
	// Socket is the socket's name, or OwnSocket.
	Socket string
	Pace
}

// Body returns the load as a thread's function.
func (l GetPeerName) Body(x *Inet) func(k *cpus.Thread) {
	u := x.socket(l.Socket)
	return func(k *cpus.Thread) {
		for turn := l.start(k, l.Calls); turn.next(k); {
			_, _ = u.GetPeerName(k)
		}
	}
}

// ConnectLoop is the load connect_loop: its calls disconnect a socket, which is
// connected at first, and connect it again, in turn.
type ConnectLoop struct {
	// Calls is how many system calls there are; 0 means for ever.
	Calls int64
	// Socket is the socket's name, or OwnSocket.
	Socket string
	Pace
}

// Body returns the load as a thread's function. What somebody else does with the socket
// may let a connect() fail, which does not end it.
func (l ConnectLoop) Body(x *Inet) func(k *cpus.Thread) {
	u := x.socket(l.Socket)
	return func(k *cpus.Thread) {
		for turn := l.start(k, l.Calls); turn.next(k); {
			if turn.made%2 == 1 {
				u.Disconnect(k)
			} else {
				_ = u.Connect(k, routes[turn.made/2%2])
			}
		}
	}
}

// ReceiveSoftirq is the load receive_softirq: data comes for a socket. Its task is what
// ksoftirqd is, a thread whose work is done with bottom halves off.
type ReceiveSoftirq struct {
	// Calls is how many segments come; 0 means for ever.
	Calls int64
	// Socket is the socket's name, or OwnSocket.
	Socket string
	Pace
}

// Body returns the load as a thread's function.
func (l ReceiveSoftirq) Body(x *Inet) func(k *cpus.Thread) {
	u := x.socket(l.Socket)
	return func(k *cpus.Thread) {
		for turn := l.start(k, l.Calls); turn.next(k); {
			u.Receive(k)
		}
	}
}
