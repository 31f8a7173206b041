package explore

import (
	"smpsim/cpus"
	"smpsim/workloads"
)

// agent is the part of an agent that changes.
type agent struct {
	// a and b are the operands of its operation; b also keeps what a plain add has
	// read, and of a wait how many wake-ups it has still to answer with a test.
	a, b int64
	// left is how many runs a flush still waits for, how often a handler may still come.
	left int64
	// op is the operation that it is at, and pc where the program goes on behind it.
	op, pc int32
	// need is the cell that its gate looks at.
	need   int32
	gate   gate
	phase  uint8
	status status
	// masked are the interrupts that were off when it stopped for another to let it go
	// on. A handler that has interrupted it since changes those of the CPU.
	masked mask
}

// status says what an agent is about.
type status uint8

const (
	statusUnstarted status = iota
	// statusReady: its operation is its next step.
	statusReady
	// statusAsleep: it sleeps on a wait queue, in its operation.
	statusAsleep
	// statusJoining: it waits for the end of the task that its operation joins.
	statusJoining
	// statusSettling: it waits for its CPU's store buffer, to start or join a task or
	// to end.
	statusSettling
	// statusIdle: a work item that does not run, a handler that has not come, a buffer.
	statusIdle
	statusEnded
	// statusHalted: its program goes round without an operation.
	statusHalted
)

// gate is what an agent's operation needs to be possible, apart from what the CPU
// and its store buffer have to say.
type gate uint8

const (
	gateShut gate = iota
	gateOpen
	// gateFree and gatePositive: the cell is zero, is above zero.
	gateFree
	gatePositive
	// gateAsk: see passes.
	gateAsk
)

// opKind says what an operation does.
type opKind uint8

const (
	opHalt opKind = iota // of a program that goes round without an operation
	// These are no steps.
	opQuiet
	opExit
	opStart
	opJoin

	opRead
	opWrite
	opAdd // plain: a read and a write
	opModify
	opFence
	opSpin

	opLock
	opUnlock
	opTryLock
	opReadLock
	opReadUnlock
	opWriteLock
	opWriteUnlock
	opSeqLock
	opSeqUnlock
	opReadBegin
	opReadRetry
	opTake // a unit of a semaphore or an event
	opGive
	opMask // irq_off, bh_off
	opUnmask

	opQueue
	opFlush
	opCancel
	opWait
	opSleepOn
	opWake

	// What agents do that are no tasks.
	opRun
	opArrive
	opDrain
)

// op is an operation of an agent, with what it touches.
type op struct {
	kind   opKind
	gate   gate
	modify cpus.Kind
	// mask is what it does to the interrupts of its CPU.
	mask mask
	// sleeps: it may sleep, whether or not it then does.
	sleeps bool
	// locked operations wait for the CPU's store buffer; buffered ones go through it.
	// Those that follow a start or a join settle: that has waited for the buffer.
	locked, buffered, settles bool
	// cell is the first of what it works on, class its number among locks.
	cell  int32
	class int32
	// other is the agent that it starts or joins, or the work item's.
	other int32
	agent int32
	// number is its place among all operations.
	number int32
	label  int32
	// steps are what it does as a step, by phase; failed is what a try that failed has
	// done, drain what its store does when it leaves the buffer.
	steps  [3]Step
	failed Step
	drain  Step
	source *workloads.ExploredOp
}

// mask is a set of interrupts: those that an operation masks or unmasks, which is one
// kind at most, or those that are off.
type mask uint8

const (
	maskIRQ mask = 1 << iota
	maskBH
)

// role says what kind of agent it is.
type role uint8

const (
	roleTask role = iota
	roleHandler
	roleWork
	roleBuffer
)

// who is the part of an agent that does not change.
type who struct {
	name     string
	role     role
	instance *workloads.Instance
	// first is the number of its first operation, idle that of the one it is at
	// while it is idle.
	first, idle int32
	cpu         int32
	kthread     bool
	manual      bool
	// hard handlers are those of hardirqs. A handler interrupts target, and comes
	// arrivals times at most.
	hard     bool
	target   int32
	arrivals int64
	// object is a work item's number, program a task's.
	object  int
	program *workloads.Program
	index   int
}

// rank orders what interrupts each other on a CPU.
func (w *who) rank() int {
	switch {
	case w.role != roleHandler:
		return 0
	case !w.hard:
		return 1
	default:
		return 2
	}
}

// done is what the last Do has done, for Describe.
type done struct {
	agent int32
	op    int32
	phase uint8
	// value is what was read, written or returned.
	value int64
}
