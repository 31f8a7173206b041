package explore

import (
	"fmt"

	"smpsim/workloads"
)

// layout says where everything is: in the cells, and among the identities that steps
// name objects by. Identities begin with the words.
type layout struct {
	words, registers int
	cpus             int
	// state is the first cell of each object, objectsEnd where those of objects end. A
	// work item's pending bit is a word, of items.
	state      []int32
	items      []int32
	objectsEnd int32
	// CPUs have cpuCells each from cpu on, or none where nothing needs them.
	cpu, cpuCells int32
	// held are the locks that each agent holds: a set of classes, of setCells cells.
	held, setCells int32
	// missed are, for each agent, whether it has read something, and the wake-ups that
	// came since, by wait queue. There are none without sleep_on.
	missed, queues int32
	queueNumber    []int32
	// From hidden on it is history: for each class which others were taken while it was
	// held, how it was taken, and for each CPU the number of stores.
	hidden, taken, usage, stores int32

	idObject, idCPU, idLife, idDone, idReader, idWriter, idCheck, idRegisters, idPool, idFence, idSlot int32

	// classes names the locks, as lock order knows them: locks and then work items.
	// spinning is the set of those that forbid sleep.
	classes  []string
	spinning []int64
	class    []int32
	// handled CPUs have handlers; limited workqueues can be full.
	handled []bool
	limited []bool
	// joins are the operations that join a task.
	joins []int32
	// watched agents have registers that others, or check.always, look at; polled ones
	// those that are waited for.
	watched, polled []bool
}

// Cells of a CPU.
const (
	cpuIRQOff = iota // how often interrupts are off
	cpuBHOff
	cpuSoft    // the softirq handler on the CPU, plus one
	cpuHard    // the hardirq handler, plus one
	cpuBuffer  // how many stores are in the buffer
	cpuEntries // the stores, oldest first
)

// bufferSize is how many stores a CPU's buffer holds; a store waits while it is full.
const bufferSize = 16

// Cells of a store in a buffer.
const (
	entryCell = iota
	entryValue
	entryOp
	entryCells
)

// Cells of a work item.
const (
	workCanceller = iota // who cancels it, plus one
	workPlace            // in the order of its workqueue, from 1; 0 if not pending
	workCPU              // where it was queued, plus one
	workCells
)

// addAgents makes the agents, each with its operations.
func (p *Program) addAgents() error {
	for i := range p.spec.Tasks {
		t := &p.spec.Tasks[i]
		program := p.spec.Workload.Program(t.Name)
		if program == nil {
			return fmt.Errorf("task %s runs a built-in load, which cannot be explored as a program", t.Name)
		}
		for index := range program.Count {
			w := who{name: t.Name, kthread: t.Kthread, manual: t.Manual, program: program, index: index, object: -1, target: -1, cpu: -1}
			if program.Count > 1 {
				w.name = fmt.Sprintf("%s[%d]", t.Name, index)
			}
			if t.Context != InTask {
				w.role, w.hard, w.arrivals = roleHandler, t.Context == InHardIRQ, t.Arrivals
			} else {
				w.cpu = int32(p.cpus)
				p.cpus++
			}
			if err := p.addAgent(w); err != nil {
				return err
			}
		}
	}
	for i := range p.spec.Tasks {
		if t := &p.spec.Tasks[i]; t.Context != InTask {
			if err := p.bindHandlers(t); err != nil {
				return err
			}
		}
	}
	for i, o := range p.spec.Workload.Objects {
		if o.Kind == workloads.WorkItem {
			w := who{name: o.Name, role: roleWork, object: i, target: -1, cpu: int32(p.cpus)}
			p.cpus++
			if err := p.addAgent(w); err != nil {
				return err
			}
		}
	}
	if p.spec.TSO {
		p.addBuffers()
	}
	return nil
}

// addAgent adds an agent that has a program, with the operations of that, and one
// that it is at while it is idle.
func (p *Program) addAgent(w who) error {
	i := int32(len(p.who))
	w.first = int32(len(p.ops))
	if w.role == roleWork {
		w.instance = p.explored.WorkInstance(p.spec.Workload.Objects[w.object], w.first)
	} else {
		w.instance = p.explored.TaskInstance(w.program, w.index, w.first)
	}
	for k := range w.instance.Ops {
		p.ops = append(p.ops, op{agent: i, number: int32(len(p.ops)), source: &w.instance.Ops[k]})
	}
	idle := map[role]opKind{roleWork: opRun, roleHandler: opArrive}[w.role]
	if idle != opHalt {
		w.idle = int32(len(p.ops))
		p.ops = append(p.ops, op{agent: i, number: w.idle, kind: idle})
	}
	p.who = append(p.who, w)
	if len(p.who) > maxAgents || len(p.ops) > maxOps {
		return fmt.Errorf("%d tasks and work items with %d operations, counting each instance and each element of an array: %d and %d can be explored",
			len(p.who), len(p.ops), maxAgents, maxOps)
	}
	return nil
}

// bindHandlers gives the instances of a handler their CPUs.
func (p *Program) bindHandlers(t *ProgramTask) error {
	var targets []int32
	for i := range p.who {
		if w := &p.who[i]; w.role == roleTask && w.program.Name == t.Interrupts {
			targets = append(targets, int32(i))
		}
	}
	if len(targets) == 0 {
		return fmt.Errorf("task %s interrupts %q, which is no task", t.Name, t.Interrupts)
	}
	for i := range p.who {
		if w := &p.who[i]; w.role == roleHandler && w.program.Name == t.Name {
			w.target = targets[w.index%len(targets)]
			w.cpu = p.who[w.target].cpu
		}
	}
	return nil
}

