package cpus

import (
	"fmt"

	"smpsim/des"
)

// NewTask adds a task, which does nothing before [Machine.Start].
func (m *Machine) NewTask(spec *TaskSpec) *Task {
	spec.check()
	t := &Task{
		machine: m, behavior: spec.Behavior, state: Unstarted, spec: spec,
		mode: Kernel, kthread: spec.Kthread, mm: spec.MM, index: spec.Index, allowed: spec.CPUs,
	}
	t.policy.weight = spec.weight()
	if spec.Class != ClassFair {
		m.classify()
	}
	t.id = m.Sim.Spawn(t)
	t.stream = *m.Sim.Stream("task/" + t.Name())
	m.tasks = append(m.tasks, t)
	if m.script != nil {
		m.script.enlist(t)
	}
	return t
}

// Start lets t run from now on.
func (m *Machine) Start(t *Task) {
	if m.enlist(t) {
		m.place(t)
	}
}

// StartAt lets t run from at on.
func (m *Machine) StartAt(t *Task, at des.Time) {
	if m.enlist(t) {
		m.Sim.Schedule(t.id, at)
	}
}

// awaited reports whether a run waits for t's end.
func (t *Task) awaited() bool { return !t.kthread && !t.spec.Background }

func (m *Machine) enlist(t *Task) bool {
	if t.state != Unstarted {
		return false
	}
	if t.awaited() {
		m.alive++
	}
	return true
}

// Resume gives a spinning task its turn at time at: its op goes on then.
func (m *Machine) Resume(t *Task, at des.Time) {
	if t.state != SpinState {
		panic(fmt.Sprintf("cpus: resume of %s, which is %v", t.Name(), t.state))
	}
	m.Sim.Schedule(t.id, at)
}

// Wake makes a blocked task runnable. It does nothing if t is not asleep. The
// waker's own time, Costs.WakeWaker, is the caller's to charge.
func (m *Machine) Wake(t *Task) {
	if t.state != Asleep {
		return
	}
	m.Sim.Cancel(t.id)
	m.enqueue(t, m.selectCPU(t), m.Costs.WakeIdle)
}

func (t *Task) mask() CPUSet {
	if t.allowed != nil {
		return *t.allowed
	}
	return t.machine.all
}

// enqueue makes t runnable on c, which takes it up after latency if it is idle.
func (m *Machine) enqueue(t *Task, c *CPU, latency des.Time) {
	t.state = Runnable
	if t.cpu == nil {
		t.cpu = c
	}
	m.Trace(TraceSchedWakeup, t, -1, int64(c.index))
	m.hand(t, c, latency)
}

// hand gives c a task that is runnable and in no queue.
func (m *Machine) hand(t *Task, c *CPU, latency des.Time) {
	switch {
	case m.script != nil:
		c.queue.push(t)
		m.queued++
		m.stage(latency)
	case c.curr != nil:
		c.charge()
		m.wait(t, c)
	case c.depth > 0: // An interrupt has come to an idle CPU: it will look when that is over.
		c.queue.place(t)
		c.queue.push(t)
		m.queued++
	default:
		m.leaveIdle(c)
		c.queue.place(t)
		m.switchTo(c, t, latency)
	}
}

// wait puts t in the queue of c, which is busy and may be taken for it.
func (m *Machine) wait(t *Task, c *CPU) {
	c.queue.place(t)
	c.queue.push(t)
	m.queued++
	if c.queue.preempts(c.curr, t) {
		m.reschedule(c)
	}
}

// reschedule has c pick again as soon as its task can be preempted.
func (m *Machine) reschedule(c *CPU) {
	if c.gives() {
		m.preempt(c)
		return
	}
	c.attention |= needResched
}

// preempt takes the CPU from its task, which stays runnable.
func (m *Machine) preempt(c *CPU) {
	t := c.curr
	if t.computing() {
		m.pause(t)
	}
	c.charge()
	t.state = Runnable
	c.queue.push(t)
	m.queued++
	m.schedule(c)
	if c.curr != t {
		m.offer(t, c)
	}
}

