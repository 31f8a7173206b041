package explore

import "fmt"

// mostQuiet is how many operations that are no steps a program may do in a row. More are
// taken to be a loop without end, as the interpreter takes so many turns without an
// operation.
const mostQuiet = 1_000_000

// advance lets an agent's program run on behind its operation, with the result of
// that, to its next step.
func (p *Program) advance(i int, result int64) {
	a := &p.agents[i]
	for range mostQuiet {
		number, pc, left, right := p.who[i].instance.Next(a.pc, result)
		if len(p.explored.Faults) > 0 {
			p.reportFaults()
		}
		a.op, a.pc, a.a, a.b, a.phase = number, pc, left, right, 0
		o := &p.ops[number]
		if o.sleeps {
			p.checkSleep(i, o)
		}
		if o.kind > opJoin {
			a.gate, a.need, a.masked = o.gate, o.cell, 0
			switch o.kind {
			case opFlush:
				p.beginFlush(i, o)
			case opCancel:
				p.orderBehind(i, o)
			}
			return
		}
		if o.kind != opQuiet {
			if p.perform(i, o); a.status != statusReady || a.op != number {
				return
			}
		}
		result = 0
	}
	a.status, a.gate = statusHalted, gateShut
	label := p.ops[a.op].label
	p.scratch = fmt.Appendf(p.scratch[:0], "%s: %d operations that are no steps", p.stepText(label), mostQuiet)
	p.report(Livelock, label, p.scratch)
}

// perform does an operation that is no step: it ends the agent, or starts or joins
// another, once the store buffer is empty. Where it has to wait first, and is over
// later, it lets the agent go on.
func (p *Program) perform(i int, o *op) {
	a := &p.agents[i]
	if o.kind == opHalt {
		a.status, a.gate = statusHalted, gateShut
		return
	}
	if !p.settled(i) {
		p.stop(i, statusSettling)
		return
	}
	waited := a.status != statusReady
	switch o.kind {
	case opExit:
		p.end(i)
		return
	case opStart:
		p.start(int(o.other))
	case opJoin:
		if p.agents[o.other].status != statusEnded {
			p.stop(i, statusJoining)
			return
		}
	}
	a.status = statusReady
	if waited {
		p.advance(i, 0)
	}
}

// stop leaves an agent where only another's step lets it go on.
func (p *Program) stop(i int, why status) {
	a := &p.agents[i]
	a.status, a.gate = why, gateShut
	if p.last.agent == int32(i) {
		a.masked = p.masked(i)
	}
}

// start lets a task begin; one that has begun is left alone.
func (p *Program) start(i int) {
	if a := &p.agents[i]; a.status == statusUnstarted {
		a.status = statusReady
		p.advance(i, 0)
	}
}

// end ends an agent's program: a task, or a run of a work item or a handler.
func (p *Program) end(i int) {
	w, a := &p.who[i], &p.agents[i]
	if p.setCells > 0 {
		p.reportHeld(i)
		clear(p.heldBy(i))
	}
	a.op, a.pc, a.masked = 0, 0, 0
	switch w.role {
	case roleTask:
		a.status, a.gate = statusEnded, gateShut
	case roleHandler:
		p.leaveCPU(i)
		a.status = statusIdle
		p.await(i, w.idle)
		if a.left != 0 {
			return
		}
		a.status, a.gate = statusEnded, gateShut
	case roleWork:
		a.status = statusIdle
		p.await(i, w.idle)
		p.endRun(i)
		return
	}
	for k := range p.who {
		if b := &p.agents[k]; b.status == statusJoining && p.ops[b.op].other == int32(i) {
			b.status = statusReady
			p.advance(k, 0)
		}
	}
}

// await leaves an agent at its idle operation.
func (p *Program) await(i int, idle int32) {
	a := &p.agents[i]
	a.op, a.pc, a.phase, a.a, a.b = idle, 0, 0, 0, 0
	a.gate, a.need = gateAsk, p.ops[idle].cell
}
