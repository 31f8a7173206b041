package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/workloads"
)

// linked makes systems of a file's programs as tasks of a machine, as a timed run has
// them.
func linked(spec explore.ProgramSpec) func() explore.System {
	return goModel(func(m *cpus.Machine) explore.Modelled {
		w := spec.Workload
		built := explore.Modelled{Workload: w, Linked: w.Link(m)}
		for _, about := range spec.Tasks {
			p, like := w.Program(about.Name), &cpus.TaskSpec{Kthread: about.Kthread}
			for range p.Count {
				task := built.Linked.NewTask(p, like)
				if built.Tasks = append(built.Tasks, task); about.Manual {
					built.Manual = append(built.Manual, task)
				}
			}
		}
		return built
	})
}

// programs makes systems of a file's programs without a machine.
func programs(t testing.TB, spec explore.ProgramSpec) func() explore.System {
	return func() explore.System {
		p, err := explore.NewProgram(spec)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
}

// walkSystem counts all interleavings of a system by recursion, doing each prefix again.
type walkSystem struct {
	system        explore.System
	most          int
	all, failing  int
	full          bool
	whats, finals map[string]bool
}

func walkAny(s explore.System, most int) *walkSystem {
	w := &walkSystem{system: s, most: most, whats: map[string]bool{}, finals: map[string]bool{}}
	w.below(nil)
	return w
}

func (w *walkSystem) below(path []explore.Agent) {
	if w.all >= w.most || len(path) > 100 {
		w.full = true
		return
	}
	w.system.Reset()
	var found []*explore.Finding
	hear := func(next func() *explore.Finding) {
		for f := next(); f != nil; f = next() {
			found = append(found, f)
		}
	}
	hear(w.system.Finding)
	for _, a := range path {
		w.system.Do(a)
		hear(w.system.Finding)
	}
	enabled := w.system.Enabled(nil)
	if len(enabled) > 0 {
		for _, a := range enabled {
			w.below(append(slices.Clip(path), a))
		}
		return
	}
	hear(w.system.End)
	w.all++
	failed := false
	for _, f := range found {
		failed = failed || fails(f)
		w.whats[fmt.Sprintf("%s: %s", f.Kind, f.What)] = true
	}
	if failed {
		w.failing++
	}
	w.finals[string(w.system.Final(nil))] = true
}

// turns tells a system's execution in which the agents take turns, a step a line.
func turns(s interface {
	explore.System
	explore.Namer
	Source(label int32) *workloads.Step
	Describe() string
	Values() []workloads.WordValue
},
) string {
	var b strings.Builder
	tell := func(next func() *explore.Finding) {
		for f := next(); f != nil; f = next() {
			if fails(f) {
				fmt.Fprintf(&b, "%s: %s, line %d\n", f.Kind, f.What, s.Source(f.Label).Pos.Line)
			}
		}
	}
	s.Reset()
	tell(s.Finding)
	for n := 0; n < 100; n++ {
		enabled := s.Enabled(nil)
		if len(enabled) == 0 {
			tell(s.End)
			break
		}
		a := enabled[n%len(enabled)]
		step := s.Do(a)
		text := s.Source(step.Label).Text
		if s.Describe() == "starts" {
			text = ""
		}
		fmt.Fprintf(&b, "%s: %s: %s\n", s.AgentName(a), text, s.Describe())
		tell(s.Finding)
	}
	fmt.Fprint(&b, s.Values())
	return b.String()
}

// foundBoth lists what both kinds of systems look for.
func foundBoth(found map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(s string) bool {
		return strings.HasPrefix(s, string(explore.IRQSafety))
	})
}

