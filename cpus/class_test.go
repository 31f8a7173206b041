package cpus_test

import (
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// TestRealTimeTasksComeFirst lets tasks of all classes compute and sleep on some CPUs,
// all of which they may use. Whenever the machine is at rest, no real-time task waits
// while one of a lower rank has a CPU.
func TestRealTimeTasksComeFirst(t *testing.T) {
	for _, policy := range []string{"fair", "fifo", "round-robin", "random"} {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				n := rapid.IntRange(1, 8).Draw(t, "cpus")
				m := newMachine(n, 1000, policy)
				ranks := map[*cpus.Task]int{}
				for i := range rapid.IntRange(1, 12).Draw(t, "tasks") {
					var steps []step
					for range rapid.IntRange(1, 6).Draw(t, "steps") {
						steps = append(steps,
							compute(des.Time(rapid.IntRange(0, 2000).Draw(t, "compute"))*us),
							sleep(des.Time(rapid.IntRange(0, 2000).Draw(t, "sleep"))*us))
					}
					spec := &cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true, Behavior: &script{steps: steps}}
					drawClass(t, spec)
					task := m.NewTask(spec)
					ranks[task] = spec.RTPriority
					m.StartAt(task, des.Time(rapid.IntRange(0, 3).Draw(t, "start"))*100*us)
				}
				for m.Run(m.Sim.Now()+des.Time(rapid.IntRange(1, 700).Draw(t, "pause"))*us) == cpus.TimeUp {
					for _, waiting := range m.Tasks() {
						if waiting.State() != cpus.Runnable || waiting.CPU().Current() == waiting || ranks[waiting] == 0 {
							continue
						}
						lower := func(c *cpus.CPU) bool { return c.Current() == nil || ranks[c.Current()] < ranks[waiting] }
						var on []int
						soon := false
						for i := range n {
							switch c := m.CPU(i); {
							case !lower(c):
							case c.Mode() == cpus.Switch || c.Mode() == cpus.IRQ:
								soon = true // It will look when that is over.
							default:
								on = append(on, i)
							}
						}
						if len(on) > 0 && !soon {
							t.Fatalf("at %v %s of priority %d waits while lower ones have CPUs %v", m.Sim.Now(), waiting.Name(), ranks[waiting], on)
						}
					}
				}
			})
		})
	}
}

// TestIdleTasksHaveTheirWeightBesideFairOnes: 3 of 1027, to within a turn.
func TestIdleTasksHaveTheirWeightBesideFairOnes(t *testing.T) {
	m := newMachine(1, 1000, "fair")
	hog := run(m, "hog", nil, compute(1000*des.Second))
	idle := m.NewTask(&cpus.TaskSpec{Name: "idle", Class: cpus.ClassIdle, Behavior: &script{steps: []step{compute(1000 * des.Second)}}})
	m.Start(idle)
	m.Run(20 * des.Second)
	want := (hog.Ran() + idle.Ran()) * 3 / 1027
	if off := idle.Ran() - want; off > 4*ms || off < -4*ms {
		t.Errorf("the idle task ran for %v, want %v", idle.Ran(), want)
	}
}

// TestRandomTurnsAreEvenAndComeFromTheSeed: hogs on one CPU take turns in an order that
// depends on the seed, each as often as the others to within five standard deviations.
func TestRandomTurnsAreEvenAndComeFromTheSeed(t *testing.T) {
	const hogs, turns = 3, 6000
	order := func(seed uint64) []int32 {
		m := cpus.New(des.New(seed), cpus.Spec{
			Topology: eightCPUs, Costs: roundCosts, CPUs: 1, HZ: 1000, Policy: "random", Slice: ms,
		})
		var all []int32
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			if e.Kind == cpus.TraceSchedSwitch {
				all = append(all, e.Task)
			}
		}))
		for i := range hogs {
			m.Start(m.NewTask(&cpus.TaskSpec{
				Name: "t", Index: int32(i), Numbered: true, Behavior: &script{steps: []step{compute(1000 * des.Second)}},
			}))
		}
		m.Run(turns * ms)
		return all
	}
	one, same, other := order(1), order(1), order(2)
	counts := map[int32]int{}
	differs := false
	for i := range one {
		counts[one[i]]++
		if one[i] != same[i] {
			t.Fatalf("turn %d differs with equal seeds", i)
		}
		differs = differs || one[i] != other[i]
	}
	if !differs {
		t.Error("two seeds give one order")
	}
	// The variance of a count is turns/3 times 2/3.
	for task, n := range counts {
		if off := n - len(one)/hogs; off*off > 25*len(one)*2/9 {
			t.Errorf("task %d had %d of %d turns", task, n, len(one))
		}
	}
	if len(counts) != hogs || len(one) < turns-2 {
		t.Errorf("%d tasks had %d turns", len(counts), len(one))
	}
}

