package cpus

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"smpsim/des"
)

// script is the order in which tasks come on CPUs, of the policy "scripted". The
// machine has one, and its CPUs one queue: who waits, in the order in which they
// became runnable.
//
// Each entry is one turn: its task takes its CPU, or any that is free, and keeps it
// until it blocks, or for a slice where the machine has one. A CPU without a turn
// idles, though others wait: no task runs out of order, nor one that the script does
// not name. After the last entry the policy is that of fifo, on one queue.
type script struct {
	entries []scriptEntry
	next    int
	waiting []*Task
	// slice is the length of a turn in ticks, 0 for one that lasts until the task
	// blocks.
	slice int32
}

// scriptEntry is one turn.
type scriptEntry struct {
	text string
	name string
	// cpu is where the turn is, -1 for anywhere.
	cpu  int
	task *Task
}

// ScriptError is what is wrong with an entry of a script.
type ScriptError struct {
	// Entry is the entry's index, Text the entry.
	Entry int
	Text  string
	What  string
}

func (e *ScriptError) Error() string {
	return fmt.Sprintf("entry %d of the script, %s: %s", e.Entry+1, e.Text, e.What)
}

// parseTurn takes an entry apart: "task", or "task@cpu".
func parseTurn(text string) (name string, cpu int, what string) {
	name, number, bound := strings.Cut(text, "@")
	switch {
	case name == "":
		return "", 0, "no task is named"
	case !bound:
		return name, -1, ""
	}
	cpu, err := strconv.Atoi(number)
	if err != nil || cpu < 0 {
		return "", 0, fmt.Sprintf("%q is no number of a CPU", number)
	}
	return name, cpu, ""
}

// CheckScript finds what is wrong with a script for a machine that has so many CPUs
// and tasks of these names, where siblings have their index in theirs: malformed
// entries, and names and CPUs that do not exist.
func CheckScript(entries []string, cpus int, tasks []string) []*ScriptError {
	var wrong []*ScriptError
	for i, text := range entries {
		name, cpu, what := parseTurn(text)
		switch {
		case what != "":
		case cpu >= cpus:
			what = fmt.Sprintf("there is no CPU %d, the last is %d", cpu, cpus-1)
		case !slices.Contains(tasks, name):
			what = "there is no task " + name
		}
		if what != "" {
			wrong = append(wrong, &ScriptError{Entry: i, Text: text, What: what})
		}
	}
	return wrong
}

// newScript panics if an entry is malformed or names a CPU that does not exist;
// callers check what users give.
func (m *Machine) newScript(spec *Spec) *script {
	s := &script{entries: make([]scriptEntry, len(spec.Script))}
	if spec.Slice > 0 {
		s.slice = m.sliceTicks(spec.Slice)
	}
	for i, text := range spec.Script {
		name, cpu, what := parseTurn(text)
		if what != "" || cpu >= spec.CPUs {
			panic(fmt.Sprintf("cpus: entry %d of the script, %q, on %d CPUs", i, text, spec.CPUs))
		}
		s.entries[i] = scriptEntry{text: text, name: name, cpu: cpu}
	}
	return s
}

// enlist lets the entries that name t know it.
func (s *script) enlist(t *Task) {
	name := t.Name()
	for i := range s.entries {
		if e := &s.entries[i]; e.name == name && e.task == nil {
			e.task = t
		}
	}
}

// rules reports whether a turn of the script is left.
func (s *script) rules() bool { return s.next < len(s.entries) }

// turn returns the task that may come on c now, nil if none may, and takes it out of
// those that wait.
func (s *script) turn(c *CPU) *Task {
	if !s.rules() {
		return s.steal(wanted{cpu: c})
	}
	if !s.dueOn(c) {
		return nil
	}
	t := s.steal(wanted{task: s.entries[s.next].task})
	if t != nil {
		s.next++
		t.policy.ticks = 0
	}
	return t
}

