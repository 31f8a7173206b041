package workloads

import (
	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel/afunix"
)

// Unix is what the AF_UNIX loads of one run share: the subsystem, and where the
// messages of tasks go that somebody receives. Make every body before the
// machine runs, so that senders know who receives.
type Unix struct {
	Net     *afunix.Net
	inboxes []inbox
}

// inbox is the socket to which all instances of a task send.
type inbox struct {
	from string
	sock *afunix.Sock
}

// NewUnix returns what the loads on net share.
func NewUnix(net *afunix.Net) *Unix { return &Unix{Net: net} }

// UnixEnv is who runs a load.
type UnixEnv struct {
	*Unix
	// Task is the task's name, by which receivers name it, and User its owner.
	Task, User string
}

// inbox returns where the task's messages are received, nil if nowhere.
func (x *Unix) inbox(from string) *afunix.Sock {
	for _, b := range x.inboxes {
		if b.from == from {
			return b.sock
		}
	}
	return nil
}

// UnixDgramSendmsg is the load unix_dgram_sendmsg: it sends datagrams to a
// socket of its own peer, or to the receiver that names the task.
//
// Without a receiver, messages without descriptors are received as they arrive,
// at no cost to anybody; those with descriptors stay in flight.
type UnixDgramSendmsg struct {
	// Messages is how many; 0 means for ever. Size is in bytes, at least 1.
	Messages, Size int64
	// FDs is how many AF_UNIX descriptors go with each message, at most 253. They
	// are the same sockets each time, which the task keeps open.
	FDs int
	Pace
}

// Body returns the load as a thread's function. It ends early when the user has
// too many descriptors in flight.
func (l UnixDgramSendmsg) Body(env UnixEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		p := env.Net.NewProcess(env.User)
		from := env.sender(afunix.Dgram)
		fds := env.sockets(l.FDs)
		for turn := l.start(k, l.Messages); turn.next(k); {
			if p.Sendmsg(k, from, l.Size, fds) != nil {
				return
			}
		}
	}
}

// ScmRightsRoundTrip is the load scm_rights_round_trip: it passes descriptors
// over a socket pair to itself, receives and closes them. The trip measured as
// scm_rights_round_trip is a sendmsg() and a recvmsg(), without the closing.
type ScmRightsRoundTrip struct {
	// Messages is how many; 0 means for ever. Size is in bytes, at least 1.
	Messages, Size int64
	// FDs is how many AF_UNIX descriptors go with each message, 1 to 253.
	FDs int
	Pace
}

// Body returns the load as a thread's function. It ends early when the user has
// too many descriptors in flight.
func (l ScmRightsRoundTrip) Body(env UnixEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		trip := k.Machine().Intern("scm_rights_round_trip")
		p := env.Net.NewProcess(env.User)
		from, to := env.Net.Socketpair(afunix.Dgram)
		fds := env.sockets(l.FDs)
		var received []*afunix.Sock
		for turn := l.start(k, l.Messages); turn.next(k); {
			entered := k.Enter(trip)
			err := p.Sendmsg(k, from, l.Size, fds)
			if err == nil {
				received = p.Recvmsg(k, to, received[:0])
			}
			k.Return(trip, entered)
			if err != nil {
				return
			}
			for _, fd := range received {
				p.Close(k, fd)
			}
		}
	}
}

// ScmRightsFlood is the load scm_rights_flood: each message passes new sockets,
// whose descriptors the task keeps open, and nobody receives them unless a
// receiver names the task. It sends over a stream socket, so that its latencies
// are not among those of unix_dgram_sendmsg.
type ScmRightsFlood struct {
	// Messages is how many; 0 means until the user has too many in flight.
	Messages int64
	// FDs is how many AF_UNIX descriptors go with each message, 1 to 253.
	FDs int
	Pace
}

