package afunix

import "fmt"

// Check compares the counts with the messages that are really under way, and
// returns the first that is wrong. What unix_gc_lock protects is left out while
// somebody holds the lock: it is in the middle of a change.
func (n *Net) Check() error {
	held := make(map[*Sock]int64)
	perUser := make(map[*User]int64)
	inFlight := int64(0)
	for _, s := range n.messages {
		for _, u := range s.fds {
			held[u]++
		}
		inFlight += int64(s.counted)
		perUser[s.user] += int64(s.counted)
	}
	for _, u := range n.socks {
		if want := held[u] + u.descriptors + u.calls; u.fcount != want {
			return fmt.Errorf("socket %d has f_count %d, want %d: %d of messages, %d of processes, %d of calls",
				u.id, u.fcount, want, held[u], u.descriptors, u.calls)
		}
		if queued := u.countQueue(); queued != u.queued {
			return fmt.Errorf("socket %d has %d messages, and counts %d", u.id, queued, u.queued)
		}
	}
	if n.gcLock.Holder() != nil {
		return nil
	}
	if n.totInflight.Value != inFlight {
		return fmt.Errorf("unix_tot_inflight is %d, want %d", n.totInflight.Value, inFlight)
	}
	for _, u := range n.users {
		if u.inflight.Value != perUser[u] {
			return fmt.Errorf("unix_inflight of %s is %d, want %d", u.name, u.inflight.Value, perUser[u])
		}
	}
	return n.ledger.check()
}

func (u *Sock) countQueue() int {
	n := 0
	for s := u.receive.first(); s != nil; s = s.entry.after() {
		n++
	}
	return n
}
