package cpus_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// TestTicksComeHZTimesASecondOnBusyCPUsAlone keeps CPU 0 busy and lets CPU 1 be
// idle half of the time.
func TestTicksComeHZTimesASecondOnBusyCPUsAlone(t *testing.T) {
	for _, hz := range []int{0, 100, 250, 1000} {
		m := newMachine(2, hz, "fifo")
		ticks := [2]int{}
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			if e.Kind == cpus.TraceTickEntry {
				ticks[e.CPU]++
			}
		}))
		run(m, "hog", []int{0}, compute(des.Second))
		run(m, "half", []int{1}, compute(des.Second/2))
		if outcome := m.Run(des.Second - 1); outcome != cpus.TimeUp {
			t.Fatalf("HZ=%d: %v", hz, outcome)
		}
		// A second less a picosecond holds each phase exactly HZ times.
		if ticks[0] != hz {
			t.Errorf("HZ=%d: the busy CPU took %d ticks in a second", hz, ticks[0])
		}
		busy := des.Second - m.CPU(1).Account(cpus.Idle)
		if want := int(busy * des.Time(hz) / des.Second); ticks[1] != want && ticks[1] != want+1 {
			t.Errorf("HZ=%d: the CPU that was busy for %v took %d", hz, busy, ticks[1])
		}
		if got, want := m.CPU(0).Account(cpus.IRQ), des.Time(hz)*roundCosts.Tick; got != want {
			t.Errorf("HZ=%d: ticks took %v, want %v", hz, got, want)
		}
	}
}

func TestTicksOfCPUsAreOutOfStep(t *testing.T) {
	m := newMachine(8, 250, "fifo")
	first := map[int16]des.Time{}
	m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
		if _, ok := first[e.CPU]; !ok && e.Kind == cpus.TraceTickEntry {
			first[e.CPU] = e.At
		}
	}))
	for i := range 8 {
		run(m, fmt.Sprint("t", i), []int{i}, compute(10*ms))
	}
	m.Run(des.Forever)
	seen := map[des.Time]bool{}
	for _, at := range first {
		seen[at] = true
	}
	if len(first) != 8 || len(seen) != 8 {
		t.Errorf("first ticks at %v, want eight different times", first)
	}
}

// TestFifoRunsTasksInTheOrderTheyBecameRunnable compares the two orders on one
// CPU, whatever the tasks do.
func TestFifoRunsTasksInTheOrderTheyBecameRunnable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(1, 1000, "fifo")
		var woken, ran []int32
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			switch e.Kind {
			case cpus.TraceSchedWakeup:
				woken = append(woken, e.Task)
			case cpus.TraceSchedSwitch:
				ran = append(ran, e.Task)
			}
		}))
		for i := range rapid.IntRange(1, 8).Draw(t, "tasks") {
			var steps []step
			for range rapid.IntRange(1, 6).Draw(t, "steps") {
				steps = append(steps,
					compute(des.Time(rapid.IntRange(0, 2000).Draw(t, "compute"))*us),
					sleep(des.Time(rapid.IntRange(0, 2000).Draw(t, "sleep"))*us))
			}
			run(m, fmt.Sprint("t", i), nil, steps...)
		}
		if outcome := m.Run(des.Forever); outcome != cpus.Ended {
			t.Fatalf("run ended with %v", outcome)
		}
		if !slices.Equal(woken, ran) {
			t.Fatalf("became runnable in order %v, ran in order %v", woken, ran)
		}
	})
}

// TestRoundRobinSlicesAreCountedInTicks: hogs take turns in a fixed order, each for
// as many ticks as its slice has, from one to another to the picosecond but for the
// first, which begins between two.
func TestRoundRobinSlicesAreCountedInTicks(t *testing.T) {
	const hz, slice = 1000, 5 * ms
	m := cpus.New(des.New(3), cpus.Spec{Topology: eightCPUs, Costs: roundCosts, CPUs: 1, HZ: hz, Policy: "round-robin", Slice: slice})
	var order []string
	var at []des.Time
	m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
		if e.Kind == cpus.TraceSchedSwitch {
			order, at = append(order, m.Tasks()[len(order)%3].Name()), append(at, e.At)
			if m.CPU(0).Current().Name() != order[len(order)-1] {
				t.Errorf("turn %d is %s's, want %s's", len(order), m.CPU(0).Current().Name(), order[len(order)-1])
			}
		}
	}))
	for i := range 3 {
		run(m, fmt.Sprint("t", i), nil, compute(des.Second))
	}
	m.Run(200 * ms)
	if len(at) < 30 {
		t.Errorf("%d turns in 200ms of slices of %v", len(at), slice)
	}
	for i := range len(at) - 1 {
		turn := at[i+1] - at[i]
		if i == 0 && turn > slice-ms && turn <= slice+roundCosts.Tick+roundCosts.SwitchThread {
			continue
		}
		if turn != slice {
			t.Errorf("turn %d took %v, slices are %v", i, turn, slice)
		}
	}
}

