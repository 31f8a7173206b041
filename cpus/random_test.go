package cpus_test

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// randomSystem is a machine with random tasks, watched by an audit.
type randomSystem struct {
	m       *cpus.Machine
	tasks   []*cpus.Task
	scripts []*script
	binds   [][]int
	byID    map[int32]int
	broken  []string
	ticks   []int
	// virtual is the last virtual time seen of each fair queue, where the policy is
	// fair.
	virtual []des.Time
}

// draw makes a system: some CPUs, a policy, a tick rate, and up to eight tasks
// that compute, sleep, touch shared words, mask interrupts, keep their CPU and
// share a spinning and a sleeping lock. Some are of other classes, and devices may
// interrupt them.
func draw(t *rapid.T, policy string) *randomSystem {
	hz := rapid.SampledFrom([]int{0, 100, 1000, 20_000}).Draw(t, "hz")
	n := rapid.IntRange(1, 8).Draw(t, "cpus")
	sim := des.New(rapid.Uint64().Draw(t, "seed"))
	m := cpus.New(sim, cpus.Spec{
		Topology: eightCPUs, Costs: roundCosts, CPUs: n, HZ: hz, Policy: policy,
		Slice: des.Time(rapid.IntRange(0, 300).Draw(t, "slice")) * us,
	})
	s := &randomSystem{m: m, byID: map[int32]int{}, ticks: make([]int, n)}
	d := &drawer{
		t: t, m: m, words: []*cpus.Word{m.NewWord("x", 0), m.NewWord("y", 0)}, foot: cpus.NewFootprint(2),
		spin: &gate{m: m, look: 40 * ns, handoff: 60 * ns}, mutex: &gate{m: m, sleeps: true, look: 40 * ns},
	}
	d.foot.SetObjects(500)
	for i := range rapid.IntRange(1, 8).Draw(t, "tasks") {
		b := &script{steps: d.steps()}
		var bind []int
		for cpu := range n {
			if rapid.IntRange(0, 2).Draw(t, "bound here") == 0 {
				bind = append(bind, cpu)
			}
		}
		spec := &cpus.TaskSpec{
			Name: "t", Index: int32(i), Numbered: true, Behavior: b, CPUs: setOf(m, bind),
			Nice: rapid.IntRange(-20, 19).Draw(t, "nice"), MM: int32(rapid.IntRange(0, 2).Draw(t, "mm")),
		}
		drawClass(t, spec)
		task := m.NewTask(spec)
		s.byID[task.ID()] = i
		s.tasks, s.scripts, s.binds = append(s.tasks, task), append(s.scripts, b), append(s.binds, bind)
	}
	if policy == "fair" {
		s.virtual = make([]des.Time, n)
	}
	for i := range rapid.IntRange(0, 3).Draw(t, "devices") {
		d.device(i, n, s.tasks)
	}
	m.SetTracer(s)
	for _, task := range s.tasks {
		if at := rapid.IntRange(0, 3).Draw(t, "start"); at == 0 {
			m.Start(task)
		} else {
			m.StartAt(task, des.Time(at)*100*us)
		}
	}
	return s
}

// drawClass gives a task a class, often the fair one.
func drawClass(t *rapid.T, spec *cpus.TaskSpec) {
	spec.Class = cpus.Class(max(0, rapid.IntRange(-4, 3).Draw(t, "class")))
	if spec.Class == cpus.ClassFIFO || spec.Class == cpus.ClassRR {
		spec.RTPriority = rapid.IntRange(1, 3).Draw(t, "priority")
	}
}

// device adds a source of interrupts to one of n CPUs, or to one of the tasks. Three
// of them leave a CPU most of its time.
func (d *drawer) device(number, n int, tasks []*cpus.Task) {
	spec := &cpus.InterruptSpec{
		Name: fmt.Sprint("device", number), Context: cpus.Hardirq, CPU: rapid.IntRange(0, n-1).Draw(d.t, "cpu"),
		Every:  des.Exp(des.Time(rapid.IntRange(200, 2000).Draw(d.t, "every")) * us),
		Length: des.Uniform(0, des.Time(rapid.IntRange(0, 60).Draw(d.t, "length"))*us),
	}
	if rapid.Bool().Draw(d.t, "soft") {
		spec.Context = cpus.Softirq
	}
	if rapid.Bool().Draw(d.t, "targeted") {
		spec.Target = rapid.SampledFrom(tasks).Draw(d.t, "target")
	}
	if rapid.Bool().Draw(d.t, "program") {
		spec.Handler = &again{script: &script{steps: []step{compute(13 * us), d.access(), compute(17 * us)}}}
	}
	d.m.AddInterrupt(spec)
}

