package workloads

import (
	"fmt"
	"runtime"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

func TestATaskTakesLessThan300BytesInAll(t *testing.T) {
	const tasks = 100_000
	_, w := compiled(t, fmt.Sprintf(`
objects: {x: {word: 0}}
tasks: {t: {count: %d, loop: forever, do: [{read: {r: x}}, {set: {s: r + self}}, {sleep: exp(1s)}]}}`, tasks))
	m := newMachine(1, 8)
	p := w.Program("t")
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	l := w.Link(m)
	spec := &cpus.TaskSpec{}
	for i := range tasks {
		m.StartAt(l.NewTask(p, spec), des.Time(i)*10*des.Microsecond)
	}
	// Every other task has run by then, and sleeps: each has its event.
	m.Run(tasks / 2 * 10 * des.Microsecond)
	runtime.GC()
	runtime.ReadMemStats(&after)
	each := float64(after.HeapAlloc-before.HeapAlloc) / tasks
	t.Logf("%.1f bytes a task", each)
	if each >= 300 {
		t.Errorf("a task takes %.1f bytes, want less than 300", each)
	}
	if m.Sim.Waiting() < tasks {
		t.Errorf("%d events are pending, want one for each of %d tasks", m.Sim.Waiting(), tasks)
	}
	runtime.KeepAlive(l)
}

func TestAStepAllocatesNothing(t *testing.T) {
	src, w := compiled(t, `
objects: {x: {word: 0}, a: {word: [1, 2]}, l: {spinlock: ticket}, c: {counter: plain}}
tasks:
  t:
    count: 3
    loop: forever
    do:
      - read: {r: x, v: "a[(r + self) % 2]"}
      - atomic: {o: "cmpxchg(x, r, (r * 7 + v) % 5)"}
      - if: o == r && v > 0
        then: [{lock: l}, {add: c}, {run: exp(100ns)}, {unlock: l}]
        else: [{loop: 2, do: [{write: {"a[r % 2]": v + 1}}]}]
      - mark: turn
      - assert: r >= 0
      - run: 50ns`)
	m := newMachine(1, 3)
	launch(src, w, m)
	until := des.Millisecond
	m.Run(until)
	if n := testing.AllocsPerRun(5, func() {
		until += des.Millisecond
		if m.Run(until) != cpus.TimeUp {
			t.Fatal(m.Failure())
		}
	}); n != 0 {
		t.Errorf("a millisecond of steps allocates %v times, want 0", n)
	}
}
