package explore_test

import (
	"fmt"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
)

// TestJoiningSeveralInTurnIsReducedSoundly: the unlock with which a task ends lets the
// joiner go on to the next life, so that what goes with a step depends on who has ended.
func TestJoiningSeveralInTurnIsReducedSoundly(t *testing.T) {
	build := func(m *cpus.Machine) explore.Modelled {
		l, x := kernelmodel.NewSpinlock(m, "l", "ticket"), m.NewWord("x", 0)
		var built explore.Modelled
		for i := range 3 {
			task := m.NewThread(&cpus.TaskSpec{Name: fmt.Sprint("t", i)}, func(k *cpus.Thread) {
				kernelmodel.SpinLock(k, l)
				k.Store(x, int64(i))
				kernelmodel.SpinUnlock(k, l)
			})
			task.Lifecycle()
			built.Tasks = append(built.Tasks, task)
		}
		tasks := built.Tasks
		built.Tasks = append(built.Tasks, m.NewThread(&cpus.TaskSpec{Name: "joiner"}, func(k *cpus.Thread) {
			for _, task := range tasks {
				k.Call(task.Lifecycle(), cpus.TaskJoin)
				k.Load(x)
			}
		}))
		return built
	}
	newSystem := func() explore.System { return explore.NewModel(explore.ModelSpec{Build: build}) }
	all, err := explore.Explore(newSystem, explore.Options{Strategy: explore.DFS(), Classes: true})
	if err != nil {
		t.Fatal(err)
	}
	reduced, err := explore.Explore(newSystem, explore.Options{Strategy: explore.DPOR()})
	if err != nil {
		t.Fatal(err)
	}
	if *reduced.Traces != *all.Traces || reduced.Blocked != 0 || *reduced.FinalStates != *all.FinalStates {
		t.Errorf("dpor: %d classes, %d ends, %d blocked; dfs: %d classes, %d ends",
			*reduced.Traces, *reduced.FinalStates, reduced.Blocked, *all.Traces, *all.FinalStates)
	}
}
