package kernelmodel_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// item counts what has happened to a work item.
type item struct {
	queued, begun, ended, cancelled int
	// cancels counts cancellations that have begun, cancelling those in progress.
	cancels, cancelling, running int
}

// ledger watches work items: each tracepoint and each step.
type ledger struct {
	t       *rapid.T
	machine *cpus.Machine
	items   map[string]*item
	// before is what had happened to the item when a task's present flush or
	// cancellation began.
	before  map[string]item
	running int
	limit   int
	flushes int
}

func (l *ledger) Trace(e cpus.TraceEvent) {
	if e.Name < 0 {
		return
	}
	it := l.items[l.machine.NameOf(e.Name)]
	switch e.Kind {
	case cpus.TraceQueueWork:
		it.queued++
	case cpus.TraceExecuteStart:
		it.begun++
		it.running++
		l.running++
		if it.running > 1 {
			l.t.Fatalf("two instances of %s at once at %v", l.machine.NameOf(e.Name), e.At)
		}
		if l.running > l.limit {
			l.t.Fatalf("%d items run at %v, at most %d may", l.running, e.At, l.limit)
		}
	case cpus.TraceExecuteEnd:
		it.ended++
		it.running--
		l.running--
	}
}

// watch is told when a step has ended. A flush or a cancellation has a step of
// no length before it, whose end is when it begins.
func (l *ledger) watch(task *cpus.Task, s *step, result int64) {
	op, name, _ := strings.Cut(strings.TrimPrefix(s.text, "?"), " ")
	name, mark, _ := strings.Cut(name, ":")
	it := l.items[name]
	switch {
	case op == "before":
		if mark == "cancel" {
			it.cancels++
			it.cancelling++
		}
		l.before[task.Name()] = *it
	case op == "flush":
		l.flushes += int(result)
		if before := l.before[task.Name()]; before.cancelling == 0 && before.cancels == it.cancels {
			// A flush of an instance that is cancelled does not wait for an earlier one.
			l.settled(task, name)
		}
	case op == "cancel":
		it.cancelling--
		it.cancelled += int(result)
		l.settled(task, name)
	}
}

// settled fails unless every instance that was queued before the task's flush
// or cancellation has ended, or was or is just being cancelled.
func (l *ledger) settled(task *cpus.Task, name string) {
	it := l.items[name]
	before := l.before[task.Name()].queued
	if it.ended+it.cancelled+it.cancelling < before {
		l.t.Fatalf("%s is back at %v: of %d instances of %s queued before, %d have ended and %d are cancelled",
			task.Name(), l.machine.Sim.Now(), before, name, it.ended, it.cancelled)
	}
}

func TestWorkItemsObeyTheRulesOfTheKernel(t *testing.T) {
	for _, cancels := range []bool{false, true} {
		t.Run(fmt.Sprintf("cancels=%v", cancels), func(t *testing.T) {
			flushes := 0
			rapid.Check(t, func(t *rapid.T) { flushes += checkWorkqueue(t, cancels) })
			if flushes == 0 {
				t.Fatal("no flush ever had to wait")
			}
		})
	}
}

func checkWorkqueue(t *rapid.T, cancels bool) (flushes int) {
	w := drawWorld(t)
	spec := kernelmodel.WorkqueueSpec{
		Name:      "wq",
		PerCPU:    rapid.Bool().Draw(t, "per-cpu"),
		MaxActive: rapid.IntRange(0, 2).Draw(t, "max_active"),
	}
	names := []string{"u", "v", "w"}
	bodies := make([]string, len(names))
	for i := range bodies {
		bodies[i] = drawRun(t)
		if rapid.Bool().Draw(t, "sleeps") {
			bodies[i] = join(bodies[i], "sleep 3us", drawRun(t))
		}
	}
	var l *ledger
	w.build = func(b *bench) {
		l = &ledger{t: t, machine: b.machine, items: map[string]*item{}, before: map[string]item{}}
		l.limit = max(1, spec.MaxActive) * w.spec.CPUs
		if spec.MaxActive == 0 {
			l.limit = len(names)
		}
		b.machine.SetTracer(l)
		b.ended = l.watch
		q := kernelmodel.NewWorkqueue(b.machine, spec)
		for i, name := range names {
			l.items[name] = &item{}
			p := b.program(bodies[i])
			p.ended = nil
			b.objects[name] = q.NewWork(name, p)
		}
	}
	w.drawTasks(t, func(t *rapid.T) string {
		var steps []string
		for range rapid.IntRange(1, 6).Draw(t, "steps") {
			name := rapid.SampledFrom(names).Draw(t, "item")
			switch rapid.IntRange(0, 5).Draw(t, "op") {
			case 0, 1:
				steps = append(steps, "queue "+name)
			case 2:
				steps = append(steps, "queue "+name, "before "+name, "flush "+name)
			case 3:
				steps = append(steps, "before "+name, "flush "+name)
			case 4:
				if cancels {
					steps = append(steps, "before "+name+":cancel", "cancel "+name)
				}
			}
			steps = append(steps, drawRun(t))
		}
		return join(steps...)
	})
	// The machine goes on until all items are done.
	w.tasks = append(w.tasks, loadSpec{steps: "sleep 900us", loops: 1, cpu: -1, start: des.Microsecond})
	b, outcome := w.run(nil, nil)
	if outcome != cpus.Ended {
		t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
	}
	for _, name := range names {
		it := l.items[name]
		if b.objects[name].(*kernelmodel.Work).Busy() {
			t.Fatalf("%s is busy at the end", name)
		}
		if it.queued != it.begun+it.cancelled || it.begun != it.ended {
			t.Fatalf("%s: %+v", name, *it)
		}
	}
	checkAccounts(t, b.machine)
	return l.flushes
}

// Items that wait for each other's locks, sleep and queue each other: a per-CPU
// pool has to start as many workers as sleep.
func TestPoolsStartAnotherWorkerForEachThatSleeps(t *testing.T) {
	for _, perCPU := range []bool{false, true} {
		b := &bench{machine: cpus.New(des.New(1), cpus.Spec{Topology: xeon, Costs: xeonCosts, CPUs: 1}), objects: map[string]any{}}
		q := kernelmodel.NewWorkqueue(b.machine, kernelmodel.WorkqueueSpec{Name: "wq", PerCPU: perCPU})
		b.objects["e"] = kernelmodel.NewEvent(b.machine, "e")
		steps := "run 1us"
		for i := range 8 {
			name := fmt.Sprintf("w%d", i)
			b.objects[name] = q.NewWork(name, b.program("await e"))
			steps += "; queue " + name
		}
		last := q.NewWork("last", b.program("signal_all e"))
		b.objects["last"] = last
		for i := range 8 {
			steps += fmt.Sprintf("; before last; sleep 20us; queue last; flush w%d", i)
		}
		b.machine.Start(b.machine.NewTask(&cpus.TaskSpec{Name: "a", Behavior: b.program(steps)}))
		if outcome := b.machine.Run(des.Second); outcome != cpus.Ended {
			t.Fatalf("percpu=%v: %v: eight items wait for the ninth, which never runs", perCPU, outcome)
		}
	}
}
