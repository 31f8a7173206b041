package explore_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
)

// findings explores all interleavings and all classes of a model, and returns what
// both find, each as "kind: what".
func findings(t *testing.T, build func(m *cpus.Machine) explore.Modelled) []string {
	t.Helper()
	var both [2][]string
	for i, by := range []explore.Strategy{explore.DFS(), explore.DPOR()} {
		r := explored(t, goModel(build), explore.Options{Strategy: by, Races: true, CheckDeterminism: true})
		if !r.Complete {
			t.Errorf("%s: %v", by, r.Limits)
		}
		for _, f := range r.Findings {
			both[i] = append(both[i], fmt.Sprintf("%s: %s", f.Kind, f.What))
		}
		slices.Sort(both[i])
	}
	if !slices.Equal(both[0], both[1]) {
		t.Errorf("all interleavings find\n  %s\nreduced exploration\n  %s", strings.Join(both[0], "\n  "), strings.Join(both[1], "\n  "))
	}
	return both[0]
}

// TestModelsFindEachKind says what is found in models that have one thing wrong.
func TestModelsFindEachKind(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(m *cpus.Machine) explore.Modelled
		want  []string
	}{
		{"an invariant of the model", func(m *cpus.Machine) explore.Modelled {
			inside := m.NewWord("inside", 0)
			body := func(k *cpus.Thread) {
				k.BugOn(k.AddReturn(inside, 1) == 2, "two are inside")
				k.AddReturn(inside, -1)
			}
			return functions(m, body, body)
		}, []string{"bug: two are inside (task a)", "bug: two are inside (task b)"}},
		{"a check after every step", func(m *cpus.Machine) explore.Modelled {
			x := m.NewWord("x", 0)
			built := functions(m, func(k *cpus.Thread) {
				k.Store(x, 1)
				k.Store(x, 0)
			})
			built.Check = func() error {
				if x.Value != 0 {
					return errors.New("x is not 0")
				}
				return nil
			}
			return built
		}, []string{"bug: x is not 0"}},
		{"a panic", func(m *cpus.Machine) explore.Modelled {
			x, list := m.NewWord("x", 0), []int{7}
			return functions(m, func(k *cpus.Thread) { k.Store(x, 1) }, func(k *cpus.Thread) { _ = list[k.Load(x)] })
		}, []string{"bug: panic: runtime error: index out of range [1] with length 1 in explore_test.TestModelsFindEachKind.func3.2, line "}},
		{"an always", func(m *cpus.Machine) explore.Modelled {
			x, y := m.NewWord("x", 0), m.NewWord("y", 0)
			built := functions(m, func(k *cpus.Thread) { k.Store(x, 1) }, func(k *cpus.Thread) { k.Store(y, 1) })
			built.Always = []explore.ModelCheck{{
				What: "x >= y", Words: []*cpus.Word{x, y},
				Holds: func() (bool, error) { return x.Value >= y.Value, nil },
			}}
			return built
		}, []string{"check: x >= y"}},
		{"a never", func(m *cpus.Machine) explore.Modelled {
			x := m.NewWord("x", 0)
			built := functions(m, func(k *cpus.Thread) { k.Store(x, 1) }, func(k *cpus.Thread) { k.Store(x, 2) })
			built.Never = []explore.ModelCheck{{What: "x == 1", Holds: func() (bool, error) { return x.Value == 1, nil }}}
			return built
		}, []string{"never: x == 1"}},
		{"a deadlock", ringModel(2), []string{
			"deadlock: a waits for m1 (lock: m1), held by b; b waits for m0 (lock: m0), held by a",
			"lock-order: taken one while holding the other: m0, then m1, then m0",
		}},
		{"a lock taken twice", func(m *cpus.Machine) explore.Modelled {
			l := kernelmodel.NewSpinlock(m, "l", "qspinlock")
			return functions(m, func(k *cpus.Thread) {
				kernelmodel.SpinLock(k, l)
				kernelmodel.SpinLock(k, l)
			})
		}, []string{"deadlock: a waits for l (lock: l), held by itself"}},
		{"a lost wake-up", lostWakeupModel, []string{
			"deadlock: a sleeps on q (sleep_on: q)",
			"lost-wakeup: a sleeps on q for ever: the wake-up came between its test and its sleep",
		}},
		{"a lock that stays", func(m *cpus.Machine) explore.Modelled {
			l := kernelmodel.NewSpinlock(m, "l", "qspinlock")
			return functions(m, func(k *cpus.Thread) { kernelmodel.SpinLock(k, l) })
		}, []string{"lock-held: l is held by a, which has ended"}},
		{"a lock of another", func(m *cpus.Machine) explore.Modelled {
			l := kernelmodel.NewMutex(m, "l")
			return functions(m, func(k *cpus.Thread) { k.Call(l, kernelmodel.Unlock) })
		}, []string{"bug: unlock: l: given back by a task that does not hold it"}},
		{"sleep under a spinlock", func(m *cpus.Machine) explore.Modelled {
			l := kernelmodel.NewSpinlock(m, "l", "qspinlock")
			w := kernelmodel.NewWorkqueue(m, kernelmodel.WorkqueueSpec{Name: "wq"}).NewWork("w", m.Func(func(*cpus.Thread) {}))
			return functions(m, func(k *cpus.Thread) {
				kernelmodel.SpinLock(k, l)
				kernelmodel.FlushWork(k, w)
				kernelmodel.SpinUnlock(k, l)
			})
		}, []string{"atomic-sleep: flush: w may sleep, while holding l"}},
		{"a data race", func(m *cpus.Machine) explore.Modelled {
			x := m.NewWord("x", 0)
			return functions(m, func(k *cpus.Thread) { k.StorePlain(x, 1) }, func(k *cpus.Thread) { k.Load(x) })
		}, []string{"data-race: x: marked read at read: x and plain write at write_plain: x"}},
		{"a plain addition", func(m *cpus.Machine) explore.Modelled {
			x := m.NewWord("x", 0)
			add := func(k *cpus.Thread) { k.AddPlain(x, 1) }
			built := functions(m, add, add)
			built.Finally = counts(x, 2)
			return built
		}, []string{
			"check: x == 2", "data-race: x: plain read at add_plain: x and plain write at add_plain: x",
			"data-race: x: plain write at add_plain: x and plain write at add_plain: x",
		}},
		{"nothing: plain accesses under a lock", func(m *cpus.Machine) explore.Modelled {
			l, x := kernelmodel.NewSpinlock(m, "l", "mcs"), m.NewWord("x", 0)
			add := func(k *cpus.Thread) {
				kernelmodel.SpinLock(k, l)
				k.AddPlain(x, 1)
				kernelmodel.SpinUnlock(k, l)
			}
			built := functions(m, add, add)
			built.Finally = counts(x, 2)
			return built
		}, nil},
		{"nothing: a kthread without work", func(m *cpus.Machine) explore.Modelled {
			q, x := kernelmodel.NewWaitQueue(m, "q"), m.NewWord("x", 0)
			set := q.Until(kernelmodel.ConditionFunc(func(*cpus.Task) bool { return x.Value > 0 }), x)
			return explore.Modelled{Tasks: []*cpus.Task{m.NewThread(&cpus.TaskSpec{Name: "d", Kthread: true}, func(k *cpus.Thread) {
				kernelmodel.WaitEvent(k, set)
			})}}
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := findings(t, c.build)
			for i := range got {
				if at := strings.Index(got[i], ", line "); at >= 0 {
					got[i] = got[i][:at+len(", line ")]
				}
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("finds\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(c.want, "\n  "))
			}
		})
	}
}

