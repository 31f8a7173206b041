package calibrate

import (
	"fmt"
	"slices"
	"sync/atomic"
	"unsafe"
)

// steps is how long a delay takes: nanoseconds of one step of [busy].
type steps float64

// stepLength measures what a step of a delay takes.
func stepLength(b *bench) steps {
	b.deadline = clock() + 20e6
	w, err := b.windows(busy)
	if err == nil {
		if s, err := summarize(w); err == nil {
			return steps(s.P50) // a delay is to be right as a rule, not at best
		}
	}
	return 1 // a delay of about the right size is better than none
}

// of returns how many steps make a delay.
func (s steps) of(ns int64) int { return int(float64(ns)/float64(s) + 0.5) }

// delay passes the time of so many steps without touching memory.
func delay(steps int) {
	if steps > 0 {
		busy(steps)
	}
}

// arena is what the threads of an experiment share, each part on lines of its own.
type arena struct {
	tas    tasLock
	ticket ticketLock
	mcs    mcsLock
	queued queuedLock
	// guarded is what a lock protects: the number of acquisitions, who had it last,
	// and how often it changed hands.
	guarded struct {
		_     [128]byte
		count uint64
		last  uint64
		hands uint64
		_     [128 - 3*8]byte
	}
	word alone
	// around has a line in its middle, wherever that begins; see sharedLine.
	around [5 * lineSize / 8]uint64
	// own has a word for each thread.
	own []alone
}

// sharedLine returns the words of one line. More threads than there are words share
// them.
func (a *arena) sharedLine() []uint64 {
	const words = lineSize / 8
	start := 2*words - int(uintptr(unsafe.Pointer(&a.around[2*words]))%lineSize/8)
	return a.around[start : start+words]
}

func newArena(threads int) *arena {
	a := &arena{own: make([]alone, threads)}
	a.mcs.nodes, a.queued.nodes = make([]queueNode, threads), make([]queueNode, threads)
	return a
}

// pace is how an experiment's threads spend their time, in steps of a delay.
type pace struct {
	cs, gap, outside int
	// chunk is how many rounds go between two looks at the clock.
	chunk int
}

func (e Experiment) pace(s steps) pace {
	// A look at the clock each couple of microseconds costs little.
	const between = 2000
	return pace{
		cs: s.of(e.CSNS), gap: s.of(e.GapNS), outside: s.of(e.OutsideNS),
		chunk: int(max(1, between/(e.CSNS+e.GapNS+e.OutsideNS+50))),
	}
}

// contend runs an experiment once and fills in its row.
func (b *bench) contend(r *Row, s steps) error {
	e := r.Experiment
	if e.Threads > len(b.host.CPUs) {
		return fmt.Errorf("needs %d CPUs, this process may use %d", e.Threads, len(b.host.CPUs))
	}
	a := newArena(e.Threads)
	p := e.pace(s)
	t := teamwork{cpus: b.host.CPUs[:e.Threads], length: teamWindow, overlap: teamOverlap}
	var fairness, runs, lost []float64
	isLock, isUpdate := slices.Contains(LockNames, e.Name), slices.Contains(UpdateNames, e.Name)
	switch {
	case isLock:
		t.work = func(me int, until int64) turn { return a.acquire(e.Name, me, p, until) }
	case isUpdate:
		t.overlap = updateOverlap
		t.work = func(me int, until int64) turn { return a.update(e.Name, me, p, until) }
	case e.Name == "pingpong_1line":
		const hops = 400
		t.work = func(me int, _ int64) turn { return turn{ops: takeTurns(&a.word.n, uint64(me), hops/2)} }
	case slices.Contains(LineNames, e.Name):
		t.work = func(me int, until int64) turn { return a.operate(e.Name, me, p, until) }
	default:
		return fmt.Errorf("there is no experiment %q", e.Name)
	}
	t.prepare = func() { a.word.n, a.guarded.count, a.guarded.hands = 0, 0, 0 }
	intruders := 0
	t.finish = func(r round, disturbed bool) {
		if isLock && a.guarded.count != uint64(r.ops()) {
			intruders++
		}
		if disturbed {
			return
		}
		fairness = append(fairness, r.fairness())
		switch {
		case isLock && e.Threads > 1:
			runs = append(runs, float64(r.ops())/float64(max(a.guarded.hands, 1)))
		case isUpdate:
			lost = append(lost, 1-float64(a.word.n)/float64(r.ops()))
		}
	}
	windows, err := b.team(t)
	if err != nil {
		return err
	}
	if intruders > 0 {
		return fmt.Errorf("in %d windows %s let two threads in at once", intruders, e.Name)
	}
	return r.fill(windows, fairness, runs, lost)
}

