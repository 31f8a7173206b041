package cpus

import (
	"fmt"

	"smpsim/des"
)

// Mode is what a CPU is doing, for its accounts and its timeline.
type Mode uint8

// Modes of a CPU.
const (
	Idle Mode = iota
	User
	Kernel
	Spin
	IRQ
	Switch
	Modes // how many there are
)

func (m Mode) String() string {
	return [...]string{"idle", "user", "kernel", "spin", "irq", "switch"}[m]
}

// CPU is one virtual processor.
type CPU struct {
	machine *Machine
	queue   runQueue
	// classes is queue, where it tells classes apart; nil before.
	classes *classQueue
	// curr is the task that has the CPU, or is being switched to.
	curr *Task
	// last is the task that had the CPU before.
	last *Task
	// since is when mode was entered, or last accounted.
	since    des.Time
	accounts [Modes]des.Time
	// ranFrom is the start of curr's run that its policy has not been told of.
	ranFrom des.Time
	// drained is when the stores issued so far are visible.
	drained des.Time
	// buffered are the times at which the stores in the buffer become visible, a ring.
	buffered       [storeBuffer]des.Time
	oldest, stores int32
	tickPhase      des.Time
	place          place
	event          des.ID
	tick           des.ID
	irqOff         int32
	bhOff          int32
	// mm is the address space that the CPU has, the last one of a task's.
	mm        int32
	index     int16
	mode      Mode
	switching bool
	attention attention
	// depth is how many handlers are on the CPU, one on top of the other: frames says
	// which. inHard says that the top one is a hardirq's.
	depth  uint8
	inHard bool
	frames [2]frame
	// tickPending says that a tick waits to be taken, hard and soft which interrupts do.
	tickPending bool
	hard, soft  []*Interrupt
	// balanceAt is when the CPU next looks for work at each distance.
	balanceAt [distances]des.Time
}

// attention is what a CPU has to see to before its task's next op.
type attention uint8

const (
	irqPending attention = 1 << iota
	softPending
	needResched
)

// Index returns the CPU's number.
func (c *CPU) Index() int { return int(c.index) }

// Socket returns the number of the CPU's socket.
func (c *CPU) Socket() int { return c.place.socket }

// LLC returns the number of the CPU's last-level cache.
func (c *CPU) LLC() int { return c.place.llc }

// Current returns the task that has the CPU, or nil.
func (c *CPU) Current() *Task { return c.curr }

// Mode returns what the CPU is doing.
func (c *CPU) Mode() Mode { return c.mode }

// Account returns the time spent in a mode until the last change of mode, or
// until the end of the run.
func (c *CPU) Account(m Mode) des.Time { return c.accounts[m] }

// Drained returns when every store the CPU has issued so far is visible.
func (c *CPU) Drained() des.Time { return c.drained }

// IRQDisable masks interrupts on the CPU until the matching IRQEnable. A tick
// that comes meanwhile is taken then.
func (c *CPU) IRQDisable() { c.irqOff++ }

// IRQEnable undoes one IRQDisable. Without one it fails the run.
func (c *CPU) IRQEnable() { c.unmask(&c.irqOff, "interrupts") }

// BHDisable keeps bottom halves off the CPU until the matching BHEnable.
func (c *CPU) BHDisable() { c.bhOff++ }

// BHEnable undoes one BHDisable. Without one it fails the run.
func (c *CPU) BHEnable() { c.unmask(&c.bhOff, "bottom halves") }

func (c *CPU) unmask(depth *int32, what string) {
	if *depth > 0 {
		*depth--
		return
	}
	bug := &Bug{At: c.machine.Sim.Now(), What: fmt.Sprintf("%s of CPU %d enabled that were not off", what, c.index)}
	if c.curr != nil {
		bug.Task = c.curr.Name()
	}
	c.machine.Fail(bug)
}

// preemptible reports whether the CPU may be taken from its task: not while that
// has forbidden it, nor with interrupts or bottom halves off.
func (c *CPU) preemptible() bool {
	return c.curr.preempt == 0 && c.irqOff == 0 && c.bhOff == 0
}

// gives reports whether the CPU can be taken from its task at this instant.
func (c *CPU) gives() bool {
	return c.curr != nil && c.depth == 0 && !c.switching && c.preemptible() && c.curr.computing()
}

// Atomic reports whether the CPU is where it must not sleep: in a handler, or in a
// task that has preemption, bottom halves or interrupts off.
func (c *CPU) Atomic() bool { return c.depth > 0 || !c.preemptible() }

// account adds the time since the last call to the present mode's account.
func (c *CPU) account() {
	now := c.machine.Sim.Now()
	c.accounts[c.mode] += now - c.since
	c.since = now
}

func (c *CPU) setMode(mode Mode) {
	if c.mode == mode {
		return
	}
	c.account()
	c.mode = mode
	if m := c.machine; m.tracer != nil {
		m.tracer.Trace(TraceEvent{At: c.since, Arg: int64(mode), Kind: TraceMode, CPU: c.index, Task: c.taskID(), Name: -1})
	}
}

func (c *CPU) taskID() int32 {
	if c.curr == nil {
		return -1
	}
	return int32(c.curr.id)
}

// cpuTimer is the CPU as the process whose event ends a context switch, or an
// interrupt's handler, or begins the program of one; it is never in two of these, since a
// switch masks interrupts.
type cpuTimer CPU

// Step ends what the CPU was in.
func (t *cpuTimer) Step(*des.Sim, des.ID) {
	c := (*CPU)(t)
	switch {
	case c.depth == 0:
		c.machine.endSwitch(c)
	case c.top() != nil:
		c.machine.advance(c.top())
	default:
		c.machine.endIRQ(c)
	}
}
