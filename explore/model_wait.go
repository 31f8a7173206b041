package explore

import (
	"slices"

	"smpsim/kernelmodel"
)

// Wait queues. A wait is enqueueing, a test, and after each wake-up another test, which
// follows what came before the wake-up. A wake-up wakes all who do not wait exclusively,
// and one of those who do.

// describeQueue describes wake-ups and sleep_on.
func (m *Model) describeQueue(a *modelAgent, q *kernelmodel.WaitQueue) {
	id := m.made(q.Identity(), q)
	if a.op.Sub == kernelmodel.SleepOn {
		a.kind = opSleepOn
		a.touches(id, Reads|Writes)
		return
	}
	a.kind = opWake
	a.touches(id, givingBack|Varies)
}

// describeWait describes enqueueing, the first step of a wait.
func (m *Model) describeWait(a *modelAgent, p *kernelmodel.WaitPoint) {
	q := p.Queue()
	a.kind = opWait
	a.exclusive = a.op.Sub == kernelmodel.WaitExclusive
	a.listed, a.wakes = false, 0
	a.touches(m.made(q.Identity(), q), Reads|Writes)
}

// describeTest makes a waiting agent's step a test of its condition.
func (m *Model) describeTest(a *modelAgent, phase uint8) {
	a.phase = phase
	s := &a.step
	s.Access, s.Objects, s.Others = Reads, s.Objects[:0], s.Others[:0]
	for _, w := range a.op.Prim.(*kernelmodel.WaitPoint).Words() {
		s.Objects = append(s.Objects, m.made(w.Identity(), w))
	}
	if phase == waitRetest {
		s.Access |= Waits
		s.add(a.object, Reads|Acquires)
	}
	if a.exclusive {
		s.add(a.object, Reads|Writes) // it lists itself again, or leaves the list
	}
	m.complete(a)
}

// wait does a step of a wait, and reports whether that has ended.
func (m *Model) wait(a *modelAgent) bool {
	p := a.op.Prim.(*kernelmodel.WaitPoint)
	if a.phase == waitEnqueue {
		m.list(a)
		m.describeTest(a, waitTest)
		return false
	}
	found := len(m.found)
	switch {
	case p.Holds(a.task) || len(m.found) > found:
		a.listed, a.wakes = false, 0
		m.last.value = 1
		return true
	case a.wakes > 0:
		// Woken since it was enqueued: it tests again, once for each wake-up.
		a.wakes--
		m.list(a)
		m.describeTest(a, waitRetest)
	default:
		a.status, a.gate = statusAsleep, gateShut
		m.list(a)
		m.describeTest(a, waitRetest)
	}
	return false
}

// list puts an exclusive waiter behind the others, unless it is listed.
func (m *Model) list(a *modelAgent) {
	if a.exclusive && !a.listed {
		o := &m.objects[a.object]
		o.count++
		a.listed, a.turn = true, o.count
	}
}

// wake does a wake-up. Its result is 0: how many slept depends on who has just tested his
// condition, which else need not be ordered before or after it.
func (m *Model) wake(by *modelAgent) {
	queue := by.object
	by.task.Result = 0
	var first *modelAgent // of the exclusive waiters, by its turn
	for k := range m.agents {
		a := &m.agents[k]
		if a.kind == opWait && a.object == queue && a.listed && (first == nil || a.turn < first.turn) {
			first = a
		}
	}
	for k := range m.agents {
		a := &m.agents[k]
		here := (a.kind == opWait || a.kind == opSleepOn) && a.object == queue && (a.status == statusReady || a.status == statusAsleep)
		if here && a.kind == opWait && a.exclusive && a != first && by.op.Sub != kernelmodel.WakeAll {
			continue
		}
		switch {
		case here && a.status == statusAsleep:
			m.last.value++
			a.status, a.gate, a.listed = statusReady, gateOpen, false
			if a.kind == opSleepOn {
				a.after = append(a.after, Touch{queue, Reads | Acquires})
				m.advance(k)
			}
		case here && a.kind == opWait && a.phase > waitEnqueue:
			a.wakes++
			a.listed = false
		case a.looked && !slices.Contains(a.missed, queue):
			a.missed = append(a.missed, queue)
		}
	}
}

// lost reports whether an agent sleeps on a queue whose wake-up came between its last
// look at memory and its sleep.
func (m *Model) lost(a *modelAgent) bool {
	return a.kind == opSleepOn && a.status == statusAsleep && slices.Contains(a.missed, a.object)
}
