package explore

// A store buffer, under TSO. A store enters it and is seen by its own CPU alone; a step
// of the buffer lets the oldest one reach memory. What the two have in common as
// steps is the place in the buffer.

// describeSlots adds to steps the place in the store buffer that they fill, or that has
// to be empty, as their first further objects. Which place it is turns out later.
func (p *Program) describeSlots() {
	for i := range p.who {
		if p.who[i].instance != nil {
			p.describeSettling(int32(i))
		}
	}
	for i := 1; i < len(p.ops); i++ {
		o := &p.ops[i]
		// The run before has waited for the buffer, to end.
		o.settles = o.settles || o.kind == opRun
		for phase := range o.steps {
			p.slots(o, uint8(phase), &o.steps[phase])
		}
		p.slots(o, 0, &o.failed)
		o.drain.Access |= Waits
		o.drain.Others = append([]Touch{{p.idSlot, Reads | Writes}}, o.drain.Others...)
	}
}

func (p *Program) slots(o *op, phase uint8, s *Step) {
	var places []Touch
	if o.fills(phase) {
		places = append(places, Touch{p.idSlot, Reads | Writes})
	}
	if o.empties(phase) {
		places = append(places, Touch{p.idSlot, Reads})
	}
	if places != nil {
		s.Access |= Waits
		s.Others = append(places, s.Others...)
	}
}

// describeSettling finds the operations behind a start or a join, which waits for the
// buffer.
func (p *Program) describeSettling(agent int32) {
	w := &p.who[agent]
	for k := range w.instance.Ops {
		if o := &p.ops[w.first+int32(k)]; o.kind == opStart || o.kind == opJoin {
			p.firstOps(agent, w.instance.Behind(k), func(o *op) { o.settles = true })
		}
	}
}

// fills reports whether the operation, at a phase, needs a place in the buffer.
func (o *op) fills(phase uint8) bool { return o.buffered && (o.kind != opAdd || phase == 1) }

// empties reports whether it needs an empty buffer.
func (o *op) empties(phase uint8) bool {
	return o.locked && (o.kind != opWait || phase == waitEnqueue) || o.settles && phase == 0
}

// place fills in the places in the buffer that a step of an agent is about.
func (p *Program) place(i int, o *op, phase uint8, s *Step) {
	cpu := p.who[i].cpu
	next := p.cells[p.stores+cpu]
	k := 0
	if o.fills(phase) {
		s.Others[k].Object = p.slot(cpu, next)
		k++
	}
	if o.empties(phase) {
		s.Others[k].Object = p.slot(cpu, next+bufferSize-1)
	}
}

func (p *Program) slot(cpu int32, store int64) int32 {
	return p.idSlot + cpu*bufferSize + int32(store%bufferSize)
}

// entry returns the first cell of a store in a CPU's buffer, 0 being the oldest.
func (p *Program) entry(cpu int32, n int64) int32 {
	return p.cpu + cpu*p.cpuCells + cpuEntries + int32(n)*entryCells
}

// buffered returns the cell that says how many stores are in an agent's buffer.
func (p *Program) buffered(i int) *int64 {
	return &p.cells[p.cpu+p.who[i].cpu*p.cpuCells+cpuBuffer]
}

// store writes a cell, at once or through the store buffer.
func (p *Program) write(i int, o *op, cell int32, value int64) {
	if !p.spec.TSO {
		p.cells[cell] = value
		return
	}
	n := p.buffered(i)
	e := p.entry(p.who[i].cpu, *n)
	p.cells[e+entryCell], p.cells[e+entryValue], p.cells[e+entryOp] = int64(cell), value, int64(o.number)
	*n++
	p.cells[p.stores+p.who[i].cpu]++
}

