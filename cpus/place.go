package cpus

import "smpsim/des"

// Where tasks run: placement at a start and at a wake-up, and CPUs that take each
// other's tasks when they have none, or too few. Idle CPUs never wait for a balancing
// round: no CPU idles while a task waits that may run there.

// place puts a task on its first CPU: an idle one if there is any, else the one
// with the shortest queue. It starts there at once, as one that has always been.
func (m *Machine) place(t *Task) {
	allowed := t.mask()
	best := m.idle.First(allowed)
	if best < 0 {
		best = m.lowest(t, nil)
	}
	if best < 0 {
		for i := range m.cpus {
			if allowed.Has(i) && (best < 0 || m.cpus[i].queue.len() < m.cpus[best].queue.len()) {
				best = i
			}
		}
	}
	m.enqueue(t, &m.cpus[best], 0)
}

// selectCPU picks where a woken task runs: where it ran last if that is idle, else
// the nearest idle CPU, else one that gives way to it, else where it ran last. A
// real-time task stays where it was whenever it can take that CPU at once.
func (m *Machine) selectCPU(t *Task) *CPU {
	last, allowed := t.cpu, t.mask()
	if m.idle.Has(int(last.index)) && allowed.Has(int(last.index)) {
		return last
	}
	if t.spec.Class.realTime() && last.yields(t) && last.gives() {
		return last
	}
	if i := m.nearestIdle(last, allowed); i >= 0 {
		return &m.cpus[i]
	}
	if i := m.lowest(t, last); i >= 0 {
		return &m.cpus[i]
	}
	return last
}

// nearestIdle returns an idle CPU of those allowed other than last, -1 if there is
// none: below the same last-level cache, the same socket, elsewhere. As in the
// kernel, a core that idles as a whole comes before the second thread of a busy one.
func (m *Machine) nearestIdle(last *CPU, allowed CPUSet) int {
	for d := sameLLC; d < distances; d++ {
		near := m.near[d][last.index]
		if m.idle.Count(near) > 0 {
			if i := m.idleCore(near, allowed); i >= 0 {
				return i
			}
		}
		if d == sameLLC {
			if i := m.idle.firstOf(m.near[sameCore][last.index], allowed); i >= 0 {
				return i
			}
		}
		if i := m.idle.firstOf(near, allowed); i >= 0 {
			return i
		}
	}
	return -1
}

// idleCore returns the first CPU of two sets whose whole core is idle, or -1.
func (m *Machine) idleCore(near, allowed CPUSet) int {
	if len(m.cpus) <= m.topology.Sockets*m.topology.Cores {
		return m.idle.firstOf(near, allowed) // no core has a second thread here
	}
	for i := range m.cpus {
		if !m.idle.Has(i) || !near.Has(i) || !allowed.Has(i) {
			continue
		}
		if siblings := m.near[sameCore][i]; m.idle.Count(siblings) == siblings.Count(siblings) {
			return i
		}
	}
	return -1
}

// lowest returns the CPU whose task t would take it from and ranks lowest, the
// nearest to last among equals; -1 if there is none, as always where all tasks are of
// one class.
func (m *Machine) lowest(t *Task, last *CPU) int {
	if !m.classed {
		return -1
	}
	best, rank, distance := -1, t.rank(), distances
	for i := range m.cpus {
		c := &m.cpus[i]
		if !c.yields(t) {
			continue
		}
		d := sameCore
		if last != nil && c != last {
			d = last.place.distance(c.place) + 1
		}
		if r := c.curr.rank(); r < rank || r == rank && best >= 0 && d < distance {
			best, rank, distance = i, r, d
		}
	}
	return best
}

// yields reports whether t may run on c and would take it from its task, at once.
func (c *CPU) yields(t *Task) bool {
	return t.mask().Has(int(c.index)) && c.curr.rank() < t.rank() && (c.curr == nil || c.preemptible())
}

