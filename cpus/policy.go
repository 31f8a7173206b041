package cpus

import (
	"fmt"

	"smpsim/des"
)

// runQueue is a scheduling policy at work on one CPU: the tasks that wait for
// it, and who of them goes first. The running task is not in the queue.
type runQueue interface {
	// place tells the policy of a task that comes from a sleep, a start or
	// another CPU; a push or its run follows.
	place(t *Task)
	// push adds a runnable task.
	push(t *Task)
	// pop removes and returns the task to run next, nil if none waits.
	pop() *Task
	len() int
	// charge tells how long the running task has run since the last charge.
	charge(t *Task, ran des.Time)
	// expired reports whether the running task has had its share. A tick asks.
	expired(t *Task) bool
	// preempts reports whether woken should take the CPU from running.
	preempts(running, woken *Task) bool
	// steal removes and returns a waiting task that fits, nil if none does.
	steal(w wanted) *Task
}

// wanted says which waiting task is looked for: the given one, else any that may
// run on the given CPU.
type wanted struct {
	task *Task
	cpu  *CPU
}

func (w wanted) fits(t *Task) bool {
	if w.task != nil {
		return t == w.task
	}
	return t.mask().Has(int(w.cpu.index))
}

// taskPolicy is what policies keep in a task.
type taskPolicy struct {
	// vruntime is the weighted time the task has had (fair), as home counts it; ran
	// is the time since its slice began (round-robin).
	vruntime, deadline, ran des.Time
	home                    *fairQueue
	weight                  int32
}

// Policies are the names that Spec.Policy takes.
var Policies = []string{"fair", "fifo", "round-robin"}

func newRunQueue(policy string, slice des.Time) runQueue {
	switch policy {
	case "fair", "":
		if slice == 0 {
			slice = 3 * des.Millisecond
		}
		return &fairQueue{slice: slice}
	case "fifo":
		return &fifoQueue{}
	case "round-robin":
		if slice == 0 {
			slice = 100 * des.Millisecond
		}
		return &roundRobinQueue{slice: slice}
	default:
		panic(fmt.Sprintf("cpus: policy %q, want one of %v", policy, Policies))
	}
}

// fifoQueue runs tasks in the order in which they became runnable, each until
// it blocks.
type fifoQueue struct {
	tasks []*Task
	head  int
}

func (q *fifoQueue) place(*Task) {}

func (q *fifoQueue) push(t *Task) { q.tasks = append(q.tasks, t) }

func (q *fifoQueue) pop() *Task {
	if q.head == len(q.tasks) {
		return nil
	}
	t := q.tasks[q.head]
	q.tasks[q.head] = nil
	q.head++
	switch {
	case q.head == len(q.tasks):
		q.tasks, q.head = q.tasks[:0], 0
	case q.head >= 64 && q.head*2 >= len(q.tasks):
		n := copy(q.tasks, q.tasks[q.head:])
		clear(q.tasks[n:])
		q.tasks, q.head = q.tasks[:n], 0
	}
	return t
}

func (q *fifoQueue) len() int { return len(q.tasks) - q.head }

func (q *fifoQueue) charge(*Task, des.Time) {}

func (q *fifoQueue) expired(*Task) bool { return false }

func (q *fifoQueue) preempts(_, _ *Task) bool { return false }

func (q *fifoQueue) steal(w wanted) *Task {
	for i := q.head; i < len(q.tasks); i++ {
		if t := q.tasks[i]; w.fits(t) {
			q.tasks = append(q.tasks[:i], q.tasks[i+1:]...)
			return t
		}
	}
	return nil
}

// roundRobinQueue is a fifoQueue whose tasks go to the back once they have run
// for a slice. Slices end at ticks, as in the kernel.
type roundRobinQueue struct {
	fifoQueue
	slice des.Time
}

func (q *roundRobinQueue) place(t *Task) { t.policy.ran = 0 }

func (q *roundRobinQueue) charge(t *Task, ran des.Time) { t.policy.ran += ran }

func (q *roundRobinQueue) expired(t *Task) bool {
	if t.policy.ran < q.slice {
		return false
	}
	t.policy.ran = 0
	return true
}
