package calibrate

import (
	"sync/atomic"
	"time"
)

// turn is what one member of a team did in one window.
type turn struct {
	// ops is how many operations it completed.
	ops int
	// ns, if positive, is what they took, in place of the window's length.
	ns int64

	start, end int64
	preempted  bool
}

// round is one window of a team: a turn for each member.
type round struct{ turns []turn }

// elapsed is the time from the first member's start to the last one's end.
func (r round) elapsed() int64 {
	first, last := r.turns[0].start, r.turns[0].end
	for _, t := range r.turns[1:] {
		first, last = min(first, t.start), max(last, t.end)
	}
	return last - first
}

// ops is how many operations all members did.
func (r round) ops() int {
	sum := 0
	for _, t := range r.turns {
		sum += t.ops
	}
	return sum
}

// perOp is nanoseconds an operation, of all members together.
func (r round) perOp() float64 {
	for _, t := range r.turns {
		if t.ns > 0 {
			return float64(t.ns) / float64(t.ops)
		}
	}
	return float64(r.elapsed()) / float64(max(r.ops(), 1))
}

// fairness is the least number of operations of a member over the largest.
func (r round) fairness() float64 {
	least, most := r.turns[0].ops, r.turns[0].ops
	for _, t := range r.turns[1:] {
		least, most = min(least, t.ops), max(most, t.ops)
	}
	return float64(least) / float64(max(most, 1))
}

// disturbed reports whether a member was preempted, or all of them ran together
// for less than overlap percent of the time.
func (r round) disturbed(overlap int64) bool {
	last, first := r.turns[0].start, r.turns[0].end
	for _, t := range r.turns {
		if t.preempted {
			return true
		}
		last, first = max(last, t.start), min(first, t.end)
	}
	return (first-last)*100 < overlap*r.elapsed()
}

// A teamwork is a measurement by several threads at once, one on each CPU.
type teamwork struct {
	cpus []int
	// prepare, if there is one, is called before each window by the first member
	// while the others wait.
	prepare func()
	// work is a member's part of one window; it should return soon after until.
	work func(member int, until int64) turn
	// finish, if there is one, sees each window before the next is prepared.
	finish func(r round, disturbed bool)
	// length is how long a window is; overlap how many percent of it all members
	// must run together.
	length  time.Duration
	overlap int64
}

// Windows of a team: short enough for undisturbed ones on a busy host, and kept
// only where the members ran side by side.
const (
	teamWindow  = 200 * time.Microsecond
	teamOverlap = 95
)

// team runs the windows of a teamwork until enough of them are undisturbed or the
// time is over.
func (b *bench) team(t teamwork) ([]window, error) {
	if !b.host.Pinning {
		return nil, errNoPinning
	}
	meet := &rendezvous{members: int32(len(t.cpus))}
	turns := make([]turn, len(t.cpus))
	var found []window
	stop := false
	lead := func(r round, clean int) int {
		w := window{ns: r.perOp(), disturbed: r.disturbed(t.overlap) || r.ops() == 0}
		found = append(found, w)
		if t.finish != nil {
			t.finish(r, w.disturbed)
		}
		if !w.disturbed {
			clean++
		}
		stop = clean >= b.enough || b.over()
		return clean
	}
	member := func(i int) error {
		clean := 0
		for {
			if i == 0 && t.prepare != nil {
				t.prepare()
			}
			before, _ := preemptions()
			meet.wait()
			start := clock()
			mine := t.work(i, start+int64(t.length))
			mine.start, mine.end = start, clock()
			after, _ := preemptions()
			mine.preempted = after != before
			turns[i] = mine
			meet.wait()
			if i == 0 {
				clean = lead(round{turns: turns}, clean)
			}
			meet.wait()
			if stop {
				return nil
			}
		}
	}
	done := make([]<-chan error, len(t.cpus))
	for i, cpu := range t.cpus {
		done[i] = onThread(b.host, cpu, func(pinned error) error {
			// A member that cannot be pinned must not leave the others waiting.
			if pinned != nil {
				meet.failed.Store(true)
			}
			meet.wait()
			if pinned != nil || meet.failed.Load() {
				return pinned
			}
			return member(i)
		})
	}
	var first error
	for _, d := range done {
		if err := <-d; err != nil && first == nil {
			first = err
		}
	}
	return found, first
}

// rendezvous is where the members of a team wait for each other.
type rendezvous struct {
	members          int32
	arrived, meeting atomic.Int32
	failed           atomic.Bool
}

// patience is how many spin-wait hints a waiter executes before it offers its CPU:
// the one it waits for may need it.
const patience = 1500

func (r *rendezvous) wait() {
	meeting := r.meeting.Load()
	if r.arrived.Add(1) == r.members {
		r.arrived.Store(0)
		r.meeting.Add(1)
		return
	}
	for spins := 0; r.meeting.Load() == meeting; spins++ {
		relax(spins)
	}
}

// relax is one step of a waiting loop that has taken so many before.
func relax(spins int) {
	if spins < patience {
		pauses(1)
		return
	}
	yield()
}
