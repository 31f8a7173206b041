package explore

// What can go with a step is part of what it touches, whether or not it then does: only
// so is it known before the step is done. It is computed from the shape of the programs:
// which operations can follow a step, up to the next step, and what those mean to other
// agents.

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
	if p.spec.TSO {
		p.describeDrains()
	}
	p.describeChecks()
	p.describePools()
	p.describeCPUs()
	p.prune()
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
