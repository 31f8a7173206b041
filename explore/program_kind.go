package explore

import (
	"fmt"
	"slices"

	"smpsim/cpus"
	"smpsim/kernelmodel"
	"smpsim/workloads"
)

// describeOps says of all operations what they do, and what they touch themselves.
func (p *Program) describeOps() {
	for i := range p.ops {
		o := &p.ops[i]
		if o.source == nil {
			p.describeIdle(o)
			continue
		}
		o.label = o.source.Label
		switch o.source.Kind {
		case cpus.Call:
			p.describeCall(o)
		default:
			p.describeAccess(o)
		}
		for k := range o.steps {
			o.steps[k].Label = o.label
		}
		o.failed.Label, o.drain.Label = o.label, o.label
	}
}

// touches makes a step of an access to objects.
func touches(access Access, objects ...int32) Step { return Step{Objects: objects, Access: access} }

// describeIdle describes what work items, handlers and buffers do when they are idle.
func (p *Program) describeIdle(o *op) {
	if o.agent == 0 && o.kind == opHalt {
		return // op 0
	}
	w := &p.who[o.agent]
	o.gate, o.class = gateAsk, -1
	switch o.kind {
	case opRun:
		o.cell = p.state[w.object]
		o.class = p.class[w.object]
		o.steps[0] = touches(Reads|Writes|Acquires|Waits, p.item(w.object))
	case opArrive:
		o.steps[0] = touches(Reads|Writes|Acquires|Waits, p.idCPU+w.cpu)
	}
}

// item is the identity of a work item, which is that of its pending bit.
func (p *Program) item(object int) int32 {
	for word := range p.words {
		if _, of := p.explored.WordName(word); of == object {
			return int32(word)
		}
	}
	panic(fmt.Sprintf("explore: work item %d has no pending bit", object))
}

// describeAccess describes operations on words and those without an object.
func (p *Program) describeAccess(o *op) {
	s := o.source
	word := int32(s.Word)
	o.cell, o.class, o.gate = word, -1, gateOpen
	cpu := p.idCPU + p.who[o.agent].cpu
	access := Access(0)
	if s.Label > 0 {
		access = Access(p.spec.Workload.Steps[s.Label].Access)
	}
	switch s.Kind {
	case cpus.Exit:
		o.kind = opExit
	case cpus.Compute, cpus.FenceWrite, cpus.FenceRead:
		o.kind = opQuiet
	case cpus.Sleep:
		o.kind, o.sleeps = opQuiet, true
	case cpus.Load, cpus.LoadPlain, cpus.LoadAcquire:
		o.kind = opRead
		o.steps[0] = touches(access, word)
	case cpus.Store, cpus.StorePlain, cpus.StoreRelease:
		o.kind = opWrite
		p.store(o, 0, touches(access, word))
	case cpus.AddPlain:
		o.kind = opAdd
		o.steps[0] = touches(Reads|Plain, word)
		p.store(o, 1, touches(Writes|Plain, word))
	case cpus.AddReturn, cpus.FetchAdd, cpus.Xchg, cpus.Cmpxchg, cpus.IncNotZero, cpus.TestAndSet:
		o.kind, o.modify, o.locked = opModify, s.Kind, true
		switch {
		case access&Acquires == 0:
			access |= Increment
		case s.Kind == cpus.Cmpxchg || s.Kind == cpus.IncNotZero:
			access |= Varies
		}
		o.steps[0] = touches(access, word)
		o.failed = touches(Reads|Varies, word)
	case cpus.FenceFull:
		o.kind, o.locked = opFence, true
		// What orders barriers among each other does not make them depend.
		o.steps[0] = Step{Access: Acquires | Releases, Others: []Touch{{p.idFence, Reads | Acquires | Releases}}}
	case cpus.IRQOff, cpus.BHOff:
		o.kind = opMask
		o.steps[0] = touches(Reads|Writes|Acquires, cpu)
	case cpus.IRQOn, cpus.BHOn:
		o.kind = opUnmask
		o.steps[0] = touches(Reads|Writes|Releases, cpu)
	default:
		panic(fmt.Sprintf("explore: an operation of kind %d is in no program", s.Kind))
	}
	switch s.Kind {
	case cpus.IRQOff, cpus.IRQOn:
		o.mask = maskIRQ
	case cpus.BHOff, cpus.BHOn:
		o.mask = maskBH
	}
}

// store makes a step one that goes through the store buffer, where there is one.
func (p *Program) store(o *op, phase int, s Step) {
	if !p.spec.TSO {
		o.steps[phase] = s
		return
	}
	o.buffered = true
	o.drain = s
}