// TestFairSharesFollowTheWeights lets hogs of random niceness compete for a CPU. At
// any time none has got more than its weight's part of what all got and a turn: it was
// eligible, that is owed something or nothing, when its turn began. What one lacks the
// others have more, so that none lacks more than a turn of each of them, and none
// starves. A turn is a slice and at most a tick's period more, with the tick's handler.
func TestFairSharesFollowTheWeights(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := newMachine(1, 1000, "fair")
		n := rapid.IntRange(2, 6).Draw(t, "tasks")
		var tasks []*cpus.Task
		var weights []float64
		sum := 0.0
		for i := range n {
			nice := rapid.IntRange(-10, 10).Draw(t, "nice")
			task := m.NewTask(&cpus.TaskSpec{
				Name: "t", Index: int32(i), Numbered: true, Nice: nice,
				Behavior: &script{steps: []step{compute(1000 * des.Second)}},
			})
			m.Start(task)
			w := cpus.NiceWeight(nice)
			tasks, weights, sum = append(tasks, task), append(weights, w), sum+w
		}
		for range 300 {
			m.Run(m.Sim.Now() + 7*ms)
			total := des.Time(0)
			for _, task := range tasks {
				total += task.Ran()
			}
			const turn = 3*ms + ms + 5*us
			for i, task := range tasks {
				share := weights[i] / sum
				want := des.Time(float64(total) * share)
				if off := task.Ran() - want; off > turn || off < -turn*des.Time(n-1) {
					t.Fatalf("%s with weight %.0f of %.0f ran for %v of %v, want %v", task.Name(), weights[i], sum, task.Ran(), total, want)
				}
			}
		}
	})
}

// TestFairTasksThatMoveDoNotStarve: a task comes from a CPU where it has had ten
// seconds to one where nobody has had any. It competes there as an equal.
func TestFairTasksThatMoveDoNotStarve(t *testing.T) {
	m := newMachine(2, 1000, "fair")
	guest := run(m, "guest", nil, compute(10*des.Second), sleep(ms), compute(10*des.Second))
	for guest.State() != cpus.Asleep {
		m.Run(m.Sim.Now() + 100*us)
	}
	// CPU 0 is taken when the guest wakes up, so that it goes to CPU 1, where a
	// local task comes while the guest is being switched to.
	run(m, "squatter", []int{0}, compute(20*des.Second))
	for guest.CPU().Index() == 0 {
		m.Run(m.Sim.Now() + us)
	}
	before := guest.Ran()
	run(m, "local", []int{1}, compute(20*des.Second))
	m.Run(m.Sim.Now() + des.Second)
	if got := guest.Ran() - before; got < 450*ms || got > 550*ms {
		t.Errorf("in a second of equals the guest ran for %v, want half of it", got)
	}
}

func TestATaskKeepsOneCPUWhereItIsBound(t *testing.T) {
	for _, policy := range cpus.Policies {
		m := newMachine(4, 250, policy)
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			if e.Kind != cpus.TraceSchedSwitch {
				return
			}
			for _, task := range m.Tasks() {
				if task.ID() == e.Task && !strings.HasSuffix(task.Name(), fmt.Sprint(e.CPU)) {
					t.Errorf("%s: %s runs on CPU %d", policy, task.Name(), e.CPU)
				}
			}
		}))
		for i := range 12 {
			run(m, fmt.Sprintf("t%d on %d", i, i%4), []int{i % 4}, compute(7*ms), sleep(3*ms), compute(9*ms), sleep(ms), compute(ms))
		}
		if outcome := m.Run(des.Forever); outcome != cpus.Ended {
			t.Errorf("%s: %v", policy, outcome)
		}
	}
}

