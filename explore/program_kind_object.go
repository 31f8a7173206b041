package explore

import "smpsim/kernelmodel"

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
