package afunix

import "fmt"

// Check compares the counts with the messages that are really under way, and
// returns the first that is wrong. What unix_gc_lock protects is left out while
// somebody holds the lock: it is in the middle of a change. Nothing that somebody can
// receive is among what the collector frees.
func (n *Net) Check() error {
	for _, u := range n.socks {
		u.tally, u.marked = 0, false
	}
	for _, s := range n.messages {
		for _, u := range s.fds {
			u.tally++
		}
	}
	for _, u := range n.socks {
		if want := u.tally + u.descriptors + u.calls; u.fcount != want {
			return fmt.Errorf("%v has f_count %d, want %d: %d of messages, %d of processes, %d of calls",
				u, u.fcount, want, u.tally, u.descriptors, u.calls)
		}
		if queued := u.countQueue(); queued != u.queued {
			return fmt.Errorf("%v has %d messages, and counts %d", u, queued, u.queued)
		}
	}
	if err := n.checkDoomed(); err != nil {
		return err
	}
	if n.gcLock.Holder() != nil {
		return nil
	}
	return n.checkInFlight()
}

// checkInFlight compares what unix_gc_lock protects.
func (n *Net) checkInFlight() error {
	inFlight := int64(0)
	for _, u := range n.users {
		u.tally = 0
	}
	for _, s := range n.messages {
		inFlight += int64(s.counted)
		s.user.tally += int64(s.counted)
	}
	if n.totInflight.Value != inFlight {
		return fmt.Errorf("unix_tot_inflight is %d, want %d", n.totInflight.Value, inFlight)
	}
	for _, u := range n.users {
		if u.inflight.Value != u.tally {
			return fmt.Errorf("unix_inflight of %s is %d, want %d", u.name, u.inflight.Value, u.tally)
		}
	}
	return n.ledger.check()
}

// tallyInFlight lets each socket's tally be how many messages carry it in flight, and
// returns how many sockets are carried.
func (n *Net) tallyInFlight() int64 {
	sockets := int64(0)
	for _, u := range n.socks {
		u.tally = 0
	}
	for _, s := range n.messages {
		for _, u := range s.fds[:s.counted] {
			if u.tally == 0 {
				sockets++
			}
			u.tally++
		}
	}
	return sockets
}

func (u *Sock) countQueue() int {
	n := 0
	for s := u.receive.first(); s != nil; s = s.entry.after() {
		n++
	}
	return n
}

// checkDoomed looks for a message that the collector frees, and somebody could have
// received.
func (n *Net) checkDoomed() error {
	doomed := false
	for _, s := range n.messages {
		doomed = doomed || s.dead
	}
	if !doomed {
		return nil
	}
	n.markReachable()
	for _, s := range n.messages {
		if s.dead && s.to.marked {
			return fmt.Errorf("the collector frees a message at %v, which is reachable", s.to)
		}
	}
	return nil
}

// Garbage returns how many sockets are not released though nobody can reach them, by a
// descriptor or by receiving one: what a collection should free.
func (n *Net) Garbage() int {
	n.markReachable()
	garbage := 0
	for _, u := range n.socks {
		if !u.marked {
			garbage++
		}
	}
	return garbage
}

// markReachable marks the sockets that somebody can reach.
func (n *Net) markReachable() {
	for _, u := range n.socks {
		u.marked = false
	}
	for _, u := range n.socks {
		if u.descriptors > 0 || u.calls > 0 {
			u.mark()
		}
	}
	for _, s := range n.messages {
		if s.to == nil { // in the hands of who sends it, or has received it
			s.mark()
		}
	}
}

// mark marks u and what can be received there.
func (u *Sock) mark() {
	if u.marked {
		return
	}
	u.marked = true
	for s := u.receive.first(); s != nil; s = s.entry.after() {
		s.mark()
	}
}

// mark marks what s carries.
func (s *skb) mark() {
	for _, u := range s.fds {
		u.mark()
	}
	if s.embryo != nil {
		s.embryo.mark()
	}
}
