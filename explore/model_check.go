package explore

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"smpsim/cpus"
	"smpsim/workloads"
)

// note notes a finding of the last Do: the same each time, so that what is found in
// many executions is made once.
func (m *Model) note(kind Kind, label int32, what string) {
	key := Finding{Kind: kind, What: what, Label: label}
	f := m.known[key]
	if f == nil {
		f = &Finding{Kind: kind, What: what, Label: label}
		m.known[key] = f
	}
	m.found = append(m.found, f)
}

// failed notes the failure that an agent has met; the agent goes no further.
func (m *Model) failed(a *modelAgent, err error) {
	a.status, a.gate, a.kind = statusHalted, gateShut, opHalt
	m.halted = true
	var failure *workloads.Failure
	var bug *cpus.Bug
	switch {
	case errors.As(err, &failure):
		m.report(failure)
	case errors.As(err, &bug):
		m.note(Bug, 0, fmt.Sprintf("%s (task %s)", bug.What, a.name))
	default:
		m.note(Bug, 0, err.Error())
	}
}

// report notes what a program of an experiment file does wrong; it goes on.
func (m *Model) report(f *workloads.Failure) bool {
	switch f.Kind {
	case workloads.AssertFailed:
		m.note(Assert, placeLabel(f.Pos), strings.TrimPrefix(f.Step, "assert: "))
	case workloads.Bug:
		m.note(Bug, placeLabel(f.Pos), f.Step+": "+f.What)
	default:
		m.note(Livelock, placeLabel(f.Pos), f.Step+": "+f.What)
	}
	return true
}

// misuse notes an op that its agent must not do now. It has no effect.
func (m *Model) misuse(a *modelAgent, what string) {
	label := m.label(a)
	m.note(Bug, label, m.stepText(label)+": "+what)
}

// checkSleep notes an op that may sleep where its agent must not, as the kernel's
// might_sleep() does, whether or not there is anything to wait for.
func (m *Model) checkSleep(a *modelAgent) {
	why := ""
	switch k := slices.IndexFunc(a.held, func(l heldLock) bool { return l.spins }); {
	case k >= 0:
		why = "while holding " + m.ObjectName(a.held[k].object)
	case a.irqOff > 0:
		why = "with interrupts off"
	case a.bhOff > 0:
		why = "with bottom halves off"
	case a.task.PreemptCount() > 0:
		why = "with preemption off"
	default:
		return
	}
	label := m.label(a)
	m.note(AtomicSleep, label, m.stepText(label)+" may sleep, "+why)
}

// reportHeld reports the locks that an agent holds at its end.
func (m *Model) reportHeld(a *modelAgent) {
	for _, l := range a.held {
		m.note(LockHeld, 0, fmt.Sprintf("%s is held by %s, which has ended", m.ObjectName(l.object), a.name))
	}
}

// always returns how many conditions must hold after every step.
func (m *Model) always() int {
	n := len(m.built.Always)
	if m.built.Workload != nil {
		n += len(m.built.Workload.Always)
	}
	return n
}

// alwaysName is the text of a condition that must hold after every step.
func (m *Model) alwaysName(k int) string {
	if k < len(m.built.Always) {
		return m.built.Always[k].What
	}
	return m.built.Workload.Always[k-len(m.built.Always)].Text
}

// touchChecks lets an agent's step touch the conditions of Always that look at what it
// changes: they are judged between steps. Where it is not known what they look at, that
// is any step.
func (m *Model) touchChecks(a *modelAgent) {
	for k := range m.always() {
		if k < len(m.built.Always) && m.built.Always[k].Words != nil {
			looks := func(w *cpus.Word) bool { return m.idOf(w.Identity()) == a.object }
			if a.step.Access&Writes == 0 || !slices.ContainsFunc(m.built.Always[k].Words, looks) {
				continue
			}
		}
		a.step.add(m.idAlways+int32(k), Reads|Writes)
	}
}

// judgeState judges what must hold after every step.
func (m *Model) judgeState() {
	if m.built.Check != nil {
		if err := m.built.Check(); err != nil {
			m.note(Bug, 0, err.Error())
		}
	}
	for k := range m.built.Always {
		c := &m.built.Always[k]
		holds, err := c.Holds()
		m.judge(Check, 0, c.What, true, holds, err)
	}
	if w := m.built.Workload; w != nil {
		m.judgeAll(Check, w.Always, true)
	}
}

// judgeAll judges conditions of the workload.
func (m *Model) judgeAll(kind Kind, conditions []workloads.Condition, want bool) {
	for k := range conditions {
		c := &conditions[k]
		holds, err := m.built.Linked.Holds(c)
		m.judge(kind, placeLabel(c.Pos), c.Text, want, holds, err)
	}
}

// judge notes a condition that is not as wanted. One that cannot be evaluated is a bug,
// and nothing else.
func (m *Model) judge(kind Kind, label int32, what string, want, holds bool, err error) {
	var failure *workloads.Failure
	switch {
	case errors.As(err, &failure):
		m.report(failure)
	case err != nil:
		m.note(Bug, label, what+": "+err.Error())
	case holds != want:
		m.note(kind, label, what)
	}
}

// End judges an execution in which nobody is enabled: that there is nobody who waits
// for ever, and what must hold at the end, or must not. After a bug it does not: who has
// met it stands where it is.
func (m *Model) End() *Finding {
	if !m.judged {
		m.found, m.shown, m.judged = m.found[:0], 0, true
		if !m.halted {
			m.judgeEnd()
		}
	}
	return m.Finding()
}

func (m *Model) judgeEnd() {
	for i := range m.agents {
		if m.stuck(i) {
			m.reportDeadlock()
			return
		}
	}
	for k := range m.built.Finally {
		c := &m.built.Finally[k]
		holds, err := c.Holds()
		m.judge(Check, 0, c.What, true, holds, err)
	}
	for k := range m.built.Never {
		c := &m.built.Never[k]
		holds, err := c.Holds()
		m.judge(Never, 0, c.What, false, holds, err)
	}
	if w := m.built.Workload; w != nil {
		m.judgeAll(Check, w.Finally, true)
		m.judgeAll(Never, w.Never, false)
	}
}

// stuck reports whether an agent that is not enabled has not finished: kernel threads
// may wait for ever, work items when they have nothing to do.
func (m *Model) stuck(i int) bool {
	a := &m.agents[i]
	if a.work == nil {
		return !a.kthread && a.status != statusUnstarted && a.status != statusEnded
	}
	queued := a.work.Pending().Value != 0 && m.item(int32(i)).writer == 0
	return a.status != statusIdle || queued
}
