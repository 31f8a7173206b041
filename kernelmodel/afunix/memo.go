package afunix

import "smpsim/cpus"

// memo remembers a collection over the list that found no garbage and left
// everything as it was, the order of the list included. As long as the
// generation has not changed, a collection would do the same again, so it is
// charged without being done: thousands of sends, each with a collection over
// thousands of sockets, would take minutes otherwise.
//
// The generation may change in the middle of such a collection. What phases
// already charged would have left behind is then made up for, from what is
// remembered, and the rest is done. The result is the same to the picosecond.
type memo struct {
	valid bool
	// off has every collection done, and recalled and cut count those that were
	// recalled to the end and in part, for tests.
	off           bool
	recalled, cut int
	generation    uint64
	done          [phases]touches
	// candidates are those selected, in order, and remaining the count of each
	// after the subtraction.
	candidates []*Sock
	remaining  []int64
}

// recall charges phases as they are remembered for as long as that is right, and
// returns the phase from which on the collection has to be done.
func (g *inflightList) recall(k *cpus.Thread) phase {
	m := &g.memo
	for p := selecting; p < phases; p++ {
		if !m.valid || m.off || k.Machine().Stepped || m.generation != g.net.generation {
			g.makeUp(p)
			return p
		}
		g.charge(k, p, m.done[p])
	}
	m.recalled++
	return phases
}

// makeUp brings lists, counts and flags into the state that they would be in
// before phase p, had the phases before it been done.
func (g *inflightList) makeUp(p phase) {
	if p == selecting {
		return
	}
	m := &g.memo
	m.cut++
	for i, u := range m.candidates {
		u.flags |= candidate
		if p <= restoring {
			g.candidates.moveBack(&u.link)
			u.flags |= maybeCycle
		} else {
			g.notCycle.moveBack(&u.link)
		}
		if p == restoring {
			u.inflight.Value = m.remaining[i]
		}
	}
}

// begin prepares to remember a collection that is done from phase from on; one
// that was recalled in part is not worth it.
func (m *memo) begin(g *inflightList, from phase) {
	m.valid = from == selecting
	m.generation = g.net.generation
	m.candidates, m.remaining = m.candidates[:0], m.remaining[:0]
}

// note remembers a phase that has just been done.
func (m *memo) note(g *inflightList, p phase, t touches) {
	m.done[p] = t
	if p != selecting && p != subtracting {
		return
	}
	for u := g.candidates.first(); u != nil; u = u.link.after() {
		if p == selecting {
			m.candidates = append(m.candidates, u)
		} else {
			m.remaining = append(m.remaining, u.inflight.Value)
		}
	}
}

// end decides whether the collection is worth remembering: whether it has left
// everything as it found it.
func (m *memo) end(g *inflightList, hitlist *list[skb]) {
	m.valid = m.valid && m.generation == g.net.generation && hitlist.empty() && g.candidates.empty() && g.ordered()
}

// ordered reports whether the list is in the order in which it was walked.
func (g *inflightList) ordered() bool {
	position := int32(0)
	for u := g.inflight.first(); u != nil; u = u.link.after() {
		if u.position != position {
			return false
		}
		position++
	}
	return true
}
