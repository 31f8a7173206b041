package cpus

import (
	"fmt"
	"slices"

	"smpsim/des"
)

// Class is a scheduling class: tasks of a higher one always go first, and preempt.
type Class uint8

// Scheduling classes.
const (
	// ClassFair is everybody's: tasks go by the machine's policy.
	ClassFair Class = iota
	// ClassFIFO is the kernel's SCHED_FIFO: real-time tasks, by their priority, each
	// until it blocks. Nothing throttles them: one that never sleeps has its CPU.
	ClassFIFO
	// ClassRR is SCHED_RR: like ClassFIFO, but those of one priority take turns, 100
	// ms each.
	ClassRR
	// ClassIdle is SCHED_IDLE: tasks that give way to all others. Where the policy is
	// fair they keep a share of weight 3, else they run when nobody else wants to.
	ClassIdle
)

// Classes are the names of the classes, by number.
var Classes = []string{"fair", "rt", "rr", "idle"}

func (c Class) String() string { return Classes[c] }

func (c Class) realTime() bool { return c == ClassFIFO || c == ClassRR }

// check panics if the spec's class and priority do not go together.
func (s *TaskSpec) check() {
	if s.Nice < -20 || s.Nice > 19 {
		panic(fmt.Sprintf("cpus: niceness %d of %s", s.Nice, s.Name))
	}
	if int(s.Class) >= len(Classes) || s.Class.realTime() != (s.RTPriority != 0) || s.RTPriority < 0 || s.RTPriority > 99 {
		panic(fmt.Sprintf("cpus: class %d of %s with real-time priority %d", s.Class, s.Name, s.RTPriority))
	}
}

// rank orders tasks of different classes: idle, fair, and the real-time priorities.
// None ranks below all.
func (t *Task) rank() int {
	switch {
	case t == nil:
		return -1
	case t.spec.Class == ClassIdle:
		return 0
	default:
		return 1 + t.spec.RTPriority
	}
}

// classQueue puts the classes above and below a policy. CPUs have one from the
// first task on whose class is not fair, so that others pay nothing for it. A script
// decides alone: under it classes say nothing.
type classQueue struct {
	base runQueue
	// urgent holds the real-time tasks, the highest priority first; waiting counts
	// those of all CPUs.
	urgent  []*Task
	waiting *int
	// idle holds the idle tasks, unless the policy has weights.
	idle  fifoQueue
	slice int32
}

// classify gives every CPU a classQueue.
func (m *Machine) classify() {
	if m.classed || m.script != nil {
		return
	}
	m.classed = true
	for i := range m.cpus {
		c := &m.cpus[i]
		c.classes = &classQueue{base: c.queue, waiting: &m.urgent, slice: m.sliceTicks(0)}
		c.queue = c.classes
	}
}

// part returns the queue that t's class has.
func (q *classQueue) part(t *Task) runQueue {
	if t.spec.Class == ClassIdle {
		if _, weighs := q.base.(*fairQueue); !weighs {
			return &q.idle
		}
	}
	return q.base
}

func (q *classQueue) place(t *Task) {
	if t.spec.Class.realTime() {
		t.policy.fresh = true
		return
	}
	q.part(t).place(t)
}

func (q *classQueue) leave(t *Task) {
	if !t.spec.Class.realTime() {
		q.part(t).leave(t)
	}
}

// push puts a real-time task behind those of its priority if it has just become
// runnable or used up its slice, before them if a higher one has taken its CPU.
func (q *classQueue) push(t *Task) {
	if !t.spec.Class.realTime() {
		q.part(t).push(t)
		return
	}
	back := t.policy.fresh || t.policy.over
	t.policy.fresh, t.policy.over = false, false
	i := 0
	for i < len(q.urgent) && (q.urgent[i].rank() > t.rank() || back && q.urgent[i].rank() == t.rank()) {
		i++
	}
	q.urgent = slices.Insert(q.urgent, i, t)
	*q.waiting++
}

func (q *classQueue) pop() *Task {
	if len(q.urgent) > 0 {
		return q.take(0)
	}
	if t := q.base.pop(); t != nil {
		return t
	}
	return q.idle.pop()
}

func (q *classQueue) take(i int) *Task {
	t := q.urgent[i]
	q.urgent = slices.Delete(q.urgent, i, i+1)
	*q.waiting--
	return t
}

func (q *classQueue) len() int { return len(q.urgent) + q.base.len() + q.idle.len() }

func (q *classQueue) charge(t *Task, ran des.Time) {
	if t.spec.Class.realTime() {
		t.policy.fresh = false
		return
	}
	q.part(t).charge(t, ran)
}

func (q *classQueue) tick(t *Task) bool {
	if !t.spec.Class.realTime() {
		return q.part(t).tick(t)
	}
	if t.spec.Class == ClassFIFO {
		return false
	}
	t.policy.ticks++
	if t.policy.ticks < q.slice {
		return false
	}
	t.policy.ticks = 0
	if len(q.urgent) == 0 || q.urgent[0].rank() < t.rank() {
		return false
	}
	t.policy.over = true
	return true
}

func (q *classQueue) preempts(running, woken *Task) bool {
	if running.rank() != woken.rank() {
		return woken.rank() > running.rank()
	}
	return !woken.spec.Class.realTime() && q.part(woken).preempts(running, woken)
}

func (q *classQueue) steal(w wanted) *Task {
	for i, t := range q.urgent {
		// Weights are about those of the policy.
		if w.most == 0 && w.fits(t) {
			return q.take(i)
		}
	}
	if t := q.base.steal(w); t != nil {
		return t
	}
	return q.idle.steal(w)
}

func (q *classQueue) load() int64 { return q.base.load() }

// top returns the rank that a task from elsewhere has to exceed to go first here.
func (q *classQueue) top() int {
	if len(q.urgent) > 0 {
		return q.urgent[0].rank()
	}
	return 1
}
