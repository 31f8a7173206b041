// Package kernelmodel holds the kernel objects that tasks meet at: spinlocks,
// mutexes, wait queues, work items and counters.
//
// Each is a [cpus.Primitive]: a state machine that the machine runs on behalf
// of a task, so that waiting for a lock costs no coroutine switch. Time comes
// from the cache lines that an operation touches; no kind of lock has a cost of
// its own.
//
// Lock order of the models themselves: a task holds its locks while it waits
// for the next; nothing here takes a lock on its own but the pool lock of a
// workqueue, which is innermost.
//
// Read spinlock.go for what all spinlocks share and spin_*.go for the
// protocols, workqueue.go for work items.
package kernelmodel
