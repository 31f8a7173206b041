package explore

import (
	"fmt"
	"strings"

	"smpsim/kernelmodel"
)

// reportDeadlock says who waits for whom.
func (m *Model) reportDeadlock() {
	var stuck []int
	for i := range m.agents {
		if m.stuck(i) {
			stuck = append(stuck, i)
		}
	}
	told := waitCycle(len(m.agents), stuck, func(i int) []int { _, others := m.waits(i); return others })
	if told == nil {
		told = stuck
	}
	var parts []string
	for _, i := range told {
		text, _ := m.waits(i)
		parts = append(parts, m.agents[i].name+" "+text)
	}
	m.note(Deadlock, m.label(&m.agents[told[0]]), strings.Join(parts, "; "))
	for _, i := range stuck {
		if a := &m.agents[i]; m.lost(a) {
			m.note(LostWakeup, m.label(a), fmt.Sprintf(
				"%s sleeps on %s for ever: the wake-up came between its test and its sleep", a.name, m.ObjectName(a.object)))
		}
	}
}

// waits says what an agent waits for, and who could let it go on.
func (m *Model) waits(i int) (text string, others []int) {
	a := &m.agents[i]
	step := "(" + m.stepText(m.label(a)) + ")"
	switch {
	case a.status == statusUnstarted:
		return "was never started", nil
	case a.status == statusEnded:
		return "has ended", nil
	case a.status == statusJoining:
		return fmt.Sprintf("waits for the end of %s %s", m.agents[a.other].name, step), []int{int(a.other)}
	case a.status == statusAsleep:
		return fmt.Sprintf("sleeps on %s %s", m.ObjectName(a.object), step), nil
	case a.status == statusIdle && m.objects[a.object].pool < 0:
		return "has nothing to do", nil
	case a.kind == opRun:
		m.others(int32(i), func(k int32, _ *modelObject) {
			if m.agents[k].status != statusIdle {
				others = append(others, int(k))
			}
		})
		return "is queued, and its workqueue is full", others
	case a.kind == opSpin:
		return "polls " + step, nil
	case a.kind == opFlush || a.kind == opCancel:
		return fmt.Sprintf("waits for a run of %s %s", m.agents[a.other].name, step), []int{int(a.other)}
	case a.kind == opTake:
		return fmt.Sprintf("waits for %s %s", m.ObjectName(a.object), step), nil
	}
	others = m.holders(a)
	names := make([]string, len(others))
	for k, other := range others {
		if names[k] = m.agents[other].name; other == i {
			names[k] = "itself"
		}
		if m.agents[other].status == statusEnded {
			names[k] += " (ended)"
		}
	}
	return fmt.Sprintf("waits for %s %s, held by %s", m.ObjectName(a.object), step, strings.Join(names, ", ")), others
}

// holders returns who holds the lock that an agent wants.
func (m *Model) holders(a *modelAgent) []int {
	var others []int
	if writer := m.objects[a.object].writer; writer > 0 {
		others = append(others, int(writer)-1)
	}
	if a.op.Sub == kernelmodel.WriteLock {
		for k := range m.agents {
			if m.agents[k].holds(a.object, false) >= 0 && a.kind == opWriteLock {
				others = append(others, k)
			}
		}
	}
	return others
}
