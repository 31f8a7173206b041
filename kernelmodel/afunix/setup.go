package afunix

import (
	"fmt"
	"slices"
)

// Shape is how the sockets of a [Graph] refer to each other.
type Shape string

// Shapes of graphs.
const (
	// Open: passed to a socket that is not in flight, never received, the sender's
	// descriptors still open.
	Open Shape = "open"
	// Closed: the same, the sender's descriptors closed. Candidates, not garbage.
	Closed Shape = "closed"
	// Pairs: two by two, each waiting in the other's queue, held open.
	Pairs Shape = "pairs"
	// Ring: each in the next one's queue, the last in the first's, held open.
	Ring Shape = "ring"
	// Self: each in its own queue, held open.
	Self Shape = "self"
	// Garbage: pairs, closed.
	Garbage Shape = "garbage"
)

// Shapes are all there are.
var Shapes = []Shape{Open, Closed, Pairs, Ring, Self, Garbage}

// Graph describes sockets that are in flight before time starts, one message
// each.
type Graph struct {
	Shape Shape
	// Sockets is how many are in flight. The odd one out among pairs waits in its
	// own queue.
	Sockets int
	// User has passed them.
	User string
}

// Setup puts a graph in flight, at no cost. It fails on an unknown shape or a
// negative number.
func (n *Net) Setup(g Graph) error {
	if !slices.Contains(Shapes, g.Shape) {
		return fmt.Errorf("in-flight graph %q, want one of %v", g.Shape, Shapes)
	}
	if g.Sockets < 0 {
		return fmt.Errorf("%d sockets in flight, want at least 0", g.Sockets)
	}
	if g.Sockets == 0 {
		return nil
	}
	user := n.User(g.User)
	var receiver *Sock
	if g.Shape == Open || g.Shape == Closed {
		receiver = n.Socket(Dgram)
	}
	socks := make([]*Sock, g.Sockets)
	for i := range socks {
		socks[i] = n.Socket(Dgram)
	}
	for i, u := range socks {
		to := receiver
		switch g.Shape {
		case Pairs, Garbage:
			to = socks[min(i^1, len(socks)-1)]
		case Ring:
			to = socks[(i+1)%len(socks)]
		case Self:
			to = u
		}
		n.pass(user, u, to)
	}
	if g.Shape == Closed || g.Shape == Garbage {
		for _, u := range socks {
			u.fcount--
			u.descriptors--
		}
	}
	return nil
}

// pass puts u in flight to another socket, at no cost.
func (n *Net) pass(user *User, u, to *Sock) {
	s := n.alloc(user, 1)
	n.take(nil, s, u)
	n.ledger.record(nil, s, to)
	n.enqueue(to, s)
}
