package afunix

import "smpsim/cpus"

// seen is what a walk of the graph touches.
type seen struct {
	vertices, edges, counts, queues, moves int64
}

// step is where a search has come to: the edge of a vertex that it followed.
type step struct {
	vertex *vertex
	edge   *edge
}

// graphMemo remembers the last walk that took the grouping as it was and changed
// nothing. See memo.go; a walk of the graph is done at one instant, so nothing
// can come in between.
type graphMemo struct {
	valid bool
	// off has every walk done, and recalled counts those that were not, for tests.
	off        bool
	recalled   int
	generation uint64
	seen       seen
}

// collect is the part of __unix_gc() that runs under unix_gc_lock.
func (g *graph) collect(k *cpus.Thread, hitlist *list[skb]) bool {
	if !g.maybeCyclic {
		return false
	}
	m := &g.memo
	if m.valid && !m.off && !k.Machine().Stepped && m.generation == g.net.generation && g.grouped {
		m.recalled++
		g.charge(k, m.seen)
		return true
	}
	var s seen
	fast := g.grouped
	generation := g.net.generation
	if fast {
		g.walkSCCFast(k, &s, hitlist)
	} else {
		g.walkSCC(k, &s, hitlist)
	}
	m.valid = fast && hitlist.empty() && g.maybeCyclic
	m.generation, m.seen = generation, s
	g.charge(k, s)
	return true
}

// walkSCC is unix_walk_scc(): it visits every vertex once, by Tarjan's algorithm.
func (g *graph) walkSCC(k *cpus.Thread, s *seen, hitlist *list[skb]) {
	g.maybeCyclic = false
	last := indexStart
	for v := g.unvisited.first(); v != nil; v = g.unvisited.first() {
		g.search(k, v, &last, s, hitlist)
	}
	g.maxSCC = max(g.maxSCC, last)
	g.visited.splice(&g.unvisited)
	g.unvisitedIndex, g.groupedIndex = g.groupedIndex, g.unvisitedIndex
	g.grouped = true
}

// search is __unix_walk_scc(): a depth-first search from root, with a stack of
// its own instead of recursion, since chains of sockets can be long.
func (g *graph) search(k *cpus.Thread, root *vertex, last *uint64, s *seen, hitlist *list[skb]) {
	v, e := root, g.visit(root, last, s)
	g.path = g.path[:0]
	for {
		if e != nil {
			s.edges++
			next := e.receiver()
			switch {
			case next == nil:
			case next.index == g.unvisitedIndex:
				g.path = append(g.path, step{v, e})
				v, e = next, g.visit(next, last, s)
				continue
			case next.index != g.groupedIndex:
				// On the stack: a way back.
				v.sccIndex = min(v.sccIndex, next.sccIndex)
			}
			e = e.entry.after()
			continue
		}
		if v.index == v.sccIndex {
			g.finish(k, v, s, hitlist)
		}
		if len(g.path) == 0 {
			return
		}
		back := g.path[len(g.path)-1]
		g.path = g.path[:len(g.path)-1]
		back.vertex.sccIndex = min(back.vertex.sccIndex, v.sccIndex)
		v, e = back.vertex, back.edge.entry.after()
	}
}

// visit puts v on the stack and returns its first edge.
func (g *graph) visit(v *vertex, last *uint64, s *seen) *edge {
	s.vertices++
	g.stack = append(g.stack, v)
	v.index, v.sccIndex = *last, *last
	*last++
	return v.edges.first()
}

// finish takes the component whose root is v from the stack.
func (g *graph) finish(k *cpus.Thread, v *vertex, s *seen, hitlist *list[skb]) {
	from := len(g.stack) - 1
	for g.stack[from] != v {
		from--
	}
	members := g.stack[from:]
	for i, m := range members {
		m.next = members[(i+1)%len(members)]
		m.index = g.groupedIndex
		if !g.net.params.Unfixed.MixedIndex {
			// The search may have left members with different ways back.
			m.sccIndex = v.sccIndex
		}
	}
	g.stack = g.stack[:from]
	g.judge(k, v, s, hitlist)
}

