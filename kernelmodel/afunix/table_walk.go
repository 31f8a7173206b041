package afunix

import "smpsim/cpus"

// linesOfNode is how many lines comparing a socket touches, one after the other: the
// socket, which points to its address, and the address.
const linesOfNode = 2

// heat is which sockets of which chains searches have brought into the caches, and
// how long ago.
//
// Searches take chains in any order, so a chain is as warm as a structure walked in
// a cycle that has as many sockets as searches have touched since they last touched
// this one: the stack distance of least-recently-used replacement. A
// [cpus.Footprint] of that size gives the price. What only hangs in the table, in
// chains that nobody searches, makes no difference.
//
// Caches of several CPUs are told apart only by who searched last.
type heat struct {
	all *cpus.Footprint
	// Of each chain: the number of the search that was the last to go over it, how
	// many sockets that touched, and how many from the head on were ever touched.
	turn    int64
	last    []int64
	touched []int32
	reached []int32
}

func (h *heat) init(chains int) {
	h.all = cpus.NewFootprint(linesOfNode)
	h.last = make([]int64, chains)
	h.touched, h.reached = make([]int32, chains), make([]int32, chains)
}

// inserted notes a socket at a chain's head, which its owner has in the cache.
func (h *heat) inserted(at int) { h.reached[at]++ }

// removed notes that a chain's socket at a depth, from 1, is gone.
func (h *heat) removed(at, depth int) {
	if depth <= int(h.reached[at]) {
		h.reached[at]--
	}
}

// between returns how many sockets of other chains searches have touched since the
// last one that went over a chain.
func (h *heat) between(at int) int64 {
	n, since := int64(0), h.last[at]
	for i, last := range h.last {
		if last > since {
			n += int64(h.touched[i])
		}
	}
	return n
}

// walk charges for touching the first sockets of a chain.
func (t *Table) walk(k *cpus.Thread, at, visited int) {
	if visited == 0 {
		return
	}
	h := &t.heat
	known := min(visited, int(h.reached[at]))
	h.all.SetObjects(h.between(at) + int64(visited))
	h.turn++
	h.last[at], h.touched[at], h.reached[at] = h.turn, int32(visited), max(h.reached[at], int32(visited))
	if known > 0 {
		k.Walk(h.all, int64(known))
	}
	if rest := visited - known; rest > 0 {
		cold := cpus.NewFootprint(linesOfNode)
		k.Walk(cold, int64(rest))
		if known == 0 && h.turn == 1 {
			h.all = cold
		}
	}
}