func TestScriptsAreChecked(t *testing.T) {
	got := ""
	for _, err := range cpus.CheckScript([]string{"a", "b[1]@1", "@0", "a@2", "a@x", "c", "a@-1", "b"}, 2, []string{"a", "b[0]", "b[1]"}) {
		got += err.Error() + "\n"
	}
	want := `entry 3 of the script, @0: no task is named
entry 4 of the script, a@2: there is no CPU 2, the last is 1
entry 5 of the script, a@x: "x" is no number of a CPU
entry 6 of the script, c: there is no task c
entry 7 of the script, a@-1: "-1" is no number of a CPU
entry 8 of the script, b: there is no task b
`
	if got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
}

// TestAScriptIsTheOrderOfTheSwitches draws a script that can be followed, since each
// task sleeps as often as it has turns and needs no other, and compares it with the
// order in which tasks came on CPUs.
func TestAScriptIsTheOrderOfTheSwitches(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 3).Draw(t, "cpus")
		names := []string{"a", "b", "c", "d"}
		steps := map[string][]step{}
		var text []string
		var tasks, places []string
		for range rapid.IntRange(0, 20).Draw(t, "turns") {
			name, place := rapid.SampledFrom(names).Draw(t, "task"), ""
			if cpu := rapid.IntRange(-1, n-1).Draw(t, "cpu"); cpu >= 0 {
				place = "@" + string(rune('0'+cpu))
			}
			text, tasks, places = append(text, name+place), append(tasks, name), append(places, place)
			steps[name] = append(steps[name],
				compute(des.Time(rapid.IntRange(1, 50).Draw(t, "compute"))*us), sleep(des.Time(rapid.IntRange(0, 50).Draw(t, "sleep"))*us))
		}
		if wrong := cpus.CheckScript(text, n, names); wrong != nil {
			t.Fatal(wrong[0])
		}
		m := cpus.New(des.New(1), cpus.Spec{Topology: eightCPUs, Costs: roundCosts, CPUs: n, HZ: 1000, Policy: "scripted", Script: text})
		byID := map[int32]string{}
		var order []cpus.TraceEvent
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			if e.Kind == cpus.TraceSchedSwitch {
				order = append(order, e)
			}
		}))
		for _, name := range names {
			byID[run(m, name, nil, steps[name]...).ID()] = name
		}
		if outcome := m.Run(des.Forever); outcome != cpus.Ended {
			t.Fatalf("run ended with %v: %v", outcome, m.Failure())
		}
		if len(order) < len(text) {
			t.Fatalf("%d turns of %d", len(order), len(text))
		}
		// The turns of one task, and those of one CPU, come in the script's order; those of two CPUs
		// may end their switches the other way round.
		for _, name := range names {
			k := 0
			for i := range text {
				if tasks[i] != name {
					continue
				}
				for byID[order[k].Task] != name {
					k++
				}
				if at := "@" + string(rune('0'+order[k].CPU)); places[i] != "" && places[i] != at {
					t.Fatalf("turn %d, %s, came on CPU %d", i, text[i], order[k].CPU)
				}
				k++
			}
		}
		if n == 1 {
			for i := range text {
				if byID[order[i].Task] != tasks[i] {
					t.Fatalf("turn %d is %s's, want %s", i, byID[order[i].Task], tasks[i])
				}
			}
		}
	})
}
