package observe

import (
	"smpsim/cpus"
	"smpsim/des"
)

// Recorder keeps the statistics of one run. It is a [cpus.Tracer].
type Recorder struct {
	machine *cpus.Machine
	began   des.Time
	// cpus, tasks and the five after them are indexed by CPU, by the task's ID and
	// by NameID. An entry appears when it is first traced.
	cpus      []cpuState
	tasks     []*taskState
	functions []*function
	locks     []*lock
	marks     []*mark
	works     []*work
	samples   []*Hist

	switches, wakeups, ticks uint64

	// seq numbers the events. queued is the last queue_work, worked the last start
	// or end of a work item.
	seq            uint64
	queued, worked passage

	timeline *timeline
}

// cpuState is what a CPU does now, and what it did.
type cpuState struct {
	times  Accounts
	since  des.Time // when mode and task were last looked at
	tickAt des.Time // when the present interrupt began
	task   int32    // who has the CPU, or is being switched to; -1 for nobody
	ran    int32    // who was last switched to since the CPU was idle, or -1
	mode   cpus.Mode
}

// taskState is what a task does now, and its statistics.
type taskState struct {
	times       Accounts
	runs, woken uint64
	calls       callStack
	// off is when the task lost its CPU, or -1 while it has one; wokenAt is when it
	// was woken since then, or -1; to is who took the CPU.
	off, wokenAt des.Time
	to           int32
	// waits counts the locks that the task waits for now.
	waits int32
}

// lock is the statistics of one lock.
type lock struct {
	wait, hold                   Hist
	contended                    uint64
	contendedWait, contendedMost des.Time
	held                         des.Time
}

type mark struct {
	passages uint64
	interval Hist
}

// work is the statistics of a work item.
type work struct {
	queued       uint64
	latency, run Hist
}

// passage is when a tracepoint was passed, by whom and with which name.
type passage struct {
	at   des.Time
	seq  uint64
	task int32
	name cpus.NameID
}

// NewRecorder returns a recorder of what m does from now on, once it is m's
// tracer.
func NewRecorder(m *cpus.Machine) *Recorder {
	r := &Recorder{machine: m, began: m.Sim.Now(), cpus: make([]cpuState, m.CPUs())}
	r.worked.at = -1
	for i := range r.cpus {
		c := &r.cpus[i]
		*c = cpuState{since: r.began, mode: m.CPU(i).Mode(), task: -1, ran: -1}
		if t := m.CPU(i).Current(); t != nil {
			c.task = t.ID()
		}
	}
	return r
}

// Trace takes an event into the statistics.
func (r *Recorder) Trace(e cpus.TraceEvent) {
	r.seq++
	switch e.Kind {
	case cpus.TraceMode:
		r.mode(&e)
	case cpus.TraceSchedSwitch:
		r.schedSwitch(&e)
	case cpus.TraceSchedWakeup:
		r.schedWakeup(&e)
	case cpus.TraceContentionBegin:
		r.task(e.Task).waits++
		if r.timeline != nil {
			r.timeline.wait(&e)
		}
	case cpus.TraceContentionEnd:
		r.contentionEnd(&e)
	case cpus.TraceLockAcquired:
		at(&r.locks, e.Name).wait.Add(e.Arg)
		if r.timeline != nil {
			r.timeline.acquired(&e)
		}
	case cpus.TraceLockReleased:
		l := at(&r.locks, e.Name)
		l.hold.Add(e.Arg)
		l.held += des.Time(e.Arg)
		if r.timeline != nil {
			r.timeline.released(&e)
		}
	case cpus.TraceFuncEntry:
		at(&r.functions, e.Name).entries++
		r.task(e.Task).calls.enter(e.Name)
	case cpus.TraceFuncReturn:
		r.funcReturn(&e)
	case cpus.TraceQueueWork:
		r.queueWork(&e)
	case cpus.TraceExecuteStart:
		at(&r.works, e.Name).latency.Add(e.Arg)
		r.worked = passage{at: e.At, name: e.Name}
	case cpus.TraceExecuteEnd:
		at(&r.works, e.Name).run.Add(e.Arg)
		r.worked = passage{at: e.At, name: e.Name}
		if r.timeline != nil {
			r.timeline.executed(&e)
		}
	case cpus.TraceTickEntry:
		r.cpus[e.CPU].tickAt = e.At
	case cpus.TraceTickExit:
		r.tickExit(&e)
	case cpus.TraceMark:
		m := at(&r.marks, e.Name)
		m.passages++
		if e.Arg >= 0 {
			m.interval.Add(e.Arg)
		}
	case cpus.TraceSample:
		at(&r.samples, e.Name).Add(e.Arg)
	}
}

