package explore_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
)

// goModel makes systems of a model in Go.
func goModel(build func(m *cpus.Machine) explore.Modelled) func() explore.System {
	return func() explore.System { return explore.NewModel(explore.ModelSpec{Build: build}) }
}

// functions builds a model of functions, which are tasks called a, b, c ...
func functions(m *cpus.Machine, bodies ...func(k *cpus.Thread)) explore.Modelled {
	var built explore.Modelled
	for i, body := range bodies {
		built.Tasks = append(built.Tasks, m.NewThread(&cpus.TaskSpec{Name: string(rune('a' + i))}, body))
	}
	return built
}

// counts says that a word must hold a number at the end.
func counts(w *cpus.Word, want int64) []explore.ModelCheck {
	return []explore.ModelCheck{{
		What:  fmt.Sprintf("%s == %d", w.Name(), want),
		Holds: func() (bool, error) { return w.Value == want, nil },
	}}
}

// lostModel is n tasks that k times read a count and write one more.
func lostModel(n, k int) func(m *cpus.Machine) explore.Modelled {
	return func(m *cpus.Machine) explore.Modelled {
		c := m.NewWord("c", 0)
		built := functions(m, slices.Repeat([]func(*cpus.Thread){func(t *cpus.Thread) {
			for range k {
				t.Store(c, t.Load(c)+1)
			}
		}}, n)...)
		built.Finally = counts(c, int64(n*k))
		return built
	}
}

// lockedModel does the same under a lock.
func lockedModel(n, k int) func(m *cpus.Machine) explore.Modelled {
	return func(m *cpus.Machine) explore.Modelled {
		l, c := kernelmodel.NewSpinlock(m, "l", "ticket"), m.NewWord("c", 0)
		body := func(t *cpus.Thread) {
			for range k {
				kernelmodel.SpinLock(t, l)
				t.Store(c, t.Load(c)+1)
				kernelmodel.SpinUnlock(t, l)
			}
		}
		built := functions(m, slices.Repeat([]func(*cpus.Thread){body}, n)...)
		built.Finally = counts(c, int64(n*k))
		return built
	}
}

// ringModel is n tasks each of which takes two neighbouring locks of n.
func ringModel(n int) func(m *cpus.Machine) explore.Modelled {
	return func(m *cpus.Machine) explore.Modelled {
		locks := make([]*kernelmodel.Mutex, n)
		for i := range locks {
			locks[i] = kernelmodel.NewMutex(m, fmt.Sprintf("m%d", i))
		}
		var bodies []func(k *cpus.Thread)
		for i := range n {
			bodies = append(bodies, func(k *cpus.Thread) {
				first, second := locks[i], locks[(i+1)%n]
				k.Call(first, kernelmodel.Lock)
				k.Call(second, kernelmodel.Lock)
				k.Call(second, kernelmodel.Unlock)
				k.Call(first, kernelmodel.Unlock)
			})
		}
		return functions(m, bodies...)
	}
}

// incModel is n tasks that increment a word in one step.
func incModel(n int) func(m *cpus.Machine) explore.Modelled {
	return func(m *cpus.Machine) explore.Modelled {
		x := m.NewWord("x", 0)
		return functions(m, slices.Repeat([]func(*cpus.Thread){func(k *cpus.Thread) { k.AddReturn(x, 1) }}, n)...)
	}
}

// lostWakeupModel tests a flag, and then sleeps without testing it again.
func lostWakeupModel(m *cpus.Machine) explore.Modelled {
	q, x := kernelmodel.NewWaitQueue(m, "q"), m.NewWord("x", 0)
	return functions(m, func(k *cpus.Thread) {
		if k.Load(x) == 0 {
			k.Call(q, kernelmodel.SleepOn)
		}
	}, func(k *cpus.Thread) {
		k.Store(x, 1)
		kernelmodel.WakeUp(k, q)
	})
}

// explored explores a system, or fails the test.
func explored(t testing.TB, newSystem func() explore.System, o explore.Options) *explore.Result {
	t.Helper()
	r, err := explore.Explore(newSystem, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestModelsHaveExactlyTheKnownInterleavings compares models in Go with counts that
// were computed elsewhere: all interleavings and failing ones, classes, and both by
// preemptions; and with the same in reduced exploration.
func TestModelsHaveExactlyTheKnownInterleavings(t *testing.T) {
	for _, c := range []struct {
		name                  string
		build                 func(m *cpus.Machine) explore.Modelled
		all, failing, classes int64
		byPreemptions         string
	}{
		{"lost 2x1", lostModel(2, 1), 6, 4, 4, "2/0 2/2 2/2"},
		{"lost 2x2", lostModel(2, 2), 70, 64, 34, "2/0 6/4 18/16 18/18 18/18 6/6"},
		{"lost 3x1", lostModel(3, 1), 90, 84, 36, "6/0 18/18 36/36 30/30"},
		{"locked 2x3", lockedModel(2, 3), 20, 0, 20, "2/0 4/0 8/0 4/0 2/0"},
		{"locked 3x1", lockedModel(3, 1), 6, 0, 6, "6/0"},
		{"ABBA 2", ringModel(2), 6, 2, 3, "2/0 4/2"},
		{"ABBA ring 3", ringModel(3), 168, 6, 7, "6/0 51/3 72/3 21/0 18/0"},
		{"inc 4", incModel(4), 24, 0, 24, "24/0"},
		{"lost wake-up", lostWakeupModel, 5, 1, 3, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			whole := explored(t, goModel(c.build), explore.Options{Strategy: explore.DFS(), Classes: true, CheckDeterminism: true})
			if *whole.Interleavings != c.all || *whole.Failing != c.failing || *whole.Traces != c.classes {
				t.Errorf("%d interleavings, %d failing, %d classes; want %d, %d, %d",
					*whole.Interleavings, *whole.Failing, *whole.Traces, c.all, c.failing, c.classes)
			}
			var by []string
			for _, n := range whole.ByPreemptions {
				by = append(by, fmt.Sprintf("%d/%d", n[0], n[1]))
			}
			if got := strings.Join(by, " "); !strings.HasPrefix(got+" ", c.byPreemptions) {
				t.Errorf("by preemptions %s, want %s", got, c.byPreemptions)
			}
			reduced := explored(t, goModel(c.build), explore.Options{Strategy: explore.DPOR(), CheckDeterminism: true})
			if !reduced.Complete || reduced.Executions != c.classes || reduced.Blocked != 0 {
				t.Errorf("reduced: %d executions, %d blocked, complete %t; want %d, none, true",
					reduced.Executions, reduced.Blocked, reduced.Complete, c.classes)
			}
		})
	}
}
