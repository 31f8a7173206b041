package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// What an explorer must know, and what only an explorer needs. On a machine with costs
// nothing here does anything: f_count, the receive queues and their locks are in the
// anchors, uncontended. Where interleavings are chosen each access to what two tasks can
// touch is a step of its own, unless unix_gc_lock orders it:
//
//   - a file's f_count, and who holds a part of it: fileCount;
//   - a receive queue, and whether the socket is released, hung up or listens: queue,
//     which is one with the word of the queue's length that sleepers look at;
//   - who the socket is connected to, if it does not listen: connected;
//   - delayed_fput_list.
//
// Of a stepped machine's sockets everything is made with them: what tasks make while
// they run must not depend on who comes first.

// guard is what only an explorer needs of a socket.
type guard struct {
	// fileCount stands for f_count, queue for the receive queue, connected for the peer.
	fileCount, queue, connected cpus.Shared
	// iolock keeps one receiver out while another is at work.
	iolock *kernelmodel.Mutex
	// lock is unix_state_lock of a socket that listens, or may: of a stepped machine's
	// streams, and else of those that have ever listened.
	lock *kernelmodel.Spinlock
}

// share makes all of u that an explorer must know.
func (u *Sock) share() {
	m := u.net.machine
	if !m.Stepped {
		return
	}
	name := u.String()
	m.Share(&u.fileCount, name+".f_count")
	m.Share(&u.connected, name+".peer")
	m.ShareWord(&u.queue, u.blocking().length)
	u.line()
	u.iolock = kernelmodel.NewMutex(m, name+".iolock")
	if u.kind == Stream {
		u.lock = kernelmodel.NewSpinlock(m, name+".lock", "qspinlock")
	}
}

// queueName is what the length of u's receive queue is called.
func (u *Sock) queueName() string {
	if u.net.machine.Stepped {
		return u.String() + ".receive_queue"
	}
	return "sk_receive_queue.qlen"
}

// lockIO takes u's iolock, unlockIO gives it back.
func (u *Sock) lockIO(k *cpus.Thread) {
	if u.iolock != nil {
		k.Call(u.iolock, kernelmodel.Lock)
	}
}

func (u *Sock) unlockIO(k *cpus.Thread) {
	if u.iolock != nil {
		k.Call(u.iolock, kernelmodel.Unlock)
	}
}

// stateLock takes unix_state_lock of a socket that listens, stateUnlock gives it back.
func (u *Sock) stateLock(k *cpus.Thread) {
	if u.lock != nil {
		kernelmodel.SpinLock(k, u.lock)
	}
}

func (u *Sock) stateUnlock(k *cpus.Thread) {
	if u.lock != nil {
		kernelmodel.SpinUnlock(k, u.lock)
	}
}

// mayWait reports whether somebody may sleep on a queue of u, of whom it is known how
// many there are: an explorer is told of every wake-up.
func (u *Sock) mayWait(known int) bool { return known > 0 || u.net.machine.Stepped }

// storeLink writes w, a pointer of a list that unix_gc_lock protects, and loadLink reads
// it: for the price of its line.
func (n *Net) storeLink(k *cpus.Thread, w *cpus.Word, v int64) {
	if !n.machine.Stepped {
		k.Store(w, v)
	}
}

func (n *Net) loadLink(k *cpus.Thread, w *cpus.Word) {
	if !n.machine.Stepped {
		k.Load(w)
	}
}
