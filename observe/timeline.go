package observe

import (
	"smpsim/cpus"
	"smpsim/des"
)

// Timeline is what happened in a window of time.
type Timeline struct {
	From, To des.Time
	// Slices are what the CPUs did. Those of one CPU do not overlap and leave no
	// gap; they come in the order of their ends.
	Slices []Slice
	// Locks are the stretches of time for which a task on a CPU held a lock or
	// waited for one. Those of one task may overlap.
	Locks []LockSlice
	// Executions are the runs of work items.
	Executions []Execution
	// Points are what has no duration, in order.
	Points []Point
	// Slowest are the slowest calls that lie in the window or reach into it, the
	// slowest first.
	Slowest []Outlier
	// Dropped is how many entries were left out after the first million.
	Dropped int
}

// Slice is what a CPU did from Start to End. Task is the task that had it, empty
// when idle; during a switch, the task that is to have it.
type Slice struct {
	CPU        int
	Start, End des.Time
	Mode       cpus.Mode
	Task       string
}

// LockSlice is a stretch of time for which a task was on a CPU and held a lock
// or, where Waiting, spun for it. A sleeper has none.
type LockSlice struct {
	CPU        int
	Start, End des.Time
	Lock, Task string
	Waiting    bool
}

// Execution is one run of a work item. CPU is where it ended.
type Execution struct {
	CPU        int
	Start, End des.Time
	Item, Task string
}

// PointKind says what happened at a [Point].
type PointKind uint8

const (
	// QueueWork: the task queued the work item of the point's name.
	QueueWork PointKind = iota + 1
	// Wakeup: the task was woken.
	Wakeup
	// TimerTick: a timer interrupt ended that had come while the task ran.
	TimerTick
)

func (k PointKind) String() string {
	return [...]string{"invalid", "queue_work", "wakeup", "tick"}[k]
}

// Point is something that happened at an instant.
type Point struct {
	At         des.Time
	CPU        int
	Kind       PointKind
	Name, Task string
}

// maxEntries bounds a timeline, to about as much as a viewer can hold.
const maxEntries = 1_000_000

// timeline records a [Timeline]. What lies outside the window is followed, since
// it may reach in, but not kept.
type timeline struct {
	from, to   des.Time
	slices     []rawSlice
	locks      []rawSlice
	executions []rawSlice
	points     []rawPoint
	slowest    slowest
	entries    int
	dropped    int
	// claims are the locks that each task holds or waits for, by ID.
	claims []*[]claim
}

// rawSlice is an entry of one of the three kinds that have a duration.
type rawSlice struct {
	start, end des.Time
	cpu, task  int32
	name       cpus.NameID
	mode       cpus.Mode
	waiting    bool
}

type rawPoint struct {
	at        des.Time
	cpu, task int32
	name      cpus.NameID
	kind      PointKind
}

// claim is a lock held or waited for. since is when the present stretch on a CPU
// began, -1 while the task is off it.
type claim struct {
	since   des.Time
	cpu     int32
	lock    cpus.NameID
	waiting bool
}

// Timeline has the recorder keep a timeline of the given window. It must be
// called before the run, from whose start locks are followed. It panics if the
// window is empty.
func (r *Recorder) Timeline(from, to des.Time) {
	if from < 0 || to <= from {
		panic("observe: timeline from " + from.String() + " to " + to.String())
	}
	r.timeline = &timeline{from: from, to: to}
}

// keep adds an entry, cut to the window, if anything is left of it.
func (t *timeline) keep(list *[]rawSlice, s rawSlice) {
	s.start, s.end = max(s.start, t.from), min(s.end, t.to)
	if s.start < s.end && t.room() {
		*list = append(*list, s)
	}
}

// room reports whether the timeline takes another entry.
func (t *timeline) room() bool {
	if t.entries == maxEntries {
		t.dropped++
		return false
	}
	t.entries++
	return true
}

func (t *timeline) slice(cpu, task int32, mode cpus.Mode, start, end des.Time) {
	t.keep(&t.slices, rawSlice{start: start, end: end, cpu: cpu, task: task, name: -1, mode: mode})
}

