package explore

import (
	"slices"

	"smpsim/cpus"
	"smpsim/kernelmodel"
	"smpsim/workloads"
)

// describeWatched finds the tasks whose registers conditions name.
func (p *Program) describeWatched() {
	var polled, checked []string
	for i := range p.ops {
		if s := p.ops[i].source; s != nil {
			polled = append(polled, s.Named.Tasks...)
		}
	}
	for k := range p.spec.Workload.Always {
		checked = append(checked, p.explored.Named(&p.spec.Workload.Always[k]).Tasks...)
	}
	p.polled, p.watched = make([]bool, len(p.who)), make([]bool, len(p.who))
	for i := range p.who {
		if w := &p.who[i]; w.program != nil {
			p.polled[i] = slices.Contains(polled, w.program.Name)
			p.watched[i] = p.polled[i] || slices.Contains(checked, w.program.Name)
		}
	}
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

// prune takes away what orders nothing: objects that one agent alone touches, and ends,
// runs and registers that nobody waits for or looks at.
func (p *Program) prune() {
	const nobody, many = -1, -2
	who := make([]int32, p.idSlot)
	for i := range who {
		who[i] = nobody
	}
	// A step that looks at registers may also change them, through a join: what it does
	// to them does not tell that it looks.
	awaited := make([]bool, p.idSlot)
	copy(awaited[p.idRegisters:], p.polled)
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
