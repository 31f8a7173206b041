package explore

import (
	"strings"

	"smpsim/workloads"
)

// finding returns the finding with those words: the same each time, so that what is
// found in many executions is made once.
func (p *Program) finding(kind Kind, label int32, what string) *Finding {
	f := p.known[Finding{Kind: kind, What: what, Label: label}]
	if f == nil {
		f = &Finding{Kind: kind, What: what, Label: label}
		p.known[*f] = f
	}
	return f
}

// report notes a finding of the last Do. It allocates what it has not reported before.
func (p *Program) report(kind Kind, label int32, what []byte) {
	f := p.known[Finding{Kind: kind, What: string(what), Label: label}]
	if f == nil {
		f = p.finding(kind, label, string(what))
	}
	p.found = append(p.found, f)
}

// misuse reports an operation that its agent must not do now. It has no effect.
func (p *Program) misuse(o *op, what string) {
	p.scratch = append(append(append(p.scratch[:0], p.stepText(o.label)...), ": "...), what...)
	p.report(Bug, o.label, p.scratch)
}

// checkSleep reports an operation that may sleep where its agent must not, as the
// kernel's might_sleep() does, whether or not there is anything to wait for.
func (p *Program) checkSleep(i int, o *op) {
	why := p.atomic(i)
	if why == "" {
		return
	}
	p.scratch = append(append(append(p.scratch[:0], p.stepText(o.label)...), " may sleep, "...), why...)
	p.report(AtomicSleep, o.label, p.scratch)
}

// reportFaults turns what a program or a condition did wrong into findings.
func (p *Program) reportFaults() {
	for _, f := range p.explored.Faults {
		known := p.faults[f]
		if known == nil {
			known = p.faultFinding(f)
			p.faults[f] = known
		}
		p.found = append(p.found, known)
	}
	p.explored.Faults = p.explored.Faults[:0]
}

func (p *Program) faultFinding(f workloads.Fault) *Finding {
	label := p.labelOf(f)
	switch f.Kind {
	case workloads.AssertFailed:
		return p.finding(Assert, label, strings.TrimPrefix(f.Step, "assert: "))
	case workloads.Bug:
		return p.finding(Bug, label, f.Step+": "+f.What)
	default:
		return p.finding(Livelock, label, f.Step+": "+f.What)
	}
}

// checkAlways judges what must hold after every step.
func (p *Program) checkAlways() {
	always := p.spec.Workload.Always
	for k := range always {
		p.judge(Check, &always[k], true)
	}
}

// judge reports a condition that is not as wanted. One that cannot be evaluated is a
// bug, and nothing else.
func (p *Program) judge(kind Kind, c *workloads.Condition, want bool) {
	holds := p.explored.Holds(c)
	switch {
	case len(p.explored.Faults) > 0:
		p.reportFaults()
	case holds != want:
		label := p.labelOf(workloads.Fault{Pos: c.Pos, Step: c.Text})
		p.found = append(p.found, p.finding(kind, label, c.Text))
	}
}

// End judges an execution in which nobody is enabled: that there is nobody who waits
// for ever, and what must hold at the end, or must not.
func (p *Program) End() *Finding {
	if !p.judged {
		p.found, p.shown, p.judged = p.found[:0], 0, true
		p.judgeEnd()
	}
	return p.Finding()
}

func (p *Program) judgeEnd() {
	for i := range p.who {
		if p.agents[i].status == statusHalted {
			return // has been told
		}
	}
	for i := range p.who {
		if p.stuck(i) {
			p.reportDeadlock()
			return
		}
	}
	w := p.spec.Workload
	for k := range w.Finally {
		p.judge(Check, &w.Finally[k], true)
	}
	for k := range w.Never {
		p.judge(Never, &w.Never[k], false)
	}
}

// stuck reports whether an agent that is not enabled has not finished: kernel threads
// may wait for ever, work items and handlers when they have nothing to do.
func (p *Program) stuck(i int) bool {
	a := &p.agents[i]
	switch p.who[i].role {
	case roleTask:
		return !p.who[i].kthread && a.status != statusUnstarted && a.status != statusEnded
	case roleWork:
		run := &p.ops[p.who[i].idle]
		queued := p.cells[run.steps[0].Objects[0]] != 0 && p.cells[run.cell+workCanceller] == 0
		return a.status != statusIdle || queued
	case roleHandler:
		return a.status != statusIdle && a.status != statusEnded
	default:
		return false // whoever has a store in it is enabled
	}
}
