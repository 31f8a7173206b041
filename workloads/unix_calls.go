package workloads

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"smpsim/cpus"
	"smpsim/kernelmodel/afunix"
)

// UnixSocket declares an AF_UNIX socket that programs name.
type UnixSocket struct {
	Name string
	Kind afunix.Kind
}

// UnixCalls are the system calls of programs on AF_UNIX sockets that have names:
//
//	sendmsg: {from: a, to: b, pass: [c, d]}   # to is for datagrams, else to the peer
//	recvmsg: {on: a, peek: true, keep: true, nonblock: true}
//	close: a
//	listen: l
//	connect: {from: a, to: l}
//	accept: {on: l, as: d, nonblock: true}
//
// All tasks of a file are threads of one program, so to speak: they hold one descriptor
// of each socket together, and what one closes is closed for all. A name stands for any
// descriptor of its socket, and a datagram socket is bound to it. Descriptors that come
// with a message are closed at once, as a receiver does that has no use for them, or
// with keep: true stay open, so that a name that was closed can be used again and must
// be closed once more. The name that accept gives must be declared, a stream; until
// then it has no socket. A second accept into a name closes what it stood for, as dup2()
// does.
//
// A program is not told of a call's error. A call on a closed descriptor does nothing,
// as with EBADF.
//
// One UnixCalls serves an experiment: Syscalls goes into the source, and each run binds
// what was compiled to its own sockets.
type UnixCalls struct {
	sockets []UnixSocket
	// accepted are those whose name an accept gives.
	accepted []bool

	mu   sync.Mutex
	runs map[*cpus.Machine]*unixRun
}

// NewUnixCalls returns the calls on the declared sockets, which have distinct names.
func NewUnixCalls(sockets []UnixSocket) *UnixCalls {
	return &UnixCalls{sockets: slices.Clone(sockets), accepted: make([]bool, len(sockets)), runs: make(map[*cpus.Machine]*unixRun)}
}

// Syscalls returns the calls, for [Source.Syscalls].
func (c *UnixCalls) Syscalls() map[string]Syscall {
	return map[string]Syscall{
		"sendmsg": c.readSendmsg, "recvmsg": c.readRecvmsg, "close": c.readClose,
		"listen": c.readListen, "connect": c.readConnect, "accept": c.readAccept,
	}
}

// Bind makes the sockets of a run, before or after the workload is linked to the same
// machine, but before that runs. Of users it takes the user of each task by name; those
// that are not there, and work items, are root's. Unbind forgets the run.
func (c *UnixCalls) Bind(net *afunix.Net, users map[string]string) {
	r := &unixRun{net: net, users: users, tasks: make(map[*cpus.Task]*afunix.Process)}
	for _, task := range slices.Sorted(maps.Keys(users)) {
		net.User(users[task])
	}
	r.slots = make([]unixSlot, len(c.sockets))
	for i, s := range c.sockets {
		slot := &r.slots[i]
		if slot.given = c.accepted[i]; slot.given {
			net.Machine().Share(&slot.shared, "the name "+s.Name)
			continue
		}
		slot.sock = net.NamedSocket(s.Kind, s.Name)
		if s.Kind == afunix.Dgram {
			slot.sock.AwaitReader()
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.runs[net.Machine()] = r
}

// Unbind forgets the run on a machine.
func (c *UnixCalls) Unbind(m *cpus.Machine) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.runs, m)
}

func (c *UnixCalls) run(m *cpus.Machine) *unixRun {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.runs[m]
	if r == nil {
		panic("workloads: a program calls AF_UNIX, and UnixCalls was not bound to its machine")
	}
	return r
}

// unixRun is what the calls of one run work on.
type unixRun struct {
	net   *afunix.Net
	slots []unixSlot
	users map[string]string
	tasks map[*cpus.Task]*afunix.Process
}

// unixSlot is the socket that a name stands for.
type unixSlot struct {
	sock *afunix.Sock
	// given: an accept gives the name; shared tells an explorer who looks and who gives.
	given  bool
	shared cpus.Shared
}

// process returns what a task is to AF_UNIX.
func (r *unixRun) process(t *cpus.Task) *afunix.Process {
	p := r.tasks[t]
	if p != nil {
		return p
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	user := r.users[name]
	if user == "" {
		user = "root"
	}
	p = r.net.NewProcess(user)
	p.ShareFiles()
	if t.Kthread() {
		p.RunsWork()
	}
	r.tasks[t] = p
	return p
}

// caller is a task in a system call.
type caller struct {
	*cpus.Thread
	run  *unixRun
	task *afunix.Process
	// fds are the descriptors of the call.
	fds []*afunix.Sock
}

// sock returns the socket that a name stands for, nil if there is none yet.
func (c *caller) sock(name int) *afunix.Sock {
	slot := &c.run.slots[name]
	if slot.given {
		c.Sees(&slot.shared)
	}
	return slot.sock
}

// give lets a name stand for another socket, and closes the one it stood for.
func (c *caller) give(name int, u *afunix.Sock) {
	slot := &c.run.slots[name]
	c.Updates(&slot.shared)
	before := slot.sock
	slot.sock = u
	if before != nil {
		_ = c.task.Close(c.Thread, before)
	}
}

// unixCall is the body of a call, given the sockets that its arguments name.
type unixCall func(c *caller, socks []*afunix.Sock)

// binder makes the binder of a call. Its arguments name sockets.
func (c *UnixCalls) binder(names []int, do unixCall) SyscallBinder {
	return func(m *cpus.Machine) cpus.Behavior {
		var call caller
		socks := make([]*afunix.Sock, len(names))
		return m.Func(func(k *cpus.Thread) {
			if call.Thread == nil {
				run := c.run(m)
				call = caller{Thread: k, run: run, task: run.process(k.Task())}
			}
			for i, name := range names {
				if socks[i] = call.sock(name); socks[i] == nil {
					k.Run(m.Costs.Syscall)
					return
				}
			}
			do(&call, socks)
		})
	}
}
