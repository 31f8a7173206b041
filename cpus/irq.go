package cpus

import "smpsim/des"

// tickTimer is the CPU as the process of its periodic timer.
type tickTimer CPU

// Step takes a tick.
func (t *tickTimer) Step(s *des.Sim, _ des.ID) {
	c := (*CPU)(t)
	m := c.machine
	m.ticks--
	if m.Sim.Waiting() == m.ticks {
		// Only ticks are left, and a tick wakes nobody: whoever waits, waits for ever.
		s.Stop()
		return
	}
	m.armTick(c)
	if c.switching || c.inIRQ || c.irqOff > 0 || !c.interruptible() {
		c.attention |= irqPending
		return
	}
	m.beginIRQ(c)
}

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
	m.ticks++
}

func (m *Machine) stopTick(c *CPU) {
	if m.period > 0 && m.Sim.Pending(c.tick) {
		m.Sim.Cancel(c.tick)
		m.ticks--
	}
}

// interruptible reports whether the task on the CPU is where an interrupt can
// come in: computing or spinning. Elsewhere the next op boundary is at most one
// memory access away.
func (c *CPU) interruptible() bool {
	t := c.curr
	return t != nil && (t.state == SpinState || t.computing())
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

// beginIRQ lets the timer interrupt take the CPU.
func (m *Machine) beginIRQ(c *CPU) {
	c.attention &^= irqPending
	if c.curr.computing() {
		m.pause(c.curr)
	}
	c.inIRQ = true
	c.kept = c.mode
	c.setMode(IRQ)
	m.traceCPU(TraceTickEntry, c)
	m.Sim.Schedule(c.event, m.Sim.Now()+m.Costs.Tick)
}

// endIRQ returns from the handler: to the scheduler if the task's time is up,
// else to the task.
func (m *Machine) endIRQ(c *CPU) {
	c.inIRQ = false
	m.traceCPU(TraceTickExit, c)
	t := c.curr
	c.charge()
	if c.queue.len() > 0 && c.queue.expired(t) {
		c.attention |= needResched
	}
	c.setMode(c.kept)
	if c.attention&needResched != 0 && t.state == Running && c.preemptible() {
		m.preempt(c)
		return
	}
	m.resume(t)
}

func (m *Machine) traceCPU(kind TraceKind, c *CPU) {
	if m.tracer != nil {
		m.tracer.Trace(TraceEvent{At: m.Sim.Now(), Kind: kind, CPU: c.index, Task: c.taskID(), Name: -1})
	}
}
