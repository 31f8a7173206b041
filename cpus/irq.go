package cpus

import (
	"slices"

	"smpsim/des"
)

// frame is a handler on a CPU: what it interrupts stays below it.
type frame struct {
	// irq is whose handler it is, nil for the timer tick's.
	irq *Interrupt
	// ends is when a handler without a program is over, or one with a program begins it;
	// how long the rest of the former takes, while another is on top of it.
	ends des.Time
	// kept is the mode that the handler has displaced.
	kept Mode
}

// program returns the task that runs the frame's handler, nil if it has no program.
func (f *frame) program() *Task {
	if f.irq == nil {
		return nil
	}
	return f.irq.handler
}

// top returns the task whose ops the CPU performs: its own, or that of a handler; nil
// in idleness and in a handler without a program.
func (c *CPU) top() *Task {
	if c.depth > 0 {
		return c.frames[c.depth-1].program()
	}
	return c.curr
}

// tickTimer is the CPU as the process of its periodic timer.
type tickTimer CPU

// Step takes a tick.
func (t *tickTimer) Step(s *des.Sim, _ des.ID) {
	c := (*CPU)(t)
	m := c.machine
	m.noise--
	if m.hopeless() {
		s.Stop()
		return
	}
	m.armTick(c)
	c.tickPending = true
	m.raise(c, irqPending)
}

// hopeless reports whether only events are left that wake nobody: whoever waits,
// waits for ever.
func (m *Machine) hopeless() bool { return m.Sim.Waiting() == m.noise }

// armTick schedules the next tick of a busy CPU; an idle one takes none.
func (m *Machine) armTick(c *CPU) {
	if m.period == 0 {
		return
	}
	now := m.Sim.Now()
	next := now - (now-c.tickPhase)%m.period
	for next <= now {
		next += m.period
	}
	m.Sim.Schedule(c.tick, next)
	m.noise++
}

func (m *Machine) stopTick(c *CPU) {
	c.tickPending = false
	if len(c.hard) == 0 {
		c.attention &^= irqPending
	}
	if m.period > 0 && m.Sim.Pending(c.tick) {
		m.Sim.Cancel(c.tick)
		m.noise--
	}
}

// raise notes that an interrupt waits for c, and lets it come if it can now: while
// the CPU idles, a handler without a program runs, or a task computes or spins. Elsewhere the
// next boundary between ops is at most one memory access away.
func (m *Machine) raise(c *CPU, what attention) {
	c.attention |= what
	if c.switching {
		return
	}
	if t := c.top(); t == nil || t.state == SpinState || t.computing() {
		m.interrupt(c)
	}
}

// computing reports whether t is inside an op that can be cut in two.
func (t *Task) computing() bool {
	return t.inOp && t.state == Running && (t.op.Kind == Compute || t.op.Kind == Walk) && t.machine.Sim.Pending(t.id)
}

// pause cuts the op of a computing task; what is left of it is its rest.
func (m *Machine) pause(t *Task) {
	// With slack, an op's end may be due and not have come.
	t.end = max(0, t.end-m.Sim.Now())
	t.parked = true
	m.Sim.Cancel(t.id)
}

// interrupt lets the first interrupt that waits for c come, and reports whether one
// may now. Hardirqs do not interrupt each other; softirqs interrupt tasks alone, and
// none that has bottom halves off.
func (m *Machine) interrupt(c *CPU) bool {
	if c.irqOff > 0 || c.inHard {
		return false
	}
	switch {
	case c.tickPending:
		c.tickPending = false
		m.begun(c, irqPending, len(c.hard))
		m.beginIRQ(c, nil)
	case len(c.hard) > 0:
		irq := c.hard[0]
		c.hard = slices.Delete(c.hard, 0, 1)
		m.begun(c, irqPending, len(c.hard))
		m.beginIRQ(c, irq)
	case len(c.soft) > 0 && c.depth == 0 && c.bhOff == 0:
		irq := c.soft[0]
		c.soft = slices.Delete(c.soft, 0, 1)
		m.begun(c, softPending, len(c.soft))
		m.beginIRQ(c, irq)
	default:
		return false
	}
	return true
}

