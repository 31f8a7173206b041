package kernelmodel_test

import (
	"fmt"
	"math"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// rows are the rounds that benchmarks measure: what a task does over and over.
var rows = []struct {
	name  string
	build func(b *bench)
	steps string
}{
	{"qspinlock", object(spin("qspinlock")), "lock q; run 100ns; unlock q; run 1us"},
	{"ticket", object(spin("ticket")), "lock q; run 100ns; unlock q; run 1us"},
	{"mcs", object(spin("mcs")), "lock q; run 100ns; unlock q; run 1us"},
	{"test-and-set", object(spin("test-and-set")), "lock q; run 100ns; unlock q; run 1us"},
	{"mutex", object(func(b *bench) any { return kernelmodel.NewMutex(b.machine, "q") }), "lock q; run 100ns; unlock q; run 1us"},
	{"semaphore", object(func(b *bench) any { return kernelmodel.NewSemaphore(b.machine, "q", 1) }), "down q; run 100ns; up q; run 1us"},
	{"rwlock-read", object(func(b *bench) any { return kernelmodel.NewRWLock(b.machine, "q") }), "read_lock q; run 100ns; read_unlock q; run 1us"},
	{"rwlock-write", object(func(b *bench) any { return kernelmodel.NewRWLock(b.machine, "q") }), "write_lock q; run 100ns; write_unlock q; run 1us"},
	{"seqlock-read", object(func(b *bench) any { return kernelmodel.NewSeqlock(b.machine, "q") }), "read_begin q; run 100ns; read_retry q; run 1us"},
	{"seqlock-write", object(func(b *bench) any { return kernelmodel.NewSeqlock(b.machine, "q") }), "write_lock q; run 100ns; write_unlock q; run 1us"},
	{"event", object(func(b *bench) any { return kernelmodel.NewEvent(b.machine, "q") }), "signal q; await q; run 1us"},
	{"wake", object(func(b *bench) any { return kernelmodel.NewWaitQueue(b.machine, "q") }), "wake q; run 1us"},
	{"counter", object(func(b *bench) any { return kernelmodel.NewCounter(b.machine.NewWord("q", 0), true) }), "add q 1; run 1us"},
	{"queue-pending", work, "queue w; run 1us"},
	{"queue-flush", work, "queue w; flush w; run 1us"},
	{"queue-cancel", work, "queue w; cancel w; run 1us"},
}

// BenchmarkPrimitives reports what a round costs the host, of one task alone and
// of 2 and 64 on CPUs of their own.
func BenchmarkPrimitives(b *testing.B) {
	for _, row := range rows {
		for _, tasks := range []int{1, 2, 64} {
			b.Run(fmt.Sprintf("%s/tasks=%d", row.name, tasks), func(b *testing.B) {
				rounds(b, row.build, row.steps, tasks)
			})
		}
	}
}

func TestOperationsAllocateNothingOnceTheyHaveRun(t *testing.T) {
	for _, row := range rows {
		w := newBench(8)
		row.build(w)
		for i := range w.machine.CPUs() {
			w.start(i, row.steps, math.MaxInt)
		}
		until := 5 * des.Millisecond
		w.machine.Run(until)
		allocs := testing.AllocsPerRun(1, func() {
			until += des.Millisecond
			w.machine.Run(until)
		})
		if allocs > 0 {
			t.Errorf("%s: %v allocations in a millisecond of %d tasks", row.name, allocs, w.machine.CPUs())
		}
	}
}

// BenchmarkWaitEvent reports a hand-over to a waiter and back: two tasks that wait
// for each other's word.
func BenchmarkWaitEvent(b *testing.B) {
	w := newBench(2)
	w.objects["q"] = kernelmodel.NewWaitQueue(w.machine, "q")
	w.objects["x"] = w.machine.NewWord("x", 0)
	w.start(0, "wait q x 1; write x 0; wake_all q", b.N)
	w.start(1, "write x 1; wake_all q; wait q x 0", b.N)
	w.measure(b)
}

func object(make func(b *bench) any) func(b *bench) {
	return func(b *bench) { b.objects["q"] = make(b) }
}

func work(b *bench) {
	q := kernelmodel.NewWorkqueue(b.machine, kernelmodel.WorkqueueSpec{Name: "wq"})
	b.objects["w"] = q.NewWork("w", b.program("run 100ns"))
}

func newBench(n int) *bench {
	m := cpus.New(des.New(1), cpus.Spec{Topology: xeon, Costs: xeonCosts, CPUs: n})
	return &bench{machine: m, objects: map[string]any{}}
}

// start starts a task on a CPU that does the steps a number of times.
func (w *bench) start(cpu int, steps string, loops int) {
	p := w.program(steps)
	p.loops = loops
	bound := w.machine.NewCPUSet()
	bound.Add(cpu)
	w.machine.Start(w.machine.NewTask(&cpus.TaskSpec{Name: fmt.Sprintf("t%d", cpu), Behavior: p, CPUs: &bound}))
}

func (w *bench) measure(b *testing.B) {
	b.ReportAllocs()
	b.ResetTimer()
	if outcome := w.machine.Run(des.Forever); outcome != cpus.Ended {
		b.Fatal(outcome)
	}
	b.ReportMetric(float64(w.machine.Sim.Fired())/float64(b.N), "events/op")
}

func rounds(b *testing.B, build func(b *bench), steps string, tasks int) {
	w := newBench(tasks)
	build(w)
	for i := range tasks {
		w.start(i, steps, b.N/tasks+1)
	}
	w.measure(b)
}
