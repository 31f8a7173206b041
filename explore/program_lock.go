package explore

import (
	"encoding/binary"
	"math/bits"

	"smpsim/workloads"
)

// What an execution has shown of the use of a lock: bits of its cell of usage. A lock
// that is taken both in a handler and with that handler's interrupt enabled can be
// wanted by the handler that has interrupted its holder.
const (
	usedInHard = 1 << iota
	usedInSoft
	usedHardOn
	usedSoftOn
	usages = iota
)

// hold notes that an agent has got a lock, for which it has waited.
func (p *Program) hold(i int, o *op) {
	p.orderBehind(i, o)
	p.holdTried(i, o)
}

// orderBehind orders the lock of an operation behind those that the agent holds.
func (p *Program) orderBehind(i int, o *op) {
	for k, set := range p.heldBy(i) {
		for ; set != 0; set &= set - 1 {
			p.ordered(k*64+bits.TrailingZeros64(uint64(set)), o)
		}
	}
}

// holdTried notes that an agent has got a lock for which it would not have waited.
func (p *Program) holdTried(i int, o *op) {
	p.heldBy(i)[o.class/64] |= 1 << (o.class % 64)
	if p.cpuCells > 0 {
		p.use(i, o)
	}
}

// heldBy returns the set of locks that an agent holds.
func (p *Program) heldBy(i int) []int64 {
	from := p.held + int32(i)*p.setCells
	return p.cells[from : from+p.setCells]
}

// release notes that an agent gives a lock back, and reports whether it had it.
func (p *Program) release(i int, o *op) bool {
	set, bit := &p.heldBy(i)[o.class/64], int64(1)<<(o.class%64)
	if *set&bit == 0 {
		p.misuse(o, "given back by a task that does not hold it")
		return false
	}
	*set &^= bit
	return true
}

// ordered notes that the lock of an operation was taken while another was held, or
// waited for: by a flush, for a run.
func (p *Program) ordered(held int, o *op) {
	set, bit := &p.cells[p.taken+int32(held)*p.setCells+o.class/64], int64(1)<<(o.class%64)
	p.lockdep.edge(held, int(o.class), o.label)
	if *set&bit != 0 {
		return
	}
	*set |= bit
	if held != int(o.class) {
		p.inverted(held, o)
	}
}

// inverted looks whether this execution has also taken the locks the other way round.
func (p *Program) inverted(held int, o *op) {
	row := func(class int) []int64 {
		from := p.taken + int32(class)*p.setCells
		return p.cells[from : from+p.setCells]
	}
	p.reach = append(p.reach[:0], row(int(o.class))...)
	for grown := true; grown; {
		grown = false
		for k, set := range p.reach {
			for ; set != 0; set &= set - 1 {
				for n, more := range row(k*64 + bits.TrailingZeros64(uint64(set))) {
					grown = grown || more&^p.reach[n] != 0
					p.reach[n] |= more
				}
			}
		}
	}
	if p.reach[held/64]>>(held%64)&1 == 0 {
		return
	}
	// What it says follows from what was taken so far.
	p.scratch = binary.AppendVarint(binary.AppendVarint(p.scratch[:0], int64(held)), int64(o.number))
	for _, set := range p.cells[p.taken:p.usage] {
		p.scratch = binary.AppendVarint(p.scratch, set)
	}
	f := p.inversions[string(p.scratch)]
	if f == nil {
		way := shortestWay(len(p.classes), int(o.class), held, func(from, to int) bool { return row(from)[to/64]>>(to%64)&1 != 0 })
		f = p.finding(LockOrder, o.label, describeCycle(p.classes, way))
		p.inversions[string(p.scratch)] = f
	}
	p.found = append(p.found, f)
}