// Body returns the load as a thread's function.
func (l ScmRightsFlood) Body(env UnixEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		p := env.Net.NewProcess(env.User)
		from := env.sender(afunix.Stream)
		fds := make([]*afunix.Sock, l.FDs)
		for turn := l.start(k, l.Messages); turn.next(k); {
			for i := range fds {
				fds[i] = p.OpenSocket(k, afunix.Dgram)
			}
			if p.Sendmsg(k, from, 1, fds) != nil {
				return
			}
		}
	}
}

// UnixReceiver is the load unix_receiver: it receives what the instances of
// another task send, and closes the descriptors that come with it. Senders of
// datagrams wait while too many messages do.
type UnixReceiver struct {
	// From is the name of the task that sends.
	From string
	// Messages is how many; 0 means for ever.
	Messages int64
	Pace
}

// Body returns the load as a thread's function.
func (l UnixReceiver) Body(env UnixEnv) func(k *cpus.Thread) {
	at := env.inbox(l.From)
	if at == nil {
		at = env.Net.Socket(afunix.Dgram)
		at.AwaitReader()
		env.inboxes = append(env.inboxes, inbox{l.From, at})
	}
	return func(k *cpus.Thread) {
		p := env.Net.NewProcess(env.User)
		var received []*afunix.Sock
		for turn := l.start(k, l.Messages); turn.next(k); {
			received = p.Recvmsg(k, at, received[:0])
			for _, fd := range received {
				p.Close(k, fd)
			}
		}
	}
}

// UnixGCClose is the load unix_gc_close: it opens sockets and closes them. A
// close() calls the collector while anything is in flight.
type UnixGCClose struct {
	// Calls is how many; 0 means for ever.
	Calls int64
	Pace
}

// Body returns the load as a thread's function.
func (l UnixGCClose) Body(env UnixEnv) func(k *cpus.Thread) {
	return func(k *cpus.Thread) {
		p := env.Net.NewProcess(env.User)
		for turn := l.start(k, l.Calls); turn.next(k); {
			p.Close(k, p.OpenSocket(k, afunix.Dgram))
		}
	}
}

// sender makes the socket that a task sends from, connected.
func (e UnixEnv) sender(kind afunix.Kind) *afunix.Sock {
	if to := e.inbox(e.Task); to != nil {
		from := e.Net.Socket(kind)
		from.Connect(to)
		return from
	}
	from, to := e.Net.Socketpair(kind)
	to.Discard()
	return from
}

// sockets makes n sockets to pass.
func (e UnixEnv) sockets(n int) []*afunix.Sock {
	all := make([]*afunix.Sock, n)
	for i := range all {
		all[i] = e.Net.Socket(afunix.Dgram)
	}
	return all
}

// Pace spaces the calls of a load.
type Pace struct {
	// Think is the time in user space between a call's return and the next call: a
	// closed loop.
	Think des.Dist
	// Arrival, where set, is the time between one call and the next, asleep: an open
	// loop. A call that is due before the last has returned follows it at once, and
	// those after it are due when they were.
	Arrival *des.Dist
}

// turns counts the calls of one task.
type turns struct {
	pace *Pace
	left int64
	made int64
	due  des.Time
}

// start returns a count of n turns, or without end if n is 0.
func (p *Pace) start(k *cpus.Thread, n int64) turns {
	return turns{pace: p, left: n, due: k.Now()}
}

// next waits for the next call and reports whether there is one.
func (t *turns) next(k *cpus.Thread) bool {
	if t.made > 0 && t.made == t.left {
		return false
	}
	first := t.made == 0
	t.made++
	switch {
	case t.pace.Arrival != nil:
		t.due += t.pace.Arrival.Sample(k.Stream())
		if wait := t.due - k.Now(); wait > 0 {
			k.Sleep(wait)
		}
	case !first:
		if think := t.pace.Think.Sample(k.Stream()); think > 0 {
			k.RunUser(think)
		}
	}
	return true
}