// mode accounts for the CPU's time in the mode that ends, to the task that had it.
func (r *Recorder) mode(e *cpus.TraceEvent) {
	c := &r.cpus[e.CPU]
	r.settle(c, e)
	if e.Task != c.task {
		r.leave(c.task, e.Task, e.At)
		c.task = e.Task
	}
	c.mode = cpus.Mode(e.Arg)
	if c.mode == cpus.Idle {
		c.ran = -1
	}
}

// settle closes the account of c's mode up to now.
func (r *Recorder) settle(c *cpuState, e *cpus.TraceEvent) {
	c.times[c.mode] += e.At - c.since
	if c.task >= 0 {
		r.task(c.task).times[c.mode] += e.At - c.since
	}
	if r.timeline != nil {
		r.timeline.slice(int32(e.CPU), c.task, c.mode, c.since, e.At)
	}
	c.since = e.At
}

// leave notes that a task has lost its CPU to another.
func (r *Recorder) leave(id, to int32, now des.Time) {
	if id < 0 {
		return
	}
	t := r.task(id)
	t.off, t.wokenAt, t.to = now, -1, to
	if r.timeline != nil {
		r.timeline.leave(id, now)
	}
}

func (r *Recorder) schedSwitch(e *cpus.TraceEvent) {
	c := &r.cpus[e.CPU]
	if c.task != e.Task {
		// The CPU changed its mind during a switch, which does not change its mode.
		r.settle(c, e)
		r.leave(c.task, e.Task, e.At)
		c.task = e.Task
	}
	if c.ran != e.Task {
		c.ran = e.Task
		r.switches++
	}
	t := r.task(e.Task)
	t.runs++
	switch {
	case t.off < 0 || t.waits > 0:
		// It is new, or the wait is noted when the lock is taken.
	case t.wokenAt >= 0:
		t.calls.note(Runnable, -1, e.At-t.wokenAt)
	default:
		t.calls.note(Preempted, t.to, e.At-t.off)
	}
	t.off = -1
	if r.timeline != nil {
		r.timeline.arrive(e)
	}
}

func (r *Recorder) schedWakeup(e *cpus.TraceEvent) {
	r.wakeups++
	t := r.task(e.Task)
	t.woken++
	if t.off >= 0 {
		t.wokenAt = e.At
		if t.waits == 0 {
			t.calls.note(Asleep, r.workSince(t.off), e.At-t.off)
		}
	}
	// A wake-up tells of the sleeper alone. It comes right after the queue_work
	// that needed a worker, at the same instant.
	if q := r.queued; q.at == e.At && q.seq+1 == r.seq {
		r.task(q.task).calls.note(Woke, e.Task, r.machine.Costs.WakeWaker)
	}
	if r.timeline != nil {
		r.timeline.point(Wakeup, e)
	}
}

// workSince returns the work item that last started or ended, if that was at
// or after the given time, else -1.
func (r *Recorder) workSince(since des.Time) int32 {
	if r.worked.at < since {
		return -1
	}
	return int32(r.worked.name)
}

func (r *Recorder) queueWork(e *cpus.TraceEvent) {
	at(&r.works, e.Name).queued++
	r.task(e.Task).calls.note(Queued, int32(e.Name), 0)
	r.queued = passage{at: e.At, seq: r.seq, task: e.Task}
	if r.timeline != nil {
		r.timeline.point(QueueWork, e)
	}
}

func (r *Recorder) contentionEnd(e *cpus.TraceEvent) {
	l, t, wait := at(&r.locks, e.Name), r.task(e.Task), des.Time(e.Arg)
	l.contended++
	l.contendedWait += wait
	l.contendedMost = max(l.contendedMost, wait)
	t.waits--
	t.calls.note(Contended, int32(e.Name), wait)
	if r.timeline != nil {
		r.timeline.waited(e)
	}
}

func (r *Recorder) tickExit(e *cpus.TraceEvent) {
	r.ticks++
	if e.Task >= 0 {
		r.task(e.Task).calls.note(Tick, -1, e.At-r.cpus[e.CPU].tickAt)
	}
	if r.timeline != nil {
		r.timeline.point(TimerTick, e)
	}
}

// task returns the state of the task with that ID.
func (r *Recorder) task(id int32) *taskState {
	if int(id) < len(r.tasks) {
		if t := r.tasks[id]; t != nil {
			return t
		}
	}
	t := at(&r.tasks, id)
	t.off, t.wokenAt = -1, -1
	return t
}

// at returns entry i, which it makes if it is missing.
func at[T any, I ~int32](entries *[]*T, i I) *T {
	if int(i) < len(*entries) {
		if entry := (*entries)[i]; entry != nil {
			return entry
		}
	}
	return add(entries, int(i))
}

func add[T any](entries *[]*T, i int) *T {
	if missing := i + 1 - len(*entries); missing > 0 {
		*entries = append(*entries, make([]*T, missing)...)
	}
	entry := new(T)
	(*entries)[i] = entry
	return entry
}
