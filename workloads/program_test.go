package workloads

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/yamlfile"
)

// A statement of the reference writes itself as steps and does what it says to a
// state, as an interpreter that walks the tree.
type statement interface {
	steps(b *strings.Builder, indent string)
	do(s *refState) outcome
}

type outcome int

const (
	goesOn outcome = iota
	breaks
	returns
)

type refState struct {
	registers map[string]int64
	runs      int
	failed    bool
}

// eval is the value of a formula; a formula without one fails the program.
func (s *refState) eval(f reference) int64 {
	value, ok := f.worth(s.registers)
	s.failed = s.failed || !ok
	return value
}

func spelled(f reference) string {
	var b strings.Builder
	f.spell(&b, 0)
	return fmt.Sprintf("%q", b.String())
}

type refSet struct {
	name  string
	value reference
}

func (r refSet) steps(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s- set: {%s: %s}\n", indent, r.name, spelled(r.value))
}

func (r refSet) do(s *refState) outcome {
	if value := s.eval(r.value); !s.failed {
		s.registers[r.name] = value
	}
	return goesOn
}

type refRun struct{}

func (refRun) steps(b *strings.Builder, indent string) { fmt.Fprintf(b, "%s- run: 1ns\n", indent) }

func (refRun) do(s *refState) outcome {
	s.runs++
	return goesOn
}

type refLeave struct{ how outcome }

func (r refLeave) steps(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s- %s\n", indent, map[outcome]string{breaks: "break", returns: "return"}[r.how])
}

func (r refLeave) do(*refState) outcome { return r.how }

type refIf struct {
	cond    reference
	yes, no refBlock
}

func (r refIf) steps(b *strings.Builder, indent string) {
	fmt.Fprintf(b, "%s- if: %s\n%s  then:%s", indent, spelled(r.cond), indent, r.yes.body(indent+"    "))
	if len(r.no) > 0 {
		fmt.Fprintf(b, "%s  else:%s", indent, r.no.body(indent+"    "))
	}
}

func (r refIf) do(s *refState) outcome {
	cond := s.eval(r.cond)
	switch {
	case s.failed:
		return goesOn
	case cond != 0:
		return r.yes.do(s)
	default:
		return r.no.do(s)
	}
}

// refLoop is a loop of count turns, or while a formula holds, but as many turns.
type refLoop struct {
	count int
	cond  reference
	body  refBlock
}

func (r refLoop) steps(b *strings.Builder, indent string) {
	if r.cond == nil {
		fmt.Fprintf(b, "%s- loop: %d\n%s  do:%s", indent, r.count, indent, r.body.body(indent+"    "))
		return
	}
	fmt.Fprintf(b, "%s- loop: %d\n%s  do:\n", indent, r.count, indent)
	fmt.Fprintf(b, "%s    - while: %s\n%s      do:%s", indent, spelled(r.cond), indent, r.body.body(indent+"        "))
	// What breaks in the body leaves the while alone, which is gone round once.
	fmt.Fprintf(b, "%s        - break\n", indent)
}

func (r refLoop) do(s *refState) outcome {
	for range r.count {
		if r.cond != nil {
			cond := s.eval(r.cond)
			if s.failed {
				return goesOn
			}
			if cond == 0 {
				continue
			}
		}
		switch r.body.do(s) {
		case returns:
			return returns
		case breaks:
			if r.cond == nil {
				return goesOn
			}
		}
		if s.failed {
			return goesOn
		}
	}
	return goesOn
}

type refBlock []statement

// body is the block as the value of a key.
func (r refBlock) body(indent string) string {
	if len(r) == 0 {
		return " []\n"
	}
	b := new(strings.Builder)
	b.WriteByte('\n')
	for _, s := range r {
		s.steps(b, indent)
	}
	return b.String()
}

func (r refBlock) do(s *refState) outcome {
	for _, one := range r {
		if how := one.do(s); how != goesOn || s.failed {
			return how
		}
	}
	return goesOn
}

