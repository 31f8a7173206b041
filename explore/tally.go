package explore

// tally is what a share of an exploration has counted and found. Tallies of shares add
// up to that of the whole, in the order of the shares.
type tally struct {
	executions, blocked, cut, failing int64
	byPreemptions                     [][2]int64
	longest                           int

	findings       []Found
	finals, traces []digest
	// locks is what the executions have shown of locks, nil where there are none.
	locks *Lockdep

	// What ended it, if not the end of the share.
	full    bool // the limit of executions, and there are more
	crowded bool // the limit of memory
	stopped bool // Options.Watch
	found   bool // Options.UntilFound
	// endless: an execution reached the limit of steps.
	endless bool
	// looped: an execution came round to one of its own states.
	looped bool
}

// ended reports whether nothing is to come after it.
func (t *tally) ended() bool { return t.full || t.crowded || t.stopped || t.found }

// preempted counts an interleaving by its preemptions.
func (t *tally) preempted(n int, failing bool) {
	for len(t.byPreemptions) <= n {
		t.byPreemptions = append(t.byPreemptions, [2]int64{})
	}
	t.byPreemptions[n][0]++
	if failing {
		t.byPreemptions[n][1]++
	}
}

// known is what has been seen before: what is found again is not told again.
type known struct {
	findings       map[Finding]bool
	finals, traces digests
}

func newKnown() *known { return &known{findings: map[Finding]bool{}} }

// finding reports whether a finding is new. Findings are told apart by kind and what.
func (k *known) finding(f *Finding) bool {
	key := Finding{Kind: f.Kind, What: f.What}
	if k.findings[key] {
		return false
	}
	k.findings[key] = true
	return true
}

func (k *known) bytes() int64 { return k.finals.bytes() + k.traces.bytes() }

// add adds the tally of the next share.
func (t *tally) add(next *tally, seen *known) {
	t.executions += next.executions
	t.blocked += next.blocked
	t.cut += next.cut
	t.failing += next.failing
	t.longest = max(t.longest, next.longest)
	for i, n := range next.byPreemptions {
		for len(t.byPreemptions) <= i {
			t.byPreemptions = append(t.byPreemptions, [2]int64{})
		}
		t.byPreemptions[i][0] += n[0]
		t.byPreemptions[i][1] += n[1]
	}
	for _, f := range next.findings {
		if seen.finding(&f.Finding) {
			t.findings = append(t.findings, f)
		}
	}
	for _, h := range next.finals {
		seen.finals.put(h, 0)
	}
	for _, h := range next.traces {
		seen.traces.put(h, 0)
	}
	switch {
	case t.locks == nil:
		t.locks = next.locks
	case next.locks != nil:
		t.locks.Merge(next.locks)
	}
	t.full = t.full || next.full
	t.crowded = t.crowded || next.crowded
	t.stopped = t.stopped || next.stopped
	t.found = t.found || next.found
	t.endless = t.endless || next.endless
	t.looped = t.looped || next.looped
}

// fails reports whether a finding of a kind makes its execution a failing one.
func fails(k Kind) bool {
	switch k {
	case Assert, Check, Never, Deadlock, Livelock, Bug:
		return true
	}
	return false
}

// ends reports whether a finding of a kind ends its execution under EndAtFinding.
func ends(k Kind) bool { return k == Assert || k == Check || k == Bug }
