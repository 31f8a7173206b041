package kernelmodel

import "smpsim/cpus"

// testAndSet is the simplest lock: xchg until the word was 0. A lone waiter
// keeps the line in its cache, several keep it moving between them, and the
// holder's release has to wait for its turn among their requests. A holder that
// wants the lock back at once still has the line, and gets it.
type testAndSet struct {
	spin *Spinlock
	word *cpus.Line
	held bool
	// waiters is the ring of CPUs whose attempts come in turn.
	waiters taskQueue
}

// Phases of an acquisition.
const (
	first = 1 // the first xchg is under way
	again = 2 // one of the later ones is
)

func (l *testAndSet) lock(t *cpus.Task) cpus.Until {
	t.Data = 0
	return l.word.RMW(t.CPU(), l.spin.machine.Sim.Now())
}

func (l *testAndSet) step(t *cpus.Task) cpus.Until {
	if !l.held {
		l.held = true
		if t.Phase == again {
			l.word.Unpoll(t.CPU())
		}
		return cpus.Finished
	}
	l.waiters.push(t)
	if t.Phase == again {
		return cpus.Spinning
	}
	t.Phase = again
	l.word.Poll(t.CPU(), true)
	return l.spin.contended(t)
}

func (l *testAndSet) unlock(t *cpus.Task) cpus.Until {
	issued, visible := l.word.Write(t.CPU(), l.spin.machine.Sim.Now())
	l.held = false
	// The next attempt in the ring is already on its way; one alone has it.
	if next := l.waiters.pop(); next != nil {
		l.spin.machine.Resume(next, l.word.RMW(next.CPU(), visible))
	}
	return issued
}

func (l *testAndSet) free() bool { return !l.held }

func (l *testAndSet) take(*cpus.Task) { l.held = true }

func (l *testAndSet) line() *cpus.Line { return l.word }
