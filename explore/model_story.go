package explore

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// modelStep is what the last Do has done, for Describe.
type modelStep struct {
	agent, object int32
	kind          opKind
	phase         uint8
	// asleep: the agent has gone to sleep.
	asleep bool
	word   *cpus.Word
	// value is what was read, written or returned.
	value int64
}

// Labels from placeLabels on are places of assertions and conditions in the file: the
// line, and the column in the lowest bits.
const (
	placeLabels = 1 << 30
	columnBits  = 10
)

// placeLabel is the label of a place.
func placeLabel(p yamlfile.Pos) int32 {
	if p.Line == 0 || p.Line >= placeLabels>>columnBits || p.Column >= 1<<columnBits {
		return 0
	}
	return int32(placeLabels | p.Line<<columnBits | p.Column)
}

// Source returns the step that has a label. Steps of functions have no place, and places
// of assertions and conditions no text.
func (m *Model) Source(label int32) *workloads.Step {
	switch {
	case m.isSource(label):
		return &m.built.Workload.Steps[label]
	case label >= placeLabels:
		at := int(label - placeLabels)
		pos := yamlfile.Pos{Line: at >> columnBits, Column: at & (1<<columnBits - 1)}
		if w := m.built.Workload; w != nil && len(w.Steps) > 1 {
			pos.File = w.Steps[1].Pos.File
		}
		return &workloads.Step{Pos: pos}
	default:
		return &workloads.Step{Text: m.stepText(label)}
	}
}

// Describe says what the last Do read, wrote or returned, in a few words: "x = 1". It
// is empty where there is nothing of that kind.
func (m *Model) Describe() string {
	d := &m.last
	switch d.kind {
	case opRead, opWrite, opAdd:
		if d.word != nil {
			return fmt.Sprintf("%s = %d", m.wordName(d.word), d.value)
		}
	case opModify:
		switch {
		case d.word == nil:
		case m.done.Access&Increment != 0:
			return fmt.Sprintf("%s = %d", m.wordName(d.word), d.value)
		default:
			return fmt.Sprintf("%s returned %d", m.wordName(d.word), d.value)
		}
	case opTryLock, opReadBegin, opReadRetry:
		return fmt.Sprintf("%s returned %d", m.ObjectName(d.object), d.value)
	case opQueue:
		if d.value == 0 {
			return "was pending"
		}
	case opWake:
		return fmt.Sprintf("wakes %d", d.value)
	case opCancel:
		return [...]string{"takes PENDING", "gives PENDING back"}[d.phase]
	case opWait:
		switch {
		case d.phase == waitEnqueue:
			return "enqueues"
		case d.value != 0:
			return "holds"
		case d.asleep:
			return "does not hold: sleeps"
		default:
			return "does not hold, but was woken"
		}
	case opRun:
		return "starts"
	}
	return ""
}

// wordName names a word: a work item's is its PENDING bit.
func (m *Model) wordName(w *cpus.Word) string {
	if agent := m.objects[m.idOf(w.Identity())].agent; agent > 0 {
		return "pending(" + m.agents[agent-1].name + ")"
	}
	return w.Name()
}

// Values returns what the words hold now that were built, and the registers of programs
// under the name of their task.
func (m *Model) Values() []workloads.WordValue {
	var values []workloads.WordValue
	built := m.machine.Built()
	for i, o := range built {
		w, ok := o.(*cpus.Word)
		if !ok || m.objects[i].agent > 0 {
			continue // or it is a work item's
		}
		if i > 0 {
			if _, inside := built[i-1].(*kernelmodel.Spinlock); inside && w.Name() == built[i-1].Name()+".sequence" {
				continue // a seqlock's
			}
		}
		values = append(values, workloads.WordValue{Name: w.Name(), Value: w.Value})
	}
	for i := range m.agents {
		a := &m.agents[i]
		if a.program == nil {
			continue
		}
		names := a.program.Registers()
		for k, v := range m.built.Linked.Registers(a.program, int(a.task.Index())) {
			values = append(values, workloads.WordValue{Name: a.name + "." + names[k], Value: v})
		}
	}
	return values
}
