package inet

import (
	"smpsim/cpus"
	"smpsim/des"
)

// prices are what the model does not do op by op: anchors, all of them. None is part
// of what a reader's lock costs; but how long the name is half written, and how long a
// connecting task owns the socket, is theirs.
type prices struct {
	// call is what a call for a name takes before it reads the name, back what it
	// takes after: the anchor less the two loads that a connected socket's own name
	// takes where no lock is. How the rest divides is not known; they get half each.
	call, back des.Time
	// search is finding a port and entering the socket into the tables.
	search des.Time
	// syn is sending a SYN until its answer has come, acknowledge dealing with that, and
	// reset telling the peer that the connection is over.
	syn, acknowledge, reset des.Time
	// process is dealing with a segment of data. Nobody measured it; it gets half of
	// what sending a datagram to a local socket takes.
	process des.Time
}

// Measured on a Linux 6.18 guest (AMD EPYC) whose empty system call takes 181 ns: minima
// of 400 batches of 100 fresh sockets, each less the same call on a socket on which it
// fails at once (492 ns for bind(), 429 ns for connect()), and so without entry, exit and
// the uncontended lock.
const (
	// portSearch is bind() to port 0, 974 ns in all. What connect() does beyond, entering
	// the established connections, is not in it.
	portSearch = 482 * des.Nanosecond
	// handshake is connect() to a listening socket over the loopback device, 12755 ns in
	// all, less portSearch. How it divides into the way to the peer and back and what is
	// done with the answer is not known; they get half each.
	handshake = 11844 * des.Nanosecond
	// resetting is connect() of a connected socket to AF_UNSPEC, 3734 ns in all.
	resetting = 3305 * des.Nanosecond
)

func priced(c *cpus.Costs, base des.Time) prices {
	rest := max(0, base-2*c.L1Hit)
	return prices{
		call: rest / 2, back: rest - rest/2,
		search: portSearch, syn: handshake / 2, acknowledge: handshake / 2, reset: resetting,
		process: c.UnixDgramSendmsg / 2,
	}
}
