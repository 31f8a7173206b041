package explore

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Labels number the steps of programs, and behind them what can be done to each object.
const labelCodes = 128

// firstCall is the code of the first kind of operation of an object.
const firstCall = 64

// verbs name what is done, by code.
var verbs = map[int32]string{
	int32(cpus.Load): "read", int32(cpus.LoadPlain): "read_plain", int32(cpus.LoadAcquire): "acquire",
	int32(cpus.Store): "write", int32(cpus.StorePlain): "write_plain", int32(cpus.StoreRelease): "release",
	int32(cpus.AddPlain): "add_plain", int32(cpus.AddReturn): "add_return", int32(cpus.FetchAdd): "fetch_add",
	int32(cpus.Xchg): "xchg", int32(cpus.Cmpxchg): "cmpxchg", int32(cpus.IncNotZero): "inc_not_zero",
	int32(cpus.TestAndSet): "test_and_set", int32(cpus.FenceFull): "fence", int32(cpus.Sleep): "sleep",
	int32(cpus.IRQOff): "irq_off", int32(cpus.IRQOn): "irq_on", int32(cpus.BHOff): "bh_off", int32(cpus.BHOn): "bh_on",
	int32(cpus.PreemptOn): "preempt_on", int32(cpus.SharedRead): "sees", int32(cpus.SharedWrite): "sets", int32(cpus.SharedUpdate): "updates",
	firstCall + int32(opLock): "lock", firstCall + int32(opUnlock): "unlock", firstCall + int32(opTryLock): "trylock",
	firstCall + int32(opReadLock): "read_lock", firstCall + int32(opReadUnlock): "read_unlock",
	firstCall + int32(opWriteLock): "write_lock", firstCall + int32(opWriteUnlock): "write_unlock",
	firstCall + int32(opSeqLock): "write_lock", firstCall + int32(opSeqUnlock): "write_unlock",
	firstCall + int32(opReadBegin): "read_begin", firstCall + int32(opReadRetry): "read_retry",
	firstCall + int32(opTake): "take", firstCall + int32(opGive): "give", firstCall + int32(opQueue): "queue",
	firstCall + int32(opFlush): "flush", firstCall + int32(opCancel): "cancel", firstCall + int32(opWait): "wait",
	firstCall + int32(opSleepOn): "sleep_on", firstCall + int32(opWake): "wake", firstCall + int32(opSpin): "spin_until",
	firstCall + int32(opRun): "run", firstCall + int32(opJoin): "join", firstCall + int32(opStart): "start",
}

// label is the label of an agent's step.
func (m *Model) label(a *modelAgent) int32 {
	code := firstCall + int32(a.kind)
	if a.op != nil {
		if m.hasSource(a.op) {
			return a.op.Label
		}
		if a.op.Kind != cpus.Call {
			code = int32(a.op.Kind)
		}
	}
	object := a.object
	if object < 0 && a.other >= 0 {
		object = m.idLife + a.other
	}
	return m.labels + (object+1)*labelCodes + code
}

// hasSource reports whether an op is a step of the workload's programs.
func (m *Model) hasSource(op *cpus.Op) bool { return m.isSource(op.Label) }

// isSource reports whether a label is that of a step of the workload's programs.
func (m *Model) isSource(label int32) bool { return label > 0 && label < m.labels }

// stepText is a step as its file has it, or "lock: unix_gc_lock".
func (m *Model) stepText(label int32) string {
	switch {
	case m.isSource(label):
		return m.built.Workload.Steps[label].Text
	case label < m.labels || label >= placeLabels:
		return "a step"
	}
	object, verb := (label-m.labels)/labelCodes-1, verbs[(label-m.labels)%labelCodes]
	if object < 0 || object >= m.idCPU && object < m.idLife {
		return verb
	}
	if object >= m.idLife && object < m.idAlways {
		return verb + ": " + m.agents[object-m.idLife].name
	}
	return verb + ": " + m.ObjectName(object)
}

// StepName names a step by its label: "write: {x: 1} in line 7", "lock: unix_gc_lock".
func (m *Model) StepName(label int32) string {
	if line := m.Source(label).Pos.Line; line > 0 {
		return fmt.Sprintf("%s in line %d", m.stepText(label), line)
	}
	return m.stepText(label)
}

// AgentName names an agent: its task, or its work item.
func (m *Model) AgentName(a Agent) string { return m.agents[a].name }

// ObjectName names what a step touches.
func (m *Model) ObjectName(object int32) string {
	switch {
	case object < m.idCPU:
		return m.builtName(object)
	case object < m.idLife:
		return "interrupts of " + m.agents[object-m.idCPU].name
	case object < m.idAlways:
		return "the life of " + m.agents[object-m.idLife].name
	case object < m.idFence:
		return m.alwaysName(int(object - m.idAlways))
	case object == m.idFence:
		return "a full barrier"
	}
	if name, ok := m.names[object]; ok {
		return name
	}
	return fmt.Sprintf("object %d", object)
}

// builtName names what Build has made: a work item's pending bit is the item.
func (m *Model) builtName(object int32) string {
	built := m.machine.Built()
	switch o := built[object].(type) {
	case *kernelmodel.Work:
		return "runs of " + o.Name()
	case *cpus.Word:
		if agent := m.objects[object].agent; agent > 0 {
			return m.agents[agent-1].name
		}
	}
	return built[object].Name()
}
