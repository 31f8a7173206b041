package explore

import "smpsim/kernelmodel"

// Work items. PENDING is set by queue and cleared when the run starts; an item that
// runs is not started again until that run has ended. A limited workqueue starts its
// items in the order in which they were queued, so many at once.

// describeWork describes queue, flush and cancel of a work item.
func (m *Model) describeWork(a *modelAgent, w *kernelmodel.Work) {
	id := m.idOf(w.Pending().Identity())
	ran := m.idOf(w.Runs())
	a.other = m.objects[id].agent - 1
	switch a.op.Sub {
	case kernelmodel.WorkQueue:
		a.kind = opQueue
		a.touches(id, givingBack)
		m.touchPool(a)
	case kernelmodel.WorkFlush:
		a.kind = opFlush
		a.touches(id, Reads|Waits)
		a.step.add(ran, Reads|Acquires)
	default: // WorkCancel
		a.kind, a.gate = opCancel, gateAsk
		a.touches(id, Reads|Writes|Waits)
		m.touchPool(a)
	}
}

// touchPool lets a step that queues, starts or cancels an item touch its workqueue, if
// that can be full.
func (m *Model) touchPool(a *modelAgent) {
	if pool := m.objects[a.object].pool; pool >= 0 {
		a.step.add(pool, Reads|Writes)
	}
}

// enlist makes a work item an agent that waits to be queued.
func (m *Model) enlist(i int) {
	a := &m.agents[i]
	id := m.idOf(a.work.Pending().Identity())
	o := &m.objects[id]
	o.agent, o.pool = int32(i)+1, -1
	q := a.work.Workqueue()
	items := 0
	for _, w := range m.workList {
		if w.Workqueue() == q {
			items++
		}
	}
	if most, _ := q.Limit(); most < items {
		o.pool = m.idOf(q.Identity())
	}
	m.await(i)
}

// await leaves a work item waiting for its start.
func (m *Model) await(i int) {
	a := &m.agents[i]
	a.status, a.kind, a.gate, a.op, a.phase = statusIdle, opRun, gateAsk, nil, 0
	a.step.Objects, a.step.Others = a.step.Objects[:0], a.step.Others[:0]
	a.touches(m.idOf(a.work.Pending().Identity()), Reads|Writes|Acquires|Waits)
	m.touchPool(a)
	a.step.Label = m.label(a)
	m.complete(a)
}

// item returns the state of a work item, by its agent.
func (m *Model) item(agent int32) *modelObject {
	return &m.objects[m.idOf(m.agents[agent].work.Pending().Identity())]
}

// others calls f with the other work items that share a limit with one.
func (m *Model) others(agent int32, f func(agent int32, o *modelObject)) {
	own := m.item(agent)
	_, perCPU := m.agents[agent].work.Workqueue().Limit()
	for k := range m.agents {
		if m.agents[k].work == nil || int32(k) == agent {
			continue
		}
		o := m.item(int32(k))
		if o.pool == own.pool && (!perCPU || o.cpu == own.cpu) {
			f(int32(k), o)
		}
	}
}

// queue queues an item unless it is pending.
func (m *Model) queue(i int, a *modelAgent) {
	o, pending := &m.objects[a.object], a.op.Prim.(*kernelmodel.Work).Pending()
	if a.task.Result = 0; pending.Value != 0 {
		return
	}
	pending.Value = 1
	a.task.Result = 1
	if o.pool < 0 {
		return
	}
	if m.agents[a.other].status == statusIdle {
		o.cpu = int32(i) + 1
	}
	ahead := int32(0)
	m.others(a.other, func(_ int32, other *modelObject) { ahead = max(ahead, other.place) })
	o.place = ahead + 1
}

// startable reports whether a run of a work item can start.
func (m *Model) startable(a *modelAgent) bool {
	o := &m.objects[a.object]
	if a.work.Pending().Value == 0 || o.writer != 0 {
		return false
	}
	if o.pool < 0 {
		return true
	}
	active := o.place
	m.others(o.agent-1, func(k int32, _ *modelObject) {
		if m.agents[k].status != statusIdle {
			active++
		}
	})
	most, _ := a.work.Workqueue().Limit()
	return int(active) <= most
}

// startRun starts a run.
func (m *Model) startRun(a *modelAgent) {
	a.work.Pending().Value = 0
	m.leaveQueue(m.objects[a.object].agent-1, &m.objects[a.object])
	a.work.SetRunning(true)
	a.status = statusReady
}

// leaveQueue takes an item out of the order of its workqueue.
func (m *Model) leaveQueue(agent int32, o *modelObject) {
	place := o.place
	if place == 0 {
		return
	}
	o.place = 0
	m.others(agent, func(_ int32, other *modelObject) {
		if other.place > place {
			other.place--
		}
	})
}

// endRun ends a run, and lets those go on who have waited for it.
func (m *Model) endRun(i int, a *modelAgent) {
	a.work.SetRunning(false)
	m.touch(m.idOf(a.work.Runs()), Reads|Writes|Releases)
	m.await(i)
	if pool := m.objects[a.object].pool; pool >= 0 {
		m.touch(pool, Reads|Writes)
	}
	m.flushers(int32(i), func(*modelAgent) bool { return true })
}

// beginFlush decides which runs of the item a flush waits for: the pending one, and
// with it the one before, or the one that runs. The result is 1 if it was pending; if it
// just ran, the flush might as well have begun when that was over.
func (m *Model) beginFlush(a *modelAgent) {
	m.touch(a.object, Reads)
	a.left, a.phase = 0, 0
	if m.agents[a.other].status != statusIdle {
		a.left++
	}
	if a.op.Prim.(*kernelmodel.Work).Pending().Value != 0 && m.objects[a.object].writer == 0 {
		a.left++
		a.phase = 1
	}
	if a.left > 0 {
		a.gate = gateShut
	}
}

// flushers counts down what those flushes of an item still wait for that are meant.
func (m *Model) flushers(work int32, meant func(a *modelAgent) bool) {
	for k := range m.agents {
		a := &m.agents[k]
		if a.kind != opFlush || a.other != work || a.left == 0 || !meant(a) {
			continue
		}
		if a.left--; a.left == 0 {
			a.gate = gateOpen
		}
	}
}

// cancel takes PENDING, so that nobody can queue the item or start it, and gives it
// back when the item does not run. It reports whether that is done.
func (m *Model) cancel(i int, a *modelAgent) bool {
	o, w := &m.objects[a.object], a.op.Prim.(*kernelmodel.Work)
	pending := w.Pending()
	if a.phase == 1 {
		pending.Value, o.writer = 0, 0
		a.task.Result, a.left = a.left, 0
		return true
	}
	a.left = pending.Value
	if pending.Value != 0 {
		m.leaveQueue(a.other, o)
		last := int64(1)
		if m.agents[a.other].status != statusIdle {
			last = 2
		}
		m.flushers(a.other, func(f *modelAgent) bool { return f.left == last })
	}
	pending.Value, o.writer = 1, int32(i)+1
	a.phase = 1
	a.step.Objects, a.step.Others = a.step.Objects[:0], a.step.Others[:0]
	a.touches(a.object, Reads|Writes|Waits)
	a.step.add(m.idOf(w.Runs()), Reads|Acquires)
	m.touchPool(a)
	m.complete(a)
	return false
}
