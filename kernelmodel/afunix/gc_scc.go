package afunix

import (
	"fmt"

	"smpsim/cpus"
)

// graph is the ledger since v6.10. A socket in flight is a vertex; a descriptor
// in a message is an edge from the socket passed to the socket that will receive
// it. What keeps a socket alive lies along its edges: the receivers. Garbage is a
// strongly connected component that no edge leaves and whose members nothing but
// these edges refers to.
//
// All of it belongs to unix_gc_lock.
type graph struct {
	net *Net
	// unvisited is unix_unvisited_vertices: all vertices, between two collections.
	unvisited, visited list[vertex]
	head               *cpus.Word
	size               int64
	spare              []*vertex
	// maybeCyclic is unix_graph_maybe_cyclic, cleared by a collection that finds no
	// cycle and set when a socket in flight is to receive one. grouped is
	// unix_graph_grouped: the components found last still hold.
	maybeCyclic, grouped bool
	// unvisitedIndex and groupedIndex mark vertices before and after the search.
	// The two swap their meaning after it, so that nothing needs to be reset.
	unvisitedIndex, groupedIndex uint64
	// maxSCC is the last sccIndex that was given out.
	maxSCC uint64
	stack  []*vertex
	path   []step
	memo   graphMemo
	// foot: a vertex has 72 bytes; an edge is looked at together with its
	// successor's unix_sock; a count is four dependent lines away, as in the list.
	vertices, edges, socks *cpus.Footprint
}

// Indices of vertices that are not on the stack of a search.
const (
	mark1 uint64 = iota
	mark2
	indexStart
)

// vertex is a socket in flight.
type vertex struct {
	sock  *Sock
	entry link[vertex]
	// edges are the messages that carry the socket.
	edges     list[edge]
	outDegree int64
	// index is a mark, or the order of visit of one that is on the stack; sccIndex
	// is equal for the members of a component.
	index, sccIndex uint64
	// next leads through the members of the component, and back.
	next *vertex
}

// edge is a descriptor of predecessor that successor will receive.
type edge struct {
	predecessor, successor *Sock
	entry                  link[edge]
}

// receiver is unix_edge_successor(): what waits at an embryo is held by the listener.
func (e *edge) receiver() *vertex {
	if e.successor.listener != nil {
		return e.successor.listener.vertex
	}
	return e.successor.vertex
}

func newGraph(n *Net) *graph {
	g := &graph{
		net: n, head: n.machine.NewWord("unix_unvisited_vertices", 0),
		unvisitedIndex: mark1, groupedIndex: mark2, maxSCC: indexStart,
		vertices: cpus.NewFootprint(2), edges: cpus.NewFootprint(2), socks: cpus.NewFootprint(4),
	}
	g.unvisited.init()
	g.visited.init()
	return g
}

// record is unix_add_edges(): one hold of the lock a message.
func (g *graph) record(k *cpus.Thread, s *skb, to *Sock) {
	n := g.net
	if cap(s.edges) < len(s.fds) {
		s.edges = make([]edge, 0, len(s.fds))
	}
	s.edges = s.edges[:len(s.fds)]
	if k == nil {
		for i, u := range s.fds {
			g.addEdge(&s.edges[i], u, to)
		}
		s.counted = len(s.fds)
		to.sentFDs += len(s.fds)
		n.totInflight.Value += int64(len(s.fds))
		s.user.inflight.Value += int64(len(s.fds))
		return
	}
	entered := k.Enter(n.fn.addEdges)
	n.lock(k)
	n.generation++
	n.loadLink(k, &to.line().links)
	if to.embryo {
		// Both sides hold its unix_state_lock: accept() finds all edges, or none.
		k.Updates(&to.connected)
	}
	to.sentFDs += len(s.fds)
	for i, u := range s.fds {
		last := g.unvisited.last()
		fresh := g.addEdge(&s.edges[i], u, to)
		s.counted++
		n.storeLink(k, &u.line().links, u.id)
		if fresh {
			n.storeLink(k, g.head, u.id)
			if last != nil {
				n.storeLink(k, &last.sock.line().links, u.id)
			}
		}
	}
	n.add(k, n.totInflight, int64(len(s.fds)))
	n.add(k, s.user.inflight, int64(len(s.fds)))
	n.unlock(k)
	k.Return(n.fn.addEdges, entered)
}