func drawBlock(t *rapid.T, depth int, inLoop bool) refBlock {
	block := make(refBlock, 0, 4)
	for range rapid.IntRange(0, 4).Draw(t, "length") {
		kind := rapid.IntRange(0, 9).Draw(t, "kind")
		switch {
		case kind == 0:
			block = append(block, refLeave{returns})
		case kind == 1 && inLoop:
			block = append(block, refLeave{breaks})
		case kind <= 3:
			block = append(block, refRun{})
		case kind <= 5 || depth == 0:
			block = append(block, refSet{rapid.SampledFrom(refRegisters).Draw(t, "to"), drawFormula(t, 2)})
		case kind <= 7:
			block = append(block, refIf{drawFormula(t, 2), drawBlock(t, depth-1, inLoop), drawBlock(t, depth-1, inLoop)})
		case kind == 8:
			block = append(block, refLoop{rapid.IntRange(0, 4).Draw(t, "count"), nil, drawBlock(t, depth-1, true)})
		default:
			body := drawBlock(t, depth-1, true)
			if len(body) == 0 {
				body = refBlock{refRun{}}
			}
			block = append(block, refLoop{rapid.IntRange(0, 4).Draw(t, "count"), drawFormula(t, 2), body})
		}
	}
	return block
}

func TestProgramsDoWhatATreeWalkerDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loop := rapid.IntRange(1, 3).Draw(t, "loop")
		block := append(refBlock{refSet{"a", refName("a")}, refSet{"b", refName("b")}, refSet{"c", refName("c")}}, drawBlock(t, 3, false)...)
		file := fmt.Sprintf("tasks:\n  t:\n    loop: %d\n    do:%s", loop, block.body("      "))
		want := refState{registers: make(map[string]int64)}
		for range loop {
			if block.do(&want); want.failed {
				break
			}
		}
		var problems yamlfile.Problems
		src := parsed(file, &problems)
		w := Compile(src, &problems)
		if w == nil {
			t.Fatalf("%s\n%v", file, &problems)
		}
		m := newMachine(1, 1)
		l := launch(src, w, m)
		outcome := m.Run(des.Second)
		if want.failed != (outcome == cpus.Failed) {
			t.Fatalf("%s\nfailed is %v, the run says %v: %v", file, want.failed, outcome, m.Failure())
		}
		for i, name := range w.Program("t").Registers() {
			if got := l.Registers(w.Program("t"), 0)[i]; got != want.registers[name] {
				t.Fatalf("%s\n%s is %d, want %d", file, name, got, want.registers[name])
			}
		}
		if got := m.Sim.Now(); got != des.Time(want.runs)*des.Nanosecond {
			t.Fatalf("%s\nit ran for %v, want %d ns", file, got, want.runs)
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, seed := range []string{
		"objects: {x: {word: 0}}\ntasks: {t: {do: [{read: {r: x}}, {if: r == 0, then: [return]}]}}",
		"objects: {a: {word: [1, 2]}, l: {spinlock: mcs}}\ntasks: {t: {count: 2, do: [{lock: l}, {write: {\"a[self]\": 1}}]}}",
		"objects: {w: {work: [{run: exp(1us)}]}, q: {waitqueue: {}}}\ntasks: {t: {do: [{queue: w}, {wait: {queue: q, until: \"pending(w)\"}}]}}",
		"tasks: {t: {loop: forever, do: [{loop: 3, do: [break]}, {mark: m}]}}\ncheck: {finally: [\"t.r == 1\"]}",
		"objects: {q: {seqlock: {}}, x: {word: 0}}\ntasks: {t: {do: [{read_begin: {s: q}}, {read_retry: {r: \"q, s\"}}, {spin_until: \"x == 1 && t.s\"}]}}",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var problems yamlfile.Problems
		src := parsed(text, &problems)
		if src == nil {
			return
		}
		w := Compile(src, &problems)
		if w == nil {
			if problems.Len() == 0 {
				t.Fatalf("%q: neither a workload nor a problem", text)
			}
			return
		}
		if problems.Len() > 0 {
			return // of the harness's own reading
		}
		// What compiles can run, and a run can be ended.
		for i := range src.Tasks {
			if src.Tasks[i].Count > 10 {
				return
			}
		}
		m := newMachine(1, 2)
		m.Sim.SetEventLimit(2000)
		defer m.Sim.Close()
		l := launch(src, w, m)
		m.Run(des.Second)
		for _, list := range [][]Condition{w.Always, w.Finally, w.Never} {
			for i := range list {
				if _, err := l.Holds(&list[i]); err != nil {
					continue
				}
			}
		}
	})
}