// TestAModelsFindingsReplayIdentically does each schedule that found something again.
func TestAModelsFindingsReplayIdentically(t *testing.T) {
	for _, build := range []func(m *cpus.Machine) explore.Modelled{lostModel(3, 2), ringModel(3), lostWakeupModel} {
		r := explored(t, goModel(build), explore.Options{Strategy: explore.Random(1), Executions: 500})
		if len(r.Findings) == 0 {
			t.Fatal("nothing found")
		}
		for _, f := range r.Findings {
			for range 50 {
				again := explored(t, goModel(build), explore.Options{Strategy: explore.Replay(f.Schedule), CheckDeterminism: true})
				if !slices.ContainsFunc(again.Findings, func(g explore.Found) bool { return g.Finding == f.Finding && g.Steps == f.Steps }) {
					t.Fatalf("schedule %s found %s: %s, and now %v", f.Schedule, f.Kind, f.What, again.Findings)
				}
			}
		}
	}
}

// TestLockOrderIsLearntFromAllExecutions: a flag decides in which order two locks are
// taken, so that no execution takes them both ways.
func TestLockOrderIsLearntFromAllExecutions(t *testing.T) {
	r := explored(t, func() explore.System {
		return explore.NewModel(explore.ModelSpec{Build: func(m *cpus.Machine) explore.Modelled {
			x := m.NewWord("x", 0)
			one, two := kernelmodel.NewMutex(m, "one"), kernelmodel.NewMutex(m, "two")
			return functions(m, func(k *cpus.Thread) {
				first, second := one, two
				if k.Load(x) != 0 {
					first, second = two, one
				}
				k.Call(first, kernelmodel.Lock)
				k.Call(second, kernelmodel.Lock)
				k.Call(second, kernelmodel.Unlock)
				k.Call(first, kernelmodel.Unlock)
			}, func(k *cpus.Thread) { k.Store(x, 1) })
		}})
	}, explore.Options{Strategy: explore.DPOR()})
	if len(r.Findings) != 1 || r.Findings[0].Kind != explore.LockOrder ||
		r.Findings[0].What != "taken one while holding the other: one, then two, then one (seen over all executions)" {
		t.Error(r.Findings)
	}
}
