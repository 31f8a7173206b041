package kernelmodel_test

import (
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// A model may be a program or a Go function: to the machine they are the same,
// to the picosecond, preemption between operations included.
func TestAGoFunctionRunsAsAProgramOfTheSameOperationsDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.jitter = false
		w.build = func(b *bench) {
			b.objects["q"] = kernelmodel.NewSpinlock(b.machine, "q", "qspinlock")
			b.objects["m"] = kernelmodel.NewMutex(b.machine, "m")
			b.objects["s"] = kernelmodel.NewSemaphore(b.machine, "s", 0)
			b.objects["x"] = b.machine.NewWord("x", 0)
		}
		w.drawTasks(t, func(t *rapid.T) string {
			return join(drawRun(t), "lock m", drawRun(t), "unlock m", "up s", drawRun(t), "down s",
				"lock q", "add x 1", "unlock q", drawRun(t), "sleep 3us", "add_return x 1")
		})
		var program, function digest
		_, first := w.run(nil, &program)
		w.threads = true
		_, second := w.run(nil, &function)
		if first != cpus.Ended || second != cpus.Ended {
			t.Fatalf("%v and %v", first, second)
		}
		if program != function {
			t.Fatal("the traces differ")
		}
	})
}
