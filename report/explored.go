package report

import (
	"strconv"
	"strings"
)

// Explored is what the exploration of a cell visited and found. Counts that its
// strategy does not give are nil.
type Explored struct {
	Variant                                             string
	Where                                               []Param
	Strategy, Memory                                    string
	Executions                                          int64
	Blocked                                             int64
	Traces, Interleavings, Failing, FinalStates, States *int64
	// Complete says that all the strategy promises was visited; Limits say why not.
	Complete bool
	Limits   []string
	// Finds are the kinds of what was found.
	Finds []string
}

// Verdict says what the exploration has shown, so that "nothing" and "nothing within
// the limit" are never confused.
func (e *Explored) Verdict() string {
	found := "nothing"
	if len(e.Finds) > 0 {
		found = strings.Join(e.Finds, ", ")
	}
	if e.Complete {
		return found
	}
	return found + ", within the limit: " + strings.Join(e.Limits, "; ")
}

// Explorations prints a row for each exploration.
func Explorations(all []Explored) string {
	t := table{
		heads: []string{"variant", "where", "strategy", "memory", "executions", "blocked", "classes", "interleavings", "failing", "final states", "states", "found"},
		align: "llllrrrrrrrl",
	}
	for i := range all {
		e := &all[i]
		blocked, executions := "", strconv.FormatInt(e.Executions, 10)
		if e.States != nil {
			executions = "" // each state is visited once, by none
		}
		if e.Blocked > 0 {
			blocked = strconv.FormatInt(e.Blocked, 10)
		}
		t.add(
			e.Variant, where(e.Where), e.Strategy, e.Memory, executions, blocked,
			optional(e.Traces), optional(e.Interleavings), optional(e.Failing), optional(e.FinalStates), optional(e.States), e.Verdict(),
		)
	}
	return t.String()
}

func optional(n *int64) string {
	if n == nil {
		return ""
	}
	return strconv.FormatInt(*n, 10)
}
