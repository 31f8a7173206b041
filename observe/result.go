package observe

import (
	"slices"
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
)

// Result is what a run came to.
type Result struct {
	// Elapsed is how much virtual time passed since the recorder was made.
	Elapsed des.Time
	// Metrics are in a fixed order: functions, marks, quantities, locks and work
	// items, each by name, the modes of the CPUs, and what SetCount added.
	Metrics []Metric
	// Locks, Works and Functions are by name; Tasks are in order of creation.
	Locks     []Lock
	Works     []Work
	Functions []Function
	Tasks     []Task
	// CPUs has the time that each CPU spent in each mode.
	CPUs []Accounts
	// Switches counts the tasks that CPUs took up after another or after idling.
	// Wakeups includes tasks' starts.
	Switches, Wakeups, Ticks uint64
	// Timeline is nil unless one was asked for.
	Timeline *Timeline
}

// Accounts is time by mode.
type Accounts [cpus.Modes]des.Time

// Function is a function of a model that was entered.
type Function struct {
	Name string
	// Open is how many calls had not returned at the end; the metric leaves them out.
	Open uint64
	// Slowest are at most eight, the slowest first.
	Slowest []Outlier
}

// Lock is a lock that was taken.
type Lock struct {
	Name string
	// Type is the kind of lock, which the tracepoints do not tell: whoever knows it
	// fills it in.
	Type string
	// Acquired is how often it was taken, Contended how often not at once.
	Acquired, Contended uint64
	// Wait and WaitMost are the sum and the largest of the contended waits alone.
	Wait, WaitMost des.Time
	// Held and HeldMost are the sum and the largest of the times it was held, over
	// the Released holds that have ended.
	Released       uint64
	Held, HeldMost des.Time
}

// Work is a work item that was queued.
type Work struct {
	Name string
	// Queued is how often it was put on a queue, Ran how often it ran to its end.
	Queued, Ran uint64
}

// Task is a task that was created.
type Task struct {
	Name string
	// Group is the name that it shares with its siblings.
	Group   string
	Kthread bool
	// Runs is how often a CPU took it up, 0 for a task that was never scheduled.
	Runs, Wakeups uint64
	// Times is the time of CPUs that it had, by mode; Times[Switch] is what it took
	// to switch to it, Times[IRQ] what interrupts took from it.
	Times Accounts
}

// Result closes the accounts at the machine's present time and returns what was
// recorded.
func (r *Recorder) Result() *Result {
	now := r.machine.Sim.Now()
	names := newNames(r.machine)
	out := &Result{Elapsed: now - r.began, Switches: r.switches, Wakeups: r.wakeups, Ticks: r.ticks}
	for i := range r.cpus {
		c := &r.cpus[i]
		r.settle(c, &cpus.TraceEvent{At: now, CPU: int16(i)})
		out.CPUs = append(out.CPUs, c.times)
	}
	r.tasksResult(out)
	r.locksResult(out, names)
	r.metrics(out, names)
	for _, id := range names.sorted {
		if f := peek(r.functions, id); f != nil {
			out.Functions = append(out.Functions, Function{
				Name: names.of(id), Open: f.entries - min(f.entries, f.latency.Count()),
				Slowest: r.outliers(&f.slowest, names),
			})
		}
		if w := peek(r.works, id); w != nil {
			out.Works = append(out.Works, Work{Name: names.of(id), Queued: w.queued, Ran: w.run.Count()})
		}
	}
	if r.timeline != nil {
		out.Timeline = r.timelineResult(names)
	}
	return out
}

func (r *Recorder) tasksResult(out *Result) {
	for _, t := range r.machine.Tasks() {
		task := Task{Name: t.Name(), Kthread: t.Kthread()}
		task.Group = strings.TrimSuffix(task.Name, "["+strconv.Itoa(int(t.Index()))+"]")
		if s := peek(r.tasks, cpus.NameID(t.ID())); s != nil {
			task.Runs, task.Wakeups, task.Times = s.runs, s.woken, s.times
		}
		out.Tasks = append(out.Tasks, task)
	}
}

func (r *Recorder) locksResult(out *Result, names *names) {
	for _, id := range names.sorted {
		l := peek(r.locks, id)
		if l == nil {
			continue
		}
		out.Locks = append(out.Locks, Lock{
			Name: names.of(id), Acquired: l.wait.Count(), Contended: l.contended,
			Wait: l.contendedWait, WaitMost: l.contendedMost,
			Released: l.hold.Count(), Held: l.held, HeldMost: des.Time(l.hold.Max()),
		})
	}
}

// names knows what events call things.
type names struct {
	machine *cpus.Machine
	tasks   []string
	// sorted are the NameIDs in the order of the names.
	sorted []cpus.NameID
}

func newNames(m *cpus.Machine) *names {
	n := &names{machine: m}
	for _, t := range m.Tasks() {
		for int(t.ID()) >= len(n.tasks) {
			n.tasks = append(n.tasks, "")
		}
		n.tasks[t.ID()] = t.Name()
	}
	for id := range m.Names() {
		n.sorted = append(n.sorted, cpus.NameID(id))
	}
	slices.SortFunc(n.sorted, func(a, b cpus.NameID) int { return strings.Compare(n.of(a), n.of(b)) })
	return n
}

func (n *names) of(id cpus.NameID) string {
	if id < 0 {
		return ""
	}
	return n.machine.NameOf(id)
}

func (n *names) task(id int32) string {
	if id < 0 || int(id) >= len(n.tasks) {
		return ""
	}
	return n.tasks[id]
}

// about returns what a note is about.
func (n *names) about(note note) string {
	switch note.cause {
	case Preempted, Woke:
		return n.task(note.about)
	default:
		return n.of(cpus.NameID(note.about))
	}
}

// peek returns entry i, or nil.
func peek[T any](entries []*T, i cpus.NameID) *T {
	if int(i) >= len(entries) {
		return nil
	}
	return entries[i]
}
