package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// skb is a message: what struct sk_buff and the scm_fp_list in it are.
type skb struct {
	// entry is the place in a receive queue, or in a list of what is to be freed.
	entry link[skb]
	// fds are the sockets whose descriptors the message carries; it holds a
	// reference to each.
	fds  []*Sock
	user *User
	size int64
	// counted is how many of fds, the first, are recorded as in flight.
	counted int
	// edges are those of the graph, one for each of fds.
	edges []edge
	// to is in whose receive queue it waits, or waited until the collector came.
	to *Sock
	// dead messages are freed by the collector, which leaves the graph as grouped
	// as it was.
	dead bool
	// embryo is a connection that waits to be accepted; the message carries nothing.
	embryo *Sock
	// index is the place in Net.messages.
	index int
}

// alloc returns an empty message.
func (n *Net) alloc(user *User, size int64) *skb {
	var s *skb
	if last := len(n.spare) - 1; last >= 0 {
		s = n.spare[last]
		n.spare = n.spare[:last]
	} else {
		s = &skb{}
	}
	s.user, s.size, s.index = user, size, len(n.messages)
	n.messages = append(n.messages, s)
	return s
}

// take adds a reference to u to the message.
func (n *Net) take(k *cpus.Thread, s *skb, u *Sock) {
	if k != nil {
		k.Updates(&u.fileCount)
	}
	u.fcount++
	n.generation++
	s.fds = append(s.fds, u)
}

// recycle gives back a message that carries nothing any more.
func (n *Net) recycle(s *skb) {
	last := n.messages[len(n.messages)-1]
	n.messages[s.index], last.index = last, s.index
	n.messages = n.messages[:len(n.messages)-1]
	s.fds, s.edges, s.dead, s.to, s.embryo = s.fds[:0], s.edges[:0], false, nil, nil
	n.spare = append(n.spare, s)
}

// enqueue appends s to u's receive queue.
func (n *Net) enqueue(u *Sock, s *skb) {
	n.generation++
	s.to = u
	u.receive.pushBack(&s.entry, s)
	u.count(1)
}

// unqueue takes s out of u's receive queue.
func (n *Net) unqueue(u *Sock, s *skb) {
	n.generation++
	s.to = nil
	s.entry.unlink()
	u.count(-1)
}

// doom moves s from u's receive queue to the messages that the collector frees.
func (n *Net) doom(u *Sock, s *skb, hitlist *list[skb]) {
	n.unqueue(u, s)
	s.to, s.dead = u, true
	hitlist.pushBack(&s.entry, s)
}

// count keeps the length of the receive queue.
func (u *Sock) count(by int) {
	u.queued += by
	if u.reader != nil {
		u.reader.length.Value = int64(u.queued)
	}
}

// freeSkb is kfree_skb() of a message in no receive queue: what it carries is
// no longer in flight, and its references are dropped.
func (p *Process) freeSkb(k *cpus.Thread, s *skb) {
	n := p.net
	if len(s.fds) > 0 {
		n.ledger.forget(k, s)
	}
	for i := len(s.fds) - 1; i >= 0; i-- {
		u := s.fds[i]
		k.Updates(&u.fileCount)
		s.fds = s.fds[:i]
		p.fput(k, u)
	}
	n.recycle(s)
}

// purge frees the messages of a list.
func (p *Process) purge(k *cpus.Thread, l *list[skb]) {
	for s := l.first(); s != nil; s = l.first() {
		s.entry.unlink()
		p.freeSkb(k, s)
	}
}

// wakeReader tells who sleeps for a message that one has come.
func (u *Sock) wakeReader(k *cpus.Thread) {
	if u.reader != nil && u.mayWait(u.reader.readers) {
		kernelmodel.WakeUp(k, u.reader.wait)
	}
}

// wakeWriter tells who sleeps for room in the receive queue that there is some.
func (u *Sock) wakeWriter(k *cpus.Thread) {
	if r := u.reader; r != nil && r.backlog > 0 && u.mayWait(r.writers) {
		kernelmodel.WakeUp(k, r.peerWait)
	}
}

// awaitRoom lets a sender wait until few enough messages wait at u.
func (u *Sock) awaitRoom(k *cpus.Thread) {
	r := u.reader
	if r == nil || r.backlog == 0 {
		return
	}
	for {
		k.Sees(&u.queue)
		if int64(u.queued) <= r.backlog || u.released {
			return
		}
		r.writers++
		k.Call(r.notFull, kernelmodel.WaitExclusive)
		r.writers--
	}
}
