package explore

import "slices"

// graph is a strongly connected part of the graph of states: states are numbered from
// 0, edges are in the order of their origin, and those that leave it lead to closed.
type graph struct {
	states int
	edges  []edge
	// begin[i] is where the edges from state i begin; one more entry ends the last.
	begin []int32
	// part says to which set of states each belongs, for split and way.
	part  []int32
	parts int32
}

// newGraph numbers the states of the edges. ok is false if no edge stays within.
func newGraph(members []openState, edges []edge) (g *graph, ok bool) {
	position := func(number int32) int32 {
		at, found := slices.BinarySearchFunc(members, number, func(s openState, n int32) int { return int(s.number - n) })
		if !found {
			return closed
		}
		return int32(at)
	}
	for i := range edges {
		e := &edges[i]
		e.from, e.to = position(e.from), position(e.to)
		ok = ok || e.to != closed
	}
	if !ok {
		return nil, false
	}
	slices.SortStableFunc(edges, func(a, b edge) int { return int(a.from - b.from) })
	g = &graph{states: len(members), edges: edges, begin: make([]int32, len(members)+1), part: make([]int32, len(members))}
	for _, e := range edges {
		g.begin[e.from+1]++
	}
	for i := range members {
		g.begin[i+1] += g.begin[i]
	}
	return g, true
}

func (g *graph) from(state int32) []edge { return g.edges[g.begin[state]:g.begin[state+1]] }

// mark makes a set of states a part and returns its number.
func (g *graph) mark(states []int32) int32 {
	g.parts++
	for _, s := range states {
		g.part[s] = g.parts
	}
	return g.parts
}

// livelock returns the way from state 0 to a fair cycle and round it, nil if there is
// none.
func (g *graph) livelock() []Agent {
	all := make([]int32, g.states)
	for i := range all {
		all[i] = int32(i)
	}
	for todo := [][]int32{all}; len(todo) > 0; {
		set := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, c := range g.split(set) {
			movers, left := g.agents(c)
			if len(movers) == 0 {
				continue
			}
			if len(left) == 0 {
				return g.round(c, movers)
			}
			// Nobody of left can move in here for ever: without the states where they could.
			rest := slices.DeleteFunc(c, func(s int32) bool {
				return slices.ContainsFunc(g.from(s), func(e edge) bool { return has(left, e.agent) })
			})
			if len(rest) > 0 {
				todo = append(todo, rest)
			}
		}
	}
	return nil
}

// agents returns who moves within a set of states, and who else is enabled in one.
func (g *graph) agents(set []int32) (movers, left []Agent) {
	part := g.mark(set)
	for _, s := range set {
		for _, e := range g.from(s) {
			if e.to != closed && g.part[e.to] == part {
				movers = append(movers, e.agent)
			} else {
				left = append(left, e.agent)
			}
		}
	}
	slices.Sort(movers)
	movers = slices.Compact(movers)
	left = slices.DeleteFunc(left, func(a Agent) bool { return has(movers, a) })
	return movers, left
}

// split returns the strongly connected components of a set of states.
func (g *graph) split(set []int32) (components [][]int32) {
	type frame struct{ state, next int32 }
	part := g.mark(set)
	index := make(map[int32]int32, len(set)) // from 1, in the order of discovery
	low := make(map[int32]int32, len(set))   // 0 once its component is complete
	var stack []int32
	var frames []frame
	enter := func(s int32) {
		index[s] = int32(len(index) + 1)
		low[s] = index[s]
		stack = append(stack, s)
		frames = append(frames, frame{s, g.begin[s]})
	}
	for _, root := range set {
		if index[root] == 0 {
			enter(root)
		}
		for len(frames) > 0 {
			f := &frames[len(frames)-1]
			s := f.state
			if f.next < g.begin[s+1] {
				to := g.edges[f.next].to
				f.next++
				if to == closed || g.part[to] != part {
					continue
				}
				if index[to] == 0 {
					enter(to)
				} else if low[to] != 0 {
					low[s] = min(low[s], index[to])
				}
				continue
			}
			if frames = frames[:len(frames)-1]; len(frames) > 0 {
				up := frames[len(frames)-1].state
				low[up] = min(low[up], low[s])
			}
			if low[s] == index[s] {
				at := slices.Index(stack, s)
				c := slices.Clone(stack[at:])
				stack = stack[:at]
				for _, m := range c {
					low[m] = 0
				}
				components = append(components, c)
			}
		}
	}
	return components
}

// round returns the way from state 0 into a set of states and round it, so that each
// of the movers moves.
func (g *graph) round(set []int32, movers []Agent) []Agent {
	part := g.mark(set)
	home := set[0]
	way, _ := g.way(0, func(int32) bool { return true }, func(e edge) bool { return e.to == home })
	if home == 0 {
		way = nil
	}
	inside := func(s int32) bool { return g.part[s] == part }
	at := home
	for _, a := range movers {
		more, end := g.way(at, inside, func(e edge) bool { return e.agent == a })
		way, at = append(way, more...), end
	}
	if at != home {
		more, _ := g.way(at, inside, func(e edge) bool { return e.to == home })
		way = append(way, more...)
	}
	return way
}

// way returns the agents of the shortest way that ends with an edge like the goal, and
// where it ends. There must be one. All its states are inside.
func (g *graph) way(from int32, inside func(int32) bool, goal func(edge) bool) ([]Agent, int32) {
	queue := []int32{from}
	came := map[int32]edge{}
	back := func(e edge) (way []Agent) {
		for ; ; e = came[e.from] {
			if way = append(way, e.agent); e.from == from {
				slices.Reverse(way)
				return way
			}
		}
	}
	for i := 0; i < len(queue); i++ {
		for _, e := range g.from(queue[i]) {
			if e.to == closed || !inside(e.to) {
				continue
			}
			if goal(e) {
				return back(e), e.to
			}
			if _, known := came[e.to]; !known && e.to != from {
				came[e.to] = e
				queue = append(queue, e.to)
			}
		}
	}
	panic("explore: a strongly connected component has no way between two of its states")
}
