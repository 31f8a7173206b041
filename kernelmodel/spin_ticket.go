package kernelmodel

import (
	"smpsim/cpus"
	"smpsim/des"
)

// ticket is the ticket lock: take a number, poll the number now served. Both
// are in one word, so that every waiter reads the word again after each
// release and each arrival; the one whose turn it is waits for its copy behind
// the others'.
type ticket struct {
	spin    *Spinlock
	word    *cpus.Line
	order   *des.Stream
	held    bool
	waiters taskQueue
}

// Phases of an acquisition.
const (
	drawing = 1 // the number is being drawn
	polling = 2 // the number served is being polled
)

func (l *ticket) lock(t *cpus.Task) cpus.Until {
	t.Data = 0
	return l.word.RMW(t.CPU(), l.spin.machine.Sim.Now())
}

func (l *ticket) step(t *cpus.Task) cpus.Until {
	switch {
	case t.Phase == polling:
		l.word.Unpoll(t.CPU())
		return cpus.Finished
	case !l.held:
		l.held = true
		return cpus.Finished
	}
	t.Phase = polling
	l.waiters.push(t)
	l.word.Poll(t.CPU(), false)
	return l.spin.contended(t)
}

func (l *ticket) unlock(t *cpus.Task) cpus.Until {
	issued, _ := l.word.Write(t.CPU(), l.spin.machine.Sim.Now())
	next := l.waiters.pop()
	if next == nil {
		l.held = false
		return issued
	}
	l.spin.machine.Resume(next, l.word.Seen(next.CPU(), l.order))
	return issued
}

func (l *ticket) free() bool { return !l.held }

func (l *ticket) take(*cpus.Task) { l.held = true }

func (l *ticket) line() *cpus.Line { return l.word }
