package kernelmodel

import "smpsim/cpus"

// nodes are the queue nodes of a lock: a line for each CPU that ever waited. A
// CPU waits for one spinlock at a time, so one node each is enough.
type nodes []*cpus.Line

func (n *nodes) of(m *cpus.Machine, c *cpus.CPU) *cpus.Line {
	if *n == nil {
		*n = make(nodes, m.CPUs())
	}
	if (*n)[c.Index()] == nil {
		(*n)[c.Index()] = m.NewLine()
	}
	return (*n)[c.Index()]
}

// mcs is the queue lock of Mellor-Crummey and Scott: each waiter polls a node
// of its own, so that a hand-off costs the same few transfers whatever the
// length of the queue.
type mcs struct {
	spin *Spinlock
	tail *cpus.Line
	// held says that somebody has the lock or is about to; last is the end of the
	// queue, the holder included.
	held    bool
	last    *cpus.Task
	waiters taskQueue
	nodes   nodes
}

// Phases of an acquisition.
const (
	joining = 1 // xchg of the tail
	queued  = 2 // polling the node
)

func (l *mcs) lock(t *cpus.Task) cpus.Until {
	t.Data = 0
	return l.tail.RMW(t.CPU(), l.spin.machine.Sim.Now())
}

func (l *mcs) step(t *cpus.Task) cpus.Until {
	if t.Phase == queued {
		return cpus.Finished
	}
	m := l.spin.machine
	before := l.last
	l.last = t
	if !l.held {
		l.held = true
		return cpus.Finished
	}
	t.Phase = queued
	now := m.Sim.Now()
	// Initialise the own node, then tell the predecessor where it is.
	l.nodes.of(m, t.CPU()).Write(t.CPU(), now)
	l.nodes.of(m, before.CPU()).Write(t.CPU(), now)
	l.waiters.push(t)
	return l.spin.contended(t)
}

func (l *mcs) unlock(t *cpus.Task) cpus.Until {
	m := l.spin.machine
	now := m.Sim.Now()
	next := l.waiters.pop()
	if next == nil {
		// Nobody is linked: the tail goes back to empty.
		l.held, l.last = false, nil
		return l.tail.RMW(t.CPU(), now)
	}
	// Read who is next from the own node, then write to that one's node, where it
	// polls.
	linked := l.nodes.of(m, t.CPU()).Read(t.CPU(), now)
	m.Resume(next, handOver(l.nodes.of(m, next.CPU()), t, next, linked))
	return linked + m.Costs.PlainIncrement
}

// handOver writes to the node that next polls, from time at on, and returns
// when next sees it.
func handOver(node *cpus.Line, from, next *cpus.Task, at cpus.Until) cpus.Until {
	_, visible := node.Write(from.CPU(), at)
	return node.Read(next.CPU(), visible)
}

func (l *mcs) free() bool { return !l.held }

func (l *mcs) take(t *cpus.Task) { l.held, l.last = true, t }

func (l *mcs) line() *cpus.Line { return l.tail }
