package cpus

import (
	"fmt"

	"smpsim/des"
)

// Context says what a handler may come between.
type Context uint8

// Contexts of handlers.
const (
	// Hardirq handlers come into tasks and softirqs, while interrupts are enabled.
	Hardirq Context = iota + 1
	// Softirq handlers come into tasks, while bottom halves are enabled, too; on a CPU
	// that is in an interrupt they come at its end.
	Softirq
)

func (c Context) String() string { return [...]string{"invalid", "hardirq", "softirq"}[c] }

// InterruptSpec describes a device, or whatever else interrupts a CPU now and then.
type InterruptSpec struct {
	// Name is what traces call the interrupt. With the CPU's number it names the
	// stream from which times are drawn.
	Name    string
	Context Context
	// CPU is the number of the CPU to interrupt. Where Target is set it is that task's
	// instead, whatever runs there when the interrupt comes, from its start to its end.
	CPU    int
	Target *Task
	// Every is the time from one interrupt to the next, and to the first.
	Every des.Dist
	// Limit is how many come; 0 means no end.
	Limit int
	// Length is how long the handler takes, where it is no program.
	Length des.Dist
	// Handler, where set, is the handler's program. It exits when it is over, and is
	// asked for ops again the next time. It may not sleep.
	Handler Behavior
	// Index tells apart handlers of one name, which are Numbered.
	Index    int32
	Numbered bool
}

// Interrupt is a source of interrupts. One that comes while the last still waits to
// be handled is lost, as on a line that is asserted already.
type Interrupt struct {
	machine *Machine
	cpu     *CPU
	target  *Task
	handler *Task
	id      des.ID
	name    NameID
	context Context
	// waits says that it has come and is not being handled; runs, that it is being
	// handled; again, that it has to come once more after that.
	waits, runs, again bool
	every, length      des.Dist
	left               int
	stream             des.Stream
}

// AddInterrupt lets interrupts come from now on. It panics if the spec makes no sense;
// callers check what users give.
func (m *Machine) AddInterrupt(spec *InterruptSpec) *Interrupt {
	every, fixed := spec.Every.Fixed()
	if fixed && every <= 0 || spec.Context != Hardirq && spec.Context != Softirq ||
		spec.CPU < 0 || spec.CPU >= len(m.cpus) || spec.Limit < 0 {
		panic(fmt.Sprintf("cpus: interrupt %s every %v in context %d on CPU %d of %d", spec.Name, every, spec.Context, spec.CPU, len(m.cpus)))
	}
	i := &Interrupt{
		machine: m, cpu: &m.cpus[spec.CPU], target: spec.Target, name: m.Intern(spec.Name), context: spec.Context,
		every: spec.Every, length: spec.Length, left: spec.Limit,
	}
	stream := "interrupt/" + spec.Name + "/" + itoa(spec.CPU)
	if spec.Target != nil {
		stream = "interrupt/" + spec.Name + "/" + spec.Target.Name()
	}
	i.stream = *m.Sim.Stream(stream)
	if spec.Handler != nil {
		i.handler = m.NewTask(&TaskSpec{Name: spec.Name, Behavior: spec.Handler, Kthread: true, Index: spec.Index, Numbered: spec.Numbered})
		i.handler.mode = IRQ
	}
	i.id = m.Sim.Spawn(i)
	i.arm()
	return i
}

// Handler returns the task that runs the handler's program, nil if it has none.
func (i *Interrupt) Handler() *Task { return i.handler }

// arm schedules the next interrupt.
func (i *Interrupt) arm() {
	m := i.machine
	m.Sim.Schedule(i.id, m.Sim.Now()+i.every.Sample(&i.stream))
	if i.handler == nil {
		m.noise++
	}
}

// Step lets the interrupt come.
func (i *Interrupt) Step(s *des.Sim, _ des.ID) {
	m := i.machine
	if i.handler == nil {
		m.noise--
		if m.hopeless() {
			s.Stop()
			return
		}
	}
	if i.target != nil {
		if i.target.state == Dead {
			return
		}
		if i.target.state == Unstarted {
			i.arm()
			return
		}
		i.cpu = i.target.cpu
	}
	if i.left != 1 {
		i.left = max(i.left-1, 0)
		i.arm()
	}
	i.come()
}

// come has the CPU handle the interrupt as soon as it can.
func (i *Interrupt) come() {
	switch {
	case i.waits:
	case i.runs && i.handler != nil && i.handler.cpu != i.cpu:
		i.again = true // Its program is still busy where its target was before.
	default:
		i.waits = true
		c := i.cpu
		if i.context == Hardirq {
			c.hard = append(c.hard, i)
			i.machine.raise(c, irqPending)
		} else {
			c.soft = append(c.soft, i)
			i.machine.raise(c, softPending)
		}
	}
}

// ended notes the end of the handler.
func (i *Interrupt) ended() {
	i.runs = false
	if i.again {
		i.again = false
		i.come()
	}
}
