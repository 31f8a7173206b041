package afunix

import "smpsim/cpus"

// phase is a part of a collection over the list.
type phase int

const (
	selecting phase = iota
	subtracting
	restoring
	gathering
	returning
	phases
)

// touches is what a phase touches; it alone decides what the phase takes.
type touches struct {
	// visits are looks through all four lines of a socket.
	visits int64
	// passes are looks at a candidate's own line again, scans at its receive queue,
	// under its lock, and messages at what is in there.
	passes, scans, messages int64
	// counts are increments and decrements of candidates' counts, moves are moves
	// from list to list.
	counts, moves int64
}

// moveStores is how many stores a list_move_tail() is: two for the removal,
// four for the insertion.
const moveStores = 6

// collect is the part of unix_gc() that runs under unix_gc_lock.
func (g *inflightList) collect(k *cpus.Thread, hitlist *list[skb]) bool {
	from := g.recall(k)
	if from == phases {
		return true
	}
	g.memo.begin(g, from)
	for p := from; p < phases; p++ {
		var t touches
		switch p {
		case selecting:
			t = g.selectCandidates(k)
		case subtracting:
			t = g.subtract(k)
		case restoring:
			t = g.restore(k)
		case gathering:
			t = g.gather(k, hitlist)
		case returning:
			t = g.putBack()
		}
		g.memo.note(g, p, t)
		g.charge(k, p, t)
	}
	g.memo.end(g, hitlist)
	return true
}

// selectCandidates moves the sockets that only messages refer to.
func (g *inflightList) selectCandidates(k *cpus.Thread) touches {
	var t touches
	for u := g.inflight.first(); u != nil; {
		next := u.link.after()
		u.position = int32(t.visits)
		t.visits++
		k.Sees(&u.fileCount)
		references, inflight := u.fcount, u.inflight.Value
		if inflight < 1 || references < inflight {
			k.BugOn(true, "%v has %d references and %d of them in flight", u, references, inflight)
		}
		if references == inflight {
			g.candidates.moveBack(&u.link)
			u.flags |= candidate | maybeCycle
			t.moves++
			g.awaitConnect(k, u)
		}
		u = next
	}
	return t
}

// awaitConnect lets a connect() to a candidate that listens come to its end, so that all
// phases find the same embryos with something in their queues. One that comes later
// finds an embryo empty: what it could carry is not in flight before unix_gc_lock is
// free.
func (g *inflightList) awaitConnect(k *cpus.Thread, u *Sock) {
	if u.kind != Stream || g.net.params.Unfixed.ConnectWithoutBarrier {
		return
	}
	k.Sees(&u.queue)
	if u.listening {
		u.stateLock(k)
		u.stateUnlock(k)
	}
}

// subtract takes the references that candidates' queues make off the counts.
func (g *inflightList) subtract(k *cpus.Thread) touches {
	var t touches
	for u := g.candidates.first(); u != nil; u = u.link.after() {
		t.passes++
		g.scanChildren(k, u, &t, nil, func(child *Sock) { child.inflight.Value-- })
	}
	return t
}

// restore gives references back from every candidate that has some left, until
// no candidate gets any more.
func (g *inflightList) restore(k *cpus.Thread) touches {
	var t touches
	giveBack := func(child *Sock) {
		child.inflight.Value++
		if child.flags&maybeCycle != 0 {
			// It may have been passed over already: to the end, where it is looked at
			// again.
			g.candidates.moveBack(&child.link)
			t.moves++
		}
	}
	var cursor link[Sock]
	cursor.insertAfter(&g.candidates.head)
	for u := cursor.after(); u != nil; u = cursor.after() {
		cursor.unlink()
		cursor.insertAfter(&u.link)
		t.passes++
		if u.inflight.Value > 0 {
			g.notCycle.moveBack(&u.link)
			u.flags &^= maybeCycle
			t.moves++
			g.scanChildren(k, u, &t, nil, giveBack)
		}
	}
	cursor.unlink()
	return t
}

// gather takes the messages that carry garbage out of garbage's queues. The
// counts are made right again, since freeing the messages will decrement them.
func (g *inflightList) gather(k *cpus.Thread, hitlist *list[skb]) touches {
	var t touches
	for u := g.candidates.first(); u != nil; u = u.link.after() {
		t.passes++
		g.scanChildren(k, u, &t, hitlist, func(child *Sock) { child.inflight.Value++ })
	}
	return t
}

// putBack returns the candidates that are reachable to the list.
func (g *inflightList) putBack() touches {
	var t touches
	for u := g.notCycle.first(); u != nil; u = g.notCycle.first() {
		t.passes++
		t.moves++
		u.flags &^= candidate
		g.inflight.moveBack(&u.link)
	}
	return t
}

// scanChildren is scan_children(): it does something to every candidate that a
// message in u's receive queue carries, and moves those messages to hitlist if
// there is one. Others may have come into the queue since the selection. For a socket
// that listens, it does so at every embryo in the queue.
func (g *inflightList) scanChildren(k *cpus.Thread, u *Sock, t *touches, hitlist *list[skb], do func(child *Sock)) {
	if u.kind != Stream {
		g.scanInflight(k, u, t, hitlist, do)
		return
	}
	k.Sees(&u.queue)
	if !u.listening {
		g.scanInflight(k, u, t, hitlist, do)
		return
	}
	// An embryo cannot be in flight, so that its place in the list is free.
	var embryos list[Sock]
	embryos.init()
	t.scans++
	for s := u.receive.first(); s != nil; s = s.entry.after() {
		t.messages++
		embryos.pushBack(&s.embryo.link, s.embryo)
	}
	for e := embryos.first(); e != nil; e = embryos.first() {
		g.scanInflight(k, e, t, hitlist, do)
		e.link.unlink()
	}
}

// scanInflight is scan_inflight(), the part of scanChildren for one queue.
func (g *inflightList) scanInflight(k *cpus.Thread, u *Sock, t *touches, hitlist *list[skb], do func(child *Sock)) {
	if hitlist != nil {
		k.Updates(&u.queue)
	} else {
		k.Sees(&u.queue)
	}
	t.scans++
	for s := u.receive.first(); s != nil; {
		next := s.entry.after()
		t.messages++
		t.visits += int64(len(s.fds))
		hit := false
		for _, child := range s.fds {
			if child.flags&candidate != 0 {
				hit = true
				t.counts++
				do(child)
			}
		}
		if hit && hitlist != nil {
			g.net.doom(u, s, hitlist)
		}
		s = next
	}
}

// charge lets the time pass that a phase takes.
func (g *inflightList) charge(k *cpus.Thread, p phase, t touches) {
	costs := &k.Machine().Costs
	switch p {
	case selecting:
		g.socks.SetObjects(t.visits)
	case subtracting:
		g.again.SetObjects(t.passes + t.scans)
		g.messages.SetObjects(t.messages)
	}
	walk(k, g.socks, t.visits)
	walk(k, g.again, t.passes+t.scans)
	walk(k, g.messages, t.messages)
	count := costs.PlainIncrement
	if g.atomic {
		count = costs.Atomic
	}
	if d := cpus.Until(t.scans)*(costs.Atomic+costs.PlainIncrement) +
		cpus.Until(t.counts)*count + cpus.Until(t.moves*moveStores)*costs.PlainIncrement; d > 0 {
		k.Run(d)
	}
}

// walk touches n objects of f, if there are any.
func walk(k *cpus.Thread, f *cpus.Footprint, n int64) {
	if n > 0 {
		k.Walk(f, n)
	}
}
