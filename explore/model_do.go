package explore

import "smpsim/cpus"

// Do performs the next step of an agent, which must be enabled, and what goes with it.
func (m *Model) Do(i Agent) *Step {
	m.found, m.shown, m.judged = m.found[:0], 0, false
	a := &m.agents[i]
	d := &m.done
	d.Objects, d.Others = append(d.Objects[:0], a.step.Objects...), append(d.Others[:0], a.step.Others...)
	d.Access, d.Label = a.step.Access, a.step.Label
	m.last = modelStep{agent: int32(i), kind: a.kind, phase: a.phase, object: a.object}
	if a.op != nil {
		m.last.word = a.op.Word
	}
	ended := m.perform(int(i), a)
	if m.last.word != nil && a.kind == opWrite || a.kind == opAdd {
		m.last.value = m.last.word.Value
	} else if a.kind != opWake && a.kind != opCancel && a.kind != opWait {
		m.last.value = a.task.Result
	}
	if m.last.asleep = a.status == statusAsleep; ended {
		m.advance(int(i))
	}
	m.judgeState()
	return d
}

// perform does an agent's step itself, and reports whether its op has ended with that.
func (m *Model) perform(i int, a *modelAgent) bool {
	op, t := a.op, a.task
	switch a.kind {
	case opRead:
		a.looked, a.missed = true, a.missed[:0]
		if op.Word != nil {
			t.Result = op.Word.Value
		}
	case opWrite:
		if op.Word != nil {
			op.Word.Value = t.A
		}
	case opAdd:
		return m.addPlain(a)
	case opModify:
		a.looked, a.missed = true, a.missed[:0]
		if op.Word == nil {
			break
		}
		value, result, writes := cpus.Modify(op.Kind, op.Word.Value, t.A, t.B)
		if t.Result = result; writes {
			op.Word.Value = value
		} else {
			m.fail()
		}
	case opFence, opSpin:
	case opMask:
		m.mask(a, op.Kind == cpus.IRQOff, op.Kind == cpus.BHOff)
	case opUnmask:
		m.unmask(a, op.Kind == cpus.IRQOn, op.Kind == cpus.BHOn)
	case opLock, opUnlock, opTryLock:
		m.doLock(i, a)
	case opReadLock, opReadUnlock, opWriteLock, opWriteUnlock:
		m.doRWLock(i, a)
	case opSeqLock, opSeqUnlock, opReadBegin, opReadRetry:
		m.doSeqlock(i, a)
	case opTake, opGive:
		m.doCount(a)
	case opQueue:
		m.queue(i, a)
	case opFlush:
		t.Result = int64(a.phase)
	case opCancel:
		return m.cancel(i, a)
	case opRun:
		m.startRun(a)
	case opWait:
		return m.wait(a)
	case opSleepOn:
		a.status, a.gate = statusAsleep, gateShut
		return false
	case opWake:
		m.wake(a)
	}
	return true
}

// fail turns the step that is being done into one that has failed and only reads.
func (m *Model) fail() {
	m.done.Access = Reads | Varies | m.done.Access&Waits
}

// addPlain does a half of a plain addition.
func (m *Model) addPlain(a *modelAgent) bool {
	word := a.op.Word
	if a.phase == 0 {
		a.phase = 1
		a.left = word.Value
		a.step.Others = a.step.Others[:0]
		a.step.Access = Writes | Plain
		m.complete(a)
		return false
	}
	word.Value = a.left + a.task.A
	a.left = 0
	return true
}

// Enabled appends the agents that can do their next step now, in ascending order.
func (m *Model) Enabled(buf []Agent) []Agent {
	for i := range m.agents {
		a := &m.agents[i]
		switch a.gate {
		case gateShut:
			continue
		case gateOpen:
		case gateFree:
			if m.objects[a.object].writer != 0 {
				continue
			}
		case gatePositive:
			if o := &m.objects[a.object]; o.count <= 0 && !o.all {
				continue
			}
		default:
			if !m.passes(a) {
				continue
			}
		}
		buf = append(buf, Agent(i))
	}
	return buf
}

// passes looks at what an op needs that no single number tells.
func (m *Model) passes(a *modelAgent) bool {
	switch a.kind {
	case opWriteLock:
		return m.objects[a.object].writer == 0 && m.objects[a.object].readers == 0
	case opReadBegin:
		return m.sequence(a).Value&1 == 0
	case opSpin:
		found := len(m.found)
		holds := a.op.Prim.(*cpus.Poll).Holds(a.task)
		m.found = m.found[:found]
		return holds
	case opCancel:
		if a.phase == 0 {
			return m.objects[a.object].writer == 0
		}
		return m.agents[a.other].status == statusIdle
	default: // opRun
		return m.startable(a)
	}
}
