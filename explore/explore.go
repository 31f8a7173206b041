package explore

import (
	"errors"
	"fmt"
)

// Options say how to explore. Only Strategy is required.
type Options struct {
	// Strategy chooses the interleavings: DFS(), DPOR(), Random(seed), ...
	Strategy Strategy
	// Jobs is how many workers explore at once, each with a System of its own; 0 is
	// one. The result does not depend on it.
	Jobs int
	// Executions, if above 0, is the most there will be. For a strategy that never
	// ends by itself, it is how many there are.
	Executions int64
	// Steps is the longest that one execution may become; 0 stands for DefaultSteps.
	Steps int
	// Memory, if above 0, bounds in bytes what is kept from one execution to another:
	// states, classes, wake-up trees.
	Memory int64
	// Watch, if set, is called now and then, never twice at once, with the executions
	// (or states) so far; false ends the exploration. What has been explored then
	// depends on when that was.
	Watch func(done int64) bool

	// EndAtFinding ends an execution at a failed assertion, a check or a bug. Reduced
	// exploration needs whole executions and goes on; it drops what such a finding
	// happens before.
	EndAtFinding bool
	// UntilFound ends the exploration with the first execution that finds something.
	UntilFound bool
	// Commute lets increments of one object commute.
	Commute bool
	// Races looks for data races.
	Races bool
	// Cycles compares the states within an execution, to find livelocks and to cut
	// executions that go round. It costs a State for every step.
	Cycles bool
	// Classes counts the equivalence classes that were reached (Result.Traces).
	Classes bool
	// CheckDeterminism runs every execution twice and compares all that can be seen.
	CheckDeterminism bool

	// target, if set, is the one finding that counts.
	target *Finding
}

// DefaultSteps is the limit of steps where Options has none.
const DefaultSteps = 10_000

// Found is a finding with the schedule that leads to it.
type Found struct {
	Finding
	// Schedule ends with the step that found it. Of the executions that find the same
	// (kind and what) it belongs to the first in the strategy's order.
	Schedule Schedule
	// Steps is the length of Schedule.
	Steps int
}

// Result is what an exploration has found and counted. Counts that the strategy does
// not give, or that a limit has spoilt, are nil.
type Result struct {
	Strategy string
	// Complete: all that the strategy promises to visit was visited, and what was not
	// found is not there. Otherwise Limits says why not.
	Complete bool
	// Limits are those that were reached, each in a few words.
	Limits []string

	// Executions counts those that ran to an end: theirs, a finding's, or a limit's.
	Executions int64
	// Blocked counts those that reduction gave up because they could only repeat
	// others. Optimal reduction has none.
	Blocked int64
	// Cut counts those that were left where they came round to a state of their own
	// and could only repeat themselves (Options.Cycles).
	Cut int64
	// Failing counts executions with a finding of the kinds assert, check, never,
	// deadlock, livelock and bug; nil for a search of states.
	Failing *int64
	// Longest is the number of steps of the longest execution.
	Longest int

	// Traces is the number of equivalence classes, Interleavings of all interleavings.
	Traces, Interleavings *int64
	// ByPreemptions has, for 0, 1, 2, ... preemptions, the interleavings and the
	// failing ones among them.
	ByPreemptions [][2]int64
	// FinalStates is the number of different ends.
	FinalStates *int64
	// States and Transitions count those that were reached.
	States, Transitions *int64
	// Bound, where the strategy has one, is the least probability with which one
	// execution finds a bug of the depth that the strategy was made for; Basis says
	// what it rests on.
	Bound float64
	Basis string

	// Findings has each finding, by kind and what, once, in the order of discovery. Last
	// come those that no execution shows by itself, of lock order and interrupts: they
	// have no schedule.
	Findings []Found
}

// Strategy is a way to choose interleavings. DFS, Bounded, DPOR, Random, PCT, SURW,
// POS, RoundRobin, Replay and States make one.
type Strategy interface {
	// String names the strategy as experiment files do.
	String() string
	// explore does the work of Explore.
	explore(x *exploration) error
}

// Explore explores the systems that newSystem makes, which must be alike: one for
// each job and some to measure with. An error says that it could not be done, or that
// the system is not deterministic.
func Explore(newSystem func() System, o Options) (*Result, error) {
	if o.Strategy == nil {
		return nil, errors.New("explore: no strategy")
	}
	if o.Jobs < 0 || o.Executions < 0 || o.Steps < 0 || o.Memory < 0 {
		return nil, fmt.Errorf("explore: jobs %d, executions %d, steps %d, memory %d: none may be negative",
			o.Jobs, o.Executions, o.Steps, o.Memory)
	}
	o.Jobs = max(1, o.Jobs)
	if o.Steps == 0 {
		o.Steps = DefaultSteps
	}
	x := &exploration{Options: o, newSystem: newSystem, total: &tally{}, seen: newKnown()}
	x.result.Strategy = o.Strategy.String()
	var opened opened
	x.newSystem = func() System { return opened.add(newSystem()) }
	defer opened.close()
	if err := o.Strategy.explore(x); err != nil {
		return nil, fmt.Errorf("explore: %w", err)
	}
	return &x.result, nil
}

// exploration is one call of Explore.
type exploration struct {
	Options
	newSystem func() System
	total     *tally
	seen      *known
	result    Result
}

// limited notes a limit that was reached.
func (x *exploration) limited(format string, args ...any) {
	x.result.Limits = append(x.result.Limits, fmt.Sprintf(format, args...))
}

// count is a count that the strategy gives.
func count(n int64) *int64 { return &n }
