package explore

import (
	"fmt"

	"smpsim/workloads"
	"smpsim/yamlfile"
)

// place is a place in the file.
type place struct {
	pos  yamlfile.Pos
	text string
}

// labelPlaces numbers all places that are no operations, behind the operations.
func (p *Program) labelPlaces() {
	p.labels = make(map[place]int32)
	p.places = append(p.places, p.spec.Workload.Steps...)
	for _, s := range p.explored.Places() {
		p.labels[place{s.Pos, s.Text}] = int32(len(p.places))
		p.places = append(p.places, s)
	}
}

// labelOf is the label of the place that a fault is at.
func (p *Program) labelOf(f workloads.Fault) int32 { return p.labels[place{f.Pos, f.Step}] }

// Source returns the step that has a label: those of the workload, and places of
// assertions and conditions behind them.
func (p *Program) Source(label int32) *workloads.Step { return &p.places[label] }

// stepText is a step as it is written.
func (p *Program) stepText(label int32) string { return p.places[label].Text }

// StepName names a source step: "write: {x: 1} in line 7".
func (p *Program) StepName(label int32) string {
	s := &p.places[label]
	if s.Pos.Line == 0 {
		return s.Text
	}
	return fmt.Sprintf("%s in line %d", s.Text, s.Pos.Line)
}

// AgentName names an agent: "sender[1]", "gc", "buffer of left".
func (p *Program) AgentName(a Agent) string { return p.who[a].name }

// Owner returns for whom an agent acts: a store buffer for its CPU's task or work item.
// What a handler has stored counts as the task's, too, so that a race of just these two
// does not show under TSO; it does under sequential consistency.
func (p *Program) Owner(a Agent) Agent {
	if w := &p.who[a]; w.role == roleBuffer {
		return Agent(w.target)
	}
	return a
}

// ObjectName names what a step touches.
func (p *Program) ObjectName(object int32) string {
	w := p.spec.Workload
	n := object
	for _, kind := range []struct {
		from int32
		name func(n int32) string
	}{
		{p.idSlot, func(n int32) string { return "the store buffer of " + p.cpuName(n/bufferSize) }},
		{p.idFence, func(int32) string { return "a full barrier" }},
		{p.idPool, func(n int32) string { return "the items of " + w.Objects[n].Name }},
		{p.idRegisters, func(n int32) string { return "registers of " + p.who[n].name }},
		{p.idCheck, func(n int32) string { return w.Always[n].Text }},
		{p.idWriter, func(n int32) string { return "writers of " + w.Objects[n].Name }},
		{p.idReader, func(n int32) string { return "readers of " + w.Objects[n].Name }},
		{p.idDone, func(n int32) string { return "runs of " + w.Objects[n].Name }},
		{p.idLife, func(n int32) string { return "the life of " + p.who[n].name }},
		{p.idCPU, func(n int32) string { return "interrupts of " + p.cpuName(n) }},
		{p.idObject, func(n int32) string { return w.Objects[n].Name }},
	} {
		if object >= kind.from {
			return kind.name(n - kind.from)
		}
	}
	if o := w.Objects[p.explored.WordObject(int(object))]; o.Kind == workloads.WorkItem {
		return o.Name
	}
	return p.explored.WordName(int(object))
}

// cpuName names a CPU by who has it.
func (p *Program) cpuName(cpu int32) string {
	for i := range p.who {
		if p.who[i].cpu == cpu {
			return p.who[i].name
		}
	}
	return ""
}

// Describe says what the last Do read, wrote or returned, in a few words: "x = 1". It
// is empty where there is nothing of that kind.
func (p *Program) Describe() string {
	d := &p.last
	o := &p.ops[d.op]
	if p.who[d.agent].role == roleBuffer {
		return fmt.Sprintf("%s reaches memory", p.describeStore(o, d.value))
	}
	switch o.kind {
	case opRead:
		return fmt.Sprintf("%s = %d", p.wordName(o), d.value)
	case opWrite, opAdd:
		if o.fills(d.phase) {
			return p.describeStore(o, d.value) + ", buffered"
		}
		return fmt.Sprintf("%s = %d", p.wordName(o), d.value)
	case opModify:
		if o.steps[0].Access&Increment != 0 {
			return fmt.Sprintf("%s = %d", p.wordName(o), d.value)
		}
		return fmt.Sprintf("%s returned %d", p.wordName(o), d.value)
	case opTryLock, opReadBegin, opReadRetry:
		return fmt.Sprintf("%s returned %d", p.objectOf(o), d.value)
	case opUnlock, opReadUnlock, opWriteUnlock, opSeqUnlock:
		if p.spec.TSO {
			return "buffered"
		}
	case opQueue:
		if d.value == 0 {
			return "was pending"
		}
	case opWake:
		return fmt.Sprintf("wakes %d", d.value)
	case opCancel:
		return [...]string{"takes PENDING", "gives PENDING back"}[d.phase]
	case opWait:
		return p.describeTest(d)
	case opRun:
		return "starts"
	case opArrive:
		return "interrupts " + p.who[p.who[d.agent].target].name
	}
	return ""
}

// describeStore says what a store that goes through the buffer stores.
func (p *Program) describeStore(o *op, value int64) string {
	if o.kind == opWrite || o.kind == opAdd {
		return fmt.Sprintf("%s = %d", p.wordName(o), value)
	}
	return p.stepText(o.label)
}

// wordName names the word of an operation.
func (p *Program) wordName(o *op) string { return p.explored.WordName(int(o.cell)) }

func (p *Program) describeTest(d *done) string {
	switch {
	case d.phase == waitEnqueue:
		return "enqueues"
	case d.value != 0:
		return "holds"
	case p.agents[d.agent].status == statusAsleep:
		return "does not hold: sleeps"
	default:
		return "does not hold, but was woken"
	}
}

// Values returns what words and the registers of tasks hold now, registers under the
// name of their task: "left.r".
func (p *Program) Values() []workloads.WordValue {
	var values []workloads.WordValue
	for word := range p.words {
		if p.spec.Workload.Objects[p.explored.WordObject(word)].Kind != workloads.WorkItem {
			values = append(values, workloads.WordValue{Name: p.explored.WordName(word), Value: p.cells[word]})
		}
	}
	for i := range p.who {
		w := &p.who[i]
		if w.program == nil {
			continue
		}
		first, names := p.explored.Registers(w.program, w.index)
		for k, name := range names {
			values = append(values, workloads.WordValue{Name: w.name + "." + name, Value: p.cells[p.words+first+k]})
		}
	}
	return values
}
