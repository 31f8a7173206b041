package explore

// cycleDetector finds the states to which an execution comes back. An execution that
// has come back can go round for ever. If on its way round everybody moved who could,
// no fair scheduler gets it out: a livelock. If not, what it does next it could have
// done the first time: the whole need not be explored again, but for those who have
// not moved yet, since a fair cycle can be made of several unfair ones (compare the
// fair search of Musuvathi and Qadeer, "Fair Stateless Model Checking", PLDI 2008).
type cycleDetector struct {
	system System
	bytes  []byte
	// visited has the position at which each state was first seen.
	visited digests
	// enabled are the agents enabled at each position: enabledAt[i] is where those of
	// position i end.
	enabled   []Agent
	enabledAt []int
	// movedIn and ableIn mark agents; stamp makes clearing them unnecessary.
	movedIn, ableIn []int
	stamp           int
	moved, left     []Agent
}

func newCycleDetector(s System) *cycleDetector {
	n := s.Agents()
	return &cycleDetector{system: s, movedIn: make([]int, n), ableIn: make([]int, n)}
}

func (c *cycleDetector) reset() {
	c.visited.empty()
	c.enabled, c.enabledAt = c.enabled[:0], c.enabledAt[:0]
}

// visit notes the present state, in which those agents are enabled. It returns the
// position at which it was seen first, or -1; always that if the system cannot tell.
func (c *cycleDetector) visit(enabled []Agent) int {
	at := len(c.enabledAt)
	c.enabled = append(c.enabled, enabled...)
	c.enabledAt = append(c.enabledAt, len(c.enabled))
	c.bytes = c.system.State(c.bytes[:0])
	if len(c.bytes) == 0 {
		return -1
	}
	if first, fresh := c.visited.put(digestOf(c.bytes), int32(at)); !fresh {
		return int(first)
	}
	return -1
}

// since returns who has moved since a position, and who could have but has not, both
// in ascending order and valid until the next call.
func (c *cycleDetector) since(first int, schedule []Agent) (moved, left []Agent) {
	c.stamp++
	for _, a := range schedule[first:] {
		c.movedIn[a] = c.stamp
	}
	from := 0
	if first > 0 {
		from = c.enabledAt[first-1]
	}
	for _, a := range c.enabled[from:] {
		c.ableIn[a] = c.stamp
	}
	c.moved, c.left = c.moved[:0], c.left[:0]
	for a := range c.movedIn {
		if c.movedIn[a] == c.stamp {
			c.moved = append(c.moved, Agent(a))
		} else if c.ableIn[a] == c.stamp {
			c.left = append(c.left, Agent(a))
		}
	}
	return c.moved, c.left
}

// livelock is the finding for a fair cycle of those agents.
func livelock(s System, moved []Agent) *Finding {
	what := ""
	for i, a := range moved {
		if i > 0 {
			what += ", "
		}
		what += agentName(s, a)
	}
	if len(moved) == 1 {
		return &Finding{Kind: Livelock, What: what + " goes round for ever"}
	}
	return &Finding{Kind: Livelock, What: what + " go round for ever"}
}