// dueOn reports whether the next turn can be on c.
func (s *script) dueOn(c *CPU) bool {
	e := &s.entries[s.next]
	return (e.cpu < 0 || e.cpu == int(c.index)) && e.task != nil && e.task.mask().Has(int(c.index))
}

func (s *script) steal(w wanted) *Task {
	for i, t := range s.waiting {
		if w.fits(t) {
			s.waiting = slices.Delete(s.waiting, i, i+1)
			return t
		}
	}
	return nil
}

// stage gives turns to CPUs that idle, the task's last CPU first, then the lowest.
func (m *Machine) stage(latency des.Time) {
	for m.stageOne(latency) {
	}
	if err := m.script.broken(); err != nil {
		m.Fail(err)
	}
}

func (m *Machine) stageOne(latency des.Time) bool {
	s := m.script
	for _, t := range s.waiting {
		if s.rules() && s.entries[s.next].task != t {
			continue
		}
		free := -1
		if last := t.cpu; last != nil && m.idle.Has(int(last.index)) && t.mask().Has(int(last.index)) {
			free = int(last.index)
		} else {
			free = m.idle.First(t.mask())
		}
		if s.rules() && s.entries[s.next].cpu >= 0 {
			free = s.entries[s.next].cpu
		}
		if free < 0 || !m.idle.Has(free) {
			continue
		}
		c := &m.cpus[free]
		if next := s.turn(c); next != nil {
			m.queued--
			m.leaveIdle(c)
			m.switchTo(c, next, latency)
			return true
		}
	}
	return false
}

// broken says why the next turn can never come, nil if it can.
func (s *script) broken() error {
	if !s.rules() || len(s.waiting) == 0 {
		return nil
	}
	e := &s.entries[s.next]
	switch t := e.task; {
	case t == nil:
		return nil
	case t.state == Dead:
		return s.error("the task has ended")
	case e.cpu >= 0 && !t.mask().Has(e.cpu):
		return s.error("the task may not run on that CPU")
	}
	return nil
}

// stuck says that nothing can happen any more because of whose turn it is, nil if
// the script is not to blame: nobody waits.
func (s *script) stuck() error {
	if !s.rules() || len(s.waiting) == 0 {
		return nil
	}
	t := s.entries[s.next].task
	if t == nil {
		return s.error("there is no such task")
	}
	what := "the task is " + t.state.String()
	if t.state == Runnable {
		what = "the CPU is not free"
	}
	var names []string
	for _, w := range s.waiting {
		names = append(names, w.Name())
	}
	return s.error(what + ", and nothing else can happen while these wait for their turn: " + strings.Join(names, ", "))
}

func (s *script) error(what string) error {
	return &ScriptError{Entry: s.next, Text: s.entries[s.next].text, What: what}
}

// scriptedQueue is what one CPU has of the script.
type scriptedQueue struct {
	script *script
	cpu    *CPU
}

func (q *scriptedQueue) place(*Task) {}

func (q *scriptedQueue) leave(*Task) {}

func (q *scriptedQueue) push(t *Task) { q.script.waiting = append(q.script.waiting, t) }

func (q *scriptedQueue) pop() *Task { return q.script.turn(q.cpu) }

func (q *scriptedQueue) len() int { return len(q.script.waiting) }

func (q *scriptedQueue) charge(*Task, des.Time) {}

// tick ends a turn that has a length, if the next one is due on this CPU.
func (q *scriptedQueue) tick(t *Task) bool {
	s := q.script
	t.policy.ticks++
	if s.slice == 0 || t.policy.ticks < s.slice || !s.rules() || !s.dueOn(q.cpu) {
		return false
	}
	next := s.entries[s.next].task
	return next == t || slices.Contains(s.waiting, next)
}

func (q *scriptedQueue) preempts(_, _ *Task) bool { return false }

// steal gives nothing away: pop has looked at all there is.
func (q *scriptedQueue) steal(wanted) *Task { return nil }

func (q *scriptedQueue) load() int64 { return 0 }
