package explore

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
	"smpsim/workloads"
)

// modelAgent is a task or a work item.
type modelAgent struct {
	task *cpus.Task
	// work is the item of an agent that is one, program what a task runs.
	work    *kernelmodel.Work
	program *workloads.Program
	name    string
	kthread bool
	// manual tasks are started by others; those that are joinable may be started or joined.
	manual, joinable bool

	// Its op, the kind of that, the object that it is on, and what it needs.
	op     *cpus.Op
	kind   opKind
	gate   gate
	status status
	phase  uint8
	object int32
	// other is the agent that it joins, or that of the item that it flushes or cancels.
	other int32
	// left is how many runs a flush still waits for, wakes how many wake-ups a wait has
	// to answer with a test.
	left, wakes int64
	// An exclusive waiter is listed until it is woken, in the order of its turn.
	exclusive, listed bool
	turn              int64
	// step is its next step; after are objects that it follows, since it was started,
	// joined another or was woken.
	step  Step
	after []Touch
	// held are the locks that it holds, in the order in which it took them.
	held          []heldLock
	irqOff, bhOff int32
	// missed are the wait queues of which a wake-up came since it last looked at memory.
	looked bool
	missed []int32
}

// heldLock is a lock that an agent holds.
type heldLock struct {
	object int32
	// spins: who holds it must not sleep; writes: it is an rwlock's writer.
	spins, writes bool
}

// modelObject is the state of a kernel object.
type modelObject struct {
	// writer is who holds the lock, or cancels the item, plus one; readers is how many.
	writer, readers int32
	// count is the units of a semaphore, the signals of an event, the turns of a queue's
	// exclusive waiters; all: everybody passes the event.
	count int64
	all   bool
	// Of a work item: its agent plus one, its place in the order of its workqueue, from
	// 1, or 0, where it was queued, plus one, and the workqueue if that can be full, or -1.
	agent, place, cpu, pool int32
}

// append appends the state for Final.
func (o *modelObject) append(buf []byte) []byte {
	buf = appendNumber(buf, int64(o.writer))
	buf = appendNumber(buf, int64(o.readers))
	buf = appendNumber(buf, o.count)
	if o.all {
		buf = appendNumber(buf, 1)
	}
	if o.pool > 0 {
		buf = appendNumber(buf, int64(o.place))
		buf = appendNumber(buf, int64(o.cpu))
	}
	return buf
}

// modelLayout says how objects are numbered. What Build has made comes first, in that
// order. What tasks make while they run is numbered by who makes it and how many that
// one has made before, so that it has the same number in all executions.
type modelLayout struct {
	workList []*kernelmodel.Work
	// CPUs, lives of agents, conditions of Always, and the full barrier.
	idCPU, idLife, idAlways, idFence int32
	// Behind idMade, what tasks have made and names of Shared take turns.
	idMade int32
	shared map[string]int32
	// labels begins the numbers of steps that no program has.
	labels int32
	// varies: what goes with a step can depend on what it reads.
	varies bool
}

// layOut numbers what was built.
func (m *Model) layOut() {
	built := m.machine.Built()
	m.workList = m.works(m.workList[:0])
	n := int32(len(built))
	m.idCPU = n
	m.idLife = m.idCPU + int32(len(m.agents))
	m.idAlways = m.idLife + int32(len(m.agents))
	m.idFence = m.idAlways + int32(m.always())
	m.idMade = m.idFence + 1
	m.labels = 1
	if m.built.Workload != nil {
		m.labels = int32(len(m.built.Workload.Steps))
	}
	clear(m.objects)
	m.grow(m.idMade)
	for i, o := range built {
		x := &m.objects[i]
		switch o := o.(type) {
		case *kernelmodel.Semaphore:
			x.count = o.Count()
		case *kernelmodel.Event:
			x.count, x.all = o.Signals()
		}
	}
}

func (m *Model) grow(n int32) {
	for int(n) > len(m.objects) {
		m.objects = append(m.objects, modelObject{})
	}
}

// seat makes the agents, each with a CPU.
func (m *Model) seat() {
	tasks := m.built.Tasks
	if len(tasks)+len(m.workList) != len(m.agents) {
		panic(fmt.Sprintf("explore: a model has %d tasks and work items, and had %d before", len(tasks)+len(m.workList), len(m.agents)))
	}
	for _, t := range m.built.Manual {
		t.Lifecycle() // somebody will start it
	}
	m.varies = len(m.workList) > 0
	for i := range m.agents {
		a := &m.agents[i]
		*a = modelAgent{
			program: a.program, name: a.name, status: statusReady,
			step:  Step{Objects: a.step.Objects[:0], Others: a.step.Others[:0]},
			after: a.after[:0], held: a.held[:0], missed: a.missed[:0],
		}
		if i < len(tasks) {
			a.task = tasks[i]
			a.joinable = a.task.Joinable()
			m.varies = m.varies || a.joinable
		} else {
			a.work = m.workList[i-len(tasks)]
			a.status = statusIdle
			a.task = m.machine.NewTask(&workTask)
		}
		a.task.Seat(m.machine.CPU(i))
		if a.name == "" {
			m.name(a)
		}
		a.kthread = a.task.Kthread()
	}
	for i := len(tasks); i < len(m.agents); i++ {
		m.enlist(i)
	}
}

// workTask is the task that runs a work item.
var workTask = cpus.TaskSpec{Name: "kworker", Kthread: true}

// agentOf returns the agent that is a task.
func (m *Model) agentOf(t *cpus.Task) int32 {
	for i := range m.built.Tasks {
		if m.built.Tasks[i] == t {
			return int32(i)
		}
	}
	panic(fmt.Sprintf("explore: %s is none of the model's tasks", t.Name()))
}

// name gives an agent its name; it has the same in all executions.
func (m *Model) name(a *modelAgent) {
	if a.work != nil {
		a.name = a.work.Name()
		return
	}
	a.name, a.program = a.task.Name(), m.programOf(a.task)
}

// idOf returns the number of what has an identity.
func (m *Model) idOf(id cpus.Identity) int32 {
	if id.By == 0 {
		return id.N
	}
	n := m.idMade + 2*(id.N*int32(len(m.agents))+id.By-1)
	m.grow(n + 1)
	return n
}

// made is idOf for an object, whose name is kept if a task has made it.
func (m *Model) made(id cpus.Identity, o cpus.Made) int32 {
	n := m.idOf(id)
	if id.By != 0 && m.names[n] == "" {
		m.names[n] = o.Name()
	}
	return n
}

// sharedID returns the number of a Shared.
func (m *Model) sharedID(s *cpus.Shared) int32 {
	if id, ok := s.Identity(); ok {
		n := m.idOf(id)
		if id.By != 0 && m.names[n] == "" {
			m.names[n] = s.Name
		}
		return n
	}
	n, ok := m.shared[s.Name]
	if !ok {
		n = m.idMade + 2*int32(len(m.shared)) + 1
		m.shared[s.Name] = n
		m.names[n] = s.Name
	}
	return n
}
