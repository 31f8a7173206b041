package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// TestWhatCannotBeExploredIsRefused: system calls, built-in loads, handlers of nobody,
// and more than fits.
func TestWhatCannotBeExploredIsRefused(t *testing.T) {
	step := func(text string) []*yamlfile.Node {
		var problems yamlfile.Problems
		return yamlfile.Parse("f.yaml", []byte(text), &problems).Items
	}
	for _, c := range []struct {
		name string
		src  workloads.Source
		task explore.ProgramTask
		want string
	}{
		{
			"a system call",
			workloads.Source{
				Tasks: []workloads.TaskSource{{Name: "t", Count: 1, Loop: 1, Steps: step("[call: {f: {}}]")}},
				Syscalls: map[string]workloads.Syscall{"f": func(*yamlfile.Node, *yamlfile.Problems) workloads.SyscallBinder {
					return func(*cpus.Machine) cpus.Behavior { return nil }
				}},
			},
			explore.ProgramTask{Name: "t"},
			"f.yaml:1:2: call: {f: {}}: a system call cannot be explored as part of a program",
		},
		{
			"a built-in load",
			workloads.Source{Tasks: []workloads.TaskSource{{Name: "t", Count: 1, Loop: 1}}},
			explore.ProgramTask{Name: "t"},
			"task t runs a built-in load, which cannot be explored as a program",
		},
		{
			"a handler of nobody",
			workloads.Source{Tasks: []workloads.TaskSource{{Name: "t", Count: 1, Loop: 1, Steps: step("[irq_off]")}}},
			explore.ProgramTask{Name: "t", Context: explore.InHardIRQ, Interrupts: "u", Arrivals: 1},
			`task t interrupts "u", which is no task`,
		},
		{
			"too many tasks",
			workloads.Source{Tasks: []workloads.TaskSource{{Name: "t", Count: 5000, Loop: 1, Steps: step("[irq_off]")}}},
			explore.ProgramTask{Name: "t"},
			"4097 tasks and work items with",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var problems yamlfile.Problems
			w := workloads.Compile(&c.src, &problems)
			if err := problems.Err(); err != nil {
				t.Fatal(err)
			}
			_, err := explore.NewProgram(explore.ProgramSpec{Workload: w, Tasks: []explore.ProgramTask{c.task}})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}

// TestStepsAllocateNothing, in executions that find and that do not, once their findings
// are known.
func TestStepsAllocateNothing(t *testing.T) {
	for _, c := range []struct{ file, variant string }{
		{"explore_double_entry", "trusted"},
		{"explore_lost_update", "plain-unlocked"},
		{"explore_missed_flush", "worker-sets"},
		{"explore_store_buffer", "tso"},
		{"explore_backlog", "bottom-halves-on"},
		{"explore_lost_wakeup", "sleep_on"},
	} {
		p := readFile(t, "../examples/"+c.file+".yaml").program(t, c.variant)
		enabled := make([]explore.Agent, 0, p.Agents())
		buf := make([]byte, 0, 1<<14)
		random := uint64(1)
		walk := func() {
			p.Reset()
			for {
				if enabled = p.Enabled(enabled[:0]); len(enabled) == 0 {
					break
				}
				random = random*6364136223846793005 + 1442695040888963407
				for a := range p.Agents() {
					p.Pending(explore.Agent(a))
				}
				p.Do(enabled[(random>>33)%uint64(len(enabled))])
				for p.Finding() != nil {
				}
				buf = p.State(p.Final(buf[:0]))
			}
			for p.End() != nil {
			}
			buf = p.Save(buf[:0])
			p.Restore(buf)
		}
		for range 2000 {
			walk()
		}
		if n := testing.AllocsPerRun(500, walk); n > 0 {
			t.Errorf("%s, %s: %v allocations an execution", c.file, c.variant, n)
		}
	}
}

// TestReplayingIsExact: the same schedule leads to the same steps, states, findings and
// words, a thousand times, and in another system of the same program.
func TestReplayingIsExact(t *testing.T) {
	f := readFile(t, "../examples/explore_backlog.yaml")
	schedule := []string{"0", "1", "1", "1", "2", "2", "0", "0"}
	p, want := f.program(t, "cleared-after"), ""
	for range 1000 {
		p.Reset()
		got := story(p, schedule, true, true)
		if want == "" {
			want = got
		}
		if got != want {
			t.Fatalf("told\n%s\nfirst, and then\n%s", want, got)
		}
	}
	if got := story(f.program(t, "cleared-after"), schedule, true, true); got != want {
		t.Errorf("another system tells\n%s\nnot\n%s", got, want)
	}
}

// TestRestoreGoesBackToWhatWasSaved, history included: what follows is the same.
func TestRestoreGoesBackToWhatWasSaved(t *testing.T) {
	p := program(t, lockObjects+`
  left:  {do: [lock: a, lock: b, unlock: b, unlock: a]}
  right: {do: [lock: b, lock: a, unlock: a, unlock: b]}
`)
	do(t, p, 0, 0, 0, 0, 1)
	state, saved := p.State(nil), p.Save(nil)
	want := do(t, p, 1, 1)
	p.Reset()
	do(t, p, 1, 1)
	p.Restore(saved)
	if !slices.Equal(p.State(nil), state) {
		t.Error("another state")
	}
	if got := do(t, p, 1, 1); !slices.Equal(got, want) || len(got) != 1 {
		t.Errorf("finds %v, before %v", got, want)
	}
}

// TestEqualStatesHaveEqualBytes: two orders of independent steps lead to one state; what
// was reported on the way is no part of it.
func TestEqualStatesHaveEqualBytes(t *testing.T) {
	p := program(t, lockObjects+"  t: {do: [lock: a, lock: b, unlock: b, unlock: a]}\n  u: {do: [write: {x: 1}, read: {r: x}]}\n")
	do(t, p, 0, 0, 0, 1)
	one := p.State(nil)
	p.Reset()
	do(t, p, 1, 0, 0, 0)
	if !slices.Equal(one, p.State(nil)) {
		t.Error("the order shows")
	}
	do(t, p, 1)
	if slices.Equal(one, p.State(nil)) {
		t.Error("a register does not show")
	}
}

// TestAFullBufferHoldsStoresUp: the seventeenth waits until one has left.
func TestAFullBufferHoldsStoresUp(t *testing.T) {
	p := program(t, "objects: {x: {word: 0}}\ntasks: {t: {do: [{loop: 20, do: [{write: {x: 1}}]}]}}\nexplore: {memory: tso}\n")
	for range 16 {
		do(t, p, 0)
	}
	if got := p.Enabled(nil); !slices.Equal(got, []explore.Agent{1}) {
		t.Errorf("enabled %v, want the buffer alone", got)
	}
	do(t, p, 1, 0)
}

// TestPlacesHaveNames: labels name steps, assertions and conditions with their lines.
func TestPlacesHaveNames(t *testing.T) {
	p := program(t, `objects: {x: {word: 0}}
tasks:
  t:
    do:
      - write: {x: 1}
      - assert: 1 == 2
check: {finally: [x == 2]}
`)
	var got []string
	name := func(f *explore.Finding) {
		got = append(got, fmt.Sprintf("%s: %s: %s", f.Kind, f.What, p.StepName(f.Label)))
	}
	s := p.Do(0)
	got = append(got, p.StepName(s.Label), p.ObjectName(s.Objects[0]), p.AgentName(0))
	name(p.Finding())
	name(p.End())
	want := []string{"write: {x: 1} in line 5", "x", "t", "assert: 1 == 2: assert: 1 == 2 in line 6", "check: x == 2: x == 2 in line 7"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
