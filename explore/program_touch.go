package explore

import (
	"slices"

	"smpsim/cpus"
	"smpsim/kernelmodel"
	"smpsim/workloads"
)

// describeTouches adds to all steps what can go with them, and what orders them beside
// the objects of their operations. What nobody else touches is left out.
func (p *Program) describeTouches() {
	p.describeWatched()
	if p.spec.TSO {
		p.describeSlots()
	}
	known := make(map[[2]int][]Touch)
	for i := 1; i < len(p.ops); i++ {
		if o := &p.ops[i]; o.kind > opJoin && o.kind != opDrain {
			p.describeConsequences(o, known)
		}
	}
	for i := range p.who {
		p.describeFirst(int32(i))
	}
	p.describeChecks()
	p.describePools()
	p.describeCPUs()
	if p.spec.TSO {
		p.describeDrains()
	}
	p.prune()
}

// describeWatched finds the tasks whose registers conditions name.
func (p *Program) describeWatched() {
	var names []string
	for i := range p.ops {
		if s := p.ops[i].source; s != nil {
			names = append(names, s.Named.Tasks...)
		}
	}
	for k := range p.spec.Workload.Always {
		names = append(names, p.explored.Named(&p.spec.Workload.Always[k]).Tasks...)
	}
	p.watched = make([]bool, len(p.who))
	for i := range p.who {
		w := &p.who[i]
		p.watched[i] = w.program != nil && slices.Contains(names, w.program.Name)
	}
}

// prune takes away what orders nothing: objects that one agent alone touches, and ends,
// runs and registers that nobody waits for or looks at.
func (p *Program) prune() {
	const nobody, many = -1, -2
	who := make([]int32, p.idSlot)
	for i := range who {
		who[i] = nobody
	}
	awaited := make([]bool, p.idSlot)
	everyStep := func(f func(agent int32, s *Step)) {
		for i := 1; i < len(p.ops); i++ {
			o := &p.ops[i]
			for _, s := range append(o.allSteps(), &o.drain) {
				f(o.agent, s)
			}
		}
	}
	everyStep(func(agent int32, s *Step) {
		for _, t := range s.Others {
			if t.Object >= p.idSlot {
				continue
			}
			awaited[t.Object] = awaited[t.Object] || t.Access&Writes == 0 || t.Access&Acquires != 0
			switch who[t.Object] {
			case nobody:
				who[t.Object] = agent
			case agent:
			default:
				who[t.Object] = many
			}
		}
	})
	everyStep(func(_ int32, s *Step) {
		s.Others = slices.DeleteFunc(s.Others, func(t Touch) bool {
			if t.Object < p.idLife || t.Object >= p.idSlot {
				return false
			}
			waitedFor := t.Object < p.idReader || t.Object >= p.idRegisters && t.Object < p.idPool
			return who[t.Object] != many || waitedFor && !awaited[t.Object]
		})
	})
}

// goingOn returns the steps of an operation behind which the program goes on.
func (o *op) goingOn() []*Step {
	switch o.kind {
	case opAdd, opCancel:
		return []*Step{&o.steps[1]}
	case opWait:
		return []*Step{&o.steps[waitTest], &o.steps[waitRetest]}
	case opSleepOn, opDrain:
		return nil // it goes on with another's step
	default:
		return []*Step{&o.steps[0], &o.failed}
	}
}

// allSteps returns the steps of an operation that its agent does.
func (o *op) allSteps() []*Step {
	switch o.kind {
	case opAdd, opCancel:
		return []*Step{&o.steps[0], &o.steps[1]}
	case opWait:
		return []*Step{&o.steps[0], &o.steps[1], &o.steps[2]}
	default:
		return []*Step{&o.steps[0], &o.failed}
	}
}

// behind is where a program goes on behind one of its operations.
func (p *Program) behind(o *op) int {
	w := &p.who[o.agent]
	if o.source == nil {
		return 0
	}
	return w.instance.Behind(int(o.number - w.first))
}

