package explore

import "slices"

// wakeTree holds the sequences of choices that are still to be explored from the
// states on the present path: ordered trees, whose nodes share one arena.
type wakeTree struct {
	nodes []wakeNode
	// unused heads a list of nodes free for use, linked by next.
	unused int32
}

// wakeNode is a choice after those above it. A node without children leaves open what
// follows.
type wakeNode struct {
	choice
	children wakeList
	next     int32
}

// choice is an agent with the step that it does, by its number.
type choice struct {
	agent Agent
	step  int32
}

// wakeList is an ordered list of nodes; zero is the empty list, for node 0 is not used.
type wakeList struct{ first, last int32 }

func (t *wakeTree) bytes() int64 { return int64(len(t.nodes)) * 24 }

// pop takes the first node off a list.
func (t *wakeTree) pop(l *wakeList) wakeNode {
	at := l.first
	n := t.nodes[at]
	if l.first = n.next; l.first == 0 {
		l.last = 0
	}
	t.nodes[at].next = t.unused
	t.unused = at
	return n
}

// drop forgets all nodes of a list and below.
func (t *wakeTree) drop(l wakeList) {
	for l.first != 0 {
		t.drop(t.pop(&l).children)
	}
}

// push appends a node to a list and returns its position.
func (t *wakeTree) push(l *wakeList, c choice) int32 {
	if len(t.nodes) == 0 {
		t.nodes = append(t.nodes, wakeNode{})
	}
	at := t.unused
	if at != 0 {
		t.unused = t.nodes[at].next
		t.nodes[at] = wakeNode{choice: c}
	} else {
		at = int32(len(t.nodes))
		t.nodes = append(t.nodes, wakeNode{choice: c})
	}
	if l.last != 0 {
		t.nodes[l.last].next = at
	} else {
		l.first = at
	}
	l.last = at
	return at
}

// insert adds a sequence to the tree under a list, unless a branch already leads to
// where the sequence, with something added, would lead: the first branch that does is
// followed, and what it does is taken out of the sequence; what remains becomes a
// branch of its own, the last (POPL 2014, section 6.2). It uses up w.
func (t *wakeTree) insert(l *wakeList, w []choice, steps *stepTable) {
	t.nodes = slices.Grow(t.nodes, len(w)+1) // so that l stays valid
	for {
		at := l.first
		for ; at != 0; at = t.nodes[at].next {
			if i, ok := steps.weakInitial(t.nodes[at].choice, w); ok {
				if i >= 0 {
					w = append(w[:i], w[i+1:]...)
				}
				break
			}
		}
		if at == 0 {
			break
		}
		if l = &t.nodes[at].children; l.first == 0 {
			return
		}
	}
	for _, c := range w {
		l = &t.nodes[t.push(l, c)].children
	}
}

// weakInitial reports whether a choice could come first in a sequence that w can be
// made part of: its step commutes with all of w up to its agent's own step in w, which
// it then is, at index i, or with all of w: i is -1.
func (t *stepTable) weakInitial(c choice, w []choice) (i int, ok bool) {
	for i, o := range w {
		if o.agent == c.agent {
			return i, true
		}
		if t.dependent(o.step, c.step) {
			return -1, false
		}
	}
	return -1, true
}
