package cpus_test

import (
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// steppedMachine returns a machine whose ops the test takes.
func steppedMachine() *cpus.Machine {
	m := newMachine(2, 0, "fifo")
	m.Stepped = true
	return m
}

// TestRestartUnwindsFunctionsAndMakesEverythingAlike builds the same twice: what was
// made has the same identities and IDs, and a function that was left midway has run its
// deferred calls, but no further op.
func TestRestartUnwindsFunctionsAndMakesEverythingAlike(t *testing.T) {
	m := steppedMachine()
	defer m.Sim.Close()
	var unwound []string
	build := func() (x, y *cpus.Word, a, b *cpus.Task) {
		x, y = m.NewWord("x", 0), m.NewWord("y", 0)
		body := func(k *cpus.Thread) {
			defer func() { unwound = append(unwound, k.Task().Name()) }()
			defer k.Store(y, 1)
			k.Load(x)
			k.Load(y)
		}
		a = m.NewThread(&cpus.TaskSpec{Name: "a"}, body)
		b = m.NewThread(&cpus.TaskSpec{Name: "b"}, body)
		return x, y, a, b
	}
	var ids []cpus.Identity
	var tasks []int32
	for range 3 {
		unwound = nil
		x, y, a, b := build()
		ids, tasks = append(ids, x.Identity(), y.Identity()), append(tasks, a.ID(), b.ID())
		if op := a.Take(); op.Kind != cpus.Load || op.Word != x {
			t.Errorf("a begins with %+v", op)
		}
		if op := a.Take(); op.Kind != cpus.Load || op.Word != y {
			t.Errorf("a goes on with %+v", op)
		}
		for _, kind := range []cpus.Kind{cpus.Load, cpus.Load, cpus.Store, cpus.Exit} {
			if op := b.Take(); op.Kind != kind {
				t.Errorf("b does %+v, want kind %d", op, kind)
			}
		}
		if b.State() != cpus.Dead || len(m.Built()) != 2 {
			t.Errorf("b is %v, %d were made", b.State(), len(m.Built()))
		}
		m.Restart()
		if want := []string{"b", "a"}; !slices.Equal(unwound, want) {
			t.Errorf("%v have run their deferred calls, want %v", unwound, want)
		}
		if y.Value != 0 || len(m.Tasks()) != 0 || len(m.Built()) != 0 {
			t.Errorf("y = %d, %d tasks, %d made", y.Value, len(m.Tasks()), len(m.Built()))
		}
	}
	for i := range ids[2:] {
		if ids[i+2] != ids[i] || tasks[i+2] != tasks[i] {
			t.Errorf("identities %v, tasks %v: not alike", ids, tasks)
		}
	}
}

// TestWhatATaskMakesIsNumberedByItself: whatever others make in between.
func TestWhatATaskMakesIsNumberedByItself(t *testing.T) {
	m := steppedMachine()
	m.NewWord("built", 0)
	for _, by := range []int32{2, 1, 2} {
		m.MadeBy(by)
		m.NewWord("made", 0)
	}
	m.MadeBy(1)
	if got, want := m.NewWord("last", 0).Identity(), (cpus.Identity{By: 1, N: 1}); got != want {
		t.Errorf("identity %+v, want %+v", got, want)
	}
	if n := len(m.Built()); n != 1 {
		t.Errorf("%d were built, want 1", n)
	}
}

// TestAPanicOfASteppedFunctionIsAFailure: the function has ended, the machine goes on.
func TestAPanicOfASteppedFunctionIsAFailure(t *testing.T) {
	m := steppedMachine()
	defer m.Sim.Close()
	var none []int
	a := m.NewThread(&cpus.TaskSpec{Name: "a"}, func(k *cpus.Thread) {
		k.Run(des.Nanosecond)
		_ = none[k.Load(m.NewWord("x", 0))]
	})
	for range 3 {
		a.Take()
	}
	err := m.TakeFailure()
	if err == nil || !strings.Contains(err.Error(), "index out of range") || !strings.Contains(err.Error(), "in cpus_test.TestAPanic") {
		t.Errorf("failure %v", err)
	}
	if m.TakeFailure() != nil || a.State() != cpus.Dead {
		t.Errorf("a is %v", a.State())
	}
}
