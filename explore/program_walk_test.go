package explore_test

import (
	"fmt"
	"maps"
	"math/big"
	"slices"

	"smpsim/explore"
)

// walk is everything that a plain walk over all interleavings of a program sees.
type walk struct {
	p *explore.Program
	// most bounds the interleavings, if it is above 0; full says that there are more.
	most int
	full bool
	// end ends executions at an assertion, a check or a bug.
	end, commute bool

	all, failing int
	kinds        map[explore.Kind]bool
	whats        map[string]bool
	finals       map[string]bool
	classes      map[string]bool
	// preempted has, by preemptions, all and failing interleavings.
	preempted [][2]int
	// risk is the probability of a failure when each step is drawn evenly.
	risk *big.Rat
	// broken says what must hold between steps and does not.
	broken string
}

// event is a step that was done.
type event struct {
	agent explore.Agent
	step  explore.Step
}

// walkAll walks over all interleavings by recursion.
func walkAll(p *explore.Program, end bool) *walk {
	w := newWalk(p, end)
	w.start()
	return w
}

func newWalk(p *explore.Program, end bool) *walk {
	return &walk{
		p: p, end: end, kinds: map[explore.Kind]bool{}, whats: map[string]bool{}, finals: map[string]bool{},
		classes: map[string]bool{}, risk: new(big.Rat),
	}
}

func (w *walk) start() {
	w.p.Reset()
	w.below(nil, -1, 0, false, big.NewRat(1, 1))
}

func (w *walk) below(done []event, last explore.Agent, preemptions int, failed bool, chance *big.Rat) {
	if w.most > 0 && (w.all >= w.most || len(done) > 100) {
		w.full = true
		return
	}
	ends := false
	for f := w.p.Finding(); f != nil; f = w.p.Finding() {
		w.found(f)
		failed = failed || fails(f)
		ends = ends || w.end && (f.Kind == explore.Assert || f.Kind == explore.Check || f.Kind == explore.Bug)
	}
	enabled := w.p.Enabled(nil)
	if len(enabled) == 0 || ends {
		if !ends {
			for f := w.p.End(); f != nil; f = w.p.End() {
				w.found(f)
				failed = failed || fails(f)
			}
			w.finals[string(w.p.Final(nil))] = true
			w.classes[w.class(done)] = true
		}
		w.count(preemptions, failed, chance)
		return
	}
	here := w.p.Save(nil)
	each := new(big.Rat).Quo(chance, big.NewRat(int64(len(enabled)), 1))
	for _, a := range enabled {
		w.p.Restore(here)
		before := w.pending()
		s := w.p.Do(a)
		next := event{a, explore.Step{Objects: slices.Clone(s.Objects), Access: s.Access, Label: s.Label, Others: slices.Clone(s.Others)}}
		w.compare(before, next)
		switched := 0
		if last >= 0 && last != a && slices.Contains(enabled, last) {
			switched = 1
		}
		w.below(append(slices.Clip(done), next), a, preemptions+switched, failed, each)
	}
}

func (w *walk) found(f *explore.Finding) {
	w.kinds[f.Kind] = true
	w.whats[fmt.Sprintf("%s: %s", f.Kind, f.What)] = true
}

func fails(f *explore.Finding) bool {
	switch f.Kind {
	case explore.Assert, explore.Check, explore.Never, explore.Deadlock, explore.Livelock, explore.Bug:
		return true
	}
	return false
}

func (w *walk) count(preemptions int, failed bool, chance *big.Rat) {
	for len(w.preempted) <= preemptions {
		w.preempted = append(w.preempted, [2]int{})
	}
	w.all++
	w.preempted[preemptions][0]++
	if failed {
		w.failing++
		w.preempted[preemptions][1]++
		w.risk.Add(w.risk, chance)
	}
}

// class is what equivalent interleavings have in common: each agent's steps, and of
// each step, how many of each agent's are before it.
func (w *walk) class(done []event) string {
	n := w.p.Agents()
	clocks := make([][]int, len(done))
	own := make([][]string, n)
	for i, e := range done {
		clock := make([]int, n)
		for k := range i {
			if b := done[k]; b.agent == e.agent || b.step.Depends(&e.step, w.commute) {
				for a := range clock {
					clock[a] = max(clock[a], clocks[k][a])
				}
			}
		}
		clock[e.agent]++
		clocks[i] = clock
		own[e.agent] = append(own[e.agent], fmt.Sprint(e.step.Label, e.step.Access, clock))
	}
	return fmt.Sprint(own)
}

// state is what an agent can do, and whether now.
type state struct {
	pending *explore.Step
	enabled bool
}

func (w *walk) pending() []state {
	enabled := w.p.Enabled(nil)
	states := make([]state, w.p.Agents())
	for a := range states {
		if s := w.p.Pending(explore.Agent(a)); s != nil {
			states[a].pending = &explore.Step{Objects: slices.Clone(s.Objects), Access: s.Access, Label: s.Label, Others: slices.Clone(s.Others)}
		}
		states[a].enabled = slices.Contains(enabled, explore.Agent(a))
	}
	return states
}

// compare checks that a step has enabled, disabled or changed the next step of those
// only on whose next step it depends.
func (w *walk) compare(before []state, e event) {
	for a, after := range w.pending() {
		was := before[a]
		if explore.Agent(a) == e.agent || same(was, after) {
			continue
		}
		for _, s := range []*explore.Step{was.pending, after.pending} {
			if s != nil && !s.Depends(&e.step, false) {
				w.broken = fmt.Sprintf("%s changes what %s can do, and does not depend on %s",
					w.p.StepName(e.step.Label), w.p.AgentName(explore.Agent(a)), w.p.StepName(s.Label))
			}
		}
	}
}

func same(a, b state) bool {
	if a.enabled != b.enabled || (a.pending == nil) != (b.pending == nil) {
		return false
	}
	return a.pending == nil || a.pending.Access == b.pending.Access && a.pending.Label == b.pending.Label &&
		slices.Equal(a.pending.Objects, b.pending.Objects) && slices.Equal(a.pending.Others, b.pending.Others)
}

// visitStates visits every state of a program once: what can be found and how it can
// end, where the interleavings are too many.
func visitStates(p *explore.Program) *walk {
	w := newWalk(p, false)
	p.Reset()
	w.visit(map[string]bool{})
	return w
}

func (w *walk) visit(seen map[string]bool) {
	for f := w.p.Finding(); f != nil; f = w.p.Finding() {
		w.found(f)
	}
	if s := string(w.p.State(nil)); seen[s] {
		return
	} else {
		seen[s] = true
	}
	enabled := w.p.Enabled(nil)
	if len(enabled) == 0 {
		for f := w.p.End(); f != nil; f = w.p.End() {
			w.found(f)
		}
		w.finals[string(w.p.Final(nil))] = true
	}
	here := w.p.Save(nil)
	for _, a := range enabled {
		w.p.Restore(here)
		before := w.pending()
		s := w.p.Do(a)
		w.compare(before, event{a, *s})
		w.visit(seen)
	}
}

// sorted are the members of a set.
func sorted[K ~string](set map[K]bool) []K { return slices.Sorted(maps.Keys(set)) }
