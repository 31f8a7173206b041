package explore_test

import (
	"fmt"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
)

// countsOf are the interleavings and the failing ones among them, the classes and the
// ends of a system, which reduced exploration and several jobs must agree on.
func countsOf(t *testing.T, newSystem func() explore.System) string {
	t.Helper()
	counted := func(r *explore.Result) string {
		return fmt.Sprintf("%d interleavings, %d failing, %d classes, %d ends", *r.Interleavings, *r.Failing, *r.Traces, *r.FinalStates)
	}
	whole := explored(t, newSystem, explore.Options{Strategy: explore.DFS(), Classes: true, CheckDeterminism: true})
	if many := explored(t, newSystem, explore.Options{Strategy: explore.DFS(), Classes: true, Jobs: 3}); counted(many) != counted(whole) {
		t.Errorf("three jobs: %s; one: %s", counted(many), counted(whole))
	}
	reduced := explored(t, newSystem, explore.Options{Strategy: explore.DPOR()})
	if !reduced.Complete || reduced.Blocked != 0 || reduced.Executions != *whole.Traces || *reduced.FinalStates != *whole.FinalStates {
		t.Errorf("reduced: %d executions, %d blocked, %d ends; %s", reduced.Executions, reduced.Blocked, *reduced.FinalStates, counted(whole))
	}
	return counted(whole)
}

// TestAFlagThatIsSetLateIsMissedByTheFlush is the collector's flag as a model in Go:
// its counts are those of the file that shows it.
func TestAFlagThatIsSetLateIsMissedByTheFlush(t *testing.T) {
	f := readFile(t, "../examples/explore_missed_flush.yaml")
	for _, variant := range []string{"sender-sets", "worker-sets"} {
		early := variant == "sender-sets"
		model := goModel(func(m *cpus.Machine) explore.Modelled {
			inProgress, collected, ok := m.NewWord("in_progress", 0), m.NewWord("collected", 0), int64(1)
			gc := kernelmodel.NewWorkqueue(m, kernelmodel.WorkqueueSpec{Name: "wq"}).NewWork("gc", m.Func(func(k *cpus.Thread) {
				if !early {
					k.Store(inProgress, 1)
				}
				k.Store(collected, 1)
				k.Store(inProgress, 0)
			}))
			built := functions(m, func(k *cpus.Thread) {
				if early {
					k.Store(inProgress, 1)
				}
				kernelmodel.QueueWork(k, gc)
				pending := k.Load(gc.Pending())
				if k.Load(inProgress) == 1 || pending == 1 {
					kernelmodel.FlushWork(k, gc)
				}
				ok = k.Load(collected)
			})
			built.Finally = []explore.ModelCheck{{What: "collected", Holds: func() (bool, error) { return ok == 1, nil }}}
			return built
		})
		want := countsOf(t, programs(t, f.spec(t, variant)))
		if got := countsOf(t, linked(f.spec(t, variant))); got != want {
			t.Errorf("%s, linked: %s; as a program %s", variant, got, want)
		}
		var a, b, c, d, a2, b2, c2, d2 int
		const format = "%d interleavings, %d failing, %d classes, %d ends"
		if _, err := fmt.Sscanf(countsOf(t, model), format, &a, &b, &c, &d); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscanf(want, format, &a2, &b2, &c2, &d2); err != nil {
			t.Fatal(err)
		}
		if a != a2 || b != b2 || c != c2 { // registers are part of a program's end alone
			t.Errorf("%s: %d interleavings, %d failing, %d classes; as a program %s", variant, a, b, c, want)
		}
	}
}

// TestWhatTasksMakeIsTheSameInAllExecutions: each of two tasks makes words and a lock
// while it runs, in any order; their steps are told apart from the other's.
func TestWhatTasksMakeIsTheSameInAllExecutions(t *testing.T) {
	build := func(m *cpus.Machine) explore.Modelled {
		x := m.NewWord("x", 0)
		body := func(k *cpus.Thread) {
			l, own := kernelmodel.NewSpinlock(m, "own lock", "mcs"), m.NewWord("own", 0)
			kernelmodel.SpinLock(k, l)
			k.StorePlain(own, 1)
			if late := m.NewWord("late", 0); k.AddReturn(x, 1) == 2 {
				k.StorePlain(late, 1)
			}
			kernelmodel.SpinUnlock(k, l)
		}
		return functions(m, body, body)
	}
	// The first to add does 4 steps, of which that is the third, the other 5. Of these,
	// 0, 1 or 2 come before the first addition: 2 * (1*6 + 3*5 + 6*4) orders.
	if got := countsOf(t, goModel(build)); got != "90 interleavings, 0 failing, 2 classes, 1 ends" {
		t.Error(got)
	}
}

