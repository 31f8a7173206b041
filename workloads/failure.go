package workloads

import (
	"fmt"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
	"smpsim/yamlfile"
)

// FailureKind says what went wrong in a program.
type FailureKind string

// Kinds of failures.
const (
	// AssertFailed: an assertion does not hold.
	AssertFailed FailureKind = "assert"
	// Bug: an index is out of range, or an operator has no result.
	Bug FailureKind = "bug"
	// CheckFailed: a condition that must always hold does not.
	CheckFailed FailureKind = "check"
	// Endless: a loop goes round without an operation, so that time stands still.
	Endless FailureKind = "endless loop"
)

// Failure is what a program did wrong.
type Failure struct {
	Kind FailureKind
	Pos  yamlfile.Pos
	// What says what is wrong: "n == 1 does not hold".
	What string
	// Step is the step it happened in.
	Step string
	// Task is empty for a condition of a check.
	Task string
	At   des.Time
	// Registers are those of the task.
	Registers []WordValue
	// Past are the last steps of all tasks, oldest first.
	Past []PastStep
}

// PastStep is a step that led to a failure.
type PastStep struct {
	// At is when it began.
	At   des.Time
	Task string
	Step *Step
	// Outcome says what was read, written or returned: "x = 1"; it is empty where
	// there is nothing of that kind.
	Outcome string
	// Unfinished steps had not ended when the failure came.
	Unfinished bool
}

// Error is the failure on one line: where, what, who, when, and the registers.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v: %s: %s", f.Pos, f.Step, f.What)
	if f.Task != "" {
		fmt.Fprintf(&b, ", in %s", f.Task)
	}
	fmt.Fprintf(&b, " at %v", f.At)
	for i, r := range f.Registers {
		if i == 0 {
			b.WriteString("; registers:")
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, " %s = %d", r.Name, r.Value)
	}
	return b.String()
}

// Story tells the steps that led to the failure, a line each.
func (f *Failure) Story() string {
	var b strings.Builder
	width, taskWidth := 0, 0
	for i := range f.Past {
		width = max(width, len(f.Past[i].At.String()))
		taskWidth = max(taskWidth, len(f.Past[i].Task))
	}
	for i := range f.Past {
		s := &f.Past[i]
		fmt.Fprintf(&b, "%*v  %-*s  %s", width, s.At, taskWidth, s.Task, s.Step.Text)
		switch {
		case s.Unfinished:
			b.WriteString("  (unfinished)")
		case s.Outcome != "":
			b.WriteString("  " + s.Outcome)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// fail reports a failure at an instruction, and says whether the program goes on
// as if nothing had happened.
func (l *Linked) fail(kind FailureKind, g *group, p *proc, t *cpus.Task, pc int, what string) bool {
	where := g.program.where[pc]
	if l.explored != nil {
		return l.explored.note(kind, where, what)
	}
	f := &Failure{Kind: kind, Pos: where.pos, What: what, Step: where.text, At: l.machine.Sim.Now()}
	if t == nil {
		l.unchecked = f
		return false
	}
	f.Task = t.Name()
	if g.program.work {
		f.Task = g.program.Name + " (" + f.Task + ")"
	}
	for i, name := range g.program.registers {
		f.Registers = append(f.Registers, WordValue{name, l.registers[int(p.base)+i]})
	}
	if l.past != nil {
		f.Past = l.past.tell(l.workload, t)
	}
	if l.Report != nil && kind != Endless && l.Report(f) {
		return true
	}
	l.machine.Fail(f)
	return false
}

func (l *Linked) violated(g *group, p *proc, t *cpus.Task, pc int) bool {
	return l.fail(AssertFailed, g, p, t, pc, "does not hold")
}

func (l *Linked) outOfRange(g *group, p *proc, t *cpus.Task, pc int, index, length int64) bool {
	return l.fail(Bug, g, p, t, pc, fmt.Sprintf("index %d is not within 0 to %d", index, length-1))
}

func (l *Linked) endless(g *group, p *proc, t *cpus.Task, pc int) *cpus.Op {
	l.fail(Endless, g, p, t, pc, fmt.Sprintf("%d turns without an operation", maxTurns))
	return &haltOp
}

// halted is the operation of a task whose failure has ended the run: it does not end.
type halted struct{}

var haltOp = cpus.Op{Kind: cpus.Call, Prim: halted{}}

// Name returns what reports call it.
func (halted) Name() string { return "halted" }

// Begin keeps the task where it is.
func (halted) Begin(*cpus.Task, *cpus.Op) cpus.Until { return cpus.Spinning }

// Step does so, too.
func (halted) Step(*cpus.Task, *cpus.Op) cpus.Until { return cpus.Spinning }

// past remembers the steps that began last, of programs that can fail: six stores
// a step, against some forty nanoseconds that an event takes.
type past struct {
	steps [pastSteps]pastOp
	next  uint
}

// pastSteps is a power of two, so that finding the place is a mask.
const pastSteps = 32

type pastOp struct {
	at   des.Time
	task *cpus.Task
	op   *cpus.Op
	// a is the op's operand, before the result of the task's op before this one.
	a, before int64
}

func (h *past) note(at des.Time, t *cpus.Task, op *cpus.Op) {
	h.steps[h.next%pastSteps] = pastOp{at, t, op, t.A, t.Result}
	h.next++
}

// tell returns the remembered steps, oldest first.
func (h *past) tell(w *Workload, failing *cpus.Task) []PastStep {
	n := min(h.next, pastSteps)
	list := make([]PastStep, 0, n)
	for i := h.next - n; i < h.next; i++ {
		o := &h.steps[i%pastSteps]
		s := PastStep{At: o.at, Task: o.task.Name(), Step: &w.Steps[o.op.Label]}
		result, ended := h.result(i, failing)
		if s.Unfinished = !ended; ended {
			s.Outcome = o.outcome(result)
		}
		list = append(list, s)
	}
	return list
}

// result returns the result of step i, and whether it has ended: the op of the task
// that fails has, and one that its task has left.
func (h *past) result(i uint, failing *cpus.Task) (int64, bool) {
	o := &h.steps[i%pastSteps]
	for k := i + 1; k < h.next; k++ {
		if later := &h.steps[k%pastSteps]; later.task == o.task {
			return later.before, true
		}
	}
	return o.task.Result, o.task == failing || o.task.Op() != o.op
}

// outcome says what an op that has ended read, wrote or returned.
func (o *pastOp) outcome(result int64) string {
	switch o.op.Kind {
	case cpus.Load, cpus.LoadPlain, cpus.LoadAcquire:
		return fmt.Sprintf("%s = %d", o.op.Word.Name(), result)
	case cpus.Store, cpus.StorePlain, cpus.StoreRelease:
		return fmt.Sprintf("%s = %d", o.op.Word.Name(), o.a)
	case cpus.AddReturn, cpus.FetchAdd, cpus.Xchg, cpus.Cmpxchg, cpus.IncNotZero, cpus.TestAndSet:
		return fmt.Sprintf("%s returned %d", o.op.Word.Name(), result)
	case cpus.Call:
		switch o.op.Sub {
		case kernelmodel.TryLock, kernelmodel.ReadBegin, kernelmodel.ReadRetry:
			return fmt.Sprintf("%s returned %d", o.op.Prim.Name(), result)
		}
	}
	return ""
}
