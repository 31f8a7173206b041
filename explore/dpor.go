package explore

import "fmt"

// DPOR explores exactly one execution of each equivalence class (Mazurkiewicz trace):
// optimal dynamic partial order reduction with source sets, wake-up trees and sleep
// sets (Abdulla, Aronis, Jonsson, Sagonas, "Optimal Dynamic Partial Order Reduction",
// POPL 2014; "Source Sets", JACM 2017). No execution is begun in vain: Result.Blocked
// is 0.
//
// After each execution its races are found: pairs of steps that depend on each other
// with nothing ordered between. Each is reversed: all that does not happen after its
// first step, followed by the second, is a sequence to be explored from where the
// first was done, unless it is known to lead nowhere new (a sleeping agent could begin
// it, or the wake-up tree has it).
//
// Steps that wait need more (the papers treat locks alone). A step that was not
// enabled right before the one that it depends on, as a lock before its unlock, cannot
// be moved before that one: the earlier step was what enabled it. It is raced instead
// against steps further back, before which it was enabled, and what enables it does
// not count as order between the two. Where several independent steps keep a step from
// being enabled, it is moved before all of them at once. And an agent that is left
// waiting at the end races too, with a step that it has never done.
//
// One worker explores, whatever Options.Jobs says: what is to be explored from a state
// follows from all executions that passed it before. Executions that go round are cut
// (Options.Cycles), but then the exploration is not complete: States is, for those.
func DPOR() Strategy { return dpor{} }

type dpor struct{}

func (dpor) String() string { return "dpor" }

func (dpor) explore(x *exploration) error {
	k := &dporWalker{commute: x.Commute}
	err := x.runShares(func(i int) (share, bool) {
		return share{walker: k, exhaustive: true}, i == 0
	}, x.most())
	if err != nil {
		return err
	}
	x.conclude()
	if x.total.looped {
		x.limited("executions go round")
		x.result.Complete = false
	}
	if k.wide {
		x.limited("a step waits for what more than %d others change", mostDisablers)
		x.result.Complete = false
	}
	if x.result.Complete {
		x.reached()
		x.result.Traces = count(x.result.Executions)
	}
	return nil
}

// dporWalker is the state of the exploration: the present execution, and for each of
// its states what remains to be explored from it.
type dporWalker struct {
	*trace
	commute bool

	tree   wakeTree
	levels []level
	path   []Agent

	// sleep and enabled hold those of all levels, one after another.
	sleep   []choice
	enabled []Agent
	// races are those of all events, in the order of the second; analyzed is the number
	// of events whose races they are.
	races    []dporRace
	analyzed int

	// wake is what the node just taken leads to, expect the step it promises, or -1.
	wake   wakeList
	expect int32
	// another: the execution was cut where it went round, but there may be other ways.
	another bool
	// wide: a step waits for more than tryWithout looks through.
	wide bool

	waiting  []choice
	ordered  []int32
	sequence []choice
	now      []Agent
}

// level is a state on the present path: the one before the event of the same index.
type level struct {
	// wake are the sequences still to be explored from here, without the present one.
	wake wakeList
	// Ends of its parts of sleep and enabled: agents whose next step from here leads
	// nowhere new, with that step; and who is enabled.
	sleepFrom, sleepTo     int
	enabledFrom, enabledTo int
	// races is how many there are up to the event before.
	races int
}

func (k *dporWalker) begin(s System) ([]Agent, bool) {
	if k.trace == nil {
		k.trace = newTrace(s.Agents(), k.commute)
		k.ordered = make([]int32, k.agents)
		k.push(wakeList{})
		return nil, true
	}
	for n := len(k.events); n >= 0; n-- {
		l := &k.levels[n]
		if n < len(k.events) {
			e := k.events[n]
			k.sleep = append(k.sleep[:l.sleepTo], choice{e.agent, e.step})
			l.sleepTo++
		}
		if l.wake.first == 0 {
			continue
		}
		k.cut(n)
		k.levels, k.path = k.levels[:n+1], k.path[:n]
		k.enabled = k.enabled[:l.enabledTo]
		if k.analyzed > n {
			k.analyzed, k.races = n, k.races[:l.races]
		}
		return k.path, true
	}
	return nil, false
}

func (k *dporWalker) choose(enabled, open []Agent) Agent {
	l := &k.levels[len(k.levels)-1]
	if l.enabledTo == l.enabledFrom {
		k.enabled = append(k.enabled, enabled...)
		l.enabledTo = len(k.enabled)
	}
	k.wake, k.expect, k.another = wakeList{}, -1, false
	if l.wake.first != 0 {
		n := k.tree.pop(&l.wake)
		if !has(enabled, n.agent) {
			panic(fmt.Sprintf("explore: agent %d cannot do step %+v after %v, which independent steps alone distinguish from an execution in which it did: what disables it must touch an object of it",
				n.agent, k.steps[n.step], Schedule(k.path)))
		}
		if !has(open, n.agent) {
			k.tree.drop(n.children)
			k.another = true
			return around
		}
		k.wake, k.expect = n.children, n.step
		return n.agent
	}
	return k.free(open, l)
}

// free picks an agent where the wake-up tree leaves it open: the last again, for
// schedules with few switches, or the first; but none that sleeps.
func (k *dporWalker) free(open []Agent, l *level) Agent {
	best := nobody
	for _, a := range open {
		if k.asleep(l, a) {
			continue
		}
		if n := len(k.path); n > 0 && k.path[n-1] == a {
			return a
		}
		if best == nobody {
			best = a
		}
	}
	if best == nobody && len(open) < l.enabledTo-l.enabledFrom {
		return around
	}
	return best
}

func (k *dporWalker) asleep(l *level, a Agent) bool {
	for _, c := range k.sleep[l.sleepFrom:l.sleepTo] {
		if c.agent == a {
			return true
		}
	}
	return false
}

func (k *dporWalker) did(a Agent, s *Step) {
	n := len(k.events)
	k.add(a, s)
	k.path = append(k.path, a)
	step := k.events[n].step
	if k.expect >= 0 && k.expect != step {
		panic(fmt.Sprintf("explore: agent %d did %+v after %v, where independent steps alone distinguish it from an execution in which it did %+v: mark it as Varies",
			a, k.steps[step], Schedule(k.path[:n]), k.steps[k.expect]))
	}
	k.push(k.wake)
	l := &k.levels[n]
	for _, c := range k.sleep[l.sleepFrom:l.sleepTo] {
		if c.agent != a && !k.dependent(c.step, step) {
			k.sleep = append(k.sleep, c)
		}
	}
	k.levels[n+1].sleepTo = len(k.sleep)
}

// push adds the level of the state that has been reached, with nobody asleep.
func (k *dporWalker) push(wake wakeList) {
	asleep, enabled := len(k.sleep), len(k.enabled)
	k.levels = append(k.levels, level{
		wake: wake, sleepFrom: asleep, sleepTo: asleep, enabledFrom: enabled, enabledTo: enabled,
	})
}

func (k *dporWalker) end(w *worker, e ending) {
	if e.how == blocked {
		return
	}
	if last := &k.levels[len(k.events)]; !k.another {
		k.tree.drop(last.wake)
		last.wake = wakeList{}
	}
	k.waiting = k.waiting[:0]
	if e.how == ran {
		for a := range k.agents {
			if p := w.system.Pending(Agent(a)); p != nil {
				k.waiting = append(k.waiting, choice{Agent(a), k.number(p)})
			}
		}
	}
	k.reverseRaces(w.system)
	w.tally.crowded = w.Memory > 0 && k.tree.bytes() > w.Memory
}
