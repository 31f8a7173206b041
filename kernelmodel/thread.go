package kernelmodel

import "smpsim/cpus"

// SpinLock and SpinUnlock are spin_lock() and spin_unlock() for models in Go.
func SpinLock(k *cpus.Thread, l *Spinlock) { k.Call(l, Lock) }

// SpinUnlock gives back a lock taken by SpinLock.
func SpinUnlock(k *cpus.Thread, l *Spinlock) { k.Call(l, Unlock) }

// WaitEvent is wait_event(): it returns once p's condition holds.
func WaitEvent(k *cpus.Thread, p *WaitPoint) { k.Call(p, Wait) }

// WakeUp is wake_up(): everybody on q but the exclusive, and one of those.
func WakeUp(k *cpus.Thread, q *WaitQueue) { k.Call(q, Wake) }

// WakeUpAll is wake_up_all().
func WakeUpAll(k *cpus.Thread, q *WaitQueue) { k.Call(q, WakeAll) }
