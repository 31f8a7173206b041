package afunix

import (
	"fmt"

	"smpsim/cpus"
)

// gcFlags are a socket's gc_flags.
type gcFlags uint8

const (
	// candidate is UNIX_GC_CANDIDATE: nothing but messages refers to the socket.
	candidate gcFlags = 1 << iota
	// maybeCycle is UNIX_GC_MAYBE_CYCLE: nothing says yet that it is reachable.
	maybeCycle
)

// inflightList is the ledger up to v6.9: a list of the sockets in flight, with a
// count each. All of it belongs to unix_gc_lock.
//
// The collector selects as candidates the sockets that only messages refer to,
// subtracts the references that messages in candidates' own queues make, and
// gives them back again from those that have some left. Who has none then is in
// a cycle that nobody can reach.
type inflightList struct {
	net *Net
	// inflight is gc_inflight_list, candidates gc_candidates, notCycle
	// not_cycle_list.
	inflight, candidates, notCycle list[Sock]
	// head stands for the line of gc_inflight_list's head.
	head   *cpus.Word
	length int64
	atomic bool
	memo   memo
	// foot: what a walk touches. A socket in flight has four dependent lines: the
	// unix_sock, the sock's pointer to the socket, the socket's to the file, the
	// file's count. Looking from a descriptor to its socket takes as many.
	socks *cpus.Footprint
	// again is a candidate looked at once more: its unix_sock, or its receive
	// queue. messages have two lines: the message, its list of files.
	again, messages *cpus.Footprint
}

func newInflightList(n *Net) *inflightList {
	g := &inflightList{
		net: n, head: n.machine.NewWord("gc_inflight_list", 0), atomic: n.params.InflightCount != "plain",
		socks: cpus.NewFootprint(4), again: cpus.NewFootprint(1), messages: cpus.NewFootprint(2),
	}
	g.inflight.init()
	g.candidates.init()
	g.notCycle.init()
	return g
}

// record is unix_attach_fds() from its second half on: once for each descriptor.
func (g *inflightList) record(k *cpus.Thread, s *skb, _ *Sock) {
	for _, u := range s.fds {
		if k != nil {
			g.unixInflight(k, s.user, u)
		} else {
			u.inflight.Value++
			if u.inflight.Value == 1 {
				g.inflight.pushBack(&u.link, u)
				g.length++
			}
			g.net.totInflight.Value++
			s.user.inflight.Value++
		}
		s.counted++
	}
}

// forget is unix_detach_fds(), the last descriptor first.
func (g *inflightList) forget(k *cpus.Thread, s *skb) {
	for s.counted > 0 {
		g.unixNotinflight(k, s.user, s.fds[s.counted-1])
		s.counted--
	}
}

// unixInflight is unix_inflight(): one more message carries u.
func (g *inflightList) unixInflight(k *cpus.Thread, user *User, u *Sock) {
	n := g.net
	entered := k.Enter(n.fn.inflight)
	n.lock(k)
	n.generation++
	g.count(k, u, 1)
	if u.inflight.Value == 1 {
		if u.link.linked() {
			k.BugOn(true, "%v is in a list, and was not in flight", u)
		}
		// list_add_tail() writes to the head, and to the socket that was last.
		last := g.inflight.last()
		g.inflight.pushBack(&u.link, u)
		g.length++
		n.storeLink(k, g.head, u.id)
		if last != nil {
			n.storeLink(k, &last.line().links, u.id)
		}
	} else if !u.link.linked() {
		k.BugOn(true, "%v is in flight, and in no list", u)
	}
	n.add(k, n.totInflight, 1)
	n.add(k, user.inflight, 1)
	n.unlock(k)
	k.Return(n.fn.inflight, entered)
}

// unixNotinflight is unix_notinflight(): one message less carries u.
func (g *inflightList) unixNotinflight(k *cpus.Thread, user *User, u *Sock) {
	n := g.net
	entered := k.Enter(n.fn.notinflight)
	n.lock(k)
	if u.inflight.Value < 1 || !u.link.linked() {
		k.BugOn(true, "%v is not in flight", u)
	}
	n.generation++
	g.count(k, u, -1)
	if u.inflight.Value == 0 {
		// list_del() writes to both neighbours.
		before, after := u.link.before(), u.link.after()
		u.link.unlink()
		g.length--
		g.touchNeighbour(k, before)
		g.touchNeighbour(k, after)
	}
	n.add(k, n.totInflight, -1)
	n.add(k, user.inflight, -1)
	n.unlock(k)
	k.Return(n.fn.notinflight, entered)
}

// count adds to u's count of references in flight: atomic_long_t, or a plain
// unsigned long.
func (g *inflightList) count(k *cpus.Thread, u *Sock, by int64) {
	if g.atomic {
		k.AddReturn(&u.line().inflight, by)
	} else {
		k.AddPlain(&u.line().inflight, by)
	}
}

// touchNeighbour writes to the pointers of a socket, or of the head of the list
// if there is none.
func (g *inflightList) touchNeighbour(k *cpus.Thread, u *Sock) {
	if u == nil {
		g.net.storeLink(k, g.head, 0)
		return
	}
	g.net.storeLink(k, &u.line().links, 0)
}

// adopt is nothing: the list does not know where messages wait.
func (g *inflightList) adopt(*cpus.Thread, *Sock) {}

func (g *inflightList) left() int {
	left := 0
	for u := g.candidates.first(); u != nil; u = u.link.after() {
		left++
	}
	return left
}

// check compares the counts and the list with the messages that are counted.
func (g *inflightList) check() error {
	inFlight := g.net.tallyInFlight()
	for u := g.inflight.first(); u != nil; u = u.link.after() {
		if u.flags != 0 {
			return fmt.Errorf("%v, which nobody collects, has flags %b", u, u.flags)
		}
	}
	listed := int64(0)
	for _, l := range [...]*list[Sock]{&g.inflight, &g.candidates, &g.notCycle} {
		for u := l.first(); u != nil; u = u.link.after() {
			listed++
			if u.tally != u.inflight.Value || u.tally == 0 {
				return fmt.Errorf("%v is listed with %d in flight, and %d messages carry it", u, u.inflight.Value, u.tally)
			}
		}
	}
	if listed != inFlight || listed != g.length {
		return fmt.Errorf("%d sockets are listed as in flight, the length says %d, and messages carry %d", listed, g.length, inFlight)
	}
	return nil
}
