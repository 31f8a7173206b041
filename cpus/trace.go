package cpus

import "smpsim/des"

// TraceKind names a tracepoint. Where the kernel has one, ours has its name.
type TraceKind uint8

// Tracepoints.
const (
	// TraceMode: a CPU's mode has changed to Arg.
	TraceMode TraceKind = iota + 1
	// TraceSchedSwitch: the CPU takes up Task; Arg is the ID of the task it
	// leaves, or -1.
	TraceSchedSwitch
	// TraceSchedWakeup: Task was woken and put on CPU.
	TraceSchedWakeup
	// TraceContentionBegin: Task begins to wait for the lock Name.
	TraceContentionBegin
	// TraceContentionEnd: it has the lock; Arg is how long it waited.
	TraceContentionEnd
	// TraceLockAcquired: Task has taken the lock Name, waiting or not; Arg is
	// how long the acquisition took since it was asked for.
	TraceLockAcquired
	// TraceLockReleased: Task gives the lock back; Arg is how long it was held.
	TraceLockReleased
	// TraceFuncEntry and TraceFuncReturn: Task is in the function Name; Arg of
	// the return is how long it took.
	TraceFuncEntry
	TraceFuncReturn
	// TraceQueueWork: Task has queued the work item Name.
	TraceQueueWork
	// TraceExecuteStart and TraceExecuteEnd: worker Task runs the item Name; Arg
	// is how long it was queued, and how long it ran.
	TraceExecuteStart
	TraceExecuteEnd
	// TraceTickEntry and TraceTickExit: the timer interrupt's handler on CPU.
	TraceTickEntry
	TraceTickExit
	// TraceMark: Task passed the mark Name; Arg is the time since it last did,
	// or -1 at the first.
	TraceMark
	// TraceSample: the quantity Name has the value Arg.
	TraceSample
	// TraceIRQEntry and TraceIRQExit: the handler of the interrupt Name on CPU; Arg is
	// its Context.
	TraceIRQEntry
	TraceIRQExit
)

// NameID stands for a name in trace events.
type NameID int32

// TraceEvent is one passage of a tracepoint.
type TraceEvent struct {
	At   des.Time
	Arg  int64
	Kind TraceKind
	CPU  int16
	Task int32
	Name NameID
}

// Tracer receives trace events as they happen, in the order of the clock.
type Tracer interface {
	Trace(e TraceEvent)
}

// SetTracer attaches the machine's one tracer; nil detaches it.
func (m *Machine) SetTracer(t Tracer) { m.tracer = t }

// Intern returns the ID of a name.
func (m *Machine) Intern(name string) NameID {
	id, ok := m.nameIDs[name]
	if !ok {
		id = NameID(len(m.names))
		m.names = append(m.names, name)
		m.nameIDs[name] = id
	}
	return id
}

// NameOf returns the name with that ID.
func (m *Machine) NameOf(id NameID) string { return m.names[id] }

// Names returns every name interned so far; a NameID is its index.
func (m *Machine) Names() []string { return m.names }

// Trace passes a tracepoint on behalf of t.
func (m *Machine) Trace(kind TraceKind, t *Task, name NameID, arg int64) {
	if m.tracer == nil {
		return
	}
	cpu := int16(-1)
	if t.cpu != nil {
		cpu = t.cpu.index
	}
	m.tracer.Trace(TraceEvent{At: m.Sim.Now(), Arg: arg, Kind: kind, CPU: cpu, Task: int32(t.id), Name: name})
}

// Sample traces a value of the quantity name, outside any task.
func (m *Machine) Sample(name NameID, value int64) {
	if m.tracer != nil {
		m.tracer.Trace(TraceEvent{At: m.Sim.Now(), Arg: value, Kind: TraceSample, CPU: -1, Task: -1, Name: name})
	}
}