// forget is unix_del_edges(): one hold of the lock a message.
func (g *graph) forget(k *cpus.Thread, s *skb) {
	n := g.net
	count := int64(s.counted)
	if count == 0 {
		return
	}
	entered := k.Enter(n.fn.delEdges)
	n.lock(k)
	n.generation++
	n.loadLink(k, &s.edges[0].successor.line().links)
	s.edges[0].successor.sentFDs -= s.counted
	for i := range s.edges {
		e := &s.edges[i]
		u := e.predecessor
		before, after := u.vertex.entry.before(), u.vertex.entry.after()
		gone := g.delEdge(e, s.dead)
		s.counted--
		n.storeLink(k, &u.line().links, 0)
		if gone {
			g.touchNeighbour(k, before)
			g.touchNeighbour(k, after)
		}
	}
	n.add(k, n.totInflight, -count)
	n.add(k, s.user.inflight, -count)
	n.unlock(k)
	k.Return(n.fn.delEdges, entered)
}

// adopt is unix_update_edges(): edges to the embryo end at itself from now on. Without
// any it takes no lock, since no collection can see the embryo.
func (g *graph) adopt(k *cpus.Thread, e *Sock) {
	n := g.net
	k.Updates(&e.connected)
	if e.sentFDs == 0 {
		e.listener = nil
		return
	}
	entered := k.Enter(n.fn.updateEdges)
	n.lock(k)
	n.generation++
	g.update(e.listener.vertex)
	e.listener = nil
	n.unlock(k)
	k.Return(n.fn.updateEdges, entered)
}

// touchNeighbour writes to the pointers of a vertex, whose line is taken to be
// its socket's, or of the head of the list.
func (g *graph) touchNeighbour(k *cpus.Thread, v *vertex) {
	if v == nil {
		g.net.storeLink(k, g.head, 0)
		return
	}
	g.net.storeLink(k, &v.sock.line().links, 0)
}

// addEdge adds an edge and, if u was not in flight, its vertex; it reports
// whether it did the latter.
func (g *graph) addEdge(e *edge, u, to *Sock) bool {
	v := u.vertex
	fresh := v == nil
	if fresh {
		v = g.newVertex(u)
	}
	e.predecessor, e.successor = u, to
	v.outDegree++
	v.edges.pushBack(&e.entry, e)
	g.update(e.receiver())
	return fresh
}

// delEdge removes an edge and, if it was the last, its vertex; it reports
// whether it did the latter.
func (g *graph) delEdge(e *edge, dead bool) bool {
	if !dead {
		g.update(e.receiver())
	}
	v := e.predecessor.vertex
	e.entry.unlink()
	v.outDegree--
	if v.outDegree > 0 {
		return false
	}
	v.sock.vertex = nil
	v.entry.unlink()
	g.size--
	v.sock = nil
	g.spare = append(g.spare, v)
	return true
}

// update is unix_update_graph(): only if the receiver is itself in flight can an
// edge have made or broken a cycle.
func (g *graph) update(receiver *vertex) {
	if receiver != nil {
		g.maybeCyclic, g.grouped = true, false
	}
}

func (g *graph) newVertex(u *Sock) *vertex {
	var v *vertex
	if last := len(g.spare) - 1; last >= 0 {
		v = g.spare[last]
		g.spare = g.spare[:last]
	} else {
		v = &vertex{}
		v.edges.init()
	}
	v.sock, v.outDegree, v.index, v.next = u, 0, g.unvisitedIndex, v
	if !g.net.params.Unfixed.StaleIndex {
		// A component of its own until the next search: a walk that trusts the grouping
		// must not take it for a member of another.
		g.maxSCC++
		v.sccIndex = g.maxSCC
	}
	g.unvisited.pushBack(&v.entry, v)
	g.size++
	u.vertex = v
	return v
}

// left is nothing: the graph keeps no candidates.
func (g *graph) left() int { return 0 }

// check compares the graph with the messages.
func (g *graph) check() error {
	inFlight := g.net.tallyInFlight()
	for _, s := range g.net.messages {
		for i, u := range s.fds[:s.counted] {
			if e := &s.edges[i]; e.predecessor != u || !e.entry.linked() {
				return fmt.Errorf("descriptor %d of a message carries %v without its edge", i, u)
			}
		}
	}
	listed := int64(0)
	for v := g.unvisited.first(); v != nil; v = v.entry.after() {
		listed++
		edges := int64(0)
		for e := v.edges.first(); e != nil; e = e.entry.after() {
			edges++
		}
		if want := v.sock.tally; v.outDegree != want || edges != want || v.sock.vertex != v {
			return fmt.Errorf("%v has degree %d and %d edges, and %d messages carry it", v.sock, v.outDegree, edges, want)
		}
	}
	if listed != inFlight || listed != g.size {
		return fmt.Errorf("%d vertices are listed, the size says %d, and messages carry %d sockets", listed, g.size, inFlight)
	}
	return nil
}
