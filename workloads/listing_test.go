package workloads

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/yamlfile"
)

// TestEveryConstructCompilesAsListed compiles the files in testdata/compile and
// compares the code of each program.
func TestEveryConstructCompilesAsListed(t *testing.T) {
	datadriven.Walk(t, "testdata/compile", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var problems yamlfile.Problems
			src := parsed(d.Input, &problems)
			w := Compile(src, &problems)
			if err := problems.Err(); err != nil {
				return err.Error() + "\n"
			}
			var b strings.Builder
			for _, p := range w.programs {
				if len(p.code) > 0 {
					list(&b, w, p)
				}
			}
			return b.String()
		})
	})
}

// TestEveryMistakeIsReported compiles the files in testdata/mistakes, each with
// several mistakes, and compares the messages.
func TestEveryMistakeIsReported(t *testing.T) {
	datadriven.Walk(t, "testdata/mistakes", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var problems yamlfile.Problems
			src := parsed(d.Input, &problems)
			if src != nil && Compile(src, &problems) != nil && problems.Len() == 0 {
				return "no mistake\n"
			}
			return problems.Error() + "\n"
		})
	})
}

// TestProgramsRunAsTold runs the files in testdata/run and compares the last
// steps, unless only the end is asked for, how the run ended, and the final values.
func TestProgramsRunAsTold(t *testing.T) {
	datadriven.Walk(t, "testdata/run", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			until, n := 100, 2
			d.MaybeScanArgs(t, "ms", &until)
			d.MaybeScanArgs(t, "cpus", &n)
			src, w := compiled(t, d.Input)
			m := newMachine(1, n)
			defer m.Sim.Close()
			marks := &markTracer{}
			m.SetTracer(marks)
			l := launch(src, w, m)
			l.remember()
			outcome := m.Run(des.Time(until) * des.Millisecond)
			var failing *cpus.Task
			for _, task := range m.Tasks() {
				if task.Op() == &haltOp {
					failing = task
				}
			}
			if d.HasArg("final") {
				// What is told here does not depend on what kernel objects cost.
				return describe(src, l, outcome.String())
			}
			f := Failure{Past: l.past.tell(w, failing)}
			return f.Story() + marks.String() + describe(src, l, fmt.Sprintf("%v at %v", outcome, m.Sim.Now()))
		})
	})
}

// markTracer keeps the first marks that were passed.
type markTracer struct {
	strings.Builder
	passed int
}

func (m *markTracer) Trace(e cpus.TraceEvent) {
	if e.Kind != cpus.TraceMark {
		return
	}
	if m.passed++; m.passed <= 10 {
		fmt.Fprintf(m, "%v task %d passes mark %d, interval %d\n", e.At, e.Task, e.Name, e.Arg)
	}
}

var opcodeNames = map[opcode]string{
	doLoad: "load", doSelf: "self", doWord: "word", doElement: "element", doForeign: "foreign", doPush: "push",
	doStore: "store", doResult: "result", doSetA: "set A", doSetB: "set B", doOp: "op", doIndexedOp: "op by index",
	doCall: "call", doJump: "jump", doJumpIfZero: "jump if 0", doJumpIfNot: "jump if not 0", doCount: "count",
	doClear: "clear", doMark: "mark", doAssert: "assert", doExit: "exit", doEnd: "end",
}

var kindNames = map[cpus.Kind]string{
	cpus.Exit: "exit", cpus.Compute: "compute", cpus.Sleep: "sleep", cpus.Load: "load", cpus.LoadPlain: "load plain",
	cpus.LoadAcquire: "load acquire", cpus.Store: "store", cpus.StorePlain: "store plain", cpus.StoreRelease: "store release",
	cpus.AddPlain: "add plain", cpus.AddReturn: "add return", cpus.FetchAdd: "fetch add", cpus.Xchg: "xchg",
	cpus.Cmpxchg: "cmpxchg", cpus.IncNotZero: "inc not zero", cpus.TestAndSet: "test and set", cpus.FenceFull: "fence full",
	cpus.FenceWrite: "fence write", cpus.FenceRead: "fence read", cpus.Call: "call", cpus.IRQOff: "irq off",
	cpus.IRQOn: "irq on", cpus.BHOff: "bh off", cpus.BHOn: "bh on",
}

