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
	// leave tells it that the running task goes to sleep or has exited.
	leave(t *Task)
	// push adds a runnable task: one just placed, or one that has lost the CPU.
	push(t *Task)
	// pop removes and returns the task to run next, nil if none is to.
	pop() *Task
	len() int
	// charge tells how long the running task has run since the last charge.
	charge(t *Task, ran des.Time)
	// tick tells of a timer tick, and reports whether the running task has had its
	// share and another should run.
	tick(t *Task) bool
	// preempts reports whether woken, just pushed, should take the CPU from running.
	preempts(running, woken *Task) bool
	// steal removes and returns a waiting task that fits, nil if none does.
	steal(w wanted) *Task
	// load is the weight of the tasks that compete here, the running one included;
	// 0 under policies whose queues are not balanced.
	load() int64
}

// wanted says which waiting task is looked for: the given one, else any that may
// run on the given CPU and is no heavier than most, where that is not 0.
type wanted struct {
	task *Task
	cpu  *CPU
	most int64
}

func (w wanted) fits(t *Task) bool {
	if w.task != nil {
		return t == w.task
	}
	return t.mask().Has(int(w.cpu.index)) && (w.most == 0 || int64(t.policy.weight) <= w.most)
}

// taskPolicy is what policies keep in a task.
type taskPolicy struct {
	// vruntime is the weighted time the task has had (fair), as its queue counts it;
	// while it is on no queue, its lag when it left home, and deadline the time there.
	vruntime, deadline des.Time
	home               *fairQueue
	weight             int32
	// ticks is how many the task has taken since its slice began (round-robin).
	ticks int32
	// over says that the task has used up its slice.
	over bool
	// fresh says that the task has not run since it became runnable (real-time).
	fresh bool
}

// Policies are the names that Spec.Policy takes.
var Policies = []string{"fair", "fifo", "round-robin", "random", "scripted"}

// newRunQueue returns the queue of CPU c, the machine's parts but this one built.
func (m *Machine) newRunQueue(spec *Spec, c *CPU) runQueue {
	slice := spec.Slice
	switch spec.Policy {
	case "fair", "":
		if slice == 0 {
			slice = 3 * des.Millisecond
		}
		return &fairQueue{slice: slice, lagMax: max(2*slice, m.period)}
	case "fifo":
		return &fifoQueue{}
	case "round-robin":
		return &roundRobinQueue{slice: m.sliceTicks(slice)}
	case "random":
		return &randomQueue{
			roundRobinQueue: roundRobinQueue{slice: m.sliceTicks(slice)},
			stream:          m.Sim.Stream("policy/random/" + itoa(int(c.index))),
		}
	case "scripted":
		return &scriptedQueue{script: m.script, cpu: c}
	default:
		panic(fmt.Sprintf("cpus: policy %q, want one of %v", spec.Policy, Policies))
	}
}

// sliceTicks converts a slice to ticks, rounded up; 0 is 100 ms, the kernel's
// RR_TIMESLICE.
func (m *Machine) sliceTicks(slice des.Time) int32 {
	if slice == 0 {
		slice = 100 * des.Millisecond
	}
	if m.period == 0 {
		return 1
	}
	return int32(min((slice+m.period-1)/m.period, 1<<30))
}

// fifoQueue runs tasks in the order in which they became runnable, each until
// it blocks.
type fifoQueue struct {
	tasks []*Task
	head  int
}

func (q *fifoQueue) place(*Task) {}

func (q *fifoQueue) leave(*Task) {}

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

func (q *fifoQueue) tick(*Task) bool { return false }

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

func (q *fifoQueue) load() int64 { return 0 }

// roundRobinQueue is a fifoQueue whose tasks go to the back once they have run
// for a slice. Slices are counted in ticks, as in the kernel: one that begins
// between two ticks is shorter by what has passed since the first.
type roundRobinQueue struct {
	fifoQueue
	slice int32
}

func (q *roundRobinQueue) place(t *Task) { t.policy.ticks = 0 }

func (q *roundRobinQueue) tick(t *Task) bool {
	t.policy.ticks++
	if t.policy.ticks < q.slice {
		return false
	}
	t.policy.ticks = 0
	return q.len() > 0
}

// randomQueue is a roundRobinQueue that draws who goes next from a stream of the
// CPU's own, all that wait with equal chances.
type randomQueue struct {
	roundRobinQueue
	stream *des.Stream
}

func (q *randomQueue) pop() *Task {
	if n := q.len(); n > 1 {
		i := q.head + int(q.stream.Below(uint64(n)))
		q.tasks[q.head], q.tasks[i] = q.tasks[i], q.tasks[q.head]
	}
	return q.fifoQueue.pop()
}