// TestSharedStateIsAsItIsAnnounced: two tasks read, write or update two pieces of state
// that no word holds; only those of one piece depend, and not two reads.
func TestSharedStateIsAsItIsAnnounced(t *testing.T) {
	type access func(k *cpus.Thread, s *cpus.Shared)
	for _, c := range []struct {
		name       string
		one, other access
		same       bool
		classes    int
	}{
		{"reads", (*cpus.Thread).Sees, (*cpus.Thread).Sees, true, 1},
		{"a read and a write", (*cpus.Thread).Sees, (*cpus.Thread).Sets, true, 2},
		{"a read and an update", (*cpus.Thread).Sees, (*cpus.Thread).Updates, true, 2},
		{"updates", (*cpus.Thread).Updates, (*cpus.Thread).Updates, true, 2},
		{"writes of two", (*cpus.Thread).Sets, (*cpus.Thread).Sets, false, 1},
	} {
		for _, named := range []bool{true, false} {
			build := func(m *cpus.Machine) explore.Modelled {
				s, other := &cpus.Shared{Name: "s"}, &cpus.Shared{Name: "other"}
				if !named {
					m.Share(s, "one of many")
					m.Share(other, "one of many")
				}
				if c.same {
					other = s
				}
				return functions(m, func(k *cpus.Thread) { c.one(k, s) }, func(k *cpus.Thread) { c.other(k, other) })
			}
			want := fmt.Sprintf("2 interleavings, 0 failing, %d classes, 1 ends", c.classes)
			if got := countsOf(t, goModel(build)); got != want {
				t.Errorf("%s, named %t: %s, want %s", c.name, named, got, want)
			}
		}
	}
}

// TestTasksAreStartedAndJoined: a starter makes a task, which is manual, work, and joins
// it; what that wrote before is ordered before what the starter reads after.
func TestTasksAreStartedAndJoined(t *testing.T) {
	build := func(m *cpus.Machine) explore.Modelled {
		x := m.NewWord("x", 0)
		worker := m.NewThread(&cpus.TaskSpec{Name: "worker"}, func(k *cpus.Thread) { k.StorePlain(x, k.LoadPlain(x)+1) })
		life := worker.Lifecycle()
		main := m.NewThread(&cpus.TaskSpec{Name: "main"}, func(k *cpus.Thread) {
			k.StorePlain(x, 1)
			k.Call(life, cpus.TaskStart)
			k.Call(life, cpus.TaskJoin)
			k.BugOn(k.LoadPlain(x) != 2, "the worker has not worked")
		})
		return explore.Modelled{Tasks: []*cpus.Task{worker, main}, Manual: []*cpus.Task{worker}}
	}
	if got := countsOf(t, goModel(build)); got != "1 interleavings, 0 failing, 1 classes, 1 ends" {
		t.Error(got)
	}
	if r := explored(t, goModel(build), explore.Options{Strategy: explore.DPOR(), Races: true}); len(r.Findings) > 0 {
		t.Error(r.Findings)
	}
}

// TestObjectsTellWhoHasThem: during an exploration, objects answer a model's own
// questions as they do in a timed run; and a CPU and the time are there to be asked.
func TestObjectsTellWhoHasThem(t *testing.T) {
	build := func(m *cpus.Machine) explore.Modelled {
		l, mutex := kernelmodel.NewSpinlock(m, "l", "ticket"), kernelmodel.NewMutex(m, "m")
		sem, e := kernelmodel.NewSemaphore(m, "sem", 1), kernelmodel.NewEvent(m, "e")
		rw := kernelmodel.NewRWLock(m, "rw")
		fn := m.Intern("body")
		body := func(k *cpus.Thread) {
			entered := k.Enter(fn)
			k.Call(mutex, kernelmodel.Lock)
			k.BugOn(mutex.Owner() != k.Task() || k.Task().CPU().Atomic(), "mutex")
			kernelmodel.SpinLock(k, l)
			k.BugOn(l.Holder() != k.Task() || !k.Task().CPU().Atomic(), "spinlock")
			k.Call(rw, kernelmodel.WriteLock)
			n, writer := rw.Holders()
			k.BugOn(n != 1 || !writer, "rwlock")
			k.Call(rw, kernelmodel.WriteUnlock)
			kernelmodel.SpinUnlock(k, l)
			k.BugOn(l.Holder() == k.Task() || k.Task().CPU().Atomic(), "spinlock, given back")
			k.Call(sem, kernelmodel.Down)
			k.BugOn(sem.Count() != 0, "semaphore")
			k.Call(sem, kernelmodel.Up)
			k.Call(mutex, kernelmodel.Unlock)
			k.Call(e, kernelmodel.Signal)
			k.BugOn(!e.Done() || k.Stream() == nil || k.Now() != 0, "event")
			k.Return(fn, entered)
		}
		return functions(m, body, body)
	}
	r := explored(t, goModel(build), explore.Options{Strategy: explore.DPOR(), Races: true, CheckDeterminism: true})
	if len(r.Findings) > 0 || !r.Complete {
		t.Error(r.Findings, r.Limits)
	}
}

// TestStepsOfModelsAllocateNothing: building allocates, steps do not.
func TestStepsOfModelsAllocateNothing(t *testing.T) {
	s := goModel(func(m *cpus.Machine) explore.Modelled {
		l, n := kernelmodel.NewSpinlock(m, "l", "ticket"), m.NewWord("n", 0)
		body := func(k *cpus.Thread) {
			for {
				kernelmodel.SpinLock(k, l)
				k.AddPlain(n, 1)
				kernelmodel.SpinUnlock(k, l)
			}
		}
		return functions(m, body, body)
	})()
	var enabled []explore.Agent
	steps := 0
	step := func() {
		enabled = s.Enabled(enabled[:0])
		s.Do(enabled[steps%len(enabled)])
		steps++
	}
	for range 100 {
		step()
	}
	if n := testing.AllocsPerRun(1000, step); n > 0 {
		t.Errorf("%g allocations a step", n)
	}
	s.(*explore.Model).Close()
}