func (t *timeline) point(kind PointKind, e *cpus.TraceEvent) {
	if e.At >= t.from && e.At < t.to && t.room() {
		t.points = append(t.points, rawPoint{at: e.At, cpu: int32(e.CPU), task: e.Task, name: e.Name, kind: kind})
	}
}

func (t *timeline) executed(e *cpus.TraceEvent) {
	t.keep(&t.executions, rawSlice{
		start: e.At - des.Time(e.Arg), end: e.At, cpu: int32(e.CPU), task: e.Task, name: e.Name,
	})
}

func (t *timeline) returned(c *call, notes []note) {
	if c.end > t.from && c.start < t.to {
		t.slowest.offer(c, notes)
	}
}

func (t *timeline) wait(e *cpus.TraceEvent)     { t.claim(e, true) }
func (t *timeline) waited(e *cpus.TraceEvent)   { t.drop(e, true) }
func (t *timeline) acquired(e *cpus.TraceEvent) { t.claim(e, false) }
func (t *timeline) released(e *cpus.TraceEvent) { t.drop(e, false) }

func (t *timeline) claim(e *cpus.TraceEvent, waiting bool) {
	claims := at(&t.claims, e.Task)
	*claims = append(*claims, claim{since: e.At, cpu: int32(e.CPU), lock: e.Name, waiting: waiting})
}

func (t *timeline) drop(e *cpus.TraceEvent, waiting bool) {
	claims := at(&t.claims, e.Task)
	for i := len(*claims) - 1; i >= 0; i-- {
		if c := (*claims)[i]; c.lock == e.Name && c.waiting == waiting {
			t.close(e.Task, c, e.At)
			*claims = append((*claims)[:i], (*claims)[i+1:]...)
			return
		}
	}
}

// close keeps the present stretch of a claim, if there is one.
func (t *timeline) close(task int32, c claim, now des.Time) {
	if c.since >= 0 {
		t.keep(&t.locks, rawSlice{
			start: c.since, end: now, cpu: c.cpu, task: task, name: c.lock, waiting: c.waiting,
		})
	}
}

// leave ends the stretches of a task that loses its CPU, and arrive begins new
// ones on the CPU that it gets.
func (t *timeline) leave(task int32, now des.Time) {
	claims := *at(&t.claims, task)
	for i := range claims {
		t.close(task, claims[i], now)
		claims[i].since = -1
	}
}

func (t *timeline) arrive(e *cpus.TraceEvent) {
	claims := *at(&t.claims, e.Task)
	for i := range claims {
		if c := &claims[i]; c.since < 0 {
			c.since, c.cpu = e.At, int32(e.CPU)
		}
	}
}

// timelineResult puts the timeline into words. Locks that are still held or waited
// for count until now.
func (r *Recorder) timelineResult(names *names) *Timeline {
	t := r.timeline
	for id, claims := range t.claims {
		if claims == nil {
			continue
		}
		for _, c := range *claims {
			t.close(int32(id), c, r.machine.Sim.Now())
		}
	}
	out := &Timeline{From: t.from, To: t.to, Dropped: t.dropped, Slowest: r.outliers(&t.slowest, names)}
	for _, s := range t.slices {
		out.Slices = append(out.Slices, Slice{
			CPU: int(s.cpu), Start: s.start, End: s.end, Mode: s.mode, Task: names.task(s.task),
		})
	}
	for _, s := range t.locks {
		out.Locks = append(out.Locks, LockSlice{
			CPU: int(s.cpu), Start: s.start, End: s.end,
			Lock: names.of(s.name), Task: names.task(s.task), Waiting: s.waiting,
		})
	}
	for _, s := range t.executions {
		out.Executions = append(out.Executions, Execution{
			CPU: int(s.cpu), Start: s.start, End: s.end, Item: names.of(s.name), Task: names.task(s.task),
		})
	}
	for _, p := range t.points {
		out.Points = append(out.Points, Point{
			At: p.at, CPU: int(p.cpu), Kind: p.kind, Name: names.of(p.name), Task: names.task(p.task),
		})
	}
	return out
}