// consequences gathers what can go with a step.
type consequences struct {
	*Program
	step Step
	seen map[[2]int]bool
}

// describeConsequences adds to an operation's steps what can go with them.
func (p *Program) describeConsequences(o *op, known map[[2]int][]Touch) {
	at := [2]int{int(o.agent), p.behind(o)}
	others, ok := known[at]
	if !ok || o.kind == opWake {
		c := p.newConsequences()
		c.follow(o.agent, at[1])
		if others = c.step.Others; o.kind != opWake {
			known[at] = others
		} else {
			for i := range p.ops {
				if s := &p.ops[i]; s.kind == opSleepOn && s.source.Object == o.source.Object {
					c.follow(s.agent, p.behind(s))
				}
			}
			others = c.step.Others
		}
	}
	for _, s := range o.goingOn() {
		for _, t := range others {
			s.add(t.Object, t.Access)
		}
	}
}

func (p *Program) newConsequences() *consequences {
	return &consequences{Program: p, seen: make(map[[2]int]bool)}
}

// follow adds what it means that an agent goes on from pc to its next step.
func (c *consequences) follow(agent int32, pc int) {
	at := [2]int{int(agent), pc}
	if c.seen[at] {
		return
	}
	c.seen[at] = true
	w := &c.who[agent]
	if c.watched[agent] {
		c.step.add(c.idRegisters+agent, Reads|Writes)
	}
	for _, k := range w.instance.Follow(pc) {
		o := &c.ops[w.first+int32(k)]
		switch o.kind {
		case opQuiet, opJoin:
			c.follow(agent, w.instance.Behind(k))
		case opStart:
			c.step.add(c.idLife+o.other, Reads|Writes|Releases)
			c.follow(o.other, 0)
			c.follow(agent, w.instance.Behind(k))
		case opFlush:
			// Which runs it waits for is decided when it begins.
			c.step.add(c.item(o.source.Object), Reads)
		case opExit:
			c.end(agent)
		}
	}
}

// end adds what the end of an agent means.
func (c *consequences) end(agent int32) {
	w := &c.who[agent]
	switch w.role {
	case roleWork:
		c.step.add(c.idDone+int32(w.object), Reads|Writes|Releases)
		if q := c.pool(w.object); q >= 0 {
			c.step.add(c.idPool+int32(q), Reads|Writes)
		}
		return
	case roleHandler:
		c.step.add(c.idCPU+w.cpu, Reads|Writes|Releases)
	}
	c.step.add(c.idLife+agent, Reads|Writes|Releases)
	for _, n := range c.joins {
		if o := &c.ops[n]; o.other == agent {
			c.follow(o.agent, c.behind(o))
		}
	}
}

// describeFirst adds to the steps that an agent can do first, after it was started,
// has joined another or was woken, that they follow that.
func (p *Program) describeFirst(agent int32) {
	w := &p.who[agent]
	if w.instance == nil {
		return
	}
	if w.role == roleHandler {
		p.ops[w.idle].steps[0].add(p.idLife+w.target, Reads|Acquires)
	}
	after := func(pc int, object int32) {
		p.firstOps(agent, pc, func(o *op) {
			o.steps[0].Access |= Waits
			o.steps[0].add(object, Reads|Acquires)
			o.failed.add(object, Reads|Acquires)
		})
	}
	if w.manual {
		after(0, p.idLife+agent)
	}
	for k := range w.instance.Ops {
		o := &p.ops[w.first+int32(k)]
		switch o.kind {
		case opJoin:
			after(w.instance.Behind(k), p.idLife+o.other)
		case opSleepOn:
			after(w.instance.Behind(k), p.idObject+int32(o.source.Object))
		}
	}
}

