package explore

import (
	"slices"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// describeLock describes operations of spinlocks and mutexes.
func (m *Model) describeLock(a *modelAgent, id int32) {
	switch a.op.Sub {
	case kernelmodel.Lock, kernelmodel.LockIRQ, kernelmodel.LockBH:
		a.kind, a.gate = opLock, gateFree
		a.touches(id, taking)
	case kernelmodel.TryLock:
		a.kind = opTryLock
		a.touches(id, Reads|Writes|Acquires|Varies)
	default:
		a.kind = opUnlock
		a.touches(id, givingBack)
	}
}

// doLock does an operation of a spinlock or a mutex.
func (m *Model) doLock(i int, a *modelAgent) {
	o, t := &m.objects[a.object], a.task
	sub := a.op.Sub
	irq := sub == kernelmodel.LockIRQ || sub == kernelmodel.UnlockIRQ
	bh := sub == kernelmodel.LockBH || sub == kernelmodel.UnlockBH
	spin, spins := a.op.Prim.(*kernelmodel.Spinlock)
	holder := t
	switch a.kind {
	case opTryLock:
		if t.Result = 0; o.writer != 0 {
			m.fail()
			return
		}
		t.Result = 1
		fallthrough
	case opLock:
		if a.kind == opLock {
			m.orderBehind(a)
		}
		m.mask(a, irq, bh)
		o.writer = int32(i) + 1
		m.take(a, spins, false)
	default:
		if !m.release(a) {
			return
		}
		o.writer, holder = 0, nil
		m.unmask(a, irq, bh)
	}
	if spins {
		spin.Hold(holder)
	} else {
		a.op.Prim.(*kernelmodel.Mutex).Hold(holder)
	}
}

// take notes that an agent has got the lock of its op.
func (m *Model) take(a *modelAgent, spins, writes bool) {
	a.held = append(a.held, heldLock{a.object, spins, writes})
	if spins {
		a.task.PreemptDisable()
	}
}

// release notes that an agent gives the lock of its op back, and reports whether it had it.
func (m *Model) release(a *modelAgent) bool {
	k := a.holds(a.object, false)
	if k < 0 {
		m.misuse(a, "given back by a task that does not hold it")
		return false
	}
	m.drop(a, k)
	return true
}

// drop takes a lock off those that an agent holds.
func (m *Model) drop(a *modelAgent, k int) {
	if a.held[k].spins {
		a.task.PreemptEnable()
	}
	a.held = slices.Delete(a.held, k, k+1)
}

// holds returns where a lock is among those that an agent holds, or -1.
func (a *modelAgent) holds(object int32, writes bool) int {
	for k := len(a.held) - 1; k >= 0; k-- {
		if a.held[k].object == object && a.held[k].writes == writes {
			return k
		}
	}
	return -1
}

// mask switches interrupts or bottom halves off on the agent's CPU.
func (m *Model) mask(a *modelAgent, irq, bh bool) {
	if irq {
		a.irqOff++
		a.task.CPU().IRQDisable()
	}
	if bh {
		a.bhOff++
		a.task.CPU().BHDisable()
	}
}

// unmask switches them on again.
func (m *Model) unmask(a *modelAgent, irq, bh bool) {
	switch {
	case irq && a.irqOff == 0, bh && a.bhOff == 0:
		m.misuse(a, "interrupts or bottom halves are on already")
	case irq:
		a.irqOff--
		a.task.CPU().IRQEnable()
	case bh:
		a.bhOff--
		a.task.CPU().BHEnable()
	}
}

// describeRWLock describes a lock whose readers do not order each other: two more
// objects carry the order, from writers and from readers.
func (m *Model) describeRWLock(a *modelAgent, l *kernelmodel.RWLock) {
	id := l.Identity()
	a.touches(m.made(id, l), Reads|Writes)
	writer, reader := m.idOf(cpus.Identity{By: id.By, N: id.N + 1}), m.idOf(cpus.Identity{By: id.By, N: id.N + 2})
	switch a.op.Sub {
	case kernelmodel.ReadLock:
		a.kind, a.gate = opReadLock, gateFree
		a.step.Access |= Waits
		a.step.add(writer, Reads|Acquires)
	case kernelmodel.ReadUnlock:
		a.kind = opReadUnlock
		a.step.add(reader, Reads|Writes|Releases)
	case kernelmodel.WriteLock:
		a.kind, a.gate = opWriteLock, gateAsk
		a.step.Access |= Waits
		a.step.add(writer, Reads|Writes|Acquires)
		a.step.add(reader, Reads|Acquires)
	default: // WriteUnlock
		a.kind = opWriteUnlock
		a.step.add(writer, Reads|Writes|Releases)
	}
}

// doRWLock takes or gives back an rwlock.
func (m *Model) doRWLock(i int, a *modelAgent) {
	o, l := &m.objects[a.object], a.op.Prim.(*kernelmodel.RWLock)
	switch a.kind {
	case opReadLock:
		m.orderBehind(a)
		o.readers++
		m.take(a, true, false)
		l.Enter(a.task, false)
	case opWriteLock:
		m.orderBehind(a)
		o.writer = int32(i) + 1
		m.take(a, true, true)
		l.Enter(a.task, true)
	case opReadUnlock:
		k := a.holds(a.object, false)
		if k < 0 {
			m.misuse(a, "given back by a task that has not taken it")
			return
		}
		o.readers--
		m.drop(a, k)
		l.Leave(a.task)
	default: // opWriteUnlock
		k := a.holds(a.object, true)
		if k < 0 {
			m.misuse(a, "given back by a task that is not its writer")
			return
		}
		o.writer = 0
		m.drop(a, k)
		l.Leave(a.task)
	}
}

// describeSeqlock describes operations of a seqlock, which are all on one object.
func (m *Model) describeSeqlock(a *modelAgent, id int32) {
	switch a.op.Sub {
	case kernelmodel.WriteLock:
		a.kind, a.gate = opSeqLock, gateFree
		a.touches(id, taking)
	case kernelmodel.WriteUnlock:
		a.kind = opSeqUnlock
		a.touches(id, givingBack)
	case kernelmodel.ReadBegin:
		a.kind, a.gate = opReadBegin, gateAsk
		a.touches(id, Reads|Acquires|Waits)
	default: // ReadRetry
		a.kind = opReadRetry
		a.touches(id, Reads|Acquires)
	}
}

// sequence is the number of the seqlock that an agent's op is on.
func (m *Model) sequence(a *modelAgent) *cpus.Word {
	return a.op.Prim.(*kernelmodel.Seqlock).Sequence()
}

// doSeqlock does an operation of a seqlock. The number is odd while a writer is inside.
func (m *Model) doSeqlock(i int, a *modelAgent) {
	o, l, t := &m.objects[a.object], a.op.Prim.(*kernelmodel.Seqlock), a.task
	number := l.Sequence()
	switch a.kind {
	case opSeqLock:
		m.orderBehind(a)
		o.writer = int32(i) + 1
		number.Value++
		m.take(a, true, false)
		l.Hold(t)
	case opSeqUnlock:
		if !m.release(a) {
			return
		}
		o.writer = 0
		number.Value++
		l.Hold(nil)
	case opReadBegin:
		t.Result = number.Value
	default: // opReadRetry
		seen := t.A
		if t.Result = 0; number.Value != seen {
			t.Result = 1
		}
	}
}

// describeCount describes operations of a semaphore or an event.
func (m *Model) describeCount(a *modelAgent, id int32, takes bool) {
	if takes {
		a.kind, a.gate = opTake, gatePositive
		a.touches(id, taking)
		return
	}
	a.kind = opGive
	a.touches(id, givingBack)
}

// doCount takes a unit of a semaphore or a signal of an event, or gives one.
func (m *Model) doCount(a *modelAgent) {
	o := &m.objects[a.object]
	switch {
	case a.op.Sub == kernelmodel.SignalAll:
		o.all = true
	case a.kind == opGive:
		o.count++
	case !o.all:
		o.count--
	}
	switch p := a.op.Prim.(type) {
	case *kernelmodel.Semaphore:
		p.SetCount(o.count)
	case *kernelmodel.Event:
		p.SetSignals(o.count, o.all)
	}
}
