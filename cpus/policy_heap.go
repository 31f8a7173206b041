package cpus

// byDeadline orders tasks by deadline, then by virtual time, then by ID.
type byDeadline struct{}

func (byDeadline) before(a, b *Task) bool {
	if a.policy.deadline != b.policy.deadline {
		return a.policy.deadline < b.policy.deadline
	}
	return byVirtualTime{}.before(a, b)
}

// byVirtualTime orders tasks by virtual time, then by ID.
type byVirtualTime struct{}

func (byVirtualTime) before(a, b *Task) bool {
	if a.policy.vruntime != b.policy.vruntime {
		return a.policy.vruntime < b.policy.vruntime
	}
	return a.id < b.id
}

// taskHeap is a heap of tasks. Its order is known at compile time, so that a switch
// need not go through the interfaces of container/heap.
type taskHeap[O interface{ before(a, b *Task) bool }] struct{ tasks []*Task }

func (h *taskHeap[O]) push(t *Task) {
	h.tasks = append(h.tasks, t)
	h.up(len(h.tasks) - 1)
}

// remove takes out the task at i; the first one is at 0.
func (h *taskHeap[O]) remove(i int) *Task {
	t := h.tasks[i]
	n := len(h.tasks) - 1
	h.tasks[i], h.tasks[n] = h.tasks[n], nil
	h.tasks = h.tasks[:n]
	if i < n {
		h.down(i)
		h.up(i)
	}
	return t
}

func (h *taskHeap[O]) up(i int) {
	var order O
	for i > 0 {
		parent := (i - 1) / 2
		if !order.before(h.tasks[i], h.tasks[parent]) {
			break
		}
		h.tasks[i], h.tasks[parent] = h.tasks[parent], h.tasks[i]
		i = parent
	}
}

func (h *taskHeap[O]) down(i int) {
	var order O
	for {
		child := 2*i + 1
		if child >= len(h.tasks) {
			return
		}
		if child+1 < len(h.tasks) && order.before(h.tasks[child+1], h.tasks[child]) {
			child++
		}
		if !order.before(h.tasks[child], h.tasks[i]) {
			return
		}
		h.tasks[i], h.tasks[child] = h.tasks[child], h.tasks[i]
		i = child
	}
}