// firstOps hands over the operations that are an agent's next steps from pc on.
func (p *Program) firstOps(agent int32, pc int, give func(*op)) {
	w := &p.who[agent]
	seen := make(map[int]bool)
	var from func(pc int)
	from = func(pc int) {
		if seen[pc] {
			return
		}
		seen[pc] = true
		for _, k := range w.instance.Follow(pc) {
			switch o := &p.ops[w.first+int32(k)]; {
			case o.kind == opExit:
			case o.kind <= opJoin:
				from(w.instance.Behind(k))
			default:
				give(o)
			}
		}
	}
	from(pc)
}

// describeChecks makes steps depend on each other that change what a condition of
// check.always looks at: it is judged between them.
func (p *Program) describeChecks() {
	for k := range p.spec.Workload.Always {
		named := p.explored.Named(&p.spec.Workload.Always[k])
		id := p.idCheck + int32(k)
		for i := 1; i < len(p.ops); i++ {
			o := &p.ops[i]
			for _, s := range append(o.allSteps(), &o.drain) {
				if p.changes(s, named) {
					s.add(id, Reads|Writes)
				}
			}
		}
	}
}

// changes reports whether a step can change what a condition looks at.
func (p *Program) changes(s *Step, named workloads.Named) bool {
	if s.Access&Writes != 0 {
		for _, object := range s.Objects {
			if slices.Contains(named.Words, int(object)) {
				return true
			}
		}
	}
	for _, t := range s.Others {
		agent := t.Object - p.idRegisters
		if agent >= 0 && t.Object < p.idPool && t.Access&Writes != 0 && slices.Contains(named.Tasks, p.who[agent].program.Name) {
			return true
		}
	}
	return false
}

// describePools makes steps depend on each other that queue and start the items of a
// workqueue that can be full.
func (p *Program) describePools() {
	for i := 1; i < len(p.ops); i++ {
		o := &p.ops[i]
		object := -1
		switch o.kind {
		case opQueue, opCancel:
			object = o.source.Object
		case opRun:
			object = p.who[o.agent].object
		}
		if object < 0 || p.pool(object) < 0 {
			continue
		}
		for _, s := range o.allSteps() {
			s.add(p.idPool+int32(p.pool(object)), Reads|Writes)
		}
	}
}

// pool is the workqueue that a work item is on, if that can be full, or -1.
func (p *Program) pool(object int) int {
	if q := p.spec.Workload.Objects[object].Workqueue(); q >= 0 && p.limited[q] {
		return q
	}
	return -1
}

// describeCPUs orders the steps on a CPU that has handlers: while one is there, nobody
// else on the CPU can go on.
func (p *Program) describeCPUs() {
	for i := 1; i < len(p.ops); i++ {
		o := &p.ops[i]
		w := &p.who[o.agent]
		if o.kind <= opJoin || o.kind == opDrain || !p.handled[w.cpu] {
			continue
		}
		for _, s := range o.allSteps() {
			s.Access |= Waits
			if !slices.Contains(s.Objects, p.idCPU+w.cpu) {
				s.add(p.idCPU+w.cpu, Reads|Writes)
			}
		}
	}
}

// masks reports whether interrupts matter.
func (p *Program) masks() bool {
	return slices.Contains(p.handled, true) || p.uses(func(s *workloads.ExploredOp) bool {
		switch s.Kind {
		case cpus.IRQOff, cpus.IRQOn, cpus.BHOff, cpus.BHOn:
			return true
		}
		return s.Kind == cpus.Call && isMasking(s.Sub) && s.Object >= 0
	})
}

// uses reports whether a program has an operation of some kind.
func (p *Program) uses(is func(*workloads.ExploredOp) bool) bool {
	return slices.ContainsFunc(p.ops, func(o op) bool { return o.source != nil && is(o.source) })
}

func isMasking(sub uint8) bool {
	return sub >= kernelmodel.LockIRQ && sub <= kernelmodel.UnlockBH
}

func isSleepOn(s *workloads.ExploredOp) bool {
	return s.Kind == cpus.Call && s.Sub == kernelmodel.SleepOn && s.Object >= 0
}