// list writes a program's code as text, an instruction a line, with the step of
// each op behind it.
func list(b *strings.Builder, w *Workload, p *Program) {
	fmt.Fprintf(b, "%s:\n", p.Name)
	name := func(register int32) string {
		if int(register) < len(p.registers) {
			return p.registers[register]
		}
		return fmt.Sprintf("$%d", register)
	}
	for i, in := range p.code {
		text := opcodeNames[in.do]
		if in.do < doLoad {
			text = operatorSymbols[in.do]
		}
		switch in.mode {
		case immediate:
			text += fmt.Sprintf(" %d", in.imm)
		case register:
			text += " " + name(in.arg)
		case held:
			text += " acc"
		case popped:
			text += " popped"
		}
		switch in.do {
		case doStore, doResult:
			text += " " + name(in.arg)
		case doCount:
			text += fmt.Sprintf(" %s to %d", name(in.arg), in.imm)
		case doWord:
			text += " " + wordName(w, int(in.arg))
		case doElement:
			text += fmt.Sprintf(" %s of %d", wordName(w, int(in.arg)), in.imm)
		case doForeign:
			other := w.tasks[in.arg]
			text += fmt.Sprintf(" %s[acc].%s", other.Name, other.registers[in.imm])
		case doJump, doJumpIfZero, doJumpIfNot:
			text += fmt.Sprintf(" to %d", in.arg)
		case doClear:
			text += fmt.Sprintf(" %d", in.arg)
		case doMark:
			text += fmt.Sprintf(" %s in %s", p.marks[in.imm].name, name(in.arg))
		case doOp, doExit:
			text += " " + listOp(w, p, int(in.arg))
		case doIndexedOp:
			text += fmt.Sprintf(" of %d, first %s", in.imm, listOp(w, p, int(in.arg)))
		}
		fmt.Fprintf(b, "%3d %s\n", i, text)
	}
}

func wordName(w *Workload, word int) string {
	t := w.words[word]
	o := w.Objects[t.object]
	switch {
	case o.array:
		return fmt.Sprintf("%s[%d]", o.Name, t.element)
	case o.Kind == WorkItem:
		return "pending(" + o.Name + ")"
	default:
		return o.Name
	}
}

func listOp(w *Workload, p *Program, number int) string {
	t := p.ops[number]
	text := kindNames[t.op.Kind]
	if t.op.Sub != 0 {
		text += fmt.Sprintf(" %d", t.op.Sub)
	}
	switch t.bind {
	case bindWord:
		text += " " + wordName(w, t.target)
	case bindObject:
		text += " of " + w.Objects[t.target].Name
	case bindWait:
		wait := p.waits[t.target]
		var words []string
		for _, word := range wait.words {
			words = append(words, wordName(w, word))
		}
		text += fmt.Sprintf(" until the condition at %d holds, over %s", wait.entry, strings.Join(words, ", "))
		if wait.queue >= 0 {
			text += ", on " + w.Objects[wait.queue].Name
		}
	case bindPause:
		text += " pause"
	}
	if t.op.Kind == cpus.Compute || t.op.Kind == cpus.Sleep {
		if t.op.Dist != nil {
			text += " sampled"
		} else if t.bind == bindNothing {
			text += " " + t.op.Dur.String()
		}
	}
	if t.op.Label == 0 {
		return text
	}
	s := w.Steps[t.op.Label]
	text += fmt.Sprintf("  # %d:%d %d %s", s.Pos.Line, s.Pos.Column, s.Index, s.Text)
	for _, object := range s.Objects {
		text += fmt.Sprintf(" | %s", w.Objects[object].Name)
	}
	if s.Access != 0 {
		text += " | " + s.Access.String()
	}
	return text
}
