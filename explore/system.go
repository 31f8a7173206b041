package explore

// Agent is somebody who can do a step: a task, a work item's run, an interrupt
// handler, or a store buffer that drains. Agents are numbered from 0; tasks come
// first, in the order of the file.
type Agent int32

// Access is what a step does to an object it touches.
type Access uint8

// Flags of an access; they add up.
const (
	// Reads and Writes decide which steps depend on each other.
	Reads Access = 1 << iota
	Writes
	// Plain accesses are unmarked: two of them, or one and a marked one, can race.
	Plain
	// Acquires: what follows in the agent is ordered after what a release of the
	// object preceded; Releases is the other side. A locked read-modify-write that
	// returns a value is both. A release that only writes (smp_store_release) replaces
	// earlier releases of the object; one that also Reads (an unlock, a wake) adds to
	// them. A write that neither reads, acquires nor releases ends them.
	Acquires
	Releases
	// Increments of one object commute where the exploration says so (rmw_commute).
	Increment
	// Waits: whether the step is enabled depends on the state of its objects (a lock,
	// spin_until, a flush, the first step after a join, the start of a work item).
	Waits
	// Varies: what the step touches, and how, depends on the state of its objects (a
	// cmpxchg or a trylock that may fail, a wake that touches those it wakes, a read on
	// whose value it depends whether it is the last step, if the end is an object).
	// Both concern a whole step; reduction relies on them.
	Varies
)

// Touch is an object together with what a step does to it.
type Touch struct {
	Object int32
	Access Access
}

// Step is what an agent would do next, or has done: one visible operation.
//
// Where one step can enable, disable or change another agent's step, both must touch
// an object that the first one writes. Reduction relies on it, and panics where it
// sees that it does not hold.
type Step struct {
	// Objects are the identities of what it touches: words, array elements, locks,
	// work items, wait queues, interrupt states. None for a full fence.
	Objects []int32
	Access  Access
	// Label is the number of the source step, for transcripts; 0 for none.
	Label int32
	// Others are objects that it touches in another way than Objects: the end of a
	// task, for one, which goes with its last step.
	Others []Touch
}

// Depends reports whether the order of two steps of different agents matters: they
// touch one object and at least one writes it.
func (s *Step) Depends(o *Step, commute bool) bool {
	for _, a := range s.Objects {
		if o.clashes(a, s.Access, commute) {
			return true
		}
	}
	for _, t := range s.Others {
		if o.clashes(t.Object, t.Access, commute) {
			return true
		}
	}
	return false
}

// clashes reports whether the step does not commute with an access to an object.
func (s *Step) clashes(object int32, access Access, commute bool) bool {
	if clash(s.Access, access, commute) {
		for _, o := range s.Objects {
			if o == object {
				return true
			}
		}
	}
	for _, t := range s.Others {
		if t.Object == object && clash(t.Access, access, commute) {
			return true
		}
	}
	return false
}

// clash reports whether the order of two accesses to one object matters.
func clash(a, b Access, commute bool) bool {
	return (a|b)&Writes != 0 && !(commute && a&b&Increment != 0)
}

// System is what is explored: a program, or a model in Go, at one state of one
// execution. The same choices from Reset on always lead to the same states.
type System interface {
	// Reset goes back to the initial state.
	Reset()
	// Agents returns how many agents there can be.
	Agents() int
	// Enabled appends the agents that can do their next step now, in ascending order.
	Enabled(buf []Agent) []Agent
	// Pending returns an agent's next step as it would be now, whether or not it is
	// enabled; nil if it has none. What it touches may depend on the state. The result
	// is valid until the next Do or Reset.
	Pending(a Agent) *Step
	// Do performs the next step of an enabled agent, and what goes with it until its
	// next visible operation, and returns the step as it was done: a failed cmpxchg,
	// for one, only reads. The result is valid until the next Do or Reset.
	Do(a Agent) *Step
	// Finding returns what the last Do, or Reset, has found wrong: a failed assertion,
	// a check that does not hold, a broken invariant; nil for nothing. It may return
	// several, one a call, until nil.
	Finding() *Finding
	// End judges an execution in which nobody is enabled: a deadlock, checks of the
	// end. It returns one finding a call, until nil.
	End() *Finding
	// State appends a canonical form of the present state: equal states, equal bytes.
	// It returns nil if the system cannot tell its state (a model in Go).
	State(buf []byte) []byte
	// Final appends what is compared between ends of executions: shared objects and
	// registers.
	Final(buf []byte) []byte
}

// A Snapshotter is a System that can go back to a state without doing the steps again.
type Snapshotter interface {
	// Save appends all that Restore needs to come back to the present state.
	Save(buf []byte) []byte
	// Restore goes back to a saved state of the same System.
	Restore(saved []byte)
}

// A Namer is a System whose parts have names, for findings; others get numbers.
type Namer interface {
	AgentName(a Agent) string
	ObjectName(object int32) string
	// StepName names a source step by its Label.
	StepName(label int32) string
}

// An Owned is a System in which some agents finish what others began: a store buffer
// drains the writes of its CPU's task. For data races such a step is its owner's.
type Owned interface {
	Owner(a Agent) Agent
}

// Kind is a kind of finding.
type Kind string

// Kinds of findings.
const (
	Assert      Kind = "assert"
	Check       Kind = "check"
	Never       Kind = "never"
	Deadlock    Kind = "deadlock"
	Livelock    Kind = "livelock"
	DataRace    Kind = "data-race"
	Bug         Kind = "bug"
	LockOrder   Kind = "lock-order"
	IRQSafety   Kind = "irq-safety"
	AtomicSleep Kind = "atomic-sleep"
	LockHeld    Kind = "lock-held"
	LostWakeup  Kind = "lost-wakeup"
	// Unending says that an execution has reached the limit of steps: perhaps a livelock.
	Unending Kind = "livelock?"
)

// Finding is something wrong in an execution.
type Finding struct {
	Kind Kind
	// What says what is wrong, in a line: "n == 1", "a waits for b: ...".
	What string
	// Label is the source step it belongs to, 0 for none.
	Label int32
}
