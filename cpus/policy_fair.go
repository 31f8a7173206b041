package cpus

import (
	"container/heap"

	"smpsim/des"
)

// fairQueue shares the CPU by weight. Each task has a virtual time, which runs
// slower the heavier it is, and a virtual deadline one slice after the virtual
// time at which its request began; the earliest deadline goes first. A task
// that comes back from a sleep starts at the queue's virtual time: it can save
// up nothing.
//
// It is the kernel's earliest eligible virtual deadline first without the test
// of eligibility, and without the lag that a sleeper keeps.
type fairQueue struct {
	tasks fairHeap
	slice des.Time
	// now is the queue's virtual time; it never goes back.
	now des.Time
}

const unitWeight = 1024

// weight returns the share of a nice level: 1024 at 0, and a quarter more a
// level, so that one level is worth about ten per cent of the CPU.
func weight(nice int) int32 {
	const scale = 1 << 20
	w := int64(unitWeight * scale)
	for ; nice < 0; nice++ {
		w = w * 5 / 4
	}
	for ; nice > 0; nice-- {
		w = w * 4 / 5
	}
	return int32(max(w/scale, 1))
}

// virtual converts a time to t's virtual time.
func (t *Task) virtual(d des.Time) des.Time {
	if t.policy.weight == unitWeight {
		return d
	}
	return des.Fraction(d, unitWeight, des.Time(t.policy.weight))
}

func (q *fairQueue) place(t *Task) {
	if t.policy.home != q {
		// What it has had elsewhere counts by that queue's time, which says nothing here.
		t.policy.home, t.policy.vruntime = q, q.now
	}
	t.policy.vruntime = max(t.policy.vruntime, q.now)
	t.policy.deadline = t.policy.vruntime + t.virtual(q.slice)
}

func (q *fairQueue) push(t *Task) { heap.Push(&q.tasks, t) }

func (q *fairQueue) pop() *Task {
	if len(q.tasks) == 0 {
		return nil
	}
	return heap.Pop(&q.tasks).(*Task)
}

func (q *fairQueue) len() int { return len(q.tasks) }

func (q *fairQueue) charge(t *Task, ran des.Time) {
	t.policy.vruntime += t.virtual(ran)
	least := t.policy.vruntime
	for _, w := range q.tasks[:min(1, len(q.tasks))] {
		least = min(least, w.policy.vruntime)
	}
	q.now = max(q.now, least)
	if t.policy.vruntime >= t.policy.deadline {
		t.policy.deadline = t.policy.vruntime + t.virtual(q.slice)
	}
}

func (q *fairQueue) expired(t *Task) bool {
	return len(q.tasks) > 0 && q.tasks[0].policy.deadline < t.policy.deadline
}

func (q *fairQueue) preempts(running, woken *Task) bool {
	return woken.policy.deadline < running.policy.deadline
}

func (q *fairQueue) steal(w wanted) *Task {
	for i, t := range q.tasks {
		if w.fits(t) {
			heap.Remove(&q.tasks, i)
			return t
		}
	}
	return nil
}

// fairHeap orders tasks by deadline, then by virtual time, then by ID.
type fairHeap []*Task

func (h fairHeap) Len() int { return len(h) }

func (h fairHeap) Less(i, j int) bool {
	a, b := h[i], h[j]
	if a.policy.deadline != b.policy.deadline {
		return a.policy.deadline < b.policy.deadline
	}
	if a.policy.vruntime != b.policy.vruntime {
		return a.policy.vruntime < b.policy.vruntime
	}
	return a.id < b.id
}

func (h fairHeap) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds a *Task; container/heap calls it.
func (h *fairHeap) Push(x any) { *h = append(*h, x.(*Task)) }

// Pop removes the last task; container/heap calls it.
func (h *fairHeap) Pop() any {
	old := *h
	t := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return t
}
