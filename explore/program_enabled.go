package explore

// Enabled appends the agents that can do their next step now, in ascending order.
func (p *Program) Enabled(buf []Agent) []Agent {
	for i := range p.agents {
		a := &p.agents[i]
		switch a.gate {
		case gateShut:
			continue
		case gateOpen:
		case gateFree:
			if p.cells[a.need] != 0 {
				continue
			}
		case gatePositive:
			if p.cells[a.need] <= 0 {
				continue
			}
		default:
			if !p.passes(i, a) {
				continue
			}
		}
		if p.cpuCells > 0 && !p.hasCPU(i, a) {
			continue
		}
		buf = append(buf, Agent(i))
	}
	return buf
}

// passes looks at what an operation needs that no single cell tells.
func (p *Program) passes(i int, a *agent) bool {
	o := &p.ops[a.op]
	switch o.kind {
	case opWriteLock:
		return p.cells[o.cell+rwWriter] == 0 && p.cells[o.cell+rwReaders] == 0
	case opReadBegin:
		return p.read(i, o.cell+seqNumber)&1 == 0
	case opSpin:
		holds := p.holds(i, o)
		p.explored.Faults = p.explored.Faults[:0]
		return holds
	case opCancel:
		if a.phase == 0 {
			return p.cells[o.cell+workCanceller] == 0
		}
		return p.agents[o.other].status == statusIdle
	default:
		return p.awaited(i)
	}
}

// awaited reports whether an idle agent has something to do.
func (p *Program) awaited(i int) bool {
	switch p.who[i].role {
	case roleWork:
		return p.startable(i)
	case roleHandler:
		return p.mayArrive(i)
	default:
		return *p.buffered(i) > 0
	}
}

// hasNext reports whether an idle agent has a next step, possible or not. A handler has
// one that might come or have come, and a work item that might be queued.
func (p *Program) hasNext(i int) bool {
	switch p.who[i].role {
	case roleWork:
		return true
	case roleHandler:
		return p.agents[i].left != 0
	default:
		return *p.buffered(i) > 0
	}
}

// hasCPU reports whether the CPU lets an agent go on: no handler is there, and the store
// buffer is as its operation needs it.
func (p *Program) hasCPU(i int, a *agent) bool {
	w := &p.who[i]
	if w.role == roleBuffer {
		return true
	}
	if p.handled[w.cpu] && a.status == statusReady && !p.onTop(i) {
		return false
	}
	if p.spec.TSO {
		o := &p.ops[a.op]
		switch n := *p.buffered(i); {
		case n > 0 && o.empties(a.phase):
			return false
		case n == bufferSize && o.fills(a.phase):
			return false
		}
	}
	return true
}