// What operations that take something, and give it back, do to it. An unlock reads, in
// that it adds to what earlier holders have released.
const (
	taking     = Reads | Writes | Acquires | Waits
	givingBack = Reads | Writes | Releases
)

// describeCall describes operations of objects.
func (p *Program) describeCall(o *op) {
	s := o.source
	o.class = -1
	switch {
	case s.Task != "":
		o.kind = opStart
		if s.Sub == cpus.TaskJoin {
			o.kind, o.sleeps = opJoin, true
			p.joins = append(p.joins, o.number)
		}
		o.other = p.agentOf(s.Task, s.Index)
		return
	case s.Until >= 0:
		p.describeWait(o)
		return
	}
	object := p.spec.Workload.Objects[s.Object]
	o.cell, o.class = p.state[s.Object], p.class[s.Object]
	id := p.idObject + int32(s.Object)
	switch object.Kind {
	case workloads.RWLock:
		p.describeRWLock(o, id)
	case workloads.Seqlock:
		p.describeSeqlock(o, id)
	case workloads.WorkItem:
		p.describeWork(o)
	case workloads.WaitQueue:
		o.locked = true
		o.kind, o.gate = opWake, gateOpen
		o.steps[0] = touches(givingBack, id)
		if s.Sub == kernelmodel.SleepOn {
			o.kind, o.sleeps = opSleepOn, true
			o.steps[0] = touches(Reads|Writes, id)
		}
	default:
		p.describeLock(o, id, object.Kind)
	}
}

// describeLock describes operations of spinlocks, mutexes, semaphores and events.
func (p *Program) describeLock(o *op, id int32, kind workloads.ObjectKind) {
	cpu := p.idCPU + p.who[o.agent].cpu
	o.locked, o.gate = true, gateOpen
	o.steps[0] = touches(givingBack, id)
	switch o.source.Sub {
	case kernelmodel.Lock, kernelmodel.LockIRQ, kernelmodel.LockBH:
		o.kind, o.gate, o.sleeps = opLock, gateFree, kind == workloads.Mutex
		o.steps[0] = touches(taking, id)
	case kernelmodel.Unlock, kernelmodel.UnlockIRQ, kernelmodel.UnlockBH:
		o.kind, o.locked = opUnlock, false
		p.store(o, 0, touches(givingBack, id))
	case kernelmodel.TryLock:
		o.kind = opTryLock
		o.steps[0] = touches(Reads|Writes|Acquires|Varies, id)
		o.failed = touches(Reads|Varies, id)
	case kernelmodel.Down, kernelmodel.Await:
		o.kind, o.gate, o.sleeps = opTake, gatePositive, true
		o.steps[0] = touches(taking, id)
	default: // Up, Signal
		o.kind = opGive
	}
	switch o.source.Sub {
	case kernelmodel.LockIRQ, kernelmodel.UnlockIRQ:
		o.mask = maskIRQ
	case kernelmodel.LockBH, kernelmodel.UnlockBH:
		o.mask = maskBH
	default:
		return
	}
	access := Reads | Writes | Acquires
	if o.kind == opUnlock {
		access = Reads | Writes | Releases
	}
	o.steps[0].add(cpu, access)
}

// Cells of an rwlock: the writer plus one, how many readers are in, and how often each
// agent is.
const (
	rwWriter = iota
	rwReaders
	rwReads
)

// describeRWLock describes a lock that is one object to steps, but whose readers do
// not order each other: two more carry the order, from writers and from readers.
func (p *Program) describeRWLock(o *op, id int32) {
	reader, writer := p.idReader+int32(o.source.Object), p.idWriter+int32(o.source.Object)
	step := touches(Reads|Writes, id)
	switch o.source.Sub {
	case kernelmodel.ReadLock:
		o.kind, o.gate, o.locked = opReadLock, gateFree, true
		step.Access |= Waits
		step.add(writer, Reads|Acquires)
	case kernelmodel.ReadUnlock:
		o.kind, o.gate = opReadUnlock, gateOpen
		step.add(reader, Reads|Writes|Releases)
	case kernelmodel.WriteLock:
		o.kind, o.gate, o.locked = opWriteLock, gateAsk, true
		step.Access |= Waits
		step.add(writer, Reads|Writes|Acquires)
		step.add(reader, Reads|Acquires)
	default: // WriteUnlock
		o.kind, o.gate = opWriteUnlock, gateOpen
		step.add(writer, Reads|Writes|Releases)
	}
	if o.locked {
		o.steps[0] = step
	} else {
		p.store(o, 0, step)
	}
}