// TestStartAndJoinWaitForTheEnd checks the lifecycle ops: starting costs the
// waker's part, joining sleeps until the task has exited, or not at all.
func TestStartAndJoinWaitForTheEnd(t *testing.T) {
	m := newMachine(2, 0, "fifo")
	child := m.NewTask(&cpus.TaskSpec{Name: "child", Behavior: &script{steps: []step{compute(20 * us)}}, CPUs: setOf(m, []int{1})})
	var at [3]des.Time
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "parent", CPUs: setOf(m, []int{0})}, func(k *cpus.Thread) {
		k.Call(child.Lifecycle(), cpus.TaskStart)
		at[0] = k.Now()
		k.Call(child.Lifecycle(), cpus.TaskJoin)
		at[1] = k.Now()
		k.Call(child.Lifecycle(), cpus.TaskJoin)
		at[2] = k.Now()
	}))
	if outcome := m.Run(des.Forever); outcome != cpus.Ended {
		t.Fatalf("run ended with %v", outcome)
	}
	if want := [3]des.Time{500 * ns, 23 * us, 23 * us}; at != want {
		t.Errorf("started and joined at %v, want %v", at, want)
	}
}

func TestABrokenInvariantEndsTheRun(t *testing.T) {
	m := newMachine(1, 0, "fifo")
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "t"}, func(k *cpus.Thread) {
		k.Run(3 * us)
		k.BugOn(false, "never said")
		k.BugOn(true, "count is %d", -1)
		t.Error("the task went on after a broken invariant")
	}))
	outcome := m.Run(des.Second)
	want := "kernel BUG: count is -1 (task t, at 3us)"
	if outcome != cpus.Failed || m.Failure() == nil || m.Failure().Error() != want || m.Sim.Now() != 3*us {
		t.Errorf("%v at %v: %v, want %s", outcome, m.Sim.Now(), m.Failure(), want)
	}
	m.Sim.Close()
}

func TestMisuseOfTheMachinePanics(t *testing.T) {
	m := newMachine(2, 0, "fifo")
	idle := m.NewTask(&cpus.TaskSpec{Name: "t", Behavior: &script{}})
	for name, misuse := range map[string]func(){
		"more CPUs than the topology":  func() { newMachine(9, 0, "fifo") },
		"no CPUs":                      func() { newMachine(0, 0, "fifo") },
		"an unknown policy":            func() { newMachine(1, 0, "lottery") },
		"niceness 20":                  func() { m.NewTask(&cpus.TaskSpec{Name: "x", Nice: 20}) },
		"real time without a priority": func() { m.NewTask(&cpus.TaskSpec{Name: "x", Class: cpus.ClassRR}) },
		"a priority without real time": func() { m.NewTask(&cpus.TaskSpec{Name: "x", RTPriority: 1}) },
		"priority 100":                 func() { m.NewTask(&cpus.TaskSpec{Name: "x", Class: cpus.ClassFIFO, RTPriority: 100}) },
		"no such class":                func() { m.NewTask(&cpus.TaskSpec{Name: "x", Class: 4}) },
		"a script of no such CPU": func() {
			cpus.New(des.New(1), cpus.Spec{Topology: eightCPUs, CPUs: 1, Policy: "scripted", Script: []string{"a@1"}})
		},
		"interrupts without pause": func() { m.AddInterrupt(&cpus.InterruptSpec{Context: cpus.Hardirq}) },
		"interrupts of no context": func() { m.AddInterrupt(&cpus.InterruptSpec{Every: des.Const(us)}) },
		"interrupts of no CPU": func() {
			m.AddInterrupt(&cpus.InterruptSpec{Context: cpus.Softirq, Every: des.Const(us), CPU: 2})
		},
		"preemption enabled twice":      func() { idle.PreemptEnable() },
		"a resume of who does not spin": func() { m.Resume(idle, 0) },
		"no such read-modify-write":     func() { cpus.Modify(cpus.Load, 0, 0, 0) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestEnablingWhatIsNotMaskedFailsTheRun(t *testing.T) {
	for want, enable := range map[string]func(c *cpus.CPU){
		"kernel BUG: interrupts of CPU 0 enabled that were not off (task , at 0s)":    (*cpus.CPU).IRQEnable,
		"kernel BUG: bottom halves of CPU 0 enabled that were not off (task , at 0s)": (*cpus.CPU).BHEnable,
	} {
		m := newMachine(1, 0, "fifo")
		enable(m.CPU(0))
		if m.Failure() == nil || m.Failure().Error() != want {
			t.Errorf("failure %v, want %s", m.Failure(), want)
		}
	}
}
