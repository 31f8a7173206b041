package inet

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// lockSock is lock_sock(): it returns once the caller owns the socket. The owner may
// sleep, be preempted and be interrupted: slock is held only while owned changes
// hands.
func (u *Sock) lockSock(k *cpus.Thread) {
	entered := k.Enter(u.net.fn.lockSock)
	k.Call(u.slock, kernelmodel.LockBH)
	if k.Load(u.owned) != 0 {
		u.awaitUnowned(k)
	}
	k.Store(u.owned, 1)
	k.Call(u.slock, kernelmodel.UnlockBH)
	k.Return(u.net.fn.lockSock, entered)
}

// awaitUnowned is __lock_sock(): with slock held on entry and exit, but not in
// between, it waits until nobody owns the socket.
//
// The kernel enters the queue before it gives slock back. A wait here is one
// operation, which must not be begun with a spinlock held, so that the entry comes
// after; wq is changed before, and the wait tests owned once it is in the queue, so
// that no wake-up is lost.
func (u *Sock) awaitUnowned(k *cpus.Thread) {
	for {
		k.Store(u.wq, k.Load(u.wq)+1)
		k.Call(u.slock, kernelmodel.UnlockBH)
		k.Call(u.unowned, kernelmodel.WaitExclusive)
		k.Call(u.slock, kernelmodel.LockBH)
		k.Store(u.wq, k.Load(u.wq)-1)
		if k.Load(u.owned) == 0 {
			return
		}
	}
}

// releaseSock is release_sock(): the owner deals with what has come in the meantime
// before it gives the socket back, in the section of slock in which it found the
// backlog empty.
func (u *Sock) releaseSock(k *cpus.Thread) {
	entered := k.Enter(u.net.fn.releaseSock)
	k.Call(u.slock, kernelmodel.LockBH)
	if k.Load(u.backlogHead) != 0 {
		u.drainBacklog(k)
	}
	// tcp_release_cb(): nothing is put off here, but it has to look.
	k.Load(u.tsqFlags)
	k.Store(u.owned, 0)
	if k.Load(u.wq) != 0 {
		kernelmodel.WakeUp(k, u.waiters)
	}
	k.Call(u.slock, kernelmodel.UnlockBH)
	k.Return(u.net.fn.releaseSock, entered)
}

// lockSockFast is lock_sock_fast(). If nobody owns the socket, it returns false with
// slock held, which keeps everybody else out for a while that must be short; otherwise
// it waits, owns the socket and returns true.
func (u *Sock) lockSockFast(k *cpus.Thread) (slow bool) {
	entered := k.Enter(u.net.fn.lockSockFast)
	k.Call(u.slock, kernelmodel.LockBH)
	if k.Load(u.owned) != 0 {
		u.awaitUnowned(k)
		k.Store(u.owned, 1)
		k.Call(u.slock, kernelmodel.UnlockBH)
		slow = true
	}
	k.Return(u.net.fn.lockSockFast, entered)
	return slow
}

// unlockSockFast undoes lockSockFast.
func (u *Sock) unlockSockFast(k *cpus.Thread, slow bool) {
	if slow {
		u.releaseSock(k)
	} else {
		k.Call(u.slock, kernelmodel.UnlockBH)
	}
}