// pull looks for a task that waits on another CPU and may run on c: in the nearest
// queue that has one, of these in the longest.
func (m *Machine) pull(c *CPU) *Task {
	if m.queued == 0 {
		return nil
	}
	for d := range distances {
		near := m.near[d][c.index]
		longest := -1
		for i := range m.cpus {
			if near.Has(i) && m.cpus[i].queue.len() > 0 && (longest < 0 || m.cpus[i].queue.len() > m.cpus[longest].queue.len()) {
				longest = i
			}
		}
		if longest < 0 {
			continue
		}
		if t := m.take(&m.cpus[longest], wanted{cpu: c}); t != nil {
			c.queue.place(t)
			return t
		}
		for i := range m.cpus {
			if !near.Has(i) || m.cpus[i].queue.len() == 0 {
				continue
			}
			if t := m.take(&m.cpus[i], wanted{cpu: c}); t != nil {
				c.queue.place(t)
				return t
			}
		}
	}
	return nil
}

// take removes a task that fits from the queue of a CPU.
func (m *Machine) take(from *CPU, w wanted) *Task {
	from.charge()
	t := from.queue.steal(w)
	if t != nil {
		m.queued--
	}
	return t
}

// pullUrgent takes the highest real-time task that waits on another CPU and goes
// before all that c has itself; nil if there is none.
func (m *Machine) pullUrgent(c *CPU) *Task {
	if m.urgent == 0 {
		return nil
	}
	var best *Task
	var from *CPU
	rank := c.classes.top()
	for i := range m.cpus {
		if other := &m.cpus[i]; other != c {
			for _, t := range other.classes.urgent {
				if t.rank() <= rank {
					break
				}
				if t.mask().Has(int(c.index)) {
					best, from, rank = t, other, t.rank()
					break
				}
			}
		}
	}
	if best == nil {
		return nil
	}
	m.take(from, wanted{task: best})
	c.queue.place(best)
	return best
}

// pushUrgent gives real-time tasks that wait on c, because several have come to take
// it from a lower one, to CPUs that give way to them.
func (m *Machine) pushUrgent(c *CPU) {
	for i := 0; i < len(c.classes.urgent); {
		t := c.classes.urgent[i]
		to := m.lowest(t, c)
		if to < 0 || to == int(c.index) {
			i++
			continue
		}
		m.take(c, wanted{task: t})
		m.hand(t, &m.cpus[to], m.Costs.WakeIdle)
		i = 0
	}
}

// offer lets another CPU have t, which was preempted on c and waits there: one that
// is idle, or gives way to it.
func (m *Machine) offer(t *Task, c *CPU) {
	to := m.selectCPU(t)
	// It may have been given away already.
	if to != c && m.take(c, wanted{task: t}) != nil {
		m.hand(t, to, m.Costs.WakeIdle)
	}
}

// balance lets c, which takes a tick, have waiting tasks of the heaviest other
// CPU, as long as that stays the heavier of the two. It looks at each distance as
// often as the kernel's busy CPUs do: every 16 ms times the CPUs within it.
func (m *Machine) balance(c *CPU) {
	now := m.Sim.Now()
	for d := range distances {
		if now < c.balanceAt[d] {
			continue
		}
		c.balanceAt[d] = now + m.balancePeriod(c, d)
		near := m.near[d][c.index]
		heaviest := c
		for i := range m.cpus {
			if other := &m.cpus[i]; near.Has(i) && other.queue.len() > 0 && other.queue.load() > heaviest.queue.load() {
				heaviest = other
			}
		}
		for heaviest != c {
			most := (heaviest.queue.load() - c.queue.load()) / 2
			if most <= 0 {
				break
			}
			t := m.take(heaviest, wanted{cpu: c, most: most})
			if t == nil {
				break
			}
			m.wait(t, c)
		}
	}
}

// balancePeriod is how long c waits between two looks at CPUs at a distance.
func (m *Machine) balancePeriod(c *CPU, d distance) des.Time {
	within := 1
	for e := sameCore; e <= d; e++ {
		near := m.near[e][c.index]
		within += near.Count(near)
	}
	return 16 * des.Millisecond * des.Time(within)
}