// Cells of a seqlock: the writer plus one, and the sequence number.
const (
	seqWriter = iota
	seqNumber
	seqCells
)

// describeSeqlock describes a seqlock. Under TSO the number becomes odd only when the
// store of it leaves the buffer, though the lock is taken at once.
func (p *Program) describeSeqlock(o *op, id int32) {
	switch o.source.Sub {
	case kernelmodel.WriteLock:
		o.kind, o.gate, o.locked = opSeqLock, gateFree, true
		o.steps[0] = touches(taking, id)
		if p.spec.TSO {
			o.buffered = true
			o.drain = touches(Reads|Writes, id)
		}
	case kernelmodel.WriteUnlock:
		o.kind, o.gate = opSeqUnlock, gateOpen
		p.store(o, 0, touches(givingBack, id))
	case kernelmodel.ReadBegin:
		o.kind, o.gate, o.class = opReadBegin, gateAsk, -1
		o.steps[0] = touches(Reads|Acquires|Waits, id)
	default: // ReadRetry
		o.kind, o.gate, o.class = opReadRetry, gateOpen, -1
		o.steps[0] = touches(Reads|Acquires, id)
	}
}

// describeWork describes queue, flush and cancel of a work item.
func (p *Program) describeWork(o *op) {
	id, ran := p.item(o.source.Object), p.idDone+int32(o.source.Object)
	o.locked = true
	o.other = p.worker(o.source.Object)
	switch o.source.Sub {
	case kernelmodel.WorkQueue:
		o.kind, o.gate = opQueue, gateOpen
		o.steps[0] = touches(givingBack, id)
	case kernelmodel.WorkFlush:
		o.kind, o.gate, o.sleeps = opFlush, gateOpen, true
		o.steps[0] = touches(Reads|Waits, id)
		o.steps[0].add(ran, Reads|Acquires)
	default: // WorkCancel
		o.kind, o.gate, o.sleeps = opCancel, gateAsk, true
		o.steps[0] = touches(Reads|Writes|Waits, id)
		o.steps[1] = touches(Reads|Writes|Waits, id)
		o.steps[1].add(ran, Reads|Acquires)
	}
}

// describeWait describes spin_until and wait. A wait is enqueueing, a test, and after
// each wake-up another test, which follows what came before the wake-up.
func (p *Program) describeWait(o *op) {
	s := o.source
	var words []int32
	for _, word := range s.Named.Words {
		words = append(words, int32(word))
	}
	test := touches(Reads, words...)
	for _, task := range s.Named.Tasks {
		for i := range p.who {
			if w := &p.who[i]; w.program != nil && w.program.Name == task {
				test.add(p.idRegisters+int32(i), Reads)
			}
		}
	}
	if s.Object < 0 {
		o.kind, o.gate = opSpin, gateAsk
		test.Access |= Waits
		o.steps[0] = test
		return
	}
	id := p.idObject + int32(s.Object)
	o.kind, o.gate, o.sleeps = opWait, gateOpen, true
	o.cell = -1
	o.steps[waitEnqueue] = touches(Reads|Writes, id)
	o.steps[waitTest] = test
	o.steps[waitRetest] = touches(test.Access|Waits, words...)
	for _, t := range test.Others {
		o.steps[waitRetest].add(t.Object, t.Access)
	}
	o.steps[waitRetest].add(id, Reads|Acquires)
}

// Phases of a wait.
const (
	waitEnqueue = iota
	waitTest
	waitRetest
)

// agentOf returns the agent that is an instance of a task.
func (p *Program) agentOf(task string, index int) int32 {
	for i := range p.who {
		if w := &p.who[i]; w.program != nil && w.program.Name == task && w.index == index {
			return int32(i)
		}
	}
	panic(fmt.Sprintf("explore: no instance %d of task %s", index, task))
}

// worker returns the agent that is a work item.
func (p *Program) worker(object int) int32 {
	for i := range p.who {
		if w := &p.who[i]; w.role == roleWork && w.object == object {
			return int32(i)
		}
	}
	panic(fmt.Sprintf("explore: object %d is no work item", object))
}

// add lets a step touch another object, or one of its own in another way too.
func (s *Step) add(object int32, access Access) {
	if access&^s.Access == 0 && slices.Contains(s.Objects, object) {
		return
	}
	for i := range s.Others {
		if s.Others[i].Object == object {
			s.Others[i].Access |= access
			return
		}
	}
	s.Others = append(s.Others, Touch{object, access})
}
