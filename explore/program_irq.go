package explore

// Handlers. One comes between two steps of the task it interrupts, while interrupts are
// on; until it has ended nobody else on the CPU goes on, but a hardirq handler comes
// into a softirq handler, too.

// mayArrive reports whether a handler can come now.
func (p *Program) mayArrive(i int) bool {
	w, a := &p.who[i], &p.agents[i]
	if a.status != statusIdle || a.left == 0 || !p.alive(int(w.target)) {
		return false
	}
	cpu := p.cells[p.cpu+w.cpu*p.cpuCells:]
	if cpu[cpuIRQOff] > 0 || cpu[cpuHard] != 0 {
		return false
	}
	return w.hard || cpu[cpuBHOff] == 0 && cpu[cpuSoft] == 0
}

// alive reports whether a task has started and not ended.
func (p *Program) alive(i int) bool {
	s := p.agents[i].status
	return s != statusUnstarted && s != statusEnded
}

// arrive lets a handler take its CPU.
func (p *Program) arrive(i int) {
	a := &p.agents[i]
	if a.left > 0 {
		a.left--
	}
	*p.seat(i) = int64(i) + 1
	a.status = statusReady
}

// leaveCPU ends a handler's time on its CPU.
func (p *Program) leaveCPU(i int) { *p.seat(i) = 0 }

// seat is the cell of the handler's CPU that names the handler.
func (p *Program) seat(i int) *int64 {
	w := &p.who[i]
	cell := p.cpu + w.cpu*p.cpuCells + cpuSoft
	if w.hard {
		cell = p.cpu + w.cpu*p.cpuCells + cpuHard
	}
	return &p.cells[cell]
}

// onTop reports whether a task or a handler has its CPU.
func (p *Program) onTop(i int) bool { return p.interrupter(i) < 0 }

// interrupter returns the handler that keeps an agent from its CPU, or -1.
func (p *Program) interrupter(i int) int {
	w := &p.who[i]
	if !p.handled[w.cpu] {
		return -1
	}
	cpu := p.cells[p.cpu+w.cpu*p.cpuCells:]
	top := cpu[cpuHard]
	if top == 0 {
		top = cpu[cpuSoft]
	}
	if top == 0 || top == int64(i)+1 {
		return -1
	}
	return int(top) - 1
}
