package experiment

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/explore"
	"smpsim/workloads"
)

// ExploredResult is what the exploration of a cell found and counted. Counts that its
// strategy does not give, or that a limit has spoilt, are left out.
type ExploredResult struct {
	Variant  string  `json:"variant,omitempty"`
	Params   Ordered `json:"params"`
	Strategy string  `json:"strategy"`
	Memory   string  `json:"memory"`
	// Complete says that all the strategy promises to visit was visited: what was not
	// found is not there. Otherwise Limits say why not.
	Complete bool     `json:"complete"`
	Limits   []string `json:"limits,omitempty"`
	// Seed is that of a strategy which draws.
	Seed          *uint64    `json:"seed,omitempty"`
	Executions    int64      `json:"executions"`
	Blocked       int64      `json:"blocked"`
	Cut           int64      `json:"cut,omitempty"`
	Traces        *int64     `json:"traces,omitempty"`
	Interleavings *int64     `json:"interleavings,omitempty"`
	Failing       *int64     `json:"failing,omitempty"`
	ByPreemptions [][2]int64 `json:"by_preemptions,omitempty"`
	FinalStates   *int64     `json:"final_states,omitempty"`
	States        *int64     `json:"states,omitempty"`
	Transitions   *int64     `json:"transitions,omitempty"`
	Longest       int        `json:"longest"`
	// Bound is the least probability with which one execution finds a bug of the depth
	// that the strategy is made for.
	Bound    *Number         `json:"bound,omitempty"`
	Findings []FindingResult `json:"findings"`
}

// FindingResult is a finding, with the schedule that leads to it.
type FindingResult struct {
	Kind string `json:"kind"`
	What string `json:"what"`
	// At is the place in the file that it belongs to, if there is one.
	At       string `json:"at,omitempty"`
	Schedule string `json:"schedule"`
	Steps    int    `json:"steps"`
	// Simplest is the simplest schedule known to lead to it.
	Simplest *SimplestResult `json:"simplest,omitempty"`
}

// SimplestResult is a finding after shrinking.
type SimplestResult struct {
	Schedule    string `json:"schedule"`
	Steps       int    `json:"steps"`
	Preemptions int    `json:"preemptions"`
	// Fewest says that no schedule with fewer preemptions leads to the finding.
	Fewest bool `json:"fewest"`
	// Without lists parts of the programs that the finding does not need.
	Without []string `json:"without,omitempty"`
}

// exploredResults are the explorations as results.json shows them.
func (x *Experiment) exploredResults(cells []exploredCell) []ExploredResult {
	all := make([]ExploredResult, len(cells))
	for i := range cells {
		all[i] = x.exploredResult(&cells[i])
	}
	return all
}

func (x *Experiment) exploredResult(c *exploredCell) ExploredResult {
	r := c.result
	out := ExploredResult{
		Variant: x.variantName(c.cell), Params: params(c.cell), Strategy: c.cell.Explore.Strategy, Memory: c.cell.Explore.Memory,
		Complete: r.Complete, Limits: r.Limits,
		Executions: r.Executions, Blocked: r.Blocked, Cut: r.Cut, Traces: r.Traces, Interleavings: r.Interleavings,
		Failing: r.Failing, ByPreemptions: r.ByPreemptions, FinalStates: r.FinalStates,
		States: r.States, Transitions: r.Transitions, Longest: r.Longest, Findings: []FindingResult{},
	}
	if c.draws() {
		out.Seed = &c.seed
	}
	if r.Bound > 0 {
		out.Bound = number(r.Bound)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		found := FindingResult{Kind: string(f.Kind), What: f.What, At: c.at(f.Label), Schedule: f.Schedule.String(), Steps: f.Steps}
		if i < len(c.shrunk) && c.shrunk[i].simple.Kind != "" {
			s := &c.shrunk[i]
			found.Simplest = &SimplestResult{
				Schedule: s.simple.Schedule.String(), Steps: s.simple.Steps,
				Preemptions: s.simple.Preemptions, Fewest: s.simple.Fewest, Without: s.needless,
			}
		}
		out.Findings = append(out.Findings, found)
	}
	return out
}

// draws reports whether the strategy depends on the seed.
func (e *exploration) draws() bool {
	switch e.cell.Explore.Strategy {
	case "random", pctStrategy, "surw", "pos":
		return true
	}
	return false
}

