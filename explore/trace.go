package explore

import "slices"

// trace is the happens-before order of an execution: each agent's own order, and that
// of the steps that depend on each other. Executions with the same order are
// equivalent (Mazurkiewicz). The order is kept as a vector clock for each event.
type trace struct {
	*stepTable
	agents int
	events []event
	// clocks has agents entries an event: how many events of each agent happen before
	// it, itself included.
	clocks []int32
	// of has, for each agent, the positions of its events.
	of [][]int32
}

// event is a step that was done.
type event struct {
	agent Agent
	step  int32 // its number in the step table
	nth   int32 // of its agent, from 1
}

func newTrace(agents int, commute bool) *trace {
	return &trace{stepTable: newStepTable(commute), agents: agents, of: make([][]int32, agents)}
}

// cut forgets all events from position n on.
func (t *trace) cut(n int) {
	for i := len(t.events) - 1; i >= n; i-- {
		a := t.events[i].agent
		t.of[a] = t.of[a][:len(t.of[a])-1]
	}
	t.events, t.clocks = t.events[:n], t.clocks[:n*t.agents]
}

// add appends an event.
func (t *trace) add(a Agent, s *Step) {
	step := t.number(s)
	from := len(t.clocks)
	t.clocks = slices.Grow(t.clocks, t.agents)[:from+t.agents]
	clock := t.clocks[from:]
	own := t.of[a]
	if len(own) > 0 {
		copy(clock, t.clock(own[len(own)-1]))
	} else {
		clear(clock)
	}
	for b := range t.of {
		if Agent(b) != a {
			t.joinLatest(clock, b, step)
		}
	}
	clock[a] = int32(len(own) + 1)
	t.of[a] = append(own, int32(len(t.events)))
	t.events = append(t.events, event{a, step, clock[a]})
}

// joinLatest orders a clock after the latest event of an agent on which the step
// depends, unless it is already.
func (t *trace) joinLatest(clock []int32, agent int, step int32) {
	theirs := t.of[agent]
	for n := int32(len(theirs)); n > clock[agent]; n-- {
		if at := theirs[n-1]; t.dependent(t.events[at].step, step) {
			join(clock, t.clock(at))
			return
		}
	}
}

func (t *trace) clock(at int32) []int32 {
	return t.clocks[int(at)*t.agents : (int(at)+1)*t.agents]
}

// join makes a the later of two clocks in each entry.
func join(a, b []int32) {
	for i, n := range b {
		a[i] = max(a[i], n)
	}
}

// before reports whether event i happens before event j; an event does not happen
// before itself.
func (t *trace) before(i, j int) bool {
	e := t.events[i]
	return i != j && t.clocks[j*t.agents+int(e.agent)] >= e.nth
}

// class returns what equivalent executions have in common, and only they: the events,
// each with its step and its clock, in no order.
func (t *trace) class() digest {
	var sum digest
	for i, e := range t.events {
		h := digest{}.with(uint64(e.agent), t.mark(e.step))
		for _, n := range t.clock(int32(i)) {
			h = h.with(uint64(n), 0)
		}
		h = h.sealed()
		sum[0] += h[0]
		sum[1] += h[1]
	}
	return sum.sealed()
}
