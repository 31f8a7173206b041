package cpus

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"smpsim/des"
)

// What a machine keeps for an explorer, which takes its tasks' ops one by one
// ([Machine.Stepped]). The machine is one for all executions: Restart drops what an
// execution has made, and it is made again.

// Identity tells the words and objects of a stepped machine apart, alike in all
// executions: By is who made it, 0 while the model is built, else what
// [Machine.MadeBy] said; N counts what that one made before.
type Identity struct{ By, N int32 }

// Made is a word or an object that the model has built.
type Made interface{ Name() string }

// stepped is the part of a machine that only an explorer needs.
type stepped struct {
	made  []Made
	by    int32
	count []int32
	line  Line
	// strands run functions; idle ones have none.
	strands []*strand
	idle    []*strand
}

// Restart makes a stepped machine one on which nothing was made: its tasks are
// dropped, and functions that have not returned are unwound.
func (m *Machine) Restart() {
	for i := len(m.tasks) - 1; i >= 0; i-- {
		m.Sim.Release(m.tasks[i].id) // in this order the next tasks get the same IDs
	}
	m.Unwind()
	s := &m.stepped
	clear(m.tasks)
	clear(s.made)
	clear(s.count)
	m.tasks, s.made, s.by = m.tasks[:0], s.made[:0], 0
	for i := range m.cpus {
		c := &m.cpus[i]
		c.curr, c.irqOff, c.bhOff = nil, 0, 0
	}
	m.failure = nil
}

// Unwind leaves the functions of a stepped machine where they are; their deferred calls
// run, as far as they do no ops.
func (m *Machine) Unwind() {
	s := &m.stepped
	for _, st := range s.strands {
		st.unwind()
		s.idle = append(s.idle, st)
	}
	s.strands = s.strands[:0]
}

// Identify gives an object that is made now its identity; each further call for one
// object gives it another, the next.
func (m *Machine) Identify(o Made) Identity {
	if !m.Stepped {
		return Identity{}
	}
	s := &m.stepped
	for int(s.by) >= len(s.count) {
		s.count = append(s.count, 0)
	}
	id := Identity{s.by, s.count[s.by]}
	s.count[s.by]++
	if s.by == 0 {
		s.made = append(s.made, o)
	}
	return id
}

// Built returns what was made while the model was built, by the N of its identities.
func (m *Machine) Built() []Made { return m.stepped.made }

// MadeBy tells who makes what is made from now on.
func (m *Machine) MadeBy(by int32) { m.stepped.by = by }

// TakeFailure returns the error of the last Fail, and forgets it.
func (m *Machine) TakeFailure() error {
	err := m.failure
	m.failure = nil
	return err
}

// Seat gives a task of a stepped machine a CPU, where it stays.
func (t *Task) Seat(c *CPU) {
	t.cpu, t.state = c, Running
	c.curr = t
}

// Take returns the task's next op, for an explorer to perform.
func (t *Task) Take() *Op {
	op := t.behavior.Next(t)
	t.op, t.Phase = op, 0
	if op.Kind == Exit {
		t.state = Dead
	}
	return op
}

// Joinable reports whether somebody has asked for the task's life, to start or join it.
func (t *Task) Joinable() bool { return t.joinable }

// LifeOf returns the task whose life p is, or nil.
func LifeOf(p Primitive) *Task {
	l, _ := p.(*lifecycle)
	return (*Task)(l)
}

// Words returns what the loop looks at.
func (p *Poll) Words() []*Word { return p.words }

// Holds reports whether t would leave the loop now.
func (p *Poll) Holds(t *Task) bool { return p.cond.Holds(t) }

// Identity returns the word's.
func (w *Word) Identity() Identity { return w.identity }

// strand is a coroutine that runs functions of threads, one after another.
type strand struct {
	co *des.Coroutine
	// thread is whose function it runs, nil if it is idle.
	thread   *Thread
	unwinds  bool
	position int
}

// unwinding travels up the stack of a function that is left unfinished.
type unwinding struct{}

// strand returns a coroutine for k.
func (m *Machine) strand(k *Thread) *strand {
	s := &m.stepped
	var st *strand
	if n := len(s.idle); n > 0 {
		st, s.idle = s.idle[n-1], s.idle[:n-1]
	} else {
		st = &strand{}
		st.co = m.Sim.NewCoroutine(func(c *des.Coroutine) {
			for {
				st.run()
				c.Yield()
			}
		})
	}
	st.thread, st.position = k, len(s.strands)
	s.strands = append(s.strands, st)
	return st
}

// run runs the thread's function to its end, or until it is unwound. A panic in it is a
// failure of the machine: an explorer is to find what leads there.
func (st *strand) run() {
	defer func() {
		k := st.thread
		st.thread = nil
		if r := recover(); r != nil && !st.unwinds {
			k.machine.Fail(&Bug{Task: k.task.Name(), At: k.Now(), What: fmt.Sprintf("panic: %v%s", r, panicked())})
		}
	}()
	st.thread.body(st.thread)
}

// panicked says in which function and line a panic was that is being recovered.
func panicked() string {
	var callers [32]uintptr
	frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers[:])])
	panics := false
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if inRuntime := strings.HasPrefix(f.Function, "runtime."); panics && !inRuntime {
			return fmt.Sprintf(" in %s, line %d", filepath.Base(f.Function), f.Line)
		}
		panics = panics || f.Function == "runtime.gopanic"
	}
	return ""
}

// unwind leaves the function where it is; its deferred calls run.
func (st *strand) unwind() {
	st.unwinds = true
	st.co.Resume()
	st.unwinds = false
}

// nextStepped is Next on a stepped machine.
func (k *Thread) nextStepped(t *Task) *Op {
	if k.strand == nil {
		k.task = t
		k.strand = k.machine.strand(k)
	}
	st := k.strand
	st.co.Resume()
	if st.thread != nil {
		return k.next
	}
	s := &k.machine.stepped
	last := s.strands[len(s.strands)-1]
	s.strands[st.position], last.position = last, st.position
	s.strands = s.strands[:len(s.strands)-1]
	s.idle = append(s.idle, st)
	k.strand = nil
	k.op = Op{Kind: Exit}
	return &k.op
}

// yieldStepped hands out op on a stepped machine and returns its result.
func (k *Thread) yieldStepped(op *Op) int64 {
	if !k.strand.unwinds { // or it is a deferred call of a function that is left
		k.next = op
		k.strand.co.Yield()
	}
	if k.strand.unwinds {
		panic(unwinding{})
	}
	return k.task.Result
}