// at is the place of a label in the file, without its folder.
func (e *exploration) at(label int32) string {
	if label == 0 {
		return ""
	}
	s := e.newSystem()
	defer explore.Close(s)
	p, ok := s.(interface {
		Source(label int32) *workloads.Step
	})
	if !ok {
		return ""
	}
	if source := p.Source(label); source.Pos.Line > 0 {
		return place(source.Pos).String()
	}
	return ""
}

// usualKinds are the kinds of findings that an expectation of what is found speaks of;
// others are compared when they are named.
var usualKinds = []explore.Kind{
	explore.Assert, explore.Check, explore.Never, explore.Deadlock, explore.Livelock, explore.DataRace, explore.Bug,
}

// expectExplored judges what must hold of explorations.
func (x *Experiment) expectExplored(cells []exploredCell) []ExpectationResult {
	var all []ExpectationResult
	for k := range x.Expect {
		e := &x.Expect[k]
		if e.Exploration == nil {
			continue
		}
		found := false
		for i := range cells {
			if c := &cells[i]; c.cell.Matches(e.Variant, e.Where) {
				found = true
				all = append(all, x.judgeExplored(e, c)...)
			}
		}
		if !found {
			all = append(all, ExpectationResult{What: "explore", Variant: e.Variant, Where: conditions(e.Where), Want: "such a cell", Got: "none"})
		}
	}
	return all
}

func (x *Experiment) judgeExplored(e *Expectation, c *exploredCell) []ExpectationResult {
	var all []ExpectationResult
	w, r := e.Exploration, c.result
	row := func(what string) ExpectationResult {
		return ExpectationResult{What: what, Variant: x.variantName(c.cell), Where: whereOf(c.cell)}
	}
	if w.Finds != nil {
		res := row("finds")
		res.Want = "is " + kindList(w.Finds)
		got := c.kinds(w.Finds)
		text := kindList(got)
		res.OK = slices.Equal(sorted(w.Finds), got)
		if len(got) == 0 && !r.Complete {
			// Nothing found within a limit is no proof.
			text += " within the limit"
			res.OK = false
		}
		res.Got = text
		all = append(all, res)
	}
	for _, n := range []struct {
		what      string
		want, got *int64
	}{
		{"traces", w.Traces, r.Traces},
		{"interleavings", w.Interleavings, r.Interleavings},
		{"failing", w.Failing, r.Failing},
		{"final_states", w.FinalStates, r.FinalStates},
	} {
		if n.want == nil {
			continue
		}
		res := row(n.what)
		res.Want = fmt.Sprintf("is %d", *n.want)
		if n.got == nil {
			res.Got = r.Strategy + " does not count them"
		} else {
			res.Got, res.OK = Number(*n.got), *n.got == *n.want
		}
		all = append(all, res)
	}
	return all
}

// kinds are the kinds found, of those that are usual or named, in alphabetic order.
func (c *exploredCell) kinds(named []string) []string {
	var all []string
	for i := range c.result.Findings {
		kind := c.result.Findings[i].Kind
		if slices.Contains(usualKinds, kind) || slices.Contains(named, string(kind)) {
			all = append(all, string(kind))
		}
	}
	return sorted(all)
}

// sorted returns the kinds in alphabetic order, each once; "nothing" is none.
func sorted(kinds []string) []string {
	all := slices.Clone(kinds)
	slices.Sort(all)
	all = slices.Compact(all)
	return slices.DeleteFunc(all, func(k string) bool { return k == "nothing" })
}

func kindList(kinds []string) string {
	if kinds = sorted(kinds); len(kinds) > 0 {
		return strings.Join(kinds, ", ")
	}
	return "nothing"
}

// asExpected reports whether the findings of all explorations are expected ones: each
// cell that found something has an expectation of what is found.
func (x *Experiment) asExpected(cells []exploredCell) bool {
	for i := range cells {
		c := &cells[i]
		expected := slices.ContainsFunc(x.Expect, func(e Expectation) bool {
			return e.Exploration != nil && e.Exploration.Finds != nil && c.cell.Matches(e.Variant, e.Where)
		})
		if len(c.result.Findings) > 0 && !expected {
			return false
		}
	}
	return true
}
