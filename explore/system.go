package explore

// Agent is somebody who can do a step: a task, a work item's run, an interrupt
// handler, or a store buffer that drains. Agents are numbered from 0; tasks come
// first, in the order of the file.
type Agent int32

// Access is what a step does to the objects it touches.
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
	// returns a value is both.
	Acquires
	Releases
	// Increments of one object commute where the exploration says so (rmw_commute).
	Increment
)

// Step is what an agent would do next, or has done: one visible operation.
type Step struct {
	// Objects are the identities of what it touches: words, array elements, locks,
	// work items, wait queues, interrupt states. None for a full fence.
	Objects []int32
	Access  Access
	// Label is the number of the source step, for transcripts; 0 for none.
	Label int32
}

// Depends reports whether the order of two steps of different agents matters: they
// touch one object and at least one writes it.
func (s *Step) Depends(o *Step, commute bool) bool {
	if (s.Access|o.Access)&Writes == 0 {
		return false
	}
	if commute && s.Access&o.Access&Increment != 0 {
		return false
	}
	for _, a := range s.Objects {
		for _, b := range o.Objects {
			if a == b {
				return true
			}
		}
	}
	return false
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
)

// Finding is something wrong in an execution.
type Finding struct {
	Kind Kind
	// What says what is wrong, in a line: "n == 1", "a waits for b: ...".
	What string
	// Label is the source step it belongs to, 0 for none.
	Label int32
}
