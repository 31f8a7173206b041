package experiment

import (
	"fmt"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/explore"
	"smpsim/kernelmodel"
	"smpsim/observe"
	"smpsim/plots"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// conductor holds the tasks of a timed run to a schedule: an operation that is a step
// of the exploration begins when the schedule has come to it, and takes its time.
// What lies between steps (compute, sleep) goes on by itself. Who has to wait for its
// turn keeps its CPU.
type conductor struct {
	machine  *cpus.Machine
	workload *workloads.Workload
	schedule explore.Schedule
	at       int
	// first is the number of the first agent of each program.
	first map[*workloads.Program]int
	// waiting are those whose turn has not come, by agent; inside says that an agent
	// is in an operation that is several steps.
	waiting []*cpus.Task
	inside  []bool
}

// newConductor numbers the agents as package explore does: the instances of tasks in
// the order of the file, then the work items.
func newConductor(l *linked, tasks []Task, schedule explore.Schedule) *conductor {
	c := &conductor{workload: l.workload, schedule: schedule, first: map[*workloads.Program]int{}}
	n := 0
	add := func(p *workloads.Program, count int) {
		c.first[p] = n
		n += count
	}
	for i := range tasks {
		add(l.workload.Program(tasks[i].Name), tasks[i].Count)
	}
	for _, o := range l.workload.Objects {
		if p := o.Program(); p != nil {
			add(p, 1)
		}
	}
	c.waiting, c.inside = make([]*cpus.Task, n), make([]bool, n)
	return c
}

// wrap puts a guard around the behavior of an instance of a program.
func (c *conductor) wrap(p *workloads.Program, index int, b cpus.Behavior) cpus.Behavior {
	return &guard{conductor: c, agent: c.first[p] + index, inner: b, work: p.IsWork()}
}

// guard is a behavior that the conductor holds to the schedule.
type guard struct {
	conductor *conductor
	agent     int
	inner     cpus.Behavior
	// work says that the behavior is a work item's, whose start is a step too.
	work, started bool
	// held is the operation that waits for its turn, last the step under way; label is
	// that of a spin_until under way.
	held, last *cpus.Op
	label      int32
	// read and write are the halves of a plain add, value what it adds.
	read, write cpus.Op
	adding      bool
	value       int64
}

// Next returns the next operation, or one that waits for its turn.
func (g *guard) Next(t *cpus.Task) *cpus.Op {
	c := g.conductor
	if g.held != nil {
		op := g.held
		g.held = nil
		return g.begin(t, op)
	}
	if g.last != nil {
		g.last = nil
		if c.inside[g.agent] {
			c.inside[g.agent] = false
		} else {
			c.advance()
		}
	}
	if g.work && !g.started {
		if !c.turn(g.agent) {
			return g.wait(t, nil)
		}
		g.started = true
		c.advance()
	}
	if g.adding {
		// The second half of a plain add.
		g.adding = false
		t.A = t.Result + g.value
		return g.gate(t, &g.write)
	}
	return g.gate(t, g.inner.Next(t))
}

// gate lets an operation begin if it is no step, or if it is its turn.
func (g *guard) gate(t *cpus.Task, op *cpus.Op) *cpus.Op {
	if op.Kind == cpus.Exit {
		g.started = false
	}
	if !g.isStep(op) {
		return op
	}
	if op.Kind == cpus.AddPlain {
		g.value, g.adding = t.A, true
		g.read, g.write = *op, *op
		g.read.Kind, g.write.Kind = cpus.LoadPlain, cpus.StorePlain
		op = &g.read
	}
	if !g.conductor.turn(g.agent) {
		return g.wait(t, op)
	}
	return g.begin(t, op)
}

// wait holds op back; a nil op is the start of a work item.
func (g *guard) wait(t *cpus.Task, op *cpus.Op) *cpus.Op {
	g.held = op
	g.conductor.waiting[g.agent] = t
	return &turnOp
}

// begin lets a step begin.
func (g *guard) begin(t *cpus.Task, op *cpus.Op) *cpus.Op {
	g.last = op
	if sleeps(op) {
		// It ends when it was woken: the schedule goes on meanwhile.
		g.conductor.inside[g.agent] = true
		g.conductor.advance()
	}
	return op
}

// sleeps reports whether an operation waits on a queue: enqueueing is a step of its own,
// and it ends after a wake-up.
func sleeps(op *cpus.Op) bool {
	if op.Kind != cpus.Call {
		return false
	}
	_, waits := op.Prim.(*kernelmodel.WaitPoint)
	_, queue := op.Prim.(*kernelmodel.WaitQueue)
	return waits || queue && op.Sub == kernelmodel.SleepOn
}

// isStep reports whether an operation is a visible step of an exploration. The reads
// of one spin_until together are one.
func (g *guard) isStep(op *cpus.Op) bool {
	switch op.Kind {
	case cpus.Exit, cpus.Compute, cpus.Sleep, cpus.Walk, cpus.FenceWrite, cpus.FenceRead,
		cpus.BHOff, cpus.BHOn, cpus.PreemptOff, cpus.PreemptOn:
		return false
	}
	if op.Kind == cpus.Call && cpus.LifeOf(op.Prim) != nil {
		return false // start and join
	}
	again := g.label == op.Label && strings.HasPrefix(g.conductor.workload.Steps[op.Label].Text, "spin_until")
	g.label = op.Label
	return !again
}

// turn reports whether the schedule has come to an agent. Behind its end everybody
// goes on as the machine times it.
func (c *conductor) turn(agent int) bool {
	return c.at >= len(c.schedule) || int(c.schedule[c.at]) == agent
}

// advance goes on to the next step and lets those go on whose turn has come. The rest
// of an operation that is several steps comes by itself.
func (c *conductor) advance() {
	for c.at++; c.at < len(c.schedule) && c.inside[c.schedule[c.at]]; c.at++ {
	}
	for agent, t := range c.waiting {
		if t != nil && t.State() == cpus.SpinState && c.turn(agent) {
			c.waiting[agent] = nil
			c.machine.Resume(t, c.machine.Sim.Now())
		}
	}
}

// turnOp keeps a task on its CPU until its turn has come.
var turnOp = cpus.Op{Kind: cpus.Call, Prim: turn{}}

type turn struct{}

// Name is what reports call the wait.
func (turn) Name() string { return "its turn in the schedule" }

// Begin waits.
func (turn) Begin(*cpus.Task, *cpus.Op) cpus.Until { return cpus.Spinning }

// Step ends the wait.
func (turn) Step(*cpus.Task, *cpus.Op) cpus.Until { return cpus.Finished }

// TimedReplay is a schedule replayed on the timed machine.
type TimedReplay struct {
	// Picture is the timeline of its CPUs.
	Picture *plots.Figure
	// Steps is how many steps of the schedule were done, of Of.
	Steps, Of int
	Elapsed   des.Time
	// Failure says what broke, if anything did.
	Failure string
}

// String says what came of it.
func (r *TimedReplay) String() string {
	text := fmt.Sprintf("timed: %d of %d steps in %v of virtual time\n", r.Steps, r.Of, r.Elapsed)
	if r.Steps < r.Of {
		text += fmt.Sprintf("the timed run diverged: step %d never came about\n", r.Steps+1)
	}
	return text + indent(r.Failure)
}

// ReplayTimed does a schedule on the timed machine of the experiment's only cell: every
// step in its place, and with its cost. Mistakes are a *yamlfile.Problems.
func (s *Source) ReplayTimed(x *Experiment, schedule explore.Schedule) (*TimedReplay, error) {
	var problems yamlfile.Problems
	c := &x.Cells[0]
	jobs := []job{{cell: c, seed: x.Seed, window: &window{0, int64(des.Second)}}}
	x.link(jobs, &problems)
	if c.makesCalls() {
		problems.Addf(c.pos("tasks"), "a schedule of programs that make system calls has steps within the calls, which a timed machine orders by their costs")
	}
	if c.Explore != nil && c.Explore.Memory == "tso" {
		problems.Addf(c.pos("explore", "memory"), "a schedule under tso says when store buffers drain; a timed machine decides that by its costs")
	}
	j := &jobs[0]
	if problems.Len() == 0 {
		j.conductor = newConductor(j.linked, c.Tasks, schedule)
		if n := len(j.conductor.waiting); n > j.linked.cpus {
			problems.Addf(c.pos("machine"), "%d tasks and work items wait for their turns, each on a CPU of its own: the machine has %d", n, j.linked.cpus)
		}
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	record, err := j.simulate()
	if err != nil {
		return nil, &Fault{err}
	}
	r := &TimedReplay{Steps: min(j.conductor.at, len(schedule)), Of: len(schedule), Elapsed: record.Observed.Elapsed, Failure: record.Failure}
	t := table{experiment: x}
	head := t.head(&Plot{Kind: TimelinePlot, Variant: x.variantName(c)})
	head.Subtitle += " · a schedule replayed: spinning is waiting for a turn"
	r.Picture, err = timelineOf(record.Observed, head, busy(record.Observed), 0, int64(record.Observed.Elapsed)).Figure()
	return r, err
}

// busy is how many CPUs, from the first on, have done something.
func busy(o *observe.Result) int {
	n := 1
	for _, s := range o.Timeline.Slices {
		if s.Mode != cpus.Idle {
			n = max(n, s.CPU+1)
		}
	}
	return n
}
