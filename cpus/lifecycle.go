package cpus

// Operations of [Task.Lifecycle].
const (
	// TaskStart starts the task.
	TaskStart uint8 = iota + 1
	// TaskJoin waits for its end.
	TaskJoin
)

// lifecycle is a task as an object that others start and join.
type lifecycle Task

// Lifecycle returns t as a primitive, for ops that start it or wait for its end.
func (t *Task) Lifecycle() Primitive {
	t.joinable = true
	return (*lifecycle)(t)
}

// Name returns the task's name.
func (l *lifecycle) Name() string { return (*Task)(l).Name() }

// Begin starts the task on behalf of by, or waits for its end.
func (l *lifecycle) Begin(by *Task, op *Op) Until {
	t := (*Task)(l)
	m := t.machine
	if op.Sub == TaskStart {
		m.Start(t)
		return m.Sim.Now() + m.Costs.WakeWaker
	}
	if t.state == Dead {
		return Finished
	}
	by.Next = by
	if last := t.joins; last != nil {
		by.Next, last.Next = last.Next, by
	}
	t.joins = by
	return Blocked
}

// Step ends the operation: the task was started, or has exited.
func (l *lifecycle) Step(*Task, *Op) Until { return Finished }

// StartAsleep lets t be a task that ran on c before the run began and sleeps
// there now, as a kernel thread does that has always been there. It first runs
// when it is woken, and disturbs nobody's placement until then.
func (m *Machine) StartAsleep(t *Task, c *CPU) {
	if m.enlist(t) {
		t.state, t.cpu = Asleep, c
	}
}