// block takes the CPU from a task that waits or has exited.
func (m *Machine) block(t *Task) {
	c := t.cpu
	if t.mode == IRQ {
		m.leaveHandler(c)
		return
	}
	c.charge()
	c.queue.leave(t)
	if t.state != Dead {
		t.state = Asleep
		if t.spec.OnSleep != nil {
			t.spec.OnSleep(t)
		}
	}
	m.schedule(c)
}

// schedule gives the CPU to the next task of its queue, to one it pulls from
// another CPU's queue, or leaves it idle.
func (m *Machine) schedule(c *CPU) {
	c.attention &^= needResched
	if c.curr != nil {
		c.last = c.curr
	}
	next := m.pullUrgent(c)
	if next == nil {
		if next = c.queue.pop(); next != nil {
			m.queued--
		} else {
			next = m.pull(c)
		}
	}
	if next != nil {
		if c.curr == nil {
			m.leaveIdle(c)
		}
		m.switchTo(c, next, m.switchCost(c, next))
	} else {
		c.curr = nil
		m.enterIdle(c)
	}
	switch {
	case m.script != nil:
		m.stage(m.Costs.WakeIdle)
	case m.urgent > 0:
		m.pushUrgent(c)
	}
}

// switchCost is the price of a context switch on c: dearer where the address space
// changes. Kernel threads borrow the one they find, so that going back to it is cheap.
func (m *Machine) switchCost(c *CPU, next *Task) des.Time {
	switch {
	case next == c.curr:
		return 0
	case next.kthread || next.mm == c.mm:
		return m.Costs.SwitchThread
	default:
		return m.Costs.SwitchProcess
	}
}

// switchTo has c change over to t, which takes cost.
func (m *Machine) switchTo(c *CPU, t *Task, cost des.Time) {
	c.curr = t
	t.cpu = c
	if !t.kthread {
		c.mm = t.mm
	}
	c.switching = true
	c.setMode(Switch)
	m.Sim.Schedule(c.event, m.Sim.Now()+cost)
}

// endSwitch starts the task that the CPU has changed over to.
func (m *Machine) endSwitch(c *CPU) {
	c.switching = false
	t := c.curr
	t.state = Running
	c.ranFrom = m.Sim.Now()
	if m.tracer != nil {
		prev := int64(-1)
		if c.last != nil {
			prev = int64(c.last.id)
		}
		m.Trace(TraceSchedSwitch, t, -1, prev)
	}
	if c.attention != 0 && (t.parked || !t.inOp) && m.attend(t) {
		return
	}
	m.resume(t)
}

// resume lets the task that has the CPU go on where it stopped.
func (m *Machine) resume(t *Task) {
	c := t.cpu
	switch {
	case t.parked:
		t.parked = false
		mode := t.mode
		if t.op.User && mode == Kernel {
			mode = User
		}
		c.setMode(mode)
		t.end += m.Sim.Now()
		m.Sim.Schedule(t.id, t.end)
	case t.state == SpinState:
		if !t.fired {
			return
		}
		t.fired = false
		t.state = Running
		c.setMode(t.mode)
		m.proceed(t, m.commit(t))
	case t.inOp:
		c.setMode(t.mode)
		m.proceed(t, m.commit(t))
	default:
		m.advance(t)
	}
}

// exit ends t and wakes those who wait for its end.
func (m *Machine) exit(t *Task) {
	if t.mode == IRQ {
		return // A handler comes again.
	}
	t.state = Dead
	for t.joins != nil {
		first := t.joins.Next
		if t.joins.Next = first.Next; first == t.joins {
			t.joins = nil
		}
		first.Next = nil
		m.Wake(first)
	}
	if t.awaited() {
		m.alive--
		if m.alive == 0 {
			m.Sim.Stop()
		}
	}
}

func (m *Machine) enterIdle(c *CPU) {
	m.idle.Add(int(c.index))
	m.stopTick(c)
	c.setMode(Idle)
	if c.attention&(irqPending|softPending) != 0 {
		m.interrupt(c)
	}
}

func (m *Machine) leaveIdle(c *CPU) {
	m.idle.Remove(int(c.index))
	m.armTick(c)
}

// charge tells the policy what the current task has run since it was last told.
func (c *CPU) charge() {
	now := c.machine.Sim.Now()
	if t := c.curr; t != nil && !c.switching {
		t.ran += now - c.ranFrom
		c.queue.charge(t, now-c.ranFrom)
	}
	c.ranFrom = now
}
