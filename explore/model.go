package explore

import (
	"fmt"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
	"smpsim/workloads"
)

// Model is a [System]: tasks and work items on a machine without costs. It takes the
// ops of each from its behavior, be that a function in Go or a program of an experiment
// file, and performs them itself, in the order that is chosen.
//
//	newSystem := func() explore.System {
//		return explore.NewModel(explore.ModelSpec{Build: func(m *cpus.Machine) explore.Modelled {
//			l, n := kernelmodel.NewSpinlock(m, "l", "ticket"), m.NewWord("n", 0)
//			a := m.NewThread(&cpus.TaskSpec{Name: "a"}, func(k *cpus.Thread) {
//				kernelmodel.SpinLock(k, l)
//				k.AddPlain(n, 1)
//				kernelmodel.SpinUnlock(k, l)
//			})
//			return explore.Modelled{Tasks: []*cpus.Task{a}}
//		}})
//	}
//
// Objects, words, tasks and work items are made anew for each execution, by Build; the
// function must do the same each time. Nothing is started: tasks begin by themselves,
// but those that are Manual. Time stands at zero.
//
// # Steps
//
// Agents are the tasks, then the work items in the order in which they were made. A
// step is one visible op and all that the agent does from there to its next: loads,
// stores and read-modify-writes of a word, operations of kernel objects, full barriers,
// irq_off and its like, accesses to [cpus.Shared]. Computing, sleeping, walks,
// preempt_off, starting and joining tasks go with the step before them.
//
// An invariant that is broken (BugOn, Machine.Fail) or a panic is a bug, and the task
// goes no further; others do. Two results are less than in a timed run: a wake-up does
// not count whom it woke, and a flush tells of a pending run, but not of one that was
// just about to end.
//
// # What reduction rests on
//
//   - State that tasks share is in words and kernel objects, or what the holder of a
//     lock alone touches, or announced ([cpus.Thread.Sees] and its siblings).
//   - A task that others join has its Lifecycle taken while the model is built. Work
//     items and tasks are all made then; words and other objects may be made later.
//   - A Check sees one order of independent steps, not all; an Always that names its
//     words sees all that matter to it.
//
// What an op touches is known before it is done; what goes with it (the end of the
// task, the beginning of a flush) shows when it is done. Pending tells the first, Do
// both: reduction compares steps as they were done.
//
// # Where to read
//
// model_object.go says how objects are numbered; model_advance.go describes ops and lets
// agents go on, model_do.go performs steps, model_lock.go, model_work.go and
// model_wait.go those of kernel objects; model_check.go, model_order.go and
// model_deadlock.go judge, model_name.go and model_story.go tell.
type Model struct {
	spec    ModelSpec
	machine *cpus.Machine
	built   Modelled
	agents  []modelAgent
	objects []modelObject
	modelLayout
	modelOrder

	// done is the step that is being done, last what Describe tells of it.
	done Step
	last modelStep

	found  []*Finding
	shown  int
	judged bool
	known  map[Finding]*Finding
	names  map[int32]string
	// halted: an agent has met a bug and goes no further.
	halted bool
}

var _ interface {
	System
	Namer
} = (*Model)(nil)

// ModelSpec says how a model is made.
type ModelSpec struct {
	// Build makes the model on a stepped machine, on which nothing has been made. It is
	// called for each execution, and once more to count; where several jobs explore, for
	// several machines at once.
	Build func(m *cpus.Machine) Modelled
}

// Modelled is a model that was built.
type Modelled struct {
	// Tasks are all tasks, in the order of the agents. None is started.
	Tasks []*cpus.Task
	// Manual are those of Tasks that others start.
	Manual []*cpus.Task
	// Check, if set, is called after every step; an error is a bug.
	Check func() error
	// Always must hold after every step, Finally at the end; Never must not hold there.
	Always, Finally, Never []ModelCheck
	// Final, if set, appends what is compared between ends of executions, beside the
	// words and objects that Build has made and the registers of programs.
	Final func(buf []byte) []byte
	// Linked, if set, is a workload on the machine, and Workload, which must be set then,
	// what it was linked from: its failures are findings, and its conditions are judged.
	// A spin_until of its programs is a loop, which need not end.
	Workload *workloads.Workload
	Linked   *workloads.Linked
}

// ModelCheck is a condition over a model.
type ModelCheck struct {
	// What is the condition, in a line.
	What string
	// Holds evaluates it; an error says that it cannot be, which is a bug.
	Holds func() (bool, error)
	// Words are all that an Always looks at. If it is nil, no two steps are independent.
	Words []*cpus.Word
}

