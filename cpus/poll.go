package cpus

import "slices"

// A Condition is a predicate over shared words and a task's registers.
type Condition interface {
	// Holds evaluates the condition for t. It must have no effect.
	Holds(t *Task) bool
}

// Poll is a loop with cpu_relax() until a condition over words holds. The task
// occupies its CPU; a waiter looks again when a word changes, once the line has
// come to it.
type Poll struct {
	machine *Machine
	words   []*Word
	cond    Condition
	name    string
}

// NewPoll returns a polling loop over words until cond holds.
func (m *Machine) NewPoll(name string, words []*Word, cond Condition) *Poll {
	return &Poll{machine: m, words: words, cond: cond, name: name}
}

// Name returns the loop's name.
func (p *Poll) Name() string { return p.name }

// Begin looks for the first time.
func (p *Poll) Begin(t *Task, _ *Op) Until { return p.read(t) }

// read returns when t has read all the words.
func (p *Poll) read(t *Task) Until {
	at := p.machine.Sim.Now()
	for _, w := range p.words {
		at = w.Line.Read(t.cpu, at)
	}
	return at
}

const pollWaiting = 1

// Step evaluates the condition with what was read.
func (p *Poll) Step(t *Task, _ *Op) Until {
	if p.cond.Holds(t) {
		if t.Phase == pollWaiting {
			for _, w := range p.words {
				i := slices.Index(w.polled, t)
				w.polled = slices.Delete(w.polled, i, i+1)
			}
		}
		return Finished
	}
	if t.Phase != pollWaiting {
		t.Phase = pollWaiting
		for _, w := range p.words {
			w.polled = append(w.polled, t)
		}
	}
	return Spinning
}

// repoll lets every task that polls w read it again, once the writer has the line:
// until then the store waits in its buffer, where nobody sees it.
func (m *Machine) repoll(w *Word) {
	for _, t := range w.polled {
		if t.state == SpinState && !m.Sim.Pending(t.id) {
			m.Resume(t, w.Line.Read(t.cpu, max(m.Sim.Now(), w.Line.arrive)))
		}
	}
}