// updateOverlap is how many percent of a window all threads must run together
// where they lose updates of each other: a lower bar, since long windows are rarer.
const updateOverlap = 85

// fill makes a row of undisturbed windows.
func (r *Row) fill(windows []window, fairness, runs, lost []float64) error {
	s, err := summarize(windows)
	if err != nil {
		return err
	}
	r.Clean, r.Dirty = s.Clean, s.Dirty
	r.MinNS, r.P50NS, r.P90NS, r.MaxNS = s.Min, s.P50, s.P90, s.Max
	for _, values := range [][]float64{fairness, runs, lost} {
		slices.Sort(values)
	}
	r.Fairness = quantile(fairness, 50)
	if runs != nil {
		r.RunLength = quantile(runs, 50)
	}
	if lost != nil {
		r.LostMin, r.LostP50, r.LostMax = lost[0], quantile(lost, 50), lost[len(lost)-1]
	}
	return nil
}

// acquire takes a lock again and again until the time is over. The race detector
// does not know the locks.
//
//go:norace
func (a *arena) acquire(name string, me int, p pace, until int64) turn {
	kind := slices.Index(LockNames, name)
	for ops := 0; ; {
		for range p.chunk {
			a.enter(kind, me)
			a.guarded.count++
			if a.guarded.last != uint64(me) {
				a.guarded.last = uint64(me)
				a.guarded.hands++
			}
			delay(p.cs)
			a.leave(kind, me)
			delay(p.outside)
		}
		if ops += p.chunk; clock() >= until {
			return turn{ops: ops}
		}
	}
}

// enter takes the lock that has that place in LockNames.
func (a *arena) enter(kind, me int) {
	switch kind {
	case 0:
		a.tas.lock()
	case 1:
		a.ticket.lock()
	case 2:
		a.mcs.lock(me)
	default:
		a.queued.lock(me)
	}
}

func (a *arena) leave(kind, me int) {
	switch kind {
	case 0:
		a.tas.unlock()
	case 1:
		a.ticket.unlock()
	case 2:
		a.mcs.unlock(me)
	default:
		a.queued.unlock()
	}
}

// operate works on lines that nothing protects.
func (a *arena) operate(name string, me int, p pace, until int64) turn {
	line := a.sharedLine()
	n := p.chunk * 10 // rounds of a few nanoseconds
	for ops := 0; ; {
		switch name {
		case "atomic_add_shared":
			addAtomic(&a.word.n, n)
		case "atomic_add_private":
			addAtomic(&a.own[me].n, n)
		case "cas_shared":
			for range n {
				for v := atomic.LoadUint64(&a.word.n); !atomic.CompareAndSwapUint64(&a.word.n, v, v+1); {
					v = atomic.LoadUint64(&a.word.n)
				}
			}
		case "false_sharing_plain":
			increment(&line[me%len(line)], n)
		case "no_false_sharing_plain":
			increment(&a.own[me].n, n)
		case "false_sharing_atomic":
			addAtomic(&line[me%len(line)], n)
		}
		if ops += n; clock() >= until {
			return turn{ops: ops}
		}
	}
}

// update increments a plain counter without a lock, which is a race by intent.
//
//go:norace
func (a *arena) update(name string, me int, p pace, until int64) turn {
	random := uint64(me)*2 + 1
	for ops := 0; ; {
		for range p.chunk {
			outside := p.outside
			if name == "incq_nolock" {
				increment(&a.word.n, 1)
			} else {
				v := atomic.LoadUint64(&a.word.n)
				delay(p.gap)
				a.word.n = v + 1
			}
			if name == "load_gap_store_random" {
				random = random*6364136223846793005 + 1442695040888963407
				outside = int(random>>33) % (2*outside + 1)
			}
			delay(outside)
		}
		if ops += p.chunk; clock() >= until {
			return turn{ops: ops}
		}
	}
}
