package explore

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// advance lets an agent go on behind its op, to its next step.
func (m *Model) advance(i int) {
	a := &m.agents[i]
	m.machine.MadeBy(int32(i) + 1)
	for range mostQuiet {
		a.op = m.next(a)
		if err := m.machine.TakeFailure(); err != nil {
			m.failed(a, err)
			return
		}
		if a.op.Kind == cpus.Exit {
			m.end(i)
			return
		}
		a.kind, a.gate, a.phase, a.other, a.object = opQuiet, gateOpen, 0, -1, -1
		a.step.Objects, a.step.Others = a.step.Objects[:0], a.step.Others[:0]
		m.describe(i, a)
		switch a.kind {
		case opQuiet:
		case opStart:
			m.start(a.other)
			m.machine.MadeBy(int32(i) + 1)
		case opJoin:
			m.checkSleep(a)
			m.touch(m.idLife+a.other, Reads) // what follows at once goes with this step, or with the other's end
			if m.agents[a.other].status != statusEnded {
				a.status, a.gate = statusJoining, gateShut
				return
			}
			a.after = append(a.after, Touch{m.idLife + a.other, Reads | Acquires})
		default:
			m.ready(i, a)
			return
		}
	}
	a.status, a.gate = statusHalted, gateShut
	m.halted = true
	m.note(Livelock, 0, fmt.Sprintf("%s: %d operations that are no steps", a.name, mostQuiet))
}

// next takes an agent's next op.
func (m *Model) next(a *modelAgent) *cpus.Op {
	if a.work != nil {
		return a.work.Body().Next(a.task)
	}
	return a.task.Take()
}

// ready completes the step that an agent has come to.
func (m *Model) ready(i int, a *modelAgent) {
	a.step.Label = m.label(a)
	if len(a.after) > 0 {
		a.step.Access |= Waits
		for _, t := range a.after {
			a.step.add(t.Object, t.Access)
		}
		a.after = a.after[:0]
	}
	m.complete(a)
	switch a.kind {
	case opFlush:
		m.checkSleep(a)
		m.orderBehind(a)
		m.beginFlush(a)
	case opCancel:
		m.checkSleep(a)
		m.orderBehind(a)
	case opWait, opSleepOn, opTake:
		m.checkSleep(a)
	case opLock:
		if _, ok := a.op.Prim.(*kernelmodel.Mutex); ok {
			m.checkSleep(a)
		}
	}
}

// complete adds to an agent's step the conditions that it can change, and marks one
// behind which the agent can go on in one way or another.
func (m *Model) complete(a *modelAgent) {
	m.touchChecks(a)
	if !m.varies {
		return
	}
	if a.joinable {
		// Its end may let somebody go on who has joined another before.
		a.step.Access |= Varies
		return
	}
	switch a.kind {
	case opWrite, opAdd, opUnlock, opReadUnlock, opWriteUnlock, opSeqUnlock, opGive, opFence, opMask, opUnmask:
	default:
		a.step.Access |= Varies
	}
}

// touch is what the step that is being done touches with what goes with it.
func (m *Model) touch(object int32, access Access) { m.done.add(object, access) }

// start lets a task begin; one that has begun is left alone.
func (m *Model) start(i int32) {
	a := &m.agents[i]
	m.touch(m.idLife+i, Reads|Writes|Releases)
	if a.status != statusUnstarted {
		return
	}
	a.status = statusReady
	a.after = append(a.after, Touch{m.idLife + i, Reads | Acquires})
	m.advance(int(i))
}

// end ends a task, or a run of a work item.
func (m *Model) end(i int) {
	a := &m.agents[i]
	m.reportHeld(a)
	a.held = a.held[:0]
	a.kind, a.op, a.gate, a.object = opExit, nil, gateShut, -1
	if a.work != nil {
		m.endRun(i, a)
		return
	}
	a.status = statusEnded
	if !a.joinable {
		return
	}
	m.touch(m.idLife+int32(i), Reads|Writes|Releases)
	for k := range m.agents {
		if b := &m.agents[k]; b.status == statusJoining && b.other == int32(i) {
			b.status = statusReady
			b.after = append(b.after, Touch{m.idLife + int32(i), Reads | Acquires})
			m.advance(k)
		}
	}
}

// touches makes a's step one that accesses an object.
func (a *modelAgent) touches(object int32, access Access) {
	a.object = object
	a.step.Objects = append(a.step.Objects, object)
	a.step.Access = access
}

