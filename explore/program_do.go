package explore

import "smpsim/cpus"

// Do performs the next step of an agent, which must be enabled, and what goes with it.
func (p *Program) Do(i Agent) *Step {
	p.found, p.shown, p.judged = p.found[:0], 0, false
	a := &p.agents[i]
	o := &p.ops[a.op]
	s := &o.steps[a.phase]
	p.last = done{agent: int32(i), op: a.op, phase: a.phase}
	if p.queues > 0 && (o.kind == opRead || o.kind == opModify) {
		p.tested(int(i))
	}
	if p.spec.TSO {
		s = p.beginBuffered(int(i), o, s)
	}
	result := int64(0)
	switch o.kind {
	case opRead:
		result = p.read(int(i), o.cell)
		p.last.value = result
	case opWrite:
		p.write(int(i), o, o.cell, a.a)
		p.last.value = a.a
	case opLock:
		p.cells[o.cell] = int64(i) + 1
		p.hold(int(i), o)
		p.mask(int(i), o)
	case opUnlock:
		if p.release(int(i), o) {
			p.write(int(i), o, o.cell, 0)
			p.unmask(int(i), o)
		}
	case opModify:
		value, returned, writes := cpus.Modify(o.modify, p.cells[o.cell], a.a, a.b)
		if result = returned; writes {
			p.cells[o.cell] = value
		} else {
			s = p.fail(o, s)
		}
		p.last.value = result
	default:
		var stays bool
		if s, result, stays = p.doOther(int(i), o, s); stays {
			return p.finish(s)
		}
	}
	p.advance(int(i), result)
	return p.finish(s)
}

// finish judges what must always hold.
func (p *Program) finish(s *Step) *Step {
	if len(p.spec.Workload.Always) > 0 {
		p.checkAlways()
	}
	return s
}

// fail turns a step into one that has failed and only reads.
func (p *Program) fail(o *op, s *Step) *Step {
	if !p.spec.TSO {
		return &o.failed
	}
	place := s.Others[0]
	s = p.copyStep(&o.failed)
	s.Others[0] = place
	return s
}

// doOther does the steps that Do does not do itself. It returns the step as it was
// done, the result for the program, and whether the agent stays where it is.
func (p *Program) doOther(i int, o *op, s *Step) (done *Step, result int64, stays bool) {
	a := &p.agents[i]
	switch o.kind {
	case opAdd:
		if a.phase == 0 {
			a.b = p.read(i, o.cell)
			p.last.value = a.b
			a.phase = 1
			return s, 0, true
		}
		p.last.value = a.b + a.a
		p.write(i, o, o.cell, p.last.value)
	case opTryLock:
		if p.cells[o.cell] != 0 {
			return p.fail(o, s), 0, false
		}
		p.cells[o.cell] = int64(i) + 1
		p.holdTried(i, o)
		result = 1
		p.last.value = 1
	case opMask:
		p.mask(i, o)
	case opUnmask:
		p.unmask(i, o)
	case opTake:
		p.cells[o.cell]--
	case opGive:
		p.cells[o.cell]++
	case opSpin:
		p.holds(i, o) // for what may be wrong with it
	case opFlush, opFence:
	case opReadLock, opReadUnlock, opWriteLock, opWriteUnlock:
		p.doRWLock(i, o)
	case opSeqLock, opSeqUnlock, opReadBegin, opReadRetry:
		result = p.doSeqlock(i, o)
	case opQueue:
		p.queue(i, o)
	case opCancel:
		stays = p.cancel(i, o)
	case opWait:
		stays = p.wait(i, o)
	case opSleepOn:
		p.stop(i, statusAsleep)
		return s, 0, true
	case opWake:
		p.wake(o)
	case opRun:
		p.startRun(i, o)
	case opArrive:
		p.arrive(i)
	case opDrain:
		p.drainOne(i)
		return s, 0, true
	}
	return s, result, stays
}

// doRWLock takes or gives back an rwlock.
func (p *Program) doRWLock(i int, o *op) {
	reads := &p.cells[o.cell+rwReads+int32(i)]
	switch o.kind {
	case opReadLock:
		p.cells[o.cell+rwReaders]++
		*reads++
		p.hold(i, o)
	case opReadUnlock:
		if *reads == 0 {
			p.misuse(o, "given back by a task that has not taken it")
			return
		}
		if *reads--; *reads == 0 {
			p.release(i, o)
		}
		if p.spec.TSO {
			p.write(i, o, o.cell+rwReaders, 0) // the drain counts down
		} else {
			p.cells[o.cell+rwReaders]--
		}
	case opWriteLock:
		p.cells[o.cell+rwWriter] = int64(i) + 1
		p.hold(i, o)
	default: // opWriteUnlock
		if p.cells[o.cell+rwWriter] != int64(i)+1 {
			p.misuse(o, "given back by a task that is not its writer")
		} else if p.release(i, o) {
			p.write(i, o, o.cell+rwWriter, 0)
		}
	}
}

// doSeqlock does a seqlock's operations. The number is odd while a writer is inside.
func (p *Program) doSeqlock(i int, o *op) int64 {
	number := o.cell + seqNumber
	seen := p.read(i, number)
	p.last.value = seen
	switch o.kind {
	case opSeqLock:
		p.cells[o.cell+seqWriter] = int64(i) + 1
		p.hold(i, o)
		p.write(i, o, number, seen+1)
	case opSeqUnlock:
		if !p.release(i, o) {
			return 0
		}
		p.write(i, o, number, seen+1)
		if !p.spec.TSO {
			p.cells[o.cell+seqWriter] = 0
		}
	case opReadRetry:
		p.last.value = 0
		if seen != p.agents[i].a {
			p.last.value = 1
		}
	}
	return p.last.value
}