// use notes in what state of interrupts an agent takes a lock.
func (p *Program) use(i int, o *op) {
	w := &p.who[i]
	cpu := p.cpu + w.cpu*p.cpuCells
	now := int64(0)
	irqs := p.cells[cpu+cpuIRQOff] == 0 && o.mask != maskIRQ
	switch {
	case w.role == roleHandler && w.hard:
		now = usedInHard
	case w.role == roleHandler:
		now = usedInSoft
		if irqs {
			now |= usedHardOn
		}
	default:
		if irqs {
			now = usedHardOn
			if p.cells[cpu+cpuBHOff] == 0 && o.mask != maskBH {
				now |= usedSoftOn
			}
		}
	}
	p.lockdep.usage(int(o.class), now, o.label)
	usage := &p.cells[p.usage+o.class]
	if *usage|now == *usage {
		return
	}
	*usage |= now
	if text := conflictingUse(p.classes[o.class], *usage); text != "" {
		p.report(IRQSafety, o.label, []byte(text))
	}
}

// conflictingUse says what is wrong with how a lock is used, if anything is.
func conflictingUse(name string, usage int64) string {
	switch {
	case usage&usedInHard != 0 && usage&usedHardOn != 0:
		return name + " is taken in a hardirq handler, and elsewhere with interrupts on"
	case usage&usedInSoft != 0 && usage&usedSoftOn != 0:
		return name + " is taken in a softirq handler, and elsewhere with bottom halves on"
	default:
		return ""
	}
}

// mask masks interrupts on the agent's CPU, as the operation says.
func (p *Program) mask(i int, o *op) {
	if off := p.maskedBy(i, o); off != nil {
		*off++
	}
}

// unmask unmasks them, if they are masked.
func (p *Program) unmask(i int, o *op) {
	switch off := p.maskedBy(i, o); {
	case off == nil:
	case *off == 0:
		p.misuse(o, "interrupts or bottom halves are on already")
	default:
		*off--
	}
}

// maskedBy returns the cell that counts how often what the operation masks is masked,
// nil if it masks nothing.
func (p *Program) maskedBy(i int, o *op) *int64 {
	cpu := p.cpu + p.who[i].cpu*p.cpuCells
	switch o.mask {
	case maskIRQ:
		return &p.cells[cpu+cpuIRQOff]
	case maskBH:
		return &p.cells[cpu+cpuBHOff]
	default:
		return nil
	}
}

// atomic says why an agent must not sleep now; empty if it may.
func (p *Program) atomic(i int) string {
	for k, set := range p.heldBy(i) {
		if spinning := set & p.spinning[k]; spinning != 0 {
			return "while holding " + p.classes[k*64+bits.TrailingZeros64(uint64(spinning))]
		}
	}
	w := &p.who[i]
	if w.role == roleHandler {
		return "in a handler"
	}
	off := p.agents[i].masked
	if p.last.agent == int32(i) {
		off = p.masked(i)
	}
	switch {
	case off&maskIRQ != 0:
		return "with interrupts off"
	case off&maskBH != 0:
		return "with bottom halves off"
	}
	return ""
}

// masked returns which interrupts are off on the agent's CPU.
func (p *Program) masked(i int) mask {
	off := mask(0)
	if p.cpuCells > 0 {
		cpu := p.cpu + p.who[i].cpu*p.cpuCells
		if p.cells[cpu+cpuIRQOff] > 0 {
			off |= maskIRQ
		}
		if p.cells[cpu+cpuBHOff] > 0 {
			off |= maskBH
		}
	}
	return off
}

// reportHeld reports the locks that an agent holds at its end.
func (p *Program) reportHeld(i int) {
	for k, set := range p.heldBy(i) {
		for ; set != 0; set &= set - 1 {
			class := k*64 + bits.TrailingZeros64(uint64(set))
			if p.isLock(class) {
				p.scratch = append(append(append(p.scratch[:0], p.classes[class]...), " is held by "...), p.who[i].name...)
				p.report(LockHeld, 0, append(p.scratch, ", which has ended"...))
			}
		}
	}
}

// isLock tells locks from work items, which lock order treats as such.
func (p *Program) isLock(class int) bool {
	for i, c := range p.class {
		if int(c) == class {
			return p.spec.Workload.Objects[i].Kind != workloads.WorkItem
		}
	}
	return false
}