// read reads a cell as the CPU sees it: its own latest store to it, or memory.
func (p *Program) read(i int, cell int32) int64 {
	if p.spec.TSO {
		for n := *p.buffered(i) - 1; n >= 0; n-- {
			if e := p.entry(p.who[i].cpu, n); p.cells[e+entryCell] == int64(cell) {
				return p.cells[e+entryValue]
			}
		}
	}
	return p.cells[cell]
}

// empty reports whether nothing is in the agent's store buffer.
func (p *Program) empty(i int) bool { return !p.spec.TSO || *p.buffered(i) == 0 }

// settled reports whether the agent's store buffer has nothing that was stored before
// the agent could go on: only what handlers have stored that have interrupted it since.
// Those it does not wait for, so that it is all the same to it, when another's step lets
// it go on, how far they are.
func (p *Program) settled(i int) bool {
	if p.empty(i) {
		return true
	}
	w := &p.who[i]
	if !p.handled[w.cpu] {
		return false
	}
	for n := range *p.buffered(i) {
		by := p.ops[p.cells[p.entry(w.cpu, n)+entryOp]].agent
		if p.who[by].rank() <= w.rank() {
			return false
		}
	}
	return true
}

// oldest returns the operation whose store leaves the buffer next, and its drain with
// the place filled in.
func (p *Program) oldest(i int) (*op, *Step) {
	cpu := p.who[i].cpu
	o := &p.ops[p.cells[p.entry(cpu, 0)+entryOp]]
	o.drain.Others[0].Object = p.slot(cpu, p.cells[p.stores+cpu]-*p.buffered(i))
	return o, &o.drain
}

// drainOne lets the oldest store reach memory. Who has settled now goes on.
func (p *Program) drainOne(i int) {
	cpu := p.who[i].cpu
	n := p.buffered(i)
	first, last := p.entry(cpu, 0), p.entry(cpu, *n-1)
	cell, value := p.cells[first+entryCell], p.cells[first+entryValue]
	o := &p.ops[p.cells[first+entryOp]]
	copy(p.cells[first:last], p.cells[first+entryCells:last+entryCells])
	clear(p.cells[last : last+entryCells])
	*n--
	switch o.kind {
	case opReadUnlock:
		p.cells[o.cell+rwReaders]--
	case opSeqUnlock:
		p.cells[o.cell+seqWriter] = 0
		p.cells[cell] = value
	default:
		p.cells[cell] = value
	}
	p.last.value = value
	if *n > 0 && !p.handled[cpu] {
		return
	}
	for k := range p.who {
		if a := &p.agents[k]; a.status == statusSettling && p.who[k].cpu == cpu {
			p.perform(k, &p.ops[a.op])
		}
	}
}

// describeDrains adds to the steps of buffers what can go with them: whatever an agent
// of the CPU does when the buffer is empty.
func (p *Program) describeDrains() {
	of := make([]*consequences, p.cpus)
	for i := range of {
		of[i] = p.newConsequences()
	}
	for i := 1; i < len(p.ops); i++ {
		if o := &p.ops[i]; o.kind > opJoin && o.kind != opDrain {
			of[p.who[o.agent].cpu].follow(o.agent, p.behind(o))
		}
	}
	for i := 1; i < len(p.ops); i++ {
		if o := &p.ops[i]; o.buffered {
			for _, t := range of[p.who[o.agent].cpu].step.Others {
				o.drain.add(t.Object, t.Access)
			}
		}
	}
}

// beginBuffered returns the step that an agent does now, with its place in the buffer:
// a copy, since the same operation may be pending again before the next step.
func (p *Program) beginBuffered(i int, o *op, s *Step) *Step {
	if o.kind == opDrain {
		source, drain := p.oldest(i)
		p.last.op = source.number
		return p.copyStep(drain)
	}
	p.place(i, o, p.agents[i].phase, s)
	return p.copyStep(s)
}

func (p *Program) copyStep(s *Step) *Step {
	others := append(p.copied.Others[:0], s.Others...)
	p.copied = *s
	p.copied.Others = others
	return &p.copied
}
