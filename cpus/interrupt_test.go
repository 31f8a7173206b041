package cpus_test

import (
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// TestDevicesInterruptAtTheirRateFromStreamsOfTheirOwn: a device interrupts a busy CPU
// 10,000 times a second, to within five standard deviations of a Poisson stream, each
// time for its handler's length; another device on another CPU, or none, changes no
// time of it.
func TestDevicesInterruptAtTheirRateFromStreamsOfTheirOwn(t *testing.T) {
	times := func(others int) []des.Time {
		m := newMachine(2, 0, "fifo")
		var at []des.Time
		m.SetTracer(tracerFunc(func(e cpus.TraceEvent) {
			if e.Kind == cpus.TraceIRQEntry && e.CPU == 0 {
				at = append(at, e.At)
			}
		}))
		for i := range others {
			m.AddInterrupt(&cpus.InterruptSpec{
				Name: "other" + string(rune('0'+i)), Context: cpus.Softirq, CPU: 1,
				Every: des.Exp(70 * us), Length: des.Exp(3 * us),
			})
		}
		m.AddInterrupt(&cpus.InterruptSpec{
			Name: "nic", Context: cpus.Hardirq, Every: des.Exp(100 * us), Length: des.Const(500 * ns),
		})
		run(m, "hog", []int{0}, compute(10*des.Second))
		m.Run(des.Second)
		if got, want := m.CPU(0).Account(cpus.IRQ), des.Time(len(at))*500*ns; got > want || got < want-500*ns {
			t.Errorf("%d handlers took %v, want %v", len(at), got, want)
		}
		return at
	}
	alone := times(0)
	if n := len(alone); n < 10_000-500 || n > 10_000+500 {
		t.Errorf("%d interrupts in a second, want 10,000", n)
	}
	if !slices.Equal(alone, times(2)) {
		t.Error("devices of another CPU shift the times of this one")
	}
}

// TestHandlersThatAreGoFunctionsRunAgain lets a handler be a function that takes what a
// task has: the task sees each of its increments.
func TestHandlersThatAreGoFunctionsRunAgain(t *testing.T) {
	m := newMachine(1, 1000, "fair")
	w := m.NewWord("w", 0)
	task := run(m, "task", nil, compute(100*us))
	m.AddInterrupt(&cpus.InterruptSpec{
		Name: "nic", Context: cpus.Softirq, Target: task, Every: des.Const(10 * us), Limit: 7,
		Handler: m.Func(func(k *cpus.Thread) {
			k.Run(us)
			k.AddReturn(w, 1)
		}),
	})
	if outcome := m.Run(des.Second); outcome != cpus.Ended || w.Value != 7 {
		t.Errorf("%v after %d handlers, want 7", outcome, w.Value)
	}
	m.Sim.Close()
}