// addBuffers makes the store buffers agents.
func (p *Program) addBuffers() {
	for i, n := 0, len(p.who); i < n; i++ {
		if w := p.who[i]; w.role != roleHandler {
			p.who = append(p.who, who{
				name: "buffer of " + w.name, role: roleBuffer, cpu: w.cpu, object: -1, target: int32(i), idle: int32(len(p.ops)),
			})
			p.ops = append(p.ops, op{kind: opDrain, agent: int32(len(p.who) - 1), number: int32(len(p.ops))})
		}
	}
}

// layOut gives everything its place in the cells and among the identities.
func (p *Program) layOut() {
	p.layout.words, p.layout.registers = p.explored.Sizes()
	p.layCells()
	p.layIdentities()
	p.agents = make([]agent, len(p.who))
	p.explored.UseMemory(p.cells[:p.words], p.cells[p.words:p.words+p.registers])
	for i, o := range p.spec.Workload.Objects {
		if o.Kind == workloads.Semaphore {
			p.cells[p.state[i]] = o.Units()
		}
	}
}

func (p *Program) layCells() {
	objects := p.spec.Workload.Objects
	n := int32(p.words + p.registers)
	take := func(cells int32) int32 {
		n += cells
		return n - cells
	}
	p.items = make([]int32, len(objects))
	for word := range p.words {
		p.items[p.explored.WordObject(word)] = int32(word)
	}
	p.class = make([]int32, len(objects))
	for i, o := range objects {
		p.class[i] = -1
		size := int32(0)
		switch o.Kind {
		case workloads.Spinlock, workloads.Mutex:
			size = 1
		case workloads.RWLock:
			size = rwReads + int32(len(p.who))
		case workloads.Seqlock:
			size = seqCells
		case workloads.Semaphore, workloads.Event:
			size = 1
		case workloads.WorkItem:
			size = workCells
		}
		p.state = append(p.state, take(size))
	}
	p.objectsEnd = n
	p.layClasses()
	p.handled = make([]bool, p.cpus)
	for i := range p.who {
		if w := &p.who[i]; w.role == roleHandler {
			p.handled[w.cpu] = true
		}
	}
	if p.spec.TSO {
		p.cpuCells = cpuEntries + bufferSize*entryCells
	} else if p.masks() {
		p.cpuCells = cpuEntries
	}
	p.cpu = take(p.cpuCells * int32(p.cpus))
	p.held = take(p.setCells * int32(len(p.who)))
	if p.uses(isSleepOn) {
		for _, o := range objects {
			p.queueNumber = append(p.queueNumber, p.queues)
			if o.Kind == workloads.WaitQueue {
				p.queues++
			}
		}
		p.missed = take((p.queues + 1) * int32(len(p.who)))
	}
	p.hidden = n
	p.taken = take(p.setCells * int32(len(p.classes)))
	p.usage = take(int32(len(p.classes)))
	if p.spec.TSO {
		p.stores = take(int32(p.cpus))
	}
	p.cells = make([]int64, n)
}

// layClasses numbers the locks.
func (p *Program) layClasses() {
	objects := p.spec.Workload.Objects
	add := func(i int) {
		p.class[i] = int32(len(p.classes))
		p.classes = append(p.classes, objects[i].Name)
	}
	for i, o := range objects {
		switch o.Kind {
		case workloads.Spinlock, workloads.Mutex, workloads.RWLock, workloads.Seqlock:
			add(i)
		}
	}
	for i, o := range objects {
		if o.Kind == workloads.WorkItem {
			add(i)
		}
	}
	p.setCells = int32(len(p.classes)+63) / 64
	p.spinning = make([]int64, p.setCells)
	for i, o := range objects {
		switch o.Kind {
		case workloads.Spinlock, workloads.RWLock, workloads.Seqlock:
			c := p.class[i]
			p.spinning[c/64] |= 1 << (c % 64)
		}
	}
}

// layIdentities numbers what steps can touch.
func (p *Program) layIdentities() {
	w := p.spec.Workload
	agents, objects := int32(len(p.who)), int32(len(w.Objects))
	n := int32(p.words)
	take := func(ids int32) int32 {
		n += ids
		return n - ids
	}
	p.idObject = take(objects)
	p.idCPU = take(int32(p.cpus))
	p.idLife = take(agents)
	p.idDone = take(objects)
	p.idReader = take(objects)
	p.idWriter = take(objects)
	p.idCheck = take(int32(len(w.Always)))
	p.idRegisters = take(agents)
	p.idPool = take(objects)
	p.idFence = take(1)
	p.idSlot = take(int32(p.cpus) * bufferSize)

	items := make([]int, len(w.Objects))
	p.limited = make([]bool, len(w.Objects))
	for _, o := range w.Objects {
		if o.Kind == workloads.WorkItem && o.Workqueue() >= 0 {
			items[o.Workqueue()]++
		}
	}
	for i, o := range w.Objects {
		if o.Kind == workloads.Workqueue {
			most, _ := o.MaxActive()
			p.limited[i] = most < items[i]
		}
	}
}
