package afunix

import (
	"errors"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Errors of the system calls.
var (
	// ErrBadFD is EBADF: no descriptor of the socket is open any more.
	ErrBadFD = errors.New("bad file descriptor")
	// ErrInvalid is EINVAL: not for a socket of this kind, or in this state.
	ErrInvalid = errors.New("invalid argument")
	// ErrAgain is EAGAIN: the call would have to wait, and must not.
	ErrAgain = errors.New("resource temporarily unavailable")
	// ErrTooManyRefs is ETOOMANYREFS: the user has too many descriptors in flight.
	ErrTooManyRefs = errors.New("too many references in flight")
	// ErrNotConnected is ENOTCONN: the socket has nobody to send to.
	ErrNotConnected = errors.New("socket is not connected")
	// ErrIsConnected is EISCONN: the stream socket is connected already, and stays so.
	ErrIsConnected = errors.New("socket is connected")
	// ErrRefused is ECONNREFUSED: the receiver's socket is gone, or does not listen.
	ErrRefused = errors.New("the receiver's socket is closed")
	// ErrPipe is EPIPE: the other end of the stream is gone.
	ErrPipe = errors.New("broken pipe")
)

// Process is a task as AF_UNIX sees it: whose it is, and what it has to do when
// it returns to user space.
type Process struct {
	net  *Net
	user *User
	// kthread processes are the work items of the subsystem itself.
	kthread bool
	// threaded processes share their descriptors with others.
	threaded bool
	// dropped are the sockets whose last reference the process has dropped.
	dropped []*Sock
	// hitlist is what a collection by the process is about to free.
	hitlist list[skb]
}

// NewProcess returns a process of the named user. Tasks need one each. Where
// interleavings are chosen the user must be known before tasks run ([Net.User]).
func (n *Net) NewProcess(user string) *Process {
	p := &Process{net: n, user: n.User(user)}
	p.hitlist.init()
	return p
}

// ShareFiles says that the process is a thread: others use, and close, the same
// descriptors. Each call then takes a reference to the file that it works on, as
// fdget() does, and fails with [ErrBadFD] if nobody holds a descriptor of it.
func (p *Process) ShareFiles() { p.threaded = true }

// RunsWork says that the process is a kernel thread, which leaves releasing sockets
// to a work item.
func (p *Process) RunsWork() { p.kthread = true }

// enterKernel and leaveKernel charge the two halves of a system call's entry and
// exit; on the way out the process does its task work.
func (p *Process) enterKernel(k *cpus.Thread) { k.Run(k.Machine().Costs.Syscall / 2) }

func (p *Process) leaveKernel(k *cpus.Thread) {
	p.taskWork(k)
	syscall := k.Machine().Costs.Syscall
	k.Run(syscall - syscall/2)
}

// taskWork releases the sockets whose last reference the process has dropped,
// and those that go with them.
func (p *Process) taskWork(k *cpus.Thread) {
	for i := 0; i < len(p.dropped); i++ {
		p.releaseSock(k, p.dropped[i])
	}
	p.dropped = p.dropped[:0]
}

// fdget is fdget(): only a process whose descriptors others may close takes a
// reference.
func (p *Process) fdget(k *cpus.Thread, u *Sock) error {
	if !p.threaded {
		return nil
	}
	return p.fget(k, u)
}

// fdput gives back what fdget took.
func (p *Process) fdput(k *cpus.Thread, u *Sock) {
	if p.threaded {
		p.fputCall(k, u)
	}
}

// fget takes a reference to u's file for a system call. Its locked operation, like
// every one on f_count, is in the anchors. A thread may find the descriptor closed.
func (p *Process) fget(k *cpus.Thread, u *Sock) error {
	k.Updates(&u.fileCount)
	if p.threaded && u.descriptors == 0 {
		return ErrBadFD
	}
	u.fcount++
	u.calls++
	p.net.generation++
	return nil
}

// fputCall gives back what fget took.
func (p *Process) fputCall(k *cpus.Thread, u *Sock) {
	k.Updates(&u.fileCount)
	u.calls--
	p.fput(k, u)
}

// fput drops a reference to u's file, which the caller has announced. The last one
// has the socket released, but not here: when the process returns to user space, as
// task work, or, if it is a kernel thread, by a work item.
func (p *Process) fput(k *cpus.Thread, u *Sock) {
	n := p.net
	n.generation++
	u.fcount--
	switch {
	case u.fcount > 0:
	case !p.kthread:
		p.dropped = append(p.dropped, u)
	default:
		k.Updates(&n.delayedList)
		n.delayed = append(n.delayed, u)
		if len(n.delayed) == 1 {
			kernelmodel.QueueWork(k, n.fputWork)
		}
	}
}

// delayedFput is the body of delayed_fput_work. The kernel starts it a tick
// after it was queued; here it starts at once.
func (n *Net) delayedFput(k *cpus.Thread) {
	k.Updates(&n.delayedList)
	all := n.delayed
	n.delayed = nil
	for _, u := range all {
		n.kworker.releaseSock(k, u)
	}
}
