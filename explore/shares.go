package explore

import (
	"sync"
	"sync/atomic"
)

// runShares explores the shares that next makes, for 0, 1, 2, ... until it says that
// there is no more, with all jobs at once. The total is the one that one worker would
// get that did all shares in order: tallies are added in that order, a share that
// goes beyond the limit of executions is cut where that worker would have cut it, and
// what comes after the end is dropped.
func (x *exploration) runShares(next func(i int) (share, bool), limit int64) error {
	m := &merger{exploration: x, next: next, limit: limit, waiting: map[int]outcome{}}
	if x.Jobs == 1 {
		m.run()
	} else {
		var all sync.WaitGroup
		for range x.Jobs {
			all.Go(m.run)
		}
		all.Wait()
	}
	return m.err
}

// merger hands out shares and adds up their tallies.
type merger struct {
	*exploration
	next  func(i int) (share, bool)
	limit int64
	// taken counts the shares handed out; over stops that.
	taken atomic.Int64
	over  atomic.Bool

	mutex   sync.Mutex
	waiting map[int]outcome
	added   int
	err     error

	watching sync.Mutex
	done     int64
	told     bool
}

// outcome is what has become of a share.
type outcome struct {
	tally *tally
	err   error
}

// run works on shares until none is left.
func (m *merger) run() {
	w := m.newWorker()
	if m.Watch != nil {
		w.watch = m.watch
	}
	for !m.over.Load() {
		i := int(m.taken.Add(1) - 1)
		s, more := m.next(i)
		if !more {
			return
		}
		t, err := w.work(s, m.limit)
		m.finish(w, i, outcome{t, err})
	}
}

// watch calls Options.Watch, one worker at a time.
func (m *merger) watch(more int64) bool {
	m.watching.Lock()
	defer m.watching.Unlock()
	m.done += more
	m.told = m.told || !m.Watch(m.done)
	return !m.told
}

// finish adds the tallies that are next in order, now that share i has one.
func (m *merger) finish(w *worker, i int, o outcome) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.waiting[i] = o
	for !m.over.Load() {
		o, ok := m.waiting[m.added]
		if !ok {
			return
		}
		delete(m.waiting, m.added)
		if left := m.limit - m.total.executions; m.limit >= 0 && o.err == nil && o.tally.executions > left {
			s, _ := m.next(m.added)
			o.tally, o.err = w.work(s, left)
		}
		m.added++
		if m.err = o.err; o.err != nil {
			m.over.Store(true)
			return
		}
		m.total.add(o.tally, m.seen)
		m.total.crowded = m.total.crowded || m.Memory > 0 && m.seen.bytes() > m.Memory
		if m.total.ended() {
			m.over.Store(true)
		}
	}
}

// most is the limit of executions as runShares takes it.
func (x *exploration) most() int64 {
	if x.Executions == 0 {
		return -1
	}
	return x.Executions
}

// conclude fills in what the total gives for every strategy, and notes the limits.
func (x *exploration) conclude() {
	t, r := x.total, &x.result
	r.Executions, r.Blocked, r.Cut, r.Longest = t.executions, t.blocked, t.cut, t.longest
	r.Failing = count(t.failing)
	x.limits(t.executions, "executions")
}

// limits notes the limits that were reached, after so many executions or states.
func (x *exploration) limits(done int64, of string) {
	t := x.total
	if t.full {
		x.limited("%d %s", x.Executions, of)
	}
	if t.crowded {
		x.limited("%d bytes of memory", x.Memory)
	}
	if t.stopped {
		x.limited("stopped after %d %s", done, of)
	}
	if t.found {
		x.limited("stopped at the first finding, after %d %s", done, of)
	}
	if t.endless {
		x.limited("%d steps of one execution", x.Steps)
	}
	x.result.Findings = t.findings
	x.lockOrder()
	x.result.Complete = len(x.result.Limits) == 0
}

// lockOrder adds what the executions show of locks together, and none has by itself: it
// has no schedule.
func (x *exploration) lockOrder() {
	if x.total.locks == nil || x.target != nil {
		return
	}
	for _, f := range x.total.locks.Findings() {
		if x.seen.finding(f) {
			f.What += " (seen over all executions)"
			x.result.Findings = append(x.result.Findings, Found{Finding: *f})
		}
	}
}

// reached fills in how many ends, and classes if asked for, there were.
func (x *exploration) reached() {
	x.result.FinalStates = count(int64(x.seen.finals.count))
	if x.Classes {
		x.result.Traces = count(int64(x.seen.traces.count))
	}
}
