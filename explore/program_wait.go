package explore

// Wait queues. Everybody who is enqueued is woken by a wake-up, as those are who do not
// wait exclusively.

// wait does a step of wait_event: enqueueing, a test, or another after a wake-up. It
// reports whether the agent is still at it.
func (p *Program) wait(i int, o *op) bool {
	a := &p.agents[i]
	switch {
	case a.phase == waitEnqueue:
		a.phase, a.b = waitTest, 0
	case p.holds(i, o):
		p.last.value = 1
		return false
	case a.b > 0:
		// Woken since it was enqueued: it tests again. One test for each wake-up is more
		// than a kernel does, which forgets wake-ups that come before the test; but so
		// it does not matter whether the test or the wake-up comes first.
		a.phase, a.b = waitRetest, a.b-1
	default:
		a.phase, a.status, a.gate = waitRetest, statusAsleep, gateShut
	}
	return true
}

// wake wakes all who are enqueued.
func (p *Program) wake(o *op) {
	for k := range p.who {
		a := &p.agents[k]
		waits := &p.ops[a.op]
		here := (waits.kind == opWait || waits.kind == opSleepOn) && waits.source.Object == o.source.Object
		switch {
		case here && a.status == statusAsleep:
			p.last.value++
			a.status, a.gate = statusReady, gateOpen
			if waits.kind == opSleepOn {
				p.advance(k, 0)
			}
		case here && waits.kind == opWait && a.phase > waitEnqueue:
			a.b++
		case p.queues > 0:
			p.miss(k, o.source.Object)
		}
	}
}

// holds reports whether the condition of an operation holds, as its CPU sees the words.
// One that cannot be evaluated ends the wait, with a fault.
func (p *Program) holds(i int, o *op) bool {
	w := &p.who[i]
	faults := len(p.explored.Faults)
	if p.empty(i) {
		return w.instance.Holds(o.source) || len(p.explored.Faults) > faults
	}
	p.view = append(p.view[:0], p.cells[:p.words]...)
	for n := range *p.buffered(i) {
		e := p.entry(w.cpu, n)
		if cell := p.cells[e+entryCell]; cell < int64(p.words) {
			p.view[cell] = p.cells[e+entryValue]
		}
	}
	p.explored.UseWords(p.view)
	holds := w.instance.Holds(o.source)
	p.explored.UseWords(p.cells[:p.words])
	return holds || len(p.explored.Faults) > faults
}

// missing returns an agent's cells: whether it has read anything, and for each wait
// queue whether a wake-up came since.
func (p *Program) missing(i int) []int64 {
	from := p.missed + int32(i)*(p.queues+1)
	return p.cells[from : from+p.queues+1]
}

// tested notes that an agent has looked at memory, perhaps to decide whether to sleep.
func (p *Program) tested(i int) {
	m := p.missing(i)
	clear(m)
	m[0] = 1
}

// miss notes that a wake-up came for an agent that is not enqueued.
func (p *Program) miss(i, object int) {
	if m := p.missing(i); m[0] != 0 {
		m[1+p.queueNumber[object]] = 1
	}
}

// lost reports whether an agent sleeps on a queue whose wake-up came between its last
// look at memory and its sleep.
func (p *Program) lost(i int) bool {
	a := &p.agents[i]
	o := &p.ops[a.op]
	return a.status == statusAsleep && o.kind == opSleepOn && p.missing(i)[1+p.queueNumber[o.source.Object]] != 0
}
