package cpus_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// chooseFunc lets a function be a chooser.
type chooseFunc func(s *des.Sim, due []des.ID) int

func (f chooseFunc) Choose(s *des.Sim, due []des.ID) int { return f(s, due) }

// TestTimedOrderChosenIsThePlainRun runs random systems plainly and with a chooser
// that always takes the first: the same events happen at the same times.
func TestTimedOrderChosenIsThePlainRun(t *testing.T) {
	for seed := range 60 {
		trace := func(chosen bool) []string {
			s := rapid.Custom(func(t *rapid.T) *randomSystem { return draw(t, cpus.Policies[seed%len(cpus.Policies)]) }).Example(seed)
			if chosen {
				s.m.Sim.SetChooser(chooseFunc(func(*des.Sim, []des.ID) int { return 0 }), 0)
			}
			var all []string
			s.m.SetTracer(tracerFunc(func(e cpus.TraceEvent) { all = append(all, fmt.Sprint(e)) }))
			all = append(all, s.m.Run(des.Second).String(), s.m.Sim.Now().String(), fmt.Sprint(s.m.Sim.Fired()))
			for i := range s.m.CPUs() {
				for mode := range cpus.Modes {
					all = append(all, s.m.CPU(i).Account(mode).String())
				}
			}
			return all
		}
		if diff := cmp.Diff(trace(false), trace(true)); diff != "" {
			t.Fatalf("seed %d: (-plain +chosen)\n%s", seed, diff)
		}
	}
}

// TestAChooserSwapsTasksWithinTheSlack lets b's computation end 30 ns after a's. A
// chooser that favours b has it go first if, and only if, the slack allows; a then goes
// on at the time that the clock has come to.
func TestAChooserSwapsTasksWithinTheSlack(t *testing.T) {
	for _, c := range []struct {
		slack des.Time
		want  []string
	}{
		{0, []string{"a at 100ns", "b at 130ns"}},
		{29_999, []string{"a at 100ns", "b at 130ns"}},
		{30 * ns, []string{"b at 130ns", "a at 130ns"}},
	} {
		m := newMachine(2, 0, "fifo")
		var got []string
		for i, name := range []string{"a", "b"} {
			b := &script{steps: []step{compute(100*ns + des.Time(i)*30*ns)}}
			b.ended = func() { got = append(got, fmt.Sprint(name, " at ", m.Sim.Now())) }
			m.Start(m.NewTask(&cpus.TaskSpec{Name: name, Behavior: b, CPUs: setOf(m, []int{i})}))
		}
		m.Sim.SetChooser(chooseFunc(func(_ *des.Sim, due []des.ID) int {
			return max(0, slices.IndexFunc(due, func(id des.ID) bool { return m.TaskOf(id).Name() == "b" }))
		}), c.slack)
		if outcome := m.Run(des.Forever); outcome != cpus.Ended {
			t.Fatalf("slack %v: run ended with %v", c.slack, outcome)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("slack %v: %v, want %v", c.slack, got, c.want)
		}
	}
}

// TestAnEventIsItsTasks looks at what is due when everything is: a start and a sleep
// are a task's own, a switch is that of the task that comes, a tick nobody's.
func TestAnEventIsItsTasks(t *testing.T) {
	m := newMachine(2, 1000, "fifo")
	m.AddInterrupt(&cpus.InterruptSpec{Name: "nic", Context: cpus.Hardirq, Every: des.Const(ms), Length: des.Const(us)})
	run(m, "computes", []int{0}, compute(10*us))
	run(m, "sleeps", []int{1}, sleep(10*us))
	run(m, "switched to", []int{1}, compute(10*us))
	m.StartAt(m.NewTask(&cpus.TaskSpec{Name: "starts", Behavior: &script{}}), 10*us)
	m.Run(500 * ns)
	var got []string
	m.Sim.SetChooser(chooseFunc(func(_ *des.Sim, due []des.ID) int {
		if got == nil {
			for _, id := range due {
				if task := m.TaskOf(id); task != nil {
					got = append(got, task.Name())
				} else {
					got = append(got, "nobody")
				}
			}
		}
		return 0
	}), des.Second)
	m.Run(des.Forever)
	slices.Sort(got)
	want := []string{"computes", "nobody", "nobody", "nobody", "sleeps", "starts", "switched to"}
	if !slices.Equal(got, want) {
		t.Errorf("due are events of %v, want %v", got, want)
	}
}