// describe says what an agent's op is, and what it touches itself.
func (m *Model) describe(i int, a *modelAgent) {
	op := a.op
	switch op.Kind {
	case cpus.Compute, cpus.Walk, cpus.FenceRead, cpus.FenceWrite:
	case cpus.Sleep:
		m.checkSleep(a)
	case cpus.PreemptOff:
		a.task.PreemptDisable()
	case cpus.PreemptOn:
		if a.task.PreemptCount() == 0 {
			m.misuse(a, "preemption is on already")
			return
		}
		a.task.PreemptEnable()
	case cpus.FenceFull:
		a.kind = opFence
		a.step.Access = Acquires | Releases
		a.step.Others = append(a.step.Others, Touch{m.idFence, Reads | Acquires | Releases})
	case cpus.IRQOff, cpus.BHOff:
		a.kind = opMask
		a.touches(m.idCPU+int32(i), Reads|Writes|Acquires)
	case cpus.IRQOn, cpus.BHOn:
		a.kind = opUnmask
		a.touches(m.idCPU+int32(i), Reads|Writes|Releases)
	case cpus.SharedRead:
		a.kind = opRead
		a.touches(m.sharedID(op.Shared), Reads)
	case cpus.SharedWrite:
		a.kind = opWrite
		a.touches(m.sharedID(op.Shared), Writes)
	case cpus.SharedUpdate:
		a.kind = opModify
		a.touches(m.sharedID(op.Shared), Reads|Writes|Acquires|Releases)
	case cpus.Call:
		m.describeCall(i, a)
	default:
		m.describeWord(a)
	}
}

// describeWord describes an op on a word.
func (m *Model) describeWord(a *modelAgent) {
	op := a.op
	access := Access(0)
	switch op.Kind {
	case cpus.Load:
		a.kind, access = opRead, Reads
	case cpus.LoadPlain:
		a.kind, access = opRead, Reads|Plain
	case cpus.LoadAcquire:
		a.kind, access = opRead, Reads|Acquires
	case cpus.Store:
		a.kind, access = opWrite, Writes
	case cpus.StorePlain:
		a.kind, access = opWrite, Writes|Plain
	case cpus.StoreRelease:
		a.kind, access = opWrite, Writes|Releases
	case cpus.AddPlain:
		a.kind, access = opAdd, Reads|Plain
	case cpus.AddReturn, cpus.FetchAdd, cpus.Xchg, cpus.TestAndSet:
		a.kind, access = opModify, Reads|Writes|Acquires|Releases
	case cpus.Cmpxchg, cpus.IncNotZero:
		a.kind, access = opModify, Reads|Writes|Acquires|Releases|Varies
	default:
		panic(fmt.Sprintf("explore: %s has no operation of kind %d", a.name, op.Kind))
	}
	if a.kind == opModify && m.hasSource(op) && Access(m.built.Workload.Steps[op.Label].Access)&Acquires == 0 {
		access = Reads | Writes | Increment // its result is not used
	}
	a.touches(m.made(op.Word.Identity(), op.Word), access)
}

// describeCall describes an operation of a kernel object, or of a task.
func (m *Model) describeCall(i int, a *modelAgent) {
	op := a.op
	switch p := op.Prim.(type) {
	case *kernelmodel.Spinlock:
		m.describeLock(a, m.made(p.Identity(), p))
	case *kernelmodel.Mutex:
		m.describeLock(a, m.made(p.Identity(), p))
	case *kernelmodel.RWLock:
		m.describeRWLock(a, p)
	case *kernelmodel.Seqlock:
		m.describeSeqlock(a, m.made(p.Identity(), p))
	case *kernelmodel.Semaphore:
		m.describeCount(a, m.made(p.Identity(), p), op.Sub == kernelmodel.Down)
	case *kernelmodel.Event:
		m.describeCount(a, m.made(p.Identity(), p), op.Sub == kernelmodel.Await)
	case *kernelmodel.WaitQueue:
		m.describeQueue(a, p)
	case *kernelmodel.WaitPoint:
		m.describeWait(a, p)
	case *kernelmodel.Work:
		m.describeWork(a, p)
	case *cpus.Poll:
		a.kind, a.gate = opSpin, gateAsk
		a.step.Access = Reads | Waits
		for _, w := range p.Words() {
			a.step.Objects = append(a.step.Objects, m.made(w.Identity(), w))
		}
	default:
		t := cpus.LifeOf(p)
		if t == nil {
			panic(fmt.Sprintf("explore: %s calls %s, a %T, which cannot be explored", a.name, p.Name(), p))
		}
		if a.other = m.agentOf(t); !m.agents[a.other].joinable {
			panic(fmt.Sprintf("explore: %s starts or joins %s, whose Lifecycle was not taken while the model was built", a.name, t.Name()))
		}
		a.kind = opStart
		if op.Sub == cpus.TaskJoin {
			a.kind = opJoin
		}
	}
}
