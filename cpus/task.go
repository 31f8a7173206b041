package cpus

import "smpsim/des"

// State says what a task is doing.
type State uint8

// States of a task.
const (
	// Unstarted tasks wait for Start.
	Unstarted State = iota + 1
	// Runnable tasks wait in a run queue.
	Runnable
	// Running tasks have a CPU and are inside or between operations.
	Running
	// SpinState tasks have a CPU and wait on it for a resume.
	SpinState
	// Asleep tasks wait for a wake-up or their timer.
	Asleep
	// Dead tasks have exited.
	Dead
)

func (s State) String() string {
	return [...]string{"invalid", "unstarted", "runnable", "running", "spinning", "asleep", "dead"}[s]
}

// Task is something the scheduler can run: a user thread inside a system call,
// a kernel thread.
type Task struct {
	// What every event touches comes first. A simulation of 100,000 tasks holds
	// as many of them, so each field counts.

	state State
	// Phase, and Data below, belong to the primitive that the task's op is on.
	Phase uint8
	// inOp says that the task is inside an op rather than between two.
	inOp bool
	// held says that op is the next one, handed out already, while the CPU is seen
	// to first.
	held bool
	// begun says that a Thread has begun the op that Next returned, and that end is
	// how it goes on.
	begun bool
	// fired says that the task's event came while an interrupt had its CPU.
	fired bool
	// mode is what its CPU is in outside user space: Kernel, or IRQ for a handler.
	mode Mode
	// parked says that the task left its CPU inside an op that computes; end is
	// then how long the rest of it takes.
	parked  bool
	kthread bool
	// joinable says that somebody may start or join it.
	joinable bool
	preempt  int16
	id       des.ID
	cpu      *CPU
	op       *Op
	behavior Behavior
	machine  *Machine
	// end is when the present phase of the op ends.
	end des.Time

	// A and B are the operands of the task's current op, Result the value of
	// its last.
	A, B, Result int64
	Data         int64
	// Next links tasks in the queue of the primitive they wait on.
	Next *Task
	// began is when the current wait (contention, sleep) began.
	began  des.Time
	stream des.Stream

	policy taskPolicy
	// ran is the time the task has had a CPU, up to the last charge.
	ran     des.Time
	allowed *CPUSet
	// joins is the last of the tasks that wait for this one's end, which are a ring.
	joins *Task
	spec  *TaskSpec
	mm    int32
	index int32
}

// TaskSpec describes a task, or several that differ by index alone.
type TaskSpec struct {
	// Name is what reports call the task.
	Name string
	// Behavior hands out its operations. Tasks need one each.
	Behavior Behavior
	// Kthread tasks may wait for ever: a run ends without them.
	Kthread bool
	// Background tasks are not waited for either, but are no kernel threads.
	Background bool
	// Class is the scheduling class. RTPriority is the priority of a real-time one, 1
	// to 99, a higher number going first; 0 for others. Nice is the niceness of a fair
	// one, -20 to 19.
	Class      Class
	RTPriority int
	Nice       int
	// MM identifies the address space: switching between equal ones, or to or
	// from a kernel thread, is a thread switch, else a process switch.
	MM int32
	// CPUs are the CPUs the task may run on; nil means all.
	CPUs *CPUSet
	// Index tells apart tasks of one name.
	Index int32
	// Numbered tasks have their index in their name.
	Numbered bool
	// OnSleep, where set, is called whenever the task leaves its CPU to wait,
	// before the CPU looks for another: a worker's pool has to know.
	OnSleep func(t *Task)
}

// Machine returns the machine that t runs on.
func (t *Task) Machine() *Machine { return t.machine }

// State returns what t is doing.
func (t *Task) State() State { return t.state }

// CPU returns the CPU that t runs on or ran on last; nil before its start.
func (t *Task) CPU() *CPU { return t.cpu }

// Op returns the operation that t is in, or did last.
func (t *Task) Op() *Op { return t.op }

// Index returns the task's number among those of its name.
func (t *Task) Index() int32 { return t.index }

// ID returns a small number that no other live task of the machine has.
func (t *Task) ID() int32 { return int32(t.id) }

// Kthread reports whether t is a kernel thread.
func (t *Task) Kthread() bool { return t.kthread }

// Began returns when the task's current or last wait began, as [Task.BeginWait] noted it.
func (t *Task) Began() des.Time { return t.began }

// BeginWait notes that the task begins to wait now.
func (t *Task) BeginWait() { t.began = t.machine.Sim.Now() }

// Name returns the task's name, with its index where it has siblings.
func (t *Task) Name() string {
	if t.spec.Numbered {
		return t.spec.Name + "[" + itoa(int(t.index)) + "]"
	}
	return t.spec.Name
}

// Ran returns how long t has had a CPU so far, interrupts on it included: the
// kernel's sum_exec_runtime.
func (t *Task) Ran() des.Time {
	if c := t.cpu; c != nil && c.curr == t && !c.switching {
		return t.ran + t.machine.Sim.Now() - c.ranFrom
	}
	return t.ran
}

// PreemptDisable keeps t on its CPU until the matching PreemptEnable, as a
// held spinlock does.
func (t *Task) PreemptDisable() { t.preempt++ }

// PreemptEnable undoes one PreemptDisable. A pending reschedule happens before
// the task's next op.
func (t *Task) PreemptEnable() {
	t.preempt--
	if t.preempt < 0 {
		panic("cpus: preempt count of " + t.Name() + " below zero")
	}
}

// PreemptCount returns how many reasons t has not to be preempted.
func (t *Task) PreemptCount() int { return int(t.preempt) }
