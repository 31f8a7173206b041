package explore

import "smpsim/workloads"

// Program is a [System]: the programs of an experiment file, as package workloads has
// compiled them and run by its interpreter, without costs and without a machine.
//
// # Steps
//
// A step is one visible operation and all that goes with it: the program runs on, over
// registers, assertions and control flow, until it comes to its next operation, and
// tasks that the step lets go on (started, joined, woken) do so, too. Agents are the
// instances of tasks in the order of the file, handlers included, then the work items,
// then under TSO the store buffers. A task has a CPU of its own and so has a work item;
// a handler has that of the task it interrupts.
//
// What a step touches is known before it is done, and is the same then, but for reads
// that turn out to fail. What could go with it counts, whether or not it does: the end
// of a task, the start of another, the beginning of a flush. So it is computed once,
// by the shape of the programs (program_touch.go).
//
// # State
//
// All that changes is in two flat slices: agents, and cells for words, registers, the
// state of objects, of CPUs and of store buffers. Cells from hidden on are history,
// which decides what is reported and not what can happen. Reset copies them; no step
// allocates, unless it finds something that was not found before.
//
// # Where to read
//
// program_build.go lays out what program_op.go describes; program_do.go says what steps
// do, program_advance.go what goes with them, program_enabled.go who can go on. Work
// items, handlers, store buffers and locks have files of their own; program_check.go
// and program_deadlock.go judge.
type Program struct {
	spec     ProgramSpec
	explored *workloads.Explored
	// who are the agents, ops the operations of all of them; op 0 is that of a program
	// which does none.
	who []who
	ops []op
	layout

	agents []agent
	cells  []int64
	// The state after Reset, and what was found on the way there.
	firstAgents []agent
	firstCells  []int64
	firstFound  []*Finding

	// found are the findings of the last Do, of which shown have been asked for. judged
	// says that they are those of the end.
	found   []*Finding
	shown   int
	judged  bool
	last    done
	lockdep *Lockdep

	// places are what labels number.
	places []workloads.Step
	labels map[place]int32

	// Findings that were made, and memory that is used again.
	known      map[Finding]*Finding
	faults     map[workloads.Fault]*Finding
	deadlocks  map[string][]*Finding
	inversions map[string]*Finding
	copied     Step
	scratch    []byte
	view       []int64
	reach      []int64
}

var _ interface {
	System
	Snapshotter
	Namer
	Owned
} = (*Program)(nil)

// ProgramSpec is what is explored.
type ProgramSpec struct {
	Workload *workloads.Workload
	// Tasks are those that the workload was compiled from, in the same order. All must
	// have a program.
	Tasks []ProgramTask
	// TSO gives each CPU a first-in first-out store buffer.
	TSO bool
}

// ProgramTask is what an exploration has to know of a task beside its program.
type ProgramTask struct {
	Name string
	// Kthread tasks may block for ever.
	Kthread bool
	// Manual tasks are started by others.
	Manual bool
	// Context and Interrupts make a task a handler: instance i interrupts instance i
	// of the other task, modulo how many that has.
	Context    Context
	Interrupts string
	// Arrivals is how often an instance of a handler comes at most, or
	// [workloads.Forever]. Its program is compiled to be done once.
	Arrivals int64
}

// Context is where a task runs.
type Context uint8

// Contexts.
const (
	InTask Context = iota
	InSoftIRQ
	InHardIRQ
)

// Limits of what can be explored.
const (
	maxAgents = 4096
	maxOps    = 1 << 21
)

// NewProgram returns the system of a workload's programs, at its initial state.
func NewProgram(spec ProgramSpec) (*Program, error) {
	x, err := spec.Workload.Explore()
	if err != nil {
		return nil, err
	}
	p := &Program{
		spec: spec, explored: x, ops: make([]op, 1),
		known: make(map[Finding]*Finding), faults: make(map[workloads.Fault]*Finding),
		deadlocks: make(map[string][]*Finding), inversions: make(map[string]*Finding),
	}
	if err := p.addAgents(); err != nil {
		return nil, err
	}
	p.labelPlaces()
	p.layOut()
	p.describeOps()
	p.describeTouches()
	p.lockdep = newLockdep(p.classes)
	p.begin()
	return p, nil
}

// begin lets everybody who starts by himself come to his first operation, and keeps
// the state as the one that Reset goes back to.
func (p *Program) begin() {
	for i := range p.who {
		w, a := &p.who[i], &p.agents[i]
		switch {
		case w.role != roleTask:
			a.status, a.left = statusIdle, w.arrivals
			p.await(i, w.idle)
		case !w.manual:
			a.status = statusReady
		}
	}
	for i := range p.who {
		if w := &p.who[i]; w.role == roleTask && !w.manual {
			p.advance(i, 0)
		}
	}
	p.firstAgents = append(p.firstAgents, p.agents...)
	p.firstCells = append(p.firstCells, p.cells...)
	p.firstFound = append(p.firstFound, p.found...)
	p.Reset()
}

// Agents returns how many agents there are.
func (p *Program) Agents() int { return len(p.who) }

// Pending returns an agent's next step. It is nil for an agent that cannot go on by
// itself and whose next operation is not known: unstarted, ended, or asleep.
func (p *Program) Pending(i Agent) *Step {
	a := &p.agents[i]
	o := &p.ops[a.op]
	switch {
	case a.status == statusReady:
	case a.status == statusAsleep && o.kind == opWait:
	case a.status == statusIdle && p.hasNext(int(i)):
		if o.kind == opDrain {
			_, drain := p.oldest(int(i))
			return drain
		}
	default:
		return nil
	}
	if p.spec.TSO {
		p.place(int(i), o, a.phase, &o.steps[a.phase])
	}
	return &o.steps[a.phase]
}

// Finding returns the next thing that the last Do, or Reset, has found wrong.
func (p *Program) Finding() *Finding {
	if p.shown == len(p.found) {
		return nil
	}
	p.shown++
	return p.found[p.shown-1]
}
