package cpus

import (
	"fmt"

	"smpsim/des"
)

// NewTask adds a task, which does nothing before [Machine.Start].
func (m *Machine) NewTask(spec *TaskSpec) *Task {
	if spec.Nice < -20 || spec.Nice > 19 {
		panic(fmt.Sprintf("cpus: niceness %d of %s", spec.Nice, spec.Name))
	}
	t := &Task{
		machine: m, behavior: spec.Behavior, state: Unstarted, spec: spec,
		kthread: spec.Kthread, mm: spec.MM, index: spec.Index, allowed: spec.CPUs,
	}
	t.policy.weight = weight(spec.Nice)
	t.id = m.Sim.Spawn(t)
	t.stream = *m.Sim.Stream("task/" + t.Name())
	m.tasks = append(m.tasks, t)
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

// place puts a task on its first CPU: an idle one if there is any, else the one
// with the shortest queue. It starts there at once, as one that has always been.
func (m *Machine) place(t *Task) {
	allowed := t.mask()
	best := m.idle.First(allowed)
	if best < 0 {
		for i := range m.cpus {
			if allowed.Has(i) && (best < 0 || m.cpus[i].queue.len() < m.cpus[best].queue.len()) {
				best = i
			}
		}
	}
	m.enqueue(t, &m.cpus[best], 0)
}

// selectCPU picks where a woken task runs: where it ran last if that is idle,
// else the nearest idle CPU, else where it ran last.
func (m *Machine) selectCPU(t *Task) *CPU {
	last, allowed := t.cpu, t.mask()
	if m.idle.Has(int(last.index)) && allowed.Has(int(last.index)) {
		return last
	}
	for d := range distances {
		if near := m.near[d][last.index]; m.idle.Count(near) > 0 {
			if i := m.idle.firstOf(near, allowed); i >= 0 {
				return &m.cpus[i]
			}
		}
	}
	return last
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
	if c.curr == nil {
		m.leaveIdle(c)
		c.queue.place(t)
		m.switchTo(c, t, latency)
		return
	}
	if !c.switching {
		c.charge()
	}
	c.queue.place(t)
	c.queue.push(t)
	m.queued++
	if c.queue.preempts(c.curr, t) {
		m.reschedule(c)
	}
}

// reschedule has c pick again as soon as its task can be preempted.
func (m *Machine) reschedule(c *CPU) {
	if !c.inIRQ && !c.switching && c.preemptible() && c.curr.computing() {
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

// offer lets an idle CPU take t, which was preempted on c and waits there: it may
// be allowed where the task that took its place is not.
func (m *Machine) offer(t *Task, c *CPU) {
	to := m.selectCPU(t)
	if to == c {
		return
	}
	c.queue.steal(wanted{task: t})
	m.queued--
	m.leaveIdle(to)
	to.queue.place(t)
	m.switchTo(to, t, m.Costs.WakeIdle)
}

// block takes the CPU from a task that waits or has exited.
func (m *Machine) block(t *Task) {
	c := t.cpu
	c.charge()
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
	prev := c.curr
	next := c.queue.pop()
	if next != nil {
		m.queued--
	} else {
		next = m.pull(c)
	}
	switch {
	case next == nil:
		c.last, c.curr = prev, nil
		m.enterIdle(c)
	default:
		c.last = prev
		m.switchTo(c, next, m.switchCost(prev, next))
	}
}

// pull looks for a task that waits on another CPU and may run on c.
func (m *Machine) pull(c *CPU) *Task {
	if m.queued == 0 {
		return nil
	}
	for d := range distances {
		near := m.near[d][c.index]
		for i := range m.cpus {
			q := m.cpus[i].queue
			if !near.Has(i) || q.len() == 0 {
				continue
			}
			if t := q.steal(wanted{cpu: c}); t != nil {
				m.queued--
				c.queue.place(t)
				return t
			}
		}
	}
	return nil
}

// switchCost is the price of a context switch: dearer between address spaces.
// Kernel threads borrow the one they find.
func (m *Machine) switchCost(prev, next *Task) des.Time {
	if prev == next {
		return 0
	}
	if prev.kthread || next.kthread || prev.mm == next.mm {
		return m.Costs.SwitchThread
	}
	return m.Costs.SwitchProcess
}

// switchTo has c change over to t, which takes cost.
func (m *Machine) switchTo(c *CPU, t *Task, cost des.Time) {
	c.curr = t
	t.cpu = c
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
		mode := Kernel
		if t.op.User {
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
		c.setMode(Kernel)
		m.proceed(t, m.commit(t))
	case t.inOp:
		c.setMode(Kernel)
		m.proceed(t, m.commit(t))
	default:
		m.advance(t)
	}
}

// exit ends t and wakes those who wait for its end.
func (m *Machine) exit(t *Task) {
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
	c.attention &^= irqPending
	c.setMode(Idle)
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
