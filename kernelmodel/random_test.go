package kernelmodel_test

import (
	"fmt"
	"hash/fnv"
	"strings"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// world is what a property test runs: a machine, its objects, and tasks, drawn
// at random but fixed once drawn, so that it can be run more than once.
type world struct {
	spec  cpus.Spec
	seed  uint64
	tasks []loadSpec
	// jitter lets a random one of the events within slack come first.
	jitter bool
	slack  des.Time
	// threads runs the tasks as Go functions that do the steps.
	threads bool
	// build makes the objects.
	build func(b *bench)
}

// loadSpec is a task of a world.
type loadSpec struct {
	steps string
	loops int
	cpu   int // -1: free
	nice  int
	start des.Time
}

// drawWorld draws a machine of up to six CPUs in caches of one to three cores,
// as it is or with events in a random order: those within some slack, or, where
// everything costs nothing, all that could come next.
func drawWorld(t *rapid.T) *world {
	llc := rapid.IntRange(1, 3).Draw(t, "cores a cache")
	w := &world{seed: rapid.Uint64().Draw(t, "seed")}
	w.spec = cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: llc * 2, Threads: 1, CoresPerLLC: llc},
		Costs:    xeonCosts,
		HZ:       rapid.SampledFrom([]int{0, 1000, 50000}).Draw(t, "hz"),
		Policy:   rapid.SampledFrom(cpus.Policies).Draw(t, "policy"),
		Slice:    rapid.SampledFrom([]des.Time{0, 20 * des.Microsecond}).Draw(t, "slice"),
	}
	w.spec.CPUs = rapid.IntRange(1, w.spec.Topology.CPUs()).Draw(t, "cpus")
	switch rapid.IntRange(0, 3).Draw(t, "order") {
	case 0:
		w.jitter, w.slack = true, 50*des.Nanosecond
	case 1:
		w.jitter, w.slack = true, 3*des.Microsecond
	case 2:
		w.jitter, w.spec.Costs, w.spec.HZ = true, cpus.Costs{}, 0
	}
	return w
}

// drawTasks draws from two to seven tasks whose steps come from draw.
func (w *world) drawTasks(t *rapid.T, draw func(t *rapid.T) string) {
	for range rapid.IntRange(2, 7).Draw(t, "tasks") {
		w.tasks = append(w.tasks, loadSpec{
			steps: draw(t),
			loops: rapid.IntRange(1, 4).Draw(t, "loops"),
			cpu:   rapid.IntRange(-1, w.spec.CPUs-1).Draw(t, "cpu"),
			nice:  rapid.IntRange(-5, 5).Draw(t, "nice"),
			start: des.Time(rapid.IntRange(0, 3000).Draw(t, "start")) * des.Nanosecond,
		})
	}
}

// drawRun draws a computation of up to 2 us, often a short one.
func drawRun(t *rapid.T) string {
	return fmt.Sprintf("run %dns", rapid.SampledFrom([]int{0, 10, 50, 60, 100, 300, 2000}).Draw(t, "run"))
}

// run runs the world and returns what remains of it. watch, where set, is told
// of steps that have ended; tracer, of tracepoints.
func (w *world) run(watch func(t *cpus.Task, s *step, result int64), tracer cpus.Tracer) (*bench, cpus.Outcome) {
	b := &bench{machine: cpus.New(des.New(w.seed), w.spec), objects: map[string]any{}, ended: watch}
	if tracer != nil {
		b.machine.SetTracer(tracer)
	}
	if w.jitter {
		b.machine.Sim.SetChooser((*anyOf)(b.machine.Sim.Stream("order")), w.slack)
	}
	w.build(b)
	for i, l := range w.tasks {
		p := b.program(l.steps)
		p.loops = l.loops
		spec := &cpus.TaskSpec{Name: fmt.Sprintf("t%d", i), Behavior: p, Nice: l.nice}
		if l.cpu >= 0 {
			bound := b.machine.NewCPUSet()
			bound.Add(l.cpu)
			spec.CPUs = &bound
		}
		if w.threads {
			spec.Behavior = b.machine.Func(p.function)
		}
		b.machine.StartAt(b.machine.NewTask(spec), l.start)
	}
	return b, b.machine.Run(des.Second)
}

// anyOf is a chooser that takes any of the events.
type anyOf des.Stream

func (r *anyOf) Choose(_ *des.Sim, due []des.ID) int {
	return int((*des.Stream)(r).Below(uint64(len(due))))
}

// checkAccounts fails if the accounts of a CPU do not add up to the time.
func checkAccounts(t *rapid.T, m *cpus.Machine) {
	for i := range m.CPUs() {
		sum := des.Time(0)
		for mode := range cpus.Modes {
			sum += m.CPU(i).Account(mode)
		}
		if sum != m.Sim.Now() {
			t.Fatalf("accounts of CPU %d add up to %v at %v", i, sum, m.Sim.Now())
		}
	}
}

// digest is a tracer that hashes all it is told.
type digest struct{ sum uint64 }

func (d *digest) Trace(e cpus.TraceEvent) {
	h := fnv.New64a()
	fmt.Fprint(h, d.sum, e)
	d.sum = h.Sum64()
}

func join(steps ...string) string { return strings.Join(steps, "; ") }