type drawer struct {
	t           *rapid.T
	m           *cpus.Machine
	words       []*cpus.Word
	foot        *cpus.Footprint
	spin, mutex *gate
}

func (d *drawer) steps() []step {
	var all []step
	for range rapid.IntRange(0, 10).Draw(d.t, "steps") {
		switch rapid.IntRange(0, 8).Draw(d.t, "step") {
		case 0, 1:
			all = append(all, d.compute())
		case 2:
			all = append(all, sleep(des.Time(rapid.IntRange(0, 500).Draw(d.t, "sleep"))*us))
		case 3:
			all = append(all, d.access())
		case 4:
			all = append(all, step{op: cpus.Op{Kind: cpus.Walk, Foot: d.foot}, a: 300})
		case 5:
			all = append(all, plain(cpus.IRQOff), d.compute(), d.access(), plain(cpus.IRQOn))
		case 6:
			off := rapid.SampledFrom([]cpus.Kind{cpus.PreemptOff, cpus.BHOff}).Draw(d.t, "off")
			all = append(all, plain(off), d.compute(), d.access(), plain(off+1))
		case 7:
			all = append(all, d.spin.do(gateLock), d.compute(), d.spin.do(gateUnlock))
		case 8:
			all = append(all, d.mutex.do(gateLock), d.compute(), d.access(), d.mutex.do(gateUnlock))
		}
	}
	return all
}

func (d *drawer) compute() step {
	return compute(des.Time(rapid.IntRange(0, 400_000).Draw(d.t, "compute")) * ns)
}

func (d *drawer) access() step {
	kind := rapid.SampledFrom([]cpus.Kind{
		cpus.Load, cpus.Store, cpus.AddPlain, cpus.AddReturn, cpus.Cmpxchg, cpus.FenceFull,
	}).Draw(d.t, "access")
	if kind == cpus.FenceFull {
		return plain(kind)
	}
	return on(kind, rapid.SampledFrom(d.words).Draw(d.t, "word"), 1, 2)
}

// Trace audits what happens as it does.
func (s *randomSystem) Trace(e cpus.TraceEvent) {
	switch e.Kind {
	case cpus.TraceSchedSwitch:
		task := s.tasks[s.byID[e.Task]]
		if !s.allowed(task, int(e.CPU)) {
			s.report(e, "%s runs on CPU %d, where it may not", task.Name(), e.CPU)
		}
		if i, known := s.byID[int32(e.Arg)]; known && e.Arg >= 0 && s.tasks[i].State() == cpus.Runnable {
			b := s.scripts[i]
			if b.preemptOff > 0 || b.irqOff > 0 || b.bhOff > 0 {
				s.report(e, "%s was preempted with preemption %d, interrupts %d and bottom halves %d times off",
					s.tasks[i].Name(), b.preemptOff, b.irqOff, b.bhOff)
			}
		}
	case cpus.TraceIRQEntry:
		if i, known := s.byID[e.Task]; known {
			b := s.scripts[i]
			if b.irqOff > 0 || b.bhOff > 0 && cpus.Context(e.Arg) == cpus.Softirq {
				s.report(e, "%s takes a %v with interrupts %d and bottom halves %d times off",
					s.tasks[i].Name(), cpus.Context(e.Arg), b.irqOff, b.bhOff)
			}
		}
	case cpus.TraceTickEntry:
		s.ticks[e.CPU]++
		i, known := s.byID[e.Task]
		switch {
		case !known:
			s.report(e, "CPU %d takes a tick without a task", e.CPU)
		case s.scripts[i].irqOff > 0:
			s.report(e, "CPU %d takes a tick while %s has interrupts off", e.CPU, s.tasks[i].Name())
		}
	}
}

func (s *randomSystem) report(e cpus.TraceEvent, format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf("at %v: ", e.At)+fmt.Sprintf(format, args...))
}

// allowed reports whether a task may run on a CPU.
func (s *randomSystem) allowed(task *cpus.Task, cpu int) bool {
	bind := s.binds[s.byID[task.ID()]]
	return bind == nil || slices.Contains(bind, cpu)
}

