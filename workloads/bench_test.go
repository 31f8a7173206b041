//go:build unix

package workloads

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// measure runs a workload of tasks called t and reports the time that one turn of
// their loop takes. How many turns there are in a millisecond is found by a run
// of the same workload with a counter, in the place of %s, which costs no time.
func measure(b *testing.B, text string, cores int) {
	const warm = 10 * des.Millisecond
	begin := func(counter string) (*cpus.Machine, *Linked) {
		src, w := compiled(b, strings.Replace(text, "%s", counter, 1))
		m := newMachine(1, cores)
		l := launch(src, w, m)
		m.Run(warm)
		return m, l
	}
	m, l := begin("{set: {n: n + 1}}, ")
	defer m.Sim.Close()
	p := l.workload.Program("t")
	turns := func() int64 {
		sum := int64(0)
		for i := range p.Count {
			sum += l.Registers(p, i)[0]
		}
		return sum
	}
	before := turns()
	m.Run(2 * warm)
	perMillisecond := (turns() - before) * int64(des.Millisecond) / int64(warm)

	m, _ = begin("")
	defer m.Sim.Close()
	until := warm + des.Time(int64(b.N)/perMillisecond+1)*des.Millisecond
	b.ReportAllocs()
	b.ResetTimer()
	start := cpuTime(b)
	if m.Run(until) != cpus.TimeUp {
		b.Fatalf("ended at %v: %v", m.Sim.Now(), m.Failure())
	}
	b.StopTimer()
	done := perMillisecond * int64((until-warm)/des.Millisecond)
	b.ReportMetric(float64(cpuTime(b)-start)/float64(done), "cpu-ns/turn")
}

// cpuTime returns the CPU time that the process has had, in nanoseconds: what a
// host that others use too does not falsify.
func cpuTime(b *testing.B) int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}

// BenchmarkHold is the event engine's own yardstick: many tasks, each of which
// waits for a random time, again and again.
func BenchmarkHold(b *testing.B) {
	for _, step := range []string{"sleep", "run"} {
		for _, tasks := range []int{64, 1000} {
			b.Run(fmt.Sprintf("%s/%d", step, tasks), func(b *testing.B) {
				measure(b, fmt.Sprintf("tasks: {t: {count: %d, loop: forever, do: [%%s{%s: exp(1us)}]}}", tasks, step), tasks)
			})
		}
	}
}

// BenchmarkHandOff is a lock that 64 tasks on as many CPUs contend for: they hold
// it for 1 us and think for 10.
func BenchmarkHandOff(b *testing.B) {
	for _, kind := range []string{"ticket", "mcs", "qspinlock", "test-and-set"} {
		b.Run(kind, func(b *testing.B) {
			measure(b, fmt.Sprintf(`
objects: {l: {spinlock: %s}}
tasks:
  t:
    count: 64
    loop: forever
    do: [%%s{lock: l}, {run: 1us}, {unlock: l}, {run: 10us}]`, kind), 64)
		})
	}
}

// BenchmarkInterpret is the interpreter alone: steps that cost no time to find.
func BenchmarkInterpret(b *testing.B) {
	_, w := compiled(b, `
objects: {x: {word: 0}}
tasks: {t: {loop: forever, do: [{read: {r: x}}, {if: r == 0, then: [{write: {x: r + 1}}], else: [{write: {x: 0}}]}]}}`)
	m := newMachine(1, 1)
	l := w.Link(m)
	t := l.NewTask(w.Program("t"), &cpus.TaskSpec{})
	p := &l.groups[0].procs[0]
	b.ReportAllocs()
	for b.Loop() {
		p.Next(t)
	}
}

// BenchmarkLink makes the live objects and tasks of a run.
func BenchmarkLink(b *testing.B) {
	src, w := compiled(b, `
objects:
  gc_lock:     {spinlock: qspinlock}
  in_progress: {word: 0}
  inside:      {word: 0}
tasks:
  sender:
    count: 2
    do:
      - read: {busy: in_progress}
      - if: busy == 0
        then: [{lock: gc_lock}, {write: {in_progress: 1}}, {unlock: gc_lock}, {atomic: {n: "add_return(inside, 1)"}}, {assert: n == 1}]`)
	b.ReportAllocs()
	for b.Loop() {
		launch(src, w, newMachine(1, 2))
	}
}
