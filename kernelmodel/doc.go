// Package kernelmodel holds the kernel objects that tasks meet at: spinlocks,
// mutexes, semaphores, reader-writer locks, seqlocks, wait queues, completions,
// work queues and counters.
//
// # Use
//
// Each object is a [cpus.Primitive]. A program calls its operations by number,
// which ops.go and spinlock.go list; a model in Go calls functions:
//
//	l := kernelmodel.NewSpinlock(m, "unix_gc_lock", "qspinlock")
//	m.NewThread(spec, func(k *cpus.Thread) {
//		kernelmodel.SpinLock(k, l)
//		k.Run(des.Microsecond)
//		kernelmodel.SpinUnlock(k, l)
//	})
//
// # Invariants
//
//   - An operation is a state machine that the machine runs on behalf of a task:
//     waiting costs no coroutine switch, and in steady state nothing is allocated.
//   - Time comes from the cache lines that an operation touches, and from waking
//     tasks; no object has a cost of its own.
//   - A waker pays for each task that really slept; under which lock, if any, is
//     the kernel's choice.
//   - What sleeps must not be called with preemption off; it and other misuse
//     ends the run with a [cpus.Bug].
//   - The spinlock inside another object, and the lock of a work queue's pool, are
//     innermost: nothing is taken below them.
//
// Read spinlock.go for what all spinlocks share and spin_*.go for the
// protocols; nested.go and waitlist.go for how the sleeping objects are built;
// workqueue.go, then workpool.go, worker.go and work*.go, for work items. The
// scripts in testdata show each rule at work.
package kernelmodel