// begun clears the CPU's note of interrupts of a kind if none of them is left.
func (m *Machine) begun(c *CPU, what attention, left int) {
	if left == 0 {
		c.attention &^= what
	}
}

// beginIRQ lets an interrupt's handler, or the tick's, have the CPU.
func (m *Machine) beginIRQ(c *CPU, irq *Interrupt) {
	now := m.Sim.Now()
	switch t := c.top(); {
	case t != nil && t.computing():
		m.pause(t)
	case t == nil && c.depth > 0:
		if m.Sim.Pending(c.event) { // else another handler has just left it
			m.Sim.Cancel(c.event)
			c.frames[c.depth-1].ends = max(0, c.frames[c.depth-1].ends-now)
		}
	case t == nil:
		m.idle.Remove(int(c.index))
	}
	f := &c.frames[c.depth]
	c.depth++
	*f = frame{irq: irq, kept: c.mode}
	c.inHard = irq == nil || irq.context == Hardirq
	c.setMode(IRQ)
	if irq == nil {
		m.traceCPU(TraceTickEntry, c, -1, 0)
		f.ends = now + m.Costs.Tick
		m.Sim.Schedule(c.event, f.ends)
		return
	}
	m.traceCPU(TraceIRQEntry, c, irq.name, int64(irq.context))
	irq.waits, irq.runs = false, true
	f.ends = now
	if h := irq.handler; h != nil {
		h.cpu, h.state, h.inOp = c, Running, false
	} else {
		f.ends += irq.length.Sample(&irq.stream)
	}
	m.Sim.Schedule(c.event, f.ends)
}

// leaveHandler ends the program of the handler on top, or fails the run if it is not
// at its end but wants to sleep.
func (m *Machine) leaveHandler(c *CPU) {
	h := c.top()
	if h.op.Kind != Exit {
		m.Fail(&Bug{Task: h.Name(), At: m.Sim.Now(), What: "an interrupt handler sleeps"})
		return
	}
	h.state = Unstarted
	m.endIRQ(c)
}

// endIRQ returns from the handler on top: to another that has become possible, to the
// scheduler if the task's time is up, else to what was interrupted.
func (m *Machine) endIRQ(c *CPU) {
	c.depth--
	f := c.frames[c.depth]
	c.inHard = false
	if f.irq == nil {
		m.traceCPU(TraceTickExit, c, -1, 0)
		m.tick(c)
	} else {
		m.traceCPU(TraceIRQExit, c, f.irq.name, int64(f.irq.context))
		f.irq.ended()
	}
	c.setMode(f.kept)
	if c.attention&(irqPending|softPending) != 0 && m.interrupt(c) {
		return
	}
	t := c.top()
	switch {
	case c.depth > 0 && t == nil:
		below := &c.frames[c.depth-1]
		below.ends += m.Sim.Now()
		m.Sim.Schedule(c.event, below.ends)
	case t == nil:
		m.schedule(c)
	case c.depth == 0 && c.attention&needResched != 0 && t.state == Running && c.preemptible():
		m.preempt(c)
	default:
		m.resume(t)
	}
}

// tick is the scheduler's part of the timer tick.
func (m *Machine) tick(c *CPU) {
	c.charge()
	if c.queue.tick(c.curr) {
		c.attention |= needResched
	}
	if m.fair {
		m.balance(c)
	}
}

func (m *Machine) traceCPU(kind TraceKind, c *CPU, name NameID, arg int64) {
	if m.tracer != nil {
		m.tracer.Trace(TraceEvent{At: m.Sim.Now(), Arg: arg, Kind: kind, CPU: c.index, Task: c.taskID(), Name: name})
	}
}