// audit checks what must hold whenever the machine has come to rest: nothing is
// due any more at this instant.
func (s *randomSystem) audit(t *rapid.T) {
	now := s.m.Sim.Now()
	for i := range s.m.CPUs() {
		c := s.m.CPU(i)
		sum := des.Time(0)
		for mode := range cpus.Modes {
			sum += c.Account(mode)
		}
		if sum != now {
			t.Fatalf("at %v the accounts of CPU %d add up to %v", now, i, sum)
		}
		if s.virtual != nil {
			now := s.m.VirtualTime(i)
			if now < s.virtual[i] {
				t.Fatalf("the virtual time of CPU %d went back from %v to %v", i, s.virtual[i], now)
			}
			s.virtual[i] = now
		}
		if c.Current() != nil || c.Mode() != cpus.Idle {
			continue
		}
		for _, task := range s.tasks {
			waits := task.State() == cpus.Runnable && task.CPU().Current() != task
			if waits && s.allowed(task, i) {
				t.Fatalf("at %v CPU %d is idle while %s waits for CPU %d", now, i, task.Name(), task.CPU().Index())
			}
		}
	}
	if len(s.broken) > 0 {
		t.Fatalf("%q", s.broken)
	}
}

// TestRandomSystemsKeepTheMachinesPromises runs random tasks under every policy,
// stopping now and then: accounts add up to the picosecond, no CPU idles while a
// task waits that may run there, tasks stay on their CPUs, nobody is preempted or
// interrupted who has forbidden it, idle CPUs take no ticks, virtual time never goes
// back, all tasks end, and what they computed is what they were told to.
func TestRandomSystemsKeepTheMachinesPromises(t *testing.T) {
	for _, policy := range cpus.Policies {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := draw(t, policy)
				until := des.Time(0)
				outcome := cpus.TimeUp
				for outcome == cpus.TimeUp {
					if until += des.Time(rapid.IntRange(1, 300).Draw(t, "pause")) * us; until > des.Second {
						t.Fatalf("tasks are left after %v", until)
					}
					outcome = s.m.Run(until)
					s.audit(t)
				}
				if outcome != cpus.Ended {
					t.Fatalf("run ended with %v", outcome)
				}
				want, got := des.Time(0), des.Time(0)
				for _, b := range s.scripts {
					want += b.userTime()
				}
				for i := range s.m.CPUs() {
					got += s.m.CPU(i).Account(cpus.User)
				}
				if got != want {
					t.Fatalf("tasks computed for %v, want %v", got, want)
				}
			})
		})
	}
}

// anyOf takes one of the events that are due, at random.
type anyOf struct{ stream *des.Stream }

func (c anyOf) Choose(_ *des.Sim, due []des.ID) int { return int(c.stream.Below(uint64(len(due)))) }

// TestRandomSystemsKeepTheirPromisesInAnyOrder lets events within some slack come
// in any order: all promises hold but that of the sum, since a computation whose end
// comes late has taken longer.
func TestRandomSystemsKeepTheirPromisesInAnyOrder(t *testing.T) {
	for _, policy := range cpus.Policies {
		t.Run(policy, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := draw(t, policy)
				slack := des.Time(rapid.IntRange(0, 20_000).Draw(t, "slack")) * ns
				s.m.Sim.SetChooser(anyOf{s.m.Sim.Stream("choice")}, slack)
				until, outcome := des.Time(0), cpus.TimeUp
				for outcome == cpus.TimeUp {
					if until += des.Time(rapid.IntRange(1, 300).Draw(t, "pause")) * us; until > 10*des.Second {
						t.Fatalf("tasks are left after %v", until)
					}
					outcome = s.m.Run(until)
					s.audit(t)
				}
				want, got := des.Time(0), des.Time(0)
				for _, b := range s.scripts {
					want += b.userTime()
				}
				for i := range s.m.CPUs() {
					got += s.m.CPU(i).Account(cpus.User)
				}
				if outcome != cpus.Ended || got < want {
					t.Fatalf("run ended with %v after computing for %v, want at least %v", outcome, got, want)
				}
			})
		})
	}
}

// TestTracingChangesNothing runs the same system with and without a tracer, and
// whole or in pieces.
func TestTracingChangesNothing(t *testing.T) {
	for seed := range 40 {
		outcome := func(traced bool, piece des.Time) string {
			s := rapid.Custom(func(t *rapid.T) *randomSystem { return draw(t, cpus.Policies[seed%len(cpus.Policies)]) }).Example(seed)
			if !traced {
				s.m.SetTracer(nil)
			}
			for until := piece; s.m.Run(until) == cpus.TimeUp; until += piece {
			}
			text := fmt.Sprint(s.m.Sim.Now())
			for i := range s.m.CPUs() {
				for mode := range cpus.Modes {
					text += fmt.Sprint(" ", s.m.CPU(i).Account(mode))
				}
			}
			return text
		}
		want := outcome(true, des.Forever)
		if got := outcome(false, des.Forever); got != want {
			t.Errorf("seed %d: untraced %s, traced %s", seed, got, want)
		}
		if got := outcome(true, 37*us); got != want {
			t.Errorf("seed %d: in pieces %s, whole %s", seed, got, want)
		}
	}
}
