package explore

import (
	"math/bits"

	"smpsim/kernelmodel"
)

// modelOrder is the order in which an execution takes locks, of those that Build has
// made. A flush counts as taking the work item, which is held while it runs.
type modelOrder struct {
	// classes names the locks, and behind them the work items; class is the number of
	// each object among them plus one, or 0.
	classes []string
	class   []int32
	// taken has a row of a set for each class: which were taken while it was held.
	taken [][]uint64
	reach []uint64
	// lockdep is what all executions have shown.
	lockdep *Lockdep
}

// layOrder numbers locks and work items; they are the same in all executions.
func (m *Model) layOrder() {
	if m.lockdep != nil {
		for _, row := range m.taken {
			clear(row)
		}
		return
	}
	built := m.machine.Built()
	m.class = make([]int32, len(built))
	add := func(object int32, name string) {
		if m.class[object] == 0 {
			m.classes = append(m.classes, name)
			m.class[object] = int32(len(m.classes))
		}
	}
	for _, o := range built {
		switch o := o.(type) {
		case *kernelmodel.Spinlock: // those of seqlocks included
			add(o.Identity().N, o.Name())
		case *kernelmodel.Mutex:
			add(o.Identity().N, o.Name())
		case *kernelmodel.RWLock:
			add(o.Identity().N, o.Name())
		}
	}
	for _, w := range m.workList {
		add(m.idOf(w.Pending().Identity()), w.Name())
	}
	m.lockdep = newLockdep(m.classes)
	m.reach = make([]uint64, (len(m.classes)+63)/64)
	for range m.classes {
		m.taken = append(m.taken, make([]uint64, len(m.reach)))
	}
}

// Lockdep returns what all executions of the model so far have shown.
func (m *Model) Lockdep() *Lockdep { return m.lockdep }

// classOf returns the number of a lock or a work item, or -1.
func (m *Model) classOf(object int32) int {
	if int(object) >= len(m.class) {
		return -1
	}
	return int(m.class[object]) - 1
}

// orderBehind orders what an agent waits for, the object of its op, behind what it holds.
func (m *Model) orderBehind(a *modelAgent) {
	class := m.classOf(a.object)
	if class < 0 {
		return
	}
	for _, l := range a.held {
		m.ordered(a, m.classOf(l.object), class)
	}
	if a.work != nil {
		m.ordered(a, m.classOf(m.idOf(a.work.Pending().Identity())), class)
	}
}

// ordered notes that one class was taken, or waited for, while another was held.
func (m *Model) ordered(a *modelAgent, held, class int) {
	if held < 0 {
		return
	}
	m.lockdep.edge(held, class, a.step.Label)
	row, bit := &m.taken[held][class/64], uint64(1)<<(class%64)
	if *row&bit != 0 {
		return
	}
	if *row |= bit; held != class && m.reaches(class, held) {
		way := shortestWay(len(m.classes), class, held, func(from, to int) bool { return m.taken[from][to/64]>>(to%64)&1 != 0 })
		m.note(LockOrder, a.step.Label, describeCycle(m.classes, way))
	}
}

// reaches reports whether a class was taken while another was held, directly or through
// others.
func (m *Model) reaches(from, to int) bool {
	copy(m.reach, m.taken[from])
	for grown := true; grown; {
		grown = false
		for k, set := range m.reach {
			for ; set != 0; set &= set - 1 {
				for n, more := range m.taken[k*64+bits.TrailingZeros64(set)] {
					grown = grown || more&^m.reach[n] != 0
					m.reach[n] |= more
				}
			}
		}
	}
	return m.reach[to/64]>>(to%64)&1 != 0
}
