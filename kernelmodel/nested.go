package kernelmodel

import "smpsim/cpus"

// Most primitives here have a spinlock inside, always the innermost one. An
// operation of theirs is a row of stages, one after another, some of which are
// the spinlock's own operations. Between stages the task's operands, which
// these operations do not take, keep the place: A is the stage, B the number of
// a record that the primitive has for the task. Phase and Data are the
// spinlock's.

// The inner spinlock's operations, as it is handed them.
var (
	lockCall      = cpus.Op{Kind: cpus.Call, Sub: Lock}
	unlockCall    = cpus.Op{Kind: cpus.Call, Sub: Unlock}
	lockIRQCall   = cpus.Op{Kind: cpus.Call, Sub: LockIRQ}
	unlockIRQCall = cpus.Op{Kind: cpus.Call, Sub: UnlockIRQ}
)

// maySleep reports whether t is in a place where it may sleep; where it is not,
// the run has failed. The kernel's might_sleep() complains likewise, whether
// or not there would have been anything to wait for.
func maySleep(t *cpus.Task, what string) bool {
	if !t.CPU().Atomic() {
		return true
	}
	m := t.Machine()
	m.Fail(&cpus.Bug{Task: t.Name(), At: m.Sim.Now(), What: what + " may sleep, but preemption, bottom halves or interrupts are off"})
	return false
}

// misused fails the run: t does to what it must not.
func misused(t *cpus.Task, what string) cpus.Until {
	m := t.Machine()
	m.Fail(&cpus.Bug{Task: t.Name(), At: m.Sim.Now(), What: what})
	return cpus.Spinning
}
