package observe

import (
	"cmp"
	"slices"

	"smpsim/cpus"
	"smpsim/des"
)

// function is the statistics of a function.
type function struct {
	entries uint64
	latency Hist
	slowest slowest
}

// Cause is something that happened to a task during a call.
type Cause uint8

const (
	// Tick is a timer interrupt on the task's CPU.
	Tick Cause = iota + 1
	// Contended is waiting for a lock that another holds, spinning or asleep.
	Contended
	// Asleep is sleeping, but for a lock, until woken. Its name is the work item
	// that last started or ended meanwhile, if there is one.
	Asleep
	// Runnable is being awake, but not yet having a CPU.
	Runnable
	// Preempted is having lost the CPU without sleeping, to the task of its name.
	Preempted
	// Queued is having queued a work item. It has no duration.
	Queued
	// Woke is having woken the task of its name by queueing work. Its duration is
	// the machine's cost of a wake-up on the waker's side.
	Woke
	// Called is a function called from within; what happened during it is
	// counted beside it as well.
	Called
)

func (c Cause) String() string {
	return [...]string{
		"invalid", "tick", "contended", "asleep", "runnable", "preempted", "queued", "woke", "called",
	}[c]
}

// note counts the occurrences of one cause during a call.
type note struct {
	total, most des.Time
	count       uint32
	// about is a NameID or a task's ID, as the cause says, or -1.
	about int32
	cause Cause
}

// callStack is the functions that a task is in, and what happened since their
// entries. The notes of a function follow those of its caller.
type callStack struct {
	frames []frame
	notes  []note
}

type frame struct {
	function cpus.NameID
	base     int32 // of the function's notes
}

// maxNotes bounds the notes of one call. Beyond it those of a cause are counted
// together, with no name.
const maxNotes = 24

func (s *callStack) enter(fn cpus.NameID) {
	s.frames = append(s.frames, frame{fn, int32(len(s.notes))})
}

// note counts a cause for the innermost function.
func (s *callStack) note(cause Cause, about int32, d des.Time) {
	if len(s.frames) > 0 {
		s.add(note{total: d, most: d, count: 1, about: about, cause: cause})
	}
}

func (s *callStack) add(n note) {
	own := s.notes[s.frames[len(s.frames)-1].base:]
	if merge(own, n) {
		return
	}
	if len(own) >= maxNotes {
		n.about = -1
		if merge(own, n) {
			return
		}
	}
	s.notes = append(s.notes, n)
}

// merge adds n to the note of the same cause and name, if there is one.
func merge(notes []note, n note) bool {
	for i := range notes {
		if o := &notes[i]; o.cause == n.cause && o.about == n.about {
			o.count += n.count
			o.total += n.total
			o.most = max(o.most, n.most)
			return true
		}
	}
	return false
}

// find returns which frame is the innermost call of fn, or -1.
func (s *callStack) find(fn cpus.NameID) int {
	for i := len(s.frames) - 1; i >= 0; i-- {
		if s.frames[i].function == fn {
			return i
		}
	}
	return -1
}

// leave drops frame i and those within it, hands its notes on to its caller, and
// counts it there as a call.
func (s *callStack) leave(i int, took des.Time) {
	f := s.frames[i]
	s.frames = s.frames[:i]
	inner := s.notes[f.base:]
	s.notes = s.notes[:f.base]
	if i == 0 {
		return
	}
	// What is appended overwrites inner from its start, but never ahead of what
	// has been read.
	for _, n := range inner {
		s.add(n)
	}
	s.note(Called, int32(f.function), took)
}

// funcReturn counts a call and keeps it if it is among the slowest.
func (r *Recorder) funcReturn(e *cpus.TraceEvent) {
	f, t := at(&r.functions, e.Name), r.task(e.Task)
	f.latency.Add(e.Arg)
	took := des.Time(e.Arg)
	var notes []note
	i := t.calls.find(e.Name)
	if i >= 0 {
		notes = t.calls.notes[t.calls.frames[i].base:]
	}
	c := call{
		function: e.Name, start: e.At - took, end: e.At, cpu: int32(e.CPU), task: e.Task,
		ordinal: f.latency.Count(),
	}
	f.slowest.offer(&c, notes)
	if r.timeline != nil {
		r.timeline.returned(&c, notes)
	}
	if i >= 0 {
		t.calls.leave(i, took)
	}
}

// call is one call of a function.
type call struct {
	start, end des.Time
	// ordinal is the call's place among those of its function, by their returns.
	ordinal   uint64
	notes     []note
	cpu, task int32
	function  cpus.NameID
}

func (c *call) took() des.Time { return c.end - c.start }

// keep is how many of the slowest calls are kept.
const keep = 8

// slowest are the slowest calls so far, the slowest first; of equal ones, the
// one that returned first.
type slowest struct {
	calls [keep]call
	n     int
}

// offer keeps c, with a copy of its notes, if it is slow enough.
func (s *slowest) offer(c *call, notes []note) {
	if s.n == keep && c.took() <= s.calls[keep-1].took() {
		return
	}
	if s.n < keep {
		s.n++
	}
	// The notes of the one that drops out make room for those of the new one.
	buffer := s.calls[s.n-1].notes[:0]
	i := s.n - 1
	for i > 0 && s.calls[i-1].took() < c.took() {
		s.calls[i] = s.calls[i-1]
		i--
	}
	s.calls[i] = *c
	s.calls[i].notes = append(buffer, notes...)
}

// Outlier is one of the slowest calls of a function.
type Outlier struct {
	Function   string
	Start, End des.Time
	// CPU is where it returned.
	CPU  int
	Task string
	// Ordinal is the call's place among those of its function, from 1, by their
	// returns.
	Ordinal uint64
	// Median is that of all calls of the function.
	Median des.Time
	// Incidents are what happened during it, the longest total first.
	Incidents []Incident
}

// Incident is what happened of one kind during a call.
type Incident struct {
	Cause Cause
	// Name is the lock, the work item, the function or the task, as the cause
	// says, or empty.
	Name  string
	Count int
	// Total and Most are the sum and the largest of the durations.
	Total, Most des.Time
}

// outliers puts the kept calls into words.
func (r *Recorder) outliers(s *slowest, names *names) []Outlier {
	out := make([]Outlier, 0, s.n)
	for i := range s.n {
		c := &s.calls[i]
		o := Outlier{
			Function: names.of(c.function), Start: c.start, End: c.end,
			CPU: int(c.cpu), Task: names.task(c.task), Ordinal: c.ordinal,
			Median: des.Time(r.functions[c.function].latency.Quantile(500)),
		}
		for _, n := range c.notes {
			o.Incidents = append(o.Incidents, Incident{
				Cause: n.cause, Name: names.about(n), Count: int(n.count), Total: n.total, Most: n.most,
			})
		}
		slices.SortStableFunc(o.Incidents, func(a, b Incident) int { return cmp.Compare(b.Total, a.Total) })
		out = append(out, o)
	}
	return out
}
