package afunix

import (
	"smpsim/cpus"
	"smpsim/des"
)

// prices are the anchors less what the model charges op by op on the path on
// which they were measured, so that nothing is charged twice.
//
// Costs.UnixDgramSendmsg is sendmsg() less an empty system call: allocation,
// copying, the receiver's locks, everything but waiting. Of it the model does
// one load of unix_tot_inflight itself.
//
// Costs.PassUnixFD is what the first AF_UNIX descriptor adds. It was measured on
// Linux 6.18, which keeps a graph: it contains the references to the file, the
// allocations, and recording one edge under unix_gc_lock. The model does the
// recording itself, so the warm, uncontended price of that is taken out, for
// every variant alike: in the variant scc a message with one descriptor takes
// exactly the two anchors, in the others it differs from them by what their
// records differ. How much of the anchor a second descriptor of a message would
// save is not known; it is charged in full, apart from the recording.
type prices struct {
	sendmsg, pass des.Time
	// recvmsg and install are the receiver's side of the two. Nobody measured
	// them; they are taken to be what the sender's are.
	recvmsg, install des.Time
	create, release  des.Time
	// connect makes a socket and puts it into a queue, accept takes it out: nobody
	// measured them either. listen() is taken to be an empty call.
	connect, accept des.Time
	line            des.Time
}

// socketAndClose is what socket() and close() of an AF_UNIX socket take, less
// two empty system calls: an anchor, 3832 - 2*935 ns on the host on which the
// other anchors were measured. How it divides between the two is not known; they
// get half each.
const socketAndClose = 1962 * des.Nanosecond

func priced(c *cpus.Costs) prices {
	load, store := c.L1Hit, c.PlainIncrement
	// READ_ONCE(unix_tot_inflight) in wait_for_unix_gc().
	waiting := load
	// READ_ONCE(user->unix_inflight) there and against the limit; the lock; the
	// successor's vertex; the new vertex and the end of its list; the two counters.
	recording := 2*load + c.Atomic + load + 2*store + 2*(load+store) + store
	pass := max(0, c.PassUnixFD-recording)
	return prices{
		sendmsg: max(0, c.UnixDgramSendmsg-waiting), pass: pass,
		recvmsg: c.UnixDgramSendmsg, install: pass,
		create: socketAndClose / 2, release: socketAndClose / 2,
		connect: socketAndClose/2 + c.UnixDgramSendmsg, accept: c.UnixDgramSendmsg,
		line: c.L1Hit,
	}
}

// body is what sending size bytes takes. The anchor is for one byte; each
// further line of a message is copied at the price of one load that hits.
func (p *prices) body(size int64) des.Time { return p.sendmsg + p.lines(size) }

func (p *prices) receive(size int64) des.Time { return p.recvmsg + p.lines(size) }

func (p *prices) lines(size int64) des.Time {
	return p.line * des.Time(max(0, (size-1)/cpus.LineSize))
}