// walkSCCFast is unix_walk_scc_fast(): the components are known.
func (g *graph) walkSCCFast(k *cpus.Thread, s *seen, hitlist *list[skb]) {
	g.maybeCyclic = false
	for v := g.unvisited.first(); v != nil; v = g.unvisited.first() {
		g.judge(k, v, s, hitlist)
	}
	g.visited.splice(&g.unvisited)
}

// judge moves a component to the visited vertices and collects it if it is dead.
func (g *graph) judge(k *cpus.Thread, first *vertex, s *seen, hitlist *list[skb]) {
	dead, peeks := true, g.peeks(k)
	for v := first; ; {
		g.visited.moveBack(&v.entry)
		s.vertices++
		s.moves++
		if dead {
			dead = g.dead(k, v, s)
		}
		if v = v.next; v == first {
			break
		}
	}
	switch {
	case dead && g.peeks(k) == peeks:
		g.gather(k, first, s, hitlist)
	case !g.maybeCyclic:
		g.maybeCyclic = g.cyclic(first, s)
	}
}

// peeks returns how often somebody has peeked at sockets in flight. If it was while a
// component was judged, the counts do not belong together, and the component is left to
// the next collection. What the two loads cost is neglected.
func (g *graph) peeks(k *cpus.Thread) int64 {
	if g.net.machine.Stepped && !g.net.params.Unfixed.PeekWithoutBarrier {
		return k.Load(g.net.peeks)
	}
	return g.net.peeks.Value
}

// dead is unix_vertex_dead(): only the component itself can receive v, and
// nothing but messages refers to it.
func (g *graph) dead(k *cpus.Thread, v *vertex, s *seen) bool {
	for e := v.edges.first(); e != nil; e = e.entry.after() {
		s.edges++
		receiver := e.receiver()
		if receiver == nil || receiver.sccIndex != v.sccIndex {
			return false
		}
	}
	s.counts++
	k.Sees(&v.sock.fileCount)
	return v.sock.fcount == v.outDegree
}

// cyclic is unix_scc_cyclic(): several vertices, or one that will receive itself.
func (g *graph) cyclic(first *vertex, s *seen) bool {
	if first.next != first {
		return true
	}
	for e := first.edges.first(); e != nil; e = e.entry.after() {
		s.edges++
		if e.receiver() == first {
			return true
		}
	}
	return false
}

// gather is unix_collect_skb(): all that waits in the receive queues of a dead
// component is garbage, and where a member listens, what waits at its embryos.
func (g *graph) gather(k *cpus.Thread, first *vertex, s *seen, hitlist *list[skb]) {
	for v := first; ; {
		u := v.sock
		k.Updates(&u.queue)
		s.queues++
		if u.listening {
			for m := u.receive.first(); m != nil; m = m.entry.after() {
				s.queues++
				k.Updates(&m.embryo.queue)
				g.gatherQueue(m.embryo, hitlist)
			}
		} else {
			g.gatherQueue(u, hitlist)
		}
		if v = v.next; v == first {
			return
		}
	}
}

func (g *graph) gatherQueue(u *Sock, hitlist *list[skb]) {
	for m := u.receive.first(); m != nil; m = u.receive.first() {
		g.net.doom(u, m, hitlist)
	}
}

// charge lets the time pass that a walk takes.
func (g *graph) charge(k *cpus.Thread, s seen) {
	costs := &k.Machine().Costs
	g.vertices.SetObjects(g.size)
	g.edges.SetObjects(g.net.totInflight.Value)
	g.socks.SetObjects(s.counts)
	walk(k, g.vertices, s.vertices)
	walk(k, g.edges, s.edges)
	walk(k, g.socks, s.counts)
	if d := cpus.Until(s.queues)*(costs.Atomic+costs.PlainIncrement) +
		cpus.Until(s.moves*moveStores)*costs.PlainIncrement; d > 0 {
		k.Run(d)
	}
}
