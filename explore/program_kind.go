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
func (p *Program) item(object int) int32 { return p.items[object] }

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
