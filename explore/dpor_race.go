package explore

import (
	"math/bits"
	"slices"
)

// dporRace is a race that can be reversed: the event at first and a later one of
// agent, which does step when it comes before.
type dporRace struct {
	first int
	choice
	// until is the position before which that lies which is moved before the second, or
	// -1 for the whole execution; without has positions that are not moved.
	until   int
	without []int
}

// reverseRaces has the reversals of all races of the execution explored, now that it
// is whole: those of events that an earlier execution had too are reversed again, with
// what this one has in addition.
func (k *dporWalker) reverseRaces(s System) {
	for ; k.analyzed < len(k.events); k.analyzed++ {
		k.levels[k.analyzed].races = len(k.races)
		e := k.events[k.analyzed]
		k.findRaces(s, k.analyzed, choice{e.agent, e.step})
	}
	done := len(k.races)
	for _, c := range k.waiting {
		k.findRaces(s, len(k.events), c)
	}
	for i := range k.races {
		k.reverse(&k.races[i])
	}
	k.races = k.races[:done]
}

// findRaces appends the races in which c, done at position second or still pending
// there at the end, comes second.
func (k *dporWalker) findRaces(s System, second int, c choice) {
	own := k.of[c.agent]
	if second < len(k.events) {
		own = own[:k.events[second].nth-1]
	}
	before := -1 // its agent's last event before
	if clear(k.ordered); len(own) > 0 {
		before = int(own[len(own)-1])
		copy(k.ordered, k.clock(int32(before)))
	}
	lowest := second
	for a, own := range k.of {
		if n := int(k.ordered[a]); Agent(a) != c.agent && n < len(own) {
			lowest = min(lowest, int(own[n]))
		}
	}
	for first := second - 1; first >= lowest; first-- {
		e := k.events[first]
		if e.agent == c.agent || k.ordered[e.agent] >= e.nth || !k.dependent(e.step, c.step) {
			continue
		}
		if k.reversible(s, first, second, before, c) {
			join(k.ordered, k.clock(int32(first)))
		}
	}
}

// reversible appends the race between the event at first and c, at position second,
// which depends on it, and reports whether c can be done before, all else being as it
// is; before is the position of its agent's last event before. If c can be done there
// only without something else, it may still be possible with that further back.
func (k *dporWalker) reversible(s System, first, second, before int, c choice) bool {
	r := dporRace{first: first, choice: c, until: -1}
	step := &k.steps[c.step]
	// simple: what changes the step's object is in one order, so that what came since
	// first and does not depend on it has not changed it.
	simple := len(step.Objects)+len(step.Others) == 1 && !k.commute
	waits, varies := step.Access&Waits != 0, step.Access&Varies != 0
	sure := !waits && !varies
	if before < first && (simple || !waits) {
		// If it was enabled there it can be done there. If not, what starts its agent may
		// come with what is moved, but not if it waits for the one object.
		l := &k.levels[first]
		pending := has(k.enabled[l.enabledFrom:l.enabledTo], c.agent)
		if !pending && simple && waits {
			return false
		}
		sure = pending && !varies && second < len(k.events)
	}
	if !sure && !simple {
		r.until = second
	}
	if sure || k.try(s, &r, second) {
		k.races = append(k.races, r)
		return true
	}
	if waits && !simple {
		k.tryWithout(s, r, second)
	}
	return false
}

// try does what reversing a race would, on the system, to see whether the second step
// is enabled there and what it does. If that does not depend on the first any more, the
// race cannot be reversed so: the first might as well come first.
func (k *dporWalker) try(s System, r *dporRace, second int) bool {
	s.Reset()
	for _, e := range k.events[:r.first] {
		s.Do(e.agent)
	}
	for i := r.first + 1; i < second; i++ {
		switch a := k.events[i].agent; {
		case k.moved(r, i):
			s.Do(a)
		case a == r.agent:
			return false
		}
	}
	k.now = s.Enabled(k.now[:0])
	if !has(k.now, r.agent) {
		return false
	}
	r.step = k.number(s.Do(r.agent))
	return k.dependent(k.events[r.first].step, r.step)
}

// moved reports whether reversing a race moves the event at i, after first, before
// the second.
func (k *dporWalker) moved(r *dporRace, i int) bool {
	if k.before(r.first, i) {
		return false
	}
	for _, out := range r.without {
		if i == out || k.before(out, i) {
			return false
		}
	}
	return true
}

// mostDisablers bounds the sets that tryWithout tries.
const mostDisablers = 12

// tryWithout looks for events that keep the second step of a race from being enabled
// before the first, though they do not depend on the first: other increments, or what
// changed another object that the step waits for. It appends a race for each smallest
// set of them to leave out; larger ones follow from the executions these lead to.
func (k *dporWalker) tryWithout(s System, r dporRace, second int) {
	var disablers []int
	for i := r.first + 1; i < second; i++ {
		if e := k.events[i]; e.agent != r.agent && k.moved(&r, i) && k.dependent(e.step, r.step) {
			disablers = append(disablers, i)
		}
	}
	if n := len(disablers) - mostDisablers; n > 0 {
		k.wide = true
		disablers = disablers[n:]
	}
	var enough []uint
	for size := 1; size <= len(disablers); size++ {
		for set := range uint(1) << len(disablers) {
			if bits.OnesCount(set) != size || slices.ContainsFunc(enough, func(e uint) bool { return set&e == e }) {
				continue
			}
			w := r
			for n, i := range disablers {
				if set>>n&1 != 0 {
					w.without = append(w.without, i)
				}
			}
			if k.try(s, &w, second) {
				enough = append(enough, set)
				k.races = append(k.races, w)
			}
		}
	}
}

// reverse inserts the reversal of a race into the wake-up tree of the state before its
// first event, unless an agent that sleeps there could begin it.
func (k *dporWalker) reverse(r *dporRace) {
	until := r.until
	if until < 0 {
		until = len(k.events)
	}
	e := k.events[r.first]
	k.sequence = k.sequence[:0]
	for i := r.first + 1; i < until; i++ {
		if k.clocks[i*k.agents+int(e.agent)] < e.nth && (r.without == nil || k.moved(r, i)) {
			k.sequence = append(k.sequence, choice{k.events[i].agent, k.events[i].step})
		}
	}
	k.sequence = append(k.sequence, r.choice)
	l := &k.levels[r.first]
	for _, c := range k.sleep[l.sleepFrom:l.sleepTo] {
		if _, ok := k.weakInitial(c, k.sequence); ok {
			return
		}
	}
	k.tree.insert(&l.wake, k.sequence, k.stepTable)
}
