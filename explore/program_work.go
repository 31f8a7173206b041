package explore

// Work items. PENDING is set by queue and cleared when the run starts; an item that
// runs is not started again until that run has ended.

// queue queues an item unless it is pending.
func (p *Program) queue(i int, o *op) {
	pending := &p.cells[o.steps[0].Objects[0]]
	if *pending != 0 {
		return
	}
	*pending = 1
	p.last.value = 1
	if p.pool(o.source.Object) < 0 {
		return
	}
	if p.agents[o.other].status == statusIdle {
		p.cells[o.cell+workCPU] = int64(p.who[i].cpu) + 1
	}
	ahead := int64(0)
	p.others(o.other, func(_ int, cell int32) { ahead = max(ahead, p.cells[cell+workPlace]) })
	p.cells[o.cell+workPlace] = ahead + 1
}

// others calls f with the other work items that share a limit with one: the agent and
// its first cell.
func (p *Program) others(worker int32, f func(agent int, cell int32)) {
	w := &p.who[worker]
	q := p.pool(w.object)
	_, perCPU := p.spec.Workload.Objects[q].MaxActive()
	for k := range p.who {
		other := &p.who[k]
		if other.role != roleWork || k == int(worker) || p.pool(other.object) != q {
			continue
		}
		cell := p.state[other.object]
		if !perCPU || p.cells[cell+workCPU] == p.cells[p.state[w.object]+workCPU] {
			f(k, cell)
		}
	}
}

// startable reports whether a run of a work item can start.
func (p *Program) startable(i int) bool {
	o := &p.ops[p.who[i].idle]
	if p.cells[o.steps[0].Objects[0]] == 0 || p.cells[o.cell+workCanceller] != 0 {
		return false
	}
	q := p.pool(p.who[i].object)
	if q < 0 {
		return true
	}
	active := p.cells[o.cell+workPlace]
	p.others(int32(i), func(agent int, _ int32) {
		if p.agents[agent].status != statusIdle {
			active++
		}
	})
	most, _ := p.spec.Workload.Objects[q].MaxActive()
	return active <= int64(most)
}

// startRun starts a run.
func (p *Program) startRun(i int, o *op) {
	p.cells[o.steps[0].Objects[0]] = 0
	p.leaveQueue(int32(i), o.cell)
	p.heldBy(i)[o.class/64] |= 1 << (o.class % 64)
	p.agents[i].status = statusReady
}

// leaveQueue takes an item out of the order of its workqueue.
func (p *Program) leaveQueue(worker, cell int32) {
	place := p.cells[cell+workPlace]
	if place == 0 {
		return
	}
	p.cells[cell+workPlace] = 0
	p.others(worker, func(_ int, other int32) {
		if p.cells[other+workPlace] > place {
			p.cells[other+workPlace]--
		}
	})
}

// beginFlush decides which runs of the item a flush waits for: the pending one, and
// with it the one before, or the one that runs.
func (p *Program) beginFlush(i int, o *op) {
	a := &p.agents[i]
	p.orderBehind(i, o)
	a.left = 0
	if p.agents[o.other].status != statusIdle {
		a.left++
	}
	if p.cells[o.steps[0].Objects[0]] != 0 && p.cells[o.cell+workCanceller] == 0 {
		a.left++
	}
	if a.left > 0 {
		a.gate = gateShut
	}
}

// endRun lets those go on who have waited for this run.
func (p *Program) endRun(i int) {
	p.flushers(i, func(a *agent) bool { return true })
}

// flushers counts down what those flushes of an item still wait for that are meant.
func (p *Program) flushers(worker int, meant func(a *agent) bool) {
	for k := range p.agents {
		a := &p.agents[k]
		o := &p.ops[a.op]
		if o.kind != opFlush || int(o.other) != worker || a.left == 0 || !meant(a) {
			continue
		}
		if a.left--; a.left == 0 {
			a.gate = gateOpen
		}
	}
}

// cancel takes PENDING, so that nobody can queue the item or start it, and gives it
// back when the item does not run. It reports whether it is still at that.
func (p *Program) cancel(i int, o *op) bool {
	a := &p.agents[i]
	pending := &p.cells[o.steps[0].Objects[0]]
	if a.phase == 1 {
		*pending = 0
		p.cells[o.cell+workCanceller] = 0
		return false
	}
	p.last.value = *pending
	if *pending != 0 {
		p.leaveQueue(o.other, o.cell)
		last := int64(1)
		if p.agents[o.other].status != statusIdle {
			last = 2
		}
		p.flushers(int(o.other), func(a *agent) bool { return a.left == last })
	}
	*pending = 1
	p.cells[o.cell+workCanceller] = int64(i) + 1
	a.phase = 1
	return true
}
