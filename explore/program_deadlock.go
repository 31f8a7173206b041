package explore

import (
	"fmt"
	"slices"
	"strings"
)

// reportDeadlock says who waits for whom. What it says follows from the state.
func (p *Program) reportDeadlock() {
	p.scratch = p.State(p.scratch[:0])
	found, ok := p.deadlocks[string(p.scratch)]
	if !ok {
		found = p.deadlock()
		p.deadlocks[string(p.scratch)] = found
	}
	p.found = append(p.found, found...)
}

// deadlock makes the findings of a state in which nobody can go on.
func (p *Program) deadlock() []*Finding {
	var stuck []int
	for i := range p.who {
		if p.stuck(i) {
			stuck = append(stuck, i)
		}
	}
	told := waitCycle(len(p.who), stuck, func(i int) []int { _, others := p.waits(i); return others })
	if told == nil {
		told = stuck
	}
	var parts []string
	for _, i := range told {
		text, _ := p.waits(i)
		parts = append(parts, p.who[i].name+" "+text)
	}
	found := []*Finding{p.finding(Deadlock, p.waitingStep(told[0]), strings.Join(parts, "; "))}
	for _, i := range stuck {
		if p.queues > 0 && p.lost(i) {
			o := &p.ops[p.agents[i].op]
			found = append(found, p.finding(LostWakeup, o.label, fmt.Sprintf(
				"%s sleeps on %s for ever: the wake-up came between its test and its sleep",
				p.who[i].name, p.ObjectName(p.idObject+int32(o.source.Object)))))
		}
	}
	return found
}

// waitingStep is the label of the step that an agent waits in.
func (p *Program) waitingStep(i int) int32 { return p.ops[p.agents[i].op].label }

// waitCycle returns a cycle among n agents each of whom waits for the next, beginning
// with the first of those who are stuck, or nil.
func waitCycle(n int, stuck []int, waitsFor func(i int) []int) []int {
	for _, first := range stuck {
		// The way that was taken, by depth first.
		seen := make([]bool, n)
		var way []int
		var visit func(i int) bool
		visit = func(i int) bool {
			if i == first && len(way) > 0 {
				return true
			}
			if seen[i] {
				return false
			}
			seen[i] = true
			way = append(way, i)
			if slices.ContainsFunc(waitsFor(i), visit) {
				return true
			}
			way = way[:len(way)-1]
			return false
		}
		if visit(first) {
			return way
		}
	}
	return nil
}

// waits says what an agent waits for, and who could let it go on.
func (p *Program) waits(i int) (text string, others []int) {
	a := &p.agents[i]
	o := &p.ops[a.op]
	if by := p.interrupter(i); by >= 0 && p.who[i].role != roleWork {
		return fmt.Sprintf("waits for %s, which has interrupted it", p.who[by].name), []int{by}
	}
	step := "(" + p.stepText(o.label) + ")"
	switch {
	case a.status == statusUnstarted:
		return "was never started", nil
	case a.status == statusEnded:
		return "has ended", nil
	case a.status == statusJoining:
		return fmt.Sprintf("waits for the end of %s %s", p.who[o.other].name, step), []int{int(o.other)}
	case a.status == statusAsleep:
		return fmt.Sprintf("sleeps on %s %s", p.ObjectName(p.idObject+int32(o.source.Object)), step), nil
	case a.status == statusIdle && (o.kind != opRun || p.pool(p.who[i].object) < 0):
		return "has nothing to do", nil
	case o.kind == opRun:
		p.others(int32(i), func(agent int, _ int32) {
			if p.agents[agent].status != statusIdle {
				others = append(others, agent)
			}
		})
		return "is queued, and its workqueue is full", others
	case o.kind == opSpin:
		return "polls " + step, nil
	case o.kind == opFlush || o.kind == opCancel:
		return fmt.Sprintf("waits for a run of %s %s", p.who[o.other].name, step), []int{int(o.other)}
	case o.kind == opTake:
		return fmt.Sprintf("waits for %s %s", p.objectOf(o), step), nil
	}
	others = p.holders(o)
	names := make([]string, len(others))
	for k, other := range others {
		if names[k] = p.who[other].name; other == i {
			names[k] = "itself"
		}
		if p.agents[other].status == statusEnded {
			names[k] += " (ended)"
		}
	}
	return fmt.Sprintf("waits for %s %s, held by %s", p.objectOf(o), step, strings.Join(names, ", ")), others
}

// holders returns who holds the lock that an operation wants.
func (p *Program) holders(o *op) []int {
	var others []int
	writer := int(p.cells[o.cell]) - 1 // of all kinds of locks, the first cell
	if writer >= 0 {
		others = append(others, writer)
	}
	if o.kind == opWriteLock {
		for k := range p.who {
			if p.cells[o.cell+rwReads+int32(k)] > 0 {
				others = append(others, k)
			}
		}
	}
	return others
}

// objectOf names the object of an operation.
func (p *Program) objectOf(o *op) string { return p.spec.Workload.Objects[o.source.Object].Name }