// TestProgramsOnAMachineAreExploredAsProgramsAre compares, on random programs, the two
// systems that explore them: interleavings, failing ones, classes, findings and ends.
func TestProgramsOnAMachineAreExploredAsProgramsAre(t *testing.T) {
	const files, most = 700, 200
	walked := 0
	for seed := range uint64(files) {
		r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 2))}
		text := r.text()
		if strings.Contains(text, "context:") || strings.Contains(text, "spin_until") {
			continue
		}
		f := parseFile(t, "f.yaml", text)
		spec := f.spec(t, "")
		program := walkAny(f.program(t, ""), most)
		if program.full {
			continue
		}
		walked++
		if got, want := turns(linked(spec)().(*explore.Model)), turns(f.program(t, "")); got != want {
			t.Errorf("seed %d: the machine tells\n%s\nthe program\n%s\n%s", seed, got, want, text)
		}
		model := walkAny(linked(spec)(), 2*most)
		if model.all != program.all || model.failing != program.failing || len(model.finals) != len(program.finals) {
			t.Errorf("seed %d: %d interleavings, %d failing, %d ends; as a program %d, %d, %d\n%s", seed,
				model.all, model.failing, len(model.finals), program.all, program.failing, len(program.finals), text)
			continue
		}
		if got, want := foundBoth(model.whats), foundBoth(program.whats); !slices.Equal(got, want) {
			t.Errorf("seed %d: finds\n  %s\nas a program\n  %s\n%s", seed, strings.Join(got, "\n  "), strings.Join(want, "\n  "), text)
		}
		whole := explored(t, linked(spec), explore.Options{Strategy: explore.DFS(), Classes: true, CheckDeterminism: true, Races: true})
		if asProgram := explored(t, programs(t, spec), explore.Options{Strategy: explore.DFS(), Classes: true}); *asProgram.Traces != *whole.Traces && !strings.Contains(text, "join") && !strings.Contains(text, "always") {
			t.Errorf("seed %d: %d classes; as a program %d\n%s", seed, *whole.Traces, *asProgram.Traces, text)
		}
		reduced := explored(t, linked(spec), explore.Options{Strategy: explore.DPOR()})
		if reduced.Executions != *whole.Traces || reduced.Blocked != 0 || *reduced.FinalStates != *whole.FinalStates {
			t.Errorf("seed %d: reduced: %d executions, %d blocked, %d ends; there are %d classes, %d ends\n%s", seed,
				reduced.Executions, reduced.Blocked, *reduced.FinalStates, *whole.Traces, *whole.FinalStates, text)
		}
	}
	t.Logf("%d of %d programs had at most %d interleavings", walked, files, most)
}

// TestExamplesOnAMachineFindWhatProgramsFind compares, on the variants of all examples
// without handlers and store buffers, what reduced exploration finds.
func TestExamplesOnAMachineFindWhatProgramsFind(t *testing.T) {
	compared := 0
	for _, f := range exampleFiles(t) {
		for _, variant := range f.variants() {
			spec := f.spec(t, variant)
			if spec.TSO || slices.ContainsFunc(spec.Tasks, func(p explore.ProgramTask) bool { return p.Context != explore.InTask }) {
				continue
			}
			compared++
			o := explore.Options{Strategy: explore.DPOR()}
			program, model := explored(t, programs(t, spec), o), explored(t, linked(spec), o)
			if got, want := foundBoth(foundIn(model)), foundBoth(foundIn(program)); !slices.Equal(got, want) {
				t.Errorf("%s, %s: finds %q; as a program %q", f.name, variant, got, want)
			}
			if !model.Complete || model.Executions != program.Executions || *model.FinalStates != *program.FinalStates {
				t.Errorf("%s, %s: complete %t, %d classes, %d ends; as a program %d, %d", f.name, variant,
					model.Complete, model.Executions, *model.FinalStates, program.Executions, *program.FinalStates)
			}
		}
	}
	if compared < 10 {
		t.Errorf("%d variants compared", compared)
	}
}

// foundIn is what a result has found, each as "kind: what".
func foundIn(r *explore.Result) map[string]bool {
	found := map[string]bool{}
	for _, f := range r.Findings {
		found[fmt.Sprintf("%s: %s", f.Kind, f.What)] = true
	}
	return found
}