// NewModel returns the system of a model, at its initial state. It panics if the spec
// has no Build or a model has too many tasks.
func NewModel(spec ModelSpec) *Model {
	m := &Model{spec: spec, known: make(map[Finding]*Finding), names: make(map[int32]string)}
	m.shared = make(map[string]int32)
	m.machine = newSteppedMachine(1)
	m.built = spec.Build(m.machine)
	n := len(m.built.Tasks) + len(m.works(nil))
	if n > maxAgents {
		panic(fmt.Sprintf("explore: %d tasks and work items: %d can be explored", n, maxAgents))
	}
	m.Close()
	m.machine = newSteppedMachine(max(1, n))
	m.agents = make([]modelAgent, n)
	m.Reset()
	return m
}

// newSteppedMachine returns a machine without costs.
func newSteppedMachine(n int) *cpus.Machine {
	m := cpus.New(des.New(1), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: n, Threads: 1, CoresPerLLC: n}, CPUs: n, Policy: "fifo",
	})
	m.Stepped = true
	return m
}

// works appends the work items that were built.
func (m *Model) works(buf []*kernelmodel.Work) []*kernelmodel.Work {
	for _, o := range m.machine.Built() {
		if w, ok := o.(*kernelmodel.Work); ok {
			buf = append(buf, w)
		}
	}
	return buf
}

// Reset builds the model again and lets all tasks but the manual come to their first
// visible ops.
func (m *Model) Reset() {
	m.machine.Restart()
	m.built = m.spec.Build(m.machine)
	m.found, m.shown, m.judged, m.halted = m.found[:0], 0, false, false
	m.last = modelStep{}
	m.layOut()
	m.seat()
	m.layOrder()
	if m.built.Linked != nil {
		m.built.Linked.Report = m.report
	}
	m.done.Objects, m.done.Others = m.done.Objects[:0], m.done.Others[:0]
	for _, t := range m.built.Manual {
		a := &m.agents[m.agentOf(t)]
		a.status, a.gate, a.manual = statusUnstarted, gateShut, true
	}
	for i := range m.built.Tasks {
		if !m.agents[i].manual {
			m.advance(i)
		}
	}
	m.judgeState()
}

// Close unwinds the functions of tasks, which would keep the model in memory for ever.
// It can do no more steps then. Explore closes the systems that it has made.
func (m *Model) Close() {
	m.machine.Unwind()
	m.machine.Sim.Close()
}

// Agents returns how many agents there are.
func (m *Model) Agents() int { return len(m.agents) }

// Pending returns an agent's next step, without what will go with it; nil for one that
// cannot go on by itself and whose next op is not known.
func (m *Model) Pending(i Agent) *Step {
	a := &m.agents[i]
	switch a.status {
	case statusReady:
	case statusAsleep:
		if a.kind != opWait {
			return nil
		}
	case statusIdle:
	default:
		return nil
	}
	return &a.step
}

// State returns nil: a model cannot tell its state.
func (m *Model) State([]byte) []byte { return nil }

// Finding returns the next thing that the last Do, or Reset, has found wrong.
func (m *Model) Finding() *Finding {
	if m.shown == len(m.found) {
		return nil
	}
	m.shown++
	return m.found[m.shown-1]
}

// Final appends what is compared between ends: the words and objects that were built,
// registers of programs, and what the model adds.
func (m *Model) Final(buf []byte) []byte {
	for i, o := range m.machine.Built() {
		switch o := o.(type) {
		case *cpus.Word:
			buf = appendNumber(buf, o.Value)
		case *kernelmodel.Spinlock, *kernelmodel.Mutex, *kernelmodel.RWLock, *kernelmodel.Semaphore, *kernelmodel.Event, *kernelmodel.Work:
			buf = m.objects[i].append(buf)
		}
	}
	for i := range m.agents {
		a := &m.agents[i]
		if a.program == nil {
			continue
		}
		for _, v := range m.built.Linked.Registers(a.program, int(a.task.Index())) {
			buf = appendNumber(buf, v)
		}
	}
	if m.built.Final != nil {
		buf = m.built.Final(buf)
	}
	return buf
}

// programOf returns the program that a task runs, or nil.
func (m *Model) programOf(t *cpus.Task) *workloads.Program {
	if m.built.Workload == nil {
		return nil
	}
	name, _, _ := strings.Cut(t.Name(), "[")
	return m.built.Workload.Program(name)
}
