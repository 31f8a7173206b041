package cpus

import (
	"fmt"
	"strconv"

	"smpsim/des"
)

// Spec describes a machine.
type Spec struct {
	Topology Topology
	Costs    Costs
	// CPUs is how many of the topology's CPUs exist, from the first on.
	CPUs int
	// HZ is how many timer ticks a busy CPU takes a second; 0 means none.
	HZ int
	// Policy names the scheduling policy, one of [Policies].
	Policy string
	// Slice is how long a task runs before another gets its turn; 0 means the
	// policy's own: 3 ms for fair (the kernel's base slice on 8 or more CPUs), 100
	// ms for round-robin and random (the kernel's RR_TIMESLICE), until the task blocks
	// for scripted.
	Slice des.Time
	// Script is the order in which tasks come on CPUs, of the policy "scripted": names
	// of tasks, with the index of those that have one, each alone or as "task@cpu".
	// [CheckScript] tells what is wrong with one.
	Script []string
}

// Machine is a multiprocessor in one simulation. Create its tasks and objects,
// start the tasks, and [Machine.Run].
type Machine struct {
	// Sim is the engine; its clock is the machine's.
	Sim *des.Sim
	// Costs are what things take; they must not change during a run.
	Costs Costs
	// OnStore, if set, is called after every store to a word, so that what must always
	// hold can be judged.
	OnStore func()
	// Stepped says that nothing runs by itself: an explorer takes the tasks' ops one
	// by one, in an order of its own, and performs them without costs.
	Stepped bool

	topology Topology
	cpus     []CPU
	all      CPUSet
	idle     CPUSet
	near     [distances][]CPUSet
	transfer [distances]des.Time
	tasks    []*Task
	// alive counts started tasks that a run waits for.
	alive  int
	period des.Time
	// noise counts the pending events that wake nobody: ticks, and interrupts whose
	// handlers have no program.
	noise int
	// queued counts the tasks that wait in the run queues of all CPUs.
	queued int
	// urgent counts the real-time tasks among them.
	urgent int
	// classed says that there are tasks of several classes; fair, that the policy's
	// queues are balanced. script is the policy's, where it is scripted.
	classed, fair bool
	script        *script
	// ahead says whether running ahead of the queue has paid lately.
	ahead   int
	tracer  Tracer
	names   []string
	nameIDs map[string]NameID
	llcs    []cache
	cores   []cache
	failure error
	stepped stepped
}

// New builds a machine on sim. It panics if the spec makes no sense; callers
// check what users give.
func New(sim *des.Sim, spec Spec) *Machine {
	t := spec.Topology
	if spec.CPUs < 1 || spec.CPUs > t.CPUs() || t.CoresPerLLC < 1 || t.Cores%t.CoresPerLLC != 0 {
		panic(fmt.Sprintf("cpus: %d CPUs on topology %+v", spec.CPUs, t))
	}
	m := &Machine{Sim: sim, Costs: spec.Costs, topology: t, nameIDs: map[string]NameID{}}
	m.cpus = make([]CPU, spec.CPUs)
	m.all, m.idle = m.NewCPUSet(), m.NewCPUSet()
	if spec.HZ > 0 {
		m.period = des.Second / des.Time(spec.HZ)
	}
	m.fair = m.period > 0 && spec.CPUs > 1 && (spec.Policy == "fair" || spec.Policy == "")
	if spec.Policy == "scripted" {
		m.script = m.newScript(&spec)
	}
	m.llcs = make([]cache, t.Sockets*t.Cores/t.CoresPerLLC)
	m.cores = make([]cache, t.Sockets*t.Cores)
	for i := range m.cpus {
		c := &m.cpus[i]
		c.machine, c.index, c.place = m, int16(i), t.place(i)
		c.queue = m.newRunQueue(&spec, c)
		c.mode, c.mm = Idle, -1
		c.event = sim.Spawn((*cpuTimer)(c))
		if m.period > 0 {
			c.tickPhase = des.Time(sim.Stream("tick/" + strconv.Itoa(i)).Below(uint64(m.period)))
			c.tick = sim.Spawn((*tickTimer)(c))
		}
		m.all.Add(i)
		m.idle.Add(i)
	}
	m.neighbours()
	for i := range m.cpus {
		for d := range distances {
			m.cpus[i].balanceAt[d] = m.balancePeriod(&m.cpus[i], d)
		}
	}
	return m
}

// CPUs returns how many CPUs the machine has.
func (m *Machine) CPUs() int { return len(m.cpus) }

// CPU returns CPU number i.
func (m *Machine) CPU(i int) *CPU { return &m.cpus[i] }

// Tasks returns every task created so far, in order.
func (m *Machine) Tasks() []*Task { return m.tasks }

// TaskOf returns whose event that is: a task's own, or that of the CPU that it is on
// or is being switched to. Events of ticks and devices are nobody's, nil.
func (m *Machine) TaskOf(id des.ID) *Task {
	switch p := m.Sim.ProcessOf(id).(type) {
	case *Task:
		return p
	case *cpuTimer:
		return p.curr
	default:
		return nil
	}
}

// Outcome says why a run ended.
type Outcome int

const (
	// Ended means that every task but kernel threads has exited.
	Ended Outcome = iota + 1
	// TimeUp means that the given time has passed.
	TimeUp
	// Deadlock means that tasks are left and nothing can ever happen again.
	Deadlock
	// EventLimit means that the simulation's event limit was reached.
	EventLimit
	// Failed means that a model called Fail, or that the script's next turn can never
	// come; see [Machine.Failure].
	Failed
)

func (o Outcome) String() string {
	return [...]string{"invalid", "ended", "time up", "deadlock", "event limit", "failed"}[o]
}

// Run lets the machine run until its tasks have ended or the clock stands at
// until, and closes the accounts.
func (m *Machine) Run(until des.Time) Outcome {
	outcome := Ended
	if m.alive > 0 {
		switch m.Sim.Run(until) {
		case des.Drained:
			outcome = Deadlock
		case des.Elapsed:
			outcome = TimeUp
		case des.Exhausted:
			outcome = EventLimit
		case des.Stopped:
			switch {
			case m.failure != nil:
				outcome = Failed
			case m.alive > 0:
				outcome = Deadlock
			}
		}
	}
	if outcome == Deadlock && m.script != nil {
		if m.failure = m.script.stuck(); m.failure != nil {
			outcome = Failed
		}
	}
	for i := range m.cpus {
		m.cpus[i].account()
	}
	return outcome
}

// Fail ends the run with an error: an invariant of a model is broken.
func (m *Machine) Fail(err error) {
	if m.failure == nil {
		m.failure = err
	}
	m.Sim.Stop()
}

// Failure returns the error that ended the run, if one did.
func (m *Machine) Failure() error { return m.failure }

func itoa(i int) string { return strconv.Itoa(i) }
