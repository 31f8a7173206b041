package cpus_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// equals is the condition that a word has a value.
type equals struct {
	word  *cpus.Word
	value int64
}

func (e equals) Holds(*cpus.Task) bool { return e.word.Value == e.value }

// TestAPollerGoesOnWhenTheLineHasCome: CPU 0 polls a word that CPU 4, 160 ns away,
// sets to 2 and later to 1. Each store waits for the line for 160 ns, the writer
// then completes an operation, 6 ns, and the poller's copy takes another 160.
func TestAPollerGoesOnWhenTheLineHasCome(t *testing.T) {
	m := distantMachine()
	w := m.NewWord("w", 0)
	poll := m.NewPoll("until w == 1", []*cpus.Word{w}, equals{w, 1})
	var on des.Time
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "poller", CPUs: setOf(m, []int{0})}, func(k *cpus.Thread) {
		k.Call(poll, 0)
		on = k.Now()
	}))
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "writer", CPUs: setOf(m, []int{4})}, func(k *cpus.Thread) {
		k.Run(10 * us)
		k.Store(w, 2)
		k.Run(10 * us)
		k.Store(w, 1)
	}))
	if outcome := m.Run(des.Forever); outcome != cpus.Ended {
		t.Fatal(outcome)
	}
	// The second store begins at 20.001us, 10us after the end of the first.
	if want := 20_001*ns + (160+6+160)*ns; on != want {
		t.Errorf("the poller goes on at %v, want %v", on, want)
	}
	// It polled from 100ns on, when the word had come from memory, but for reading
	// it again after the first store: that too is polling.
	wantAccounts(t, m, 0, map[cpus.Mode]des.Time{cpus.Kernel: 100 * ns, cpus.Spin: on - 100*ns})
}

// TestEveryPollerSeesAChange: seven CPUs poll one word and go on one after the
// other, as the copies come.
func TestEveryPollerSeesAChange(t *testing.T) {
	m := distantMachine()
	w := m.NewWord("w", 0)
	poll := m.NewPoll("until w == 1", []*cpus.Word{w}, equals{w, 1})
	seen := map[des.Time]bool{}
	for i := range 7 {
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "poller", Index: int32(i), Numbered: true, CPUs: setOf(m, []int{i + 1})}, func(k *cpus.Thread) {
			k.Call(poll, 0)
			seen[k.Now()] = true
		}))
	}
	m.StartAt(m.NewThread(&cpus.TaskSpec{Name: "writer", CPUs: setOf(m, []int{0})}, func(k *cpus.Thread) { k.AddReturn(w, 1) }), 10*us)
	if outcome := m.Run(des.Forever); outcome != cpus.Ended {
		t.Fatal(outcome)
	}
	if len(seen) != 7 {
		t.Errorf("pollers went on at %d different times, want 7", len(seen))
	}
}
