package kernelmodel_test

import (
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Waiters come, stray wake-ups come, and at some time the condition holds for
// good and is announced: everybody must get past it.
func TestWaitEventLosesNoWakeUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.build = func(b *bench) {
			b.objects["q"] = kernelmodel.NewWaitQueue(b.machine, "q")
			b.objects["x"] = b.machine.NewWord("x", 0)
		}
		w.drawTasks(t, func(t *rapid.T) string {
			switch rapid.IntRange(0, 2).Draw(t, "role") {
			case 0:
				return join(drawRun(t), "wait q x 1")
			case 1:
				return join(drawRun(t), "wait_exclusive q x 1")
			default:
				return join(drawRun(t), "wake q", drawRun(t), "wake q")
			}
		})
		announcer := loadSpec{steps: join(drawRun(t), "wake q", drawRun(t), "write x 1", "wake_all q"), loops: 1, cpu: -1}
		w.tasks = append(w.tasks, announcer)
		b, outcome := w.run(nil, nil)
		if outcome != cpus.Ended {
			t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
		}
		if n := b.objects["q"].(*kernelmodel.WaitQueue).Waiting(); n != 0 {
			t.Fatalf("%d tasks are listed when all have gone", n)
		}
		checkAccounts(t, b.machine)
	})
}

// As many signals as awaits let everybody past, and none before its signal.
func TestEventLetsOneTaskPastForEachSignal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.build = func(b *bench) { b.objects["e"] = kernelmodel.NewEvent(b.machine, "e") }
		w.drawTasks(t, func(t *rapid.T) string { return join(drawRun(t), "await e", drawRun(t)) })
		awaits := 0
		for _, l := range w.tasks {
			awaits += l.loops
		}
		for range awaits {
			w.tasks = append(w.tasks, loadSpec{steps: join(drawRun(t), "before e", "signal e"), loops: 1, cpu: -1})
		}
		begun, past := 0, 0
		b, outcome := w.run(func(_ *cpus.Task, s *step, _ int64) {
			switch s.text {
			case "before e":
				begun++
			case "await e":
				past++
			}
			if past > begun {
				t.Fatalf("%d are past after %d signals", past, begun)
			}
		}, nil)
		if outcome != cpus.Ended {
			t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
		}
		if b.objects["e"].(*kernelmodel.Event).Done() {
			t.Fatal("a signal is left over")
		}
		checkAccounts(t, b.machine)
	})
}

func TestSemaphoreAdmitsAsManyAsItHasUnits(t *testing.T) {
	full := false
	rapid.Check(t, func(t *rapid.T) {
		units := rapid.IntRange(1, 3).Draw(t, "units")
		w := drawWorld(t)
		w.build = func(b *bench) { b.objects["s"] = kernelmodel.NewSemaphore(b.machine, "s", int64(units)) }
		w.drawTasks(t, func(t *rapid.T) string {
			return join(drawRun(t), "down s", drawRun(t), "run 7ns", "up s", drawRun(t))
		})
		inside := 0
		b, outcome := w.run(func(_ *cpus.Task, s *step, _ int64) {
			switch s.text {
			case "down s":
				inside++
			case "run 7ns":
				inside--
			}
			if inside > units {
				t.Fatalf("%d inside, %d units", inside, units)
			}
			full = full || units > 1 && inside == units
		}, nil)
		if outcome != cpus.Ended {
			t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
		}
		if left := b.objects["s"].(*kernelmodel.Semaphore).Count(); left != int64(units) {
			t.Fatalf("%d of %d units are left at the end", left, units)
		}
		checkAccounts(t, b.machine)
	})
	if !full {
		t.Fatal("no two units were ever out together")
	}
}
