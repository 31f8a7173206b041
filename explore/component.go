package explore

import "slices"

// components follows a depth-first search of the graph of states and finds its
// strongly connected components (Tarjan, 1972), and in each, when it is complete, a
// fair cycle if there is one: a livelock. A cycle is fair if every agent that is enabled
// in one of its states moves in it. Where an agent cannot move within a component, the
// states in which it is enabled are taken out, and what remains falls apart into
// components of its own (Lichtenstein and Pnueli, "Checking that finite state
// concurrent programs satisfy their linear specification", POPL 1985).
type components struct {
	// stack has the states of components that are not complete, in the order of
	// discovery; edges are theirs.
	stack []openState
	edges []edge
}

// openState is a state on the stack: low is the position of the earliest state that it
// is known to reach, edges where those begin that were found since it was.
type openState struct {
	number int32
	digest digest
	low    int
	edges  int
}

// edge is a transition between two states.
type edge struct {
	from, to int32
	agent    Agent
}

// open puts a new state on the stack.
func (c *components) open(number int32, h digest) {
	at := len(c.stack)
	c.stack = append(c.stack, openState{number, h, at, len(c.edges)})
}

// edge notes a transition. Where it leads back to a state on the stack, all states
// since are in its component.
func (c *components) edge(from, to int32, a Agent) {
	c.edges = append(c.edges, edge{from, to, a})
	if to == closed {
		return
	}
	if at, ok := c.position(to); ok {
		top, _ := c.position(from)
		c.stack[top].low = min(c.stack[top].low, at)
	}
}

// position returns where a state is on the stack, which ascends by number.
func (c *components) position(number int32) (int, bool) {
	return slices.BinarySearchFunc(c.stack, number, func(s openState, n int32) int { return int(s.number - n) })
}

// leave is told that all from a state has been seen. If that completes a component, its
// states are closed, and if it has a fair cycle, the way from its first state into and
// round the cycle is returned.
func (c *components) leave(number int32, visited *digests) []Agent {
	at, _ := c.position(number)
	s := c.stack[at]
	if s.low < at {
		// The state before on the search's way is the one that led here or reaches it.
		if parent := c.parent(number); parent >= 0 {
			c.stack[parent].low = min(c.stack[parent].low, s.low)
		}
		return nil
	}
	members := c.stack[at:]
	for _, m := range members {
		visited.set(m.digest, closed)
	}
	var ring []Agent
	if g, ok := newGraph(members, c.edges[s.edges:]); ok {
		ring = g.livelock()
	}
	c.stack, c.edges = c.stack[:at], c.edges[:s.edges]
	return ring
}

// parent returns the position of the state from which the search came to a state: the
// origin of the first edge to it.
func (c *components) parent(number int32) int {
	at, _ := c.position(number)
	if e := c.stack[at].edges; e > 0 {
		p, _ := c.position(c.edges[e-1].from)
		return p
	}
	return -1
}
