package explore

// What a walker can choose instead of an agent.
const (
	// nobody gives the execution up.
	nobody Agent = -1
	// around gives it up because it could only go round.
	around Agent = -2
)

// A walker leads a worker through a share of a strategy's executions.
type walker interface {
	// begin prepares the next execution and returns the choices that it starts with,
	// which belong to an execution before it; false when the share is done. The choices
	// are valid until end. The system is at the end of the execution before it.
	begin(s System) (prefix []Agent, more bool)
	// choose picks one of open, which has at least one agent: those enabled, without
	// the ones that could only go round. Or it gives the execution up.
	choose(enabled, open []Agent) Agent
	// did is told the step that was done, but not those of the prefix.
	did(a Agent, s *Step)
	// end is told how the execution ended.
	end(w *worker, e ending)
}

// ending is how an execution ended.
type ending struct {
	how     how
	failing bool
}

type how uint8

const (
	// ran: nobody is enabled.
	ran how = iota + 1
	// stopped: at a finding, or at the end of a schedule.
	stopped
	// endless: the limit of steps.
	endless
	// cut: it came round to one of its own states.
	cut
	// blocked: who is enabled could only repeat another execution.
	blocked
)

// reducing is a walker whose executions stand for others with the same
// happens-before order.
type reducing interface {
	// before reports whether step i happens before step j in every execution that the
	// present one stands for.
	before(i, j int) bool
}

// looping is a walker that wants to know when an execution has come round to a state
// of its own and somebody who could have gone on has not: who did.
type looping interface {
	wentRound(moved []Agent)
}

// share is a walker with what the worker has to know about it.
type share struct {
	walker walker
	// exhaustive: executions that go round are cut, for the others show all there is.
	exhaustive bool
	// stops: a walker that chooses nobody ends its execution; otherwise it is blocked.
	stops bool
}
