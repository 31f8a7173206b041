package cpus_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// loop is a behavior that performs its steps again and again.
type loop struct {
	steps []step
	next  int
}

func (l *loop) Next(t *cpus.Task) *cpus.Op {
	st := &l.steps[l.next]
	l.next = (l.next + 1) % len(l.steps)
	t.A, t.B = st.a, st.b
	return &st.op
}

// TestOpsAllocateNothing runs tasks that compute, sleep, share words and a lock,
// walk and are preempted, under every policy, with ticks, devices and other classes.
func TestOpsAllocateNothing(t *testing.T) {
	for _, policy := range cpus.Policies {
		m := newMachine(4, 1000, policy)
		w, foot := m.NewWord("w", 0), footprint(2, 1000)
		steps := []step{
			compute(7 * us), on(cpus.AddReturn, w, 1, 0), on(cpus.Load, w, 0, 0), on(cpus.AddPlain, w, 1, 0),
			plain(cpus.IRQOff), compute(us), plain(cpus.IRQOn), plain(cpus.FenceFull),
			{op: cpus.Op{Kind: cpus.Walk, Foot: foot}, a: 50},
			sleep(9 * us),
		}
		for i := range 8 {
			m.Start(m.NewTask(&cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true, Behavior: &loop{steps: steps}}))
		}
		for class := cpus.ClassFIFO; class <= cpus.ClassIdle; class++ {
			spec := &cpus.TaskSpec{Name: class.String(), Class: class, Behavior: &loop{steps: steps}}
			if class != cpus.ClassIdle {
				spec.RTPriority = 1
			}
			m.Start(m.NewTask(spec))
		}
		for i, context := range []cpus.Context{cpus.Hardirq, cpus.Softirq} {
			m.AddInterrupt(&cpus.InterruptSpec{
				Name: context.String(), Context: context, CPU: i, Every: des.Exp(50 * us), Length: des.Const(us),
			})
		}
		m.AddInterrupt(&cpus.InterruptSpec{
			Name: "program", Context: cpus.Softirq, CPU: 1, Every: des.Exp(50 * us),
			Handler: &again{script: &script{steps: []step{compute(us), on(cpus.AddReturn, w, 1, 0)}}},
		})
		m.Run(20 * ms)
		before := m.Sim.Fired()
		allocs := testing.AllocsPerRun(20, func() { m.Run(m.Sim.Now() + ms) })
		if events := m.Sim.Fired() - before; allocs > 0 || events < 1000 {
			t.Errorf("%s: %g allocations a millisecond, %d events in all", policy, allocs, events)
		}
	}
}

// BenchmarkOps times one op of tasks that keep their CPUs busy, interpreted and as
// Go functions.
func BenchmarkOps(b *testing.B) {
	b.Run("script", func(b *testing.B) {
		m := newMachine(8, 250, "fair")
		w := m.NewWord("w", 0)
		for i := range 8 {
			m.Start(m.NewTask(&cpus.TaskSpec{
				Name: "t", Index: int32(i), Numbered: true,
				Behavior: &loop{steps: []step{compute(des.Time(90+i) * ns), on(cpus.AddReturn, w, 1, 0)}},
			}))
		}
		b.ReportAllocs()
		m.Sim.SetEventLimit(uint64(b.N))
		m.Run(des.Forever)
	})
	b.Run("function", func(b *testing.B) {
		m := newMachine(8, 250, "fair")
		w := m.NewWord("w", 0)
		for i := range 8 {
			m.Start(m.NewThread(&cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true}, func(k *cpus.Thread) {
				for {
					k.Run(des.Time(90+i) * ns)
					k.AddReturn(w, 1)
				}
			}))
		}
		defer m.Sim.Close()
		b.ReportAllocs()
		m.Sim.SetEventLimit(uint64(b.N))
		m.Run(des.Forever)
	})
}

// BenchmarkSwitches times one event of tasks that compute and sleep, more of them than
// CPUs, so that most events are context switches and wake-ups.
func BenchmarkSwitches(b *testing.B) {
	for _, policy := range cpus.Policies {
		b.Run(policy, func(b *testing.B) {
			m := newMachine(4, 250, policy)
			for i := range 16 {
				m.Start(m.NewTask(&cpus.TaskSpec{
					Name: "t", Index: int32(i), Numbered: true, Nice: i%3 - 1,
					Behavior: &loop{steps: []step{compute(des.Time(9000+700*i) * ns), sleep(des.Time(20+i) * us)}},
				}))
			}
			b.ReportAllocs()
			m.Sim.SetEventLimit(uint64(b.N))
			m.Run(des.Forever)
		})
	}
}
