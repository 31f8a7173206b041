package cpus

import "smpsim/des"

// Kind says what an [Op] does.
type Kind uint8

// Kinds of operations. The operands of those that take values are the task's A
// and B; the value they return is its Result.
const (
	// Exit ends the task.
	Exit Kind = iota + 1
	// Compute keeps the CPU busy for Dur, or for a sample of Dist.
	Compute
	// Sleep leaves the CPU for Dur, or for a sample of Dist.
	Sleep
	// Load reads Word. The access is marked, as by READ_ONCE.
	Load
	// LoadPlain reads Word without a mark.
	LoadPlain
	// LoadAcquire reads Word; what follows it stays after it.
	LoadAcquire
	// Store writes A to Word. The access is marked, as by WRITE_ONCE.
	Store
	// StorePlain writes A to Word without a mark.
	StorePlain
	// StoreRelease writes A to Word; what precedes it stays before it.
	StoreRelease
	// AddPlain adds A to Word as a load and a store that other CPUs can come
	// between.
	AddPlain
	// AddReturn atomically adds A to Word and returns the new value.
	AddReturn
	// FetchAdd atomically adds A to Word and returns the old value.
	FetchAdd
	// Xchg atomically replaces Word by A and returns the old value.
	Xchg
	// Cmpxchg atomically replaces Word by B if it is A, and returns the old value.
	Cmpxchg
	// IncNotZero atomically increments Word unless it is 0, and returns whether.
	IncNotZero
	// TestAndSet atomically sets Word to 1 and returns the old value.
	TestAndSet
	// FenceFull waits until the CPU's stores are visible to all others.
	FenceFull
	// FenceWrite orders stores among themselves; FenceRead, loads. On this
	// machine both cost nothing.
	FenceWrite
	FenceRead
	// Walk touches A objects of Foot, one after the other.
	Walk
	// Call is an operation on Prim; Sub tells it which.
	Call
	// IRQOff and IRQOn mask and unmask interrupts on the task's CPU; they nest.
	IRQOff
	IRQOn
	// BHOff and BHOn do so for bottom halves.
	BHOff
	BHOn
	// PreemptOff and PreemptOn keep the task on its CPU; they nest.
	PreemptOff
	PreemptOn
	// SharedRead, SharedWrite and SharedUpdate announce an access to Shared, for a
	// machine that is Stepped.
	SharedRead
	SharedWrite
	SharedUpdate
)

// Op is one operation of a task: a description that is shared and never
// changes while the task runs. What varies (operands, result) is in the [Task].
type Op struct {
	Kind Kind
	// User charges the time to user space instead of the kernel.
	User bool
	// Sub selects an operation of Prim.
	Sub uint8
	// Label names the source of the op: the index of a program's step.
	Label int32
	Dur   des.Time
	Dist  *des.Dist
	Word  *Word
	Prim  Primitive
	Foot  *Footprint
	// Shared is what a model in Go is about to touch.
	Shared *Shared
}

// Behavior hands out a task's operations.
type Behavior interface {
	// Next returns the op that t does now, after having looked at t.Result, the
	// value of the last one. The op must stay valid until the following call.
	Next(t *Task) *Op
}

// Until says how an operation in progress goes on: at which time its present
// phase ends, or one of the constants below.
type Until = des.Time

const (
	// Finished means that the op has ended, at this instant.
	Finished Until = -1
	// Spinning means that the task occupies its CPU until [Machine.Resume].
	Spinning Until = -2
	// Blocked means that the task has left its CPU until [Machine.Wake].
	Blocked Until = -3
)

// Primitive is a kernel object with operations of its own. They run on behalf
// of a task, as state machines: a lock that changes hands does not cost its
// model a coroutine switch.
type Primitive interface {
	// Begin starts t's operation op at the present instant.
	Begin(t *Task, op *Op) Until
	// Step goes on with it: the phase that Begin or Step announced has ended,
	// or the task was resumed or woken. t.Phase is the primitive's to use; it is
	// 0 at Begin.
	Step(t *Task, op *Op) Until
	// Name is what reports call the object.
	Name() string
}
