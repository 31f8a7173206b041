package calibrate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Experiment is a contended experiment: what each of so many threads, each on a
// CPU of its own, does again and again.
type Experiment struct {
	// Name is one of those in [LineNames], [LockNames] or [UpdateNames].
	Name string
	// Threads is how many take part, at least 1.
	Threads int
	// CSNS is how long a lock is held, GapNS how long after reading a counter it is
	// written, and OutsideNS how long a thread stays away between two rounds, all in
	// nanoseconds.
	CSNS, GapNS, OutsideNS int64
}

func (e Experiment) String() string {
	text := fmt.Sprintf("%s, %d threads", e.Name, e.Threads)
	if slices.Contains(LockNames, e.Name) {
		text += fmt.Sprintf(", critical section %d ns", e.CSNS)
	}
	if slices.Contains(UpdateNames, e.Name) {
		text += fmt.Sprintf(", gap %d ns", e.GapNS)
	}
	if e.OutsideNS > 0 {
		text += fmt.Sprintf(", %d ns outside", e.OutsideNS)
	}
	return text
}

// LockNames are spinlocks: test-and-set by exchange without a look before it, ticket,
// MCS, and a queued lock with a pending bit. A round takes the lock, writes one
// line that it protects, stays for the critical section, and gives the lock back.
// A delay has some nanoseconds of its own: the row of one thread tells how much.
var LockNames = []string{"tas", "ticket", "mcs", "qspinlock"}

// LineNames are experiments with a line or two: a line going to and fro (two
// threads only), atomic additions to one word or to one each, compare-and-swap
// loops on one word, and increments of words on one line or on one each.
var LineNames = []string{
	"pingpong_1line", "atomic_add_shared", "atomic_add_private", "cas_shared",
	"false_sharing_plain", "no_false_sharing_plain", "false_sharing_atomic",
}

// UpdateNames are increments of a plain counter without a lock: by one instruction,
// by load, gap and store with fixed delays, and the same with a delay outside
// that is drawn anew each time, evenly between nothing and twice as long: fixed
// delays let two threads fall into step.
var UpdateNames = []string{"incq_nolock", "load_gap_store", "load_gap_store_random"}

// Row is what one run of an experiment found, over its undisturbed windows. Times
// are nanoseconds a round (an operation, an acquisition, an increment, a hop) of
// all threads together.
type Row struct {
	Experiment
	// Placement is "host" for rows measured here; "far" or "near", as the
	// hypervisor had placed the two CPUs, for those of [Truth].
	Placement string
	// Run counts from 0, or is -1 in a row of [Medians].
	Run          int
	Clean, Dirty int

	MinNS, P50NS, P90NS, MaxNS float64
	// Fairness is the median over windows of the least number of rounds of a
	// thread over the largest, from 0 to 1.
	Fairness float64
	// RunLength is the median over windows of how many times in a row one thread
	// took the lock; 0 where there is no lock, or one thread.
	RunLength float64
	// LostMin, LostP50 and LostMax are fractions of increments that were lost.
	LostMin, LostP50, LostMax float64
	// Err says why there are no numbers.
	Err error
}

// ContendOptions choose contended experiments.
type ContendOptions struct {
	// Experiments to run; nil runs [Experiments] of the host's CPUs.
	Experiments []Experiment
	// Runs of each experiment, spread over the time; 0 is 3.
	Runs int
	// Budget is about how long all may take; 0 is [DefaultBudget].
	Budget time.Duration
	// Progress, if set, is told before each experiment how many of how many are done.
	Progress func(done, total int, name string)
}

// Experiments lists the contended experiments for 1 to n threads: all lock kinds
// with critical sections of 0, 100 and 1000 ns, and for more than one thread lines,
// and plain counters with gaps and delays of 0 and 1000 ns. Between 2 and n the
// number of threads doubles.
func Experiments(n int) []Experiment {
	var all []Experiment
	for _, threads := range threadCounts(n) {
		for _, name := range LineNames {
			if (name == "pingpong_1line" && threads != 2) || (name == "no_false_sharing_plain" && threads == 1) {
				continue
			}
			all = append(all, Experiment{Name: name, Threads: threads})
		}
		for _, name := range LockNames {
			for _, cs := range []int64{0, 100, 1000} {
				all = append(all, Experiment{Name: name, Threads: threads, CSNS: cs})
			}
		}
		if threads == 1 {
			continue
		}
		for _, name := range UpdateNames {
			for _, outside := range []int64{0, 1000} {
				all = append(all, Experiment{Name: name, Threads: threads, OutsideNS: outside})
				if name != "incq_nolock" {
					all = append(all, Experiment{Name: name, Threads: threads, GapNS: 1000, OutsideNS: outside})
				}
			}
		}
	}
	return all
}

// threadCounts returns 1, 2, 4 and so on, and n.
func threadCounts(n int) []int {
	var counts []int
	for k := 1; k < n; k *= 2 {
		counts = append(counts, k)
	}
	return append(counts, n)
}

// contendWindows is how many undisturbed windows end a run.
const contendWindows = 30

// Contend runs contended experiments on the host and returns a row for each run of
// each, run by run. Rows of experiments that cannot be run here say why. The error
// is that of the context.
//
// As with [Measure], nothing else should run in the process.
func Contend(ctx context.Context, o ContendOptions) ([]Row, error) {
	h := host()
	defer quiet(h)()
	experiments, runs, budget := o.Experiments, cmp.Or(o.Runs, 3), cmp.Or(o.Budget, DefaultBudget)
	if experiments == nil {
		experiments = Experiments(len(h.CPUs))
	}
	b := &bench{ctx: ctx, host: h, enough: contendWindows}
	end := clock() + int64(budget)
	step := stepLength(b)
	var rows []Row
	total := runs * len(experiments)
	for run := range runs {
		for _, e := range experiments {
			if err := ctx.Err(); err != nil {
				return rows, err
			}
			if o.Progress != nil {
				o.Progress(len(rows), total, e.String())
			}
			b.deadline = clock() + max(end-clock(), 0)/int64(total-len(rows))
			r := Row{Experiment: e, Placement: "host", Run: run}
			r.Err = b.contend(&r, step)
			rows = append(rows, r)
		}
	}
	return rows, ctx.Err()
}

// Medians returns a row for each experiment and placement, in the order of their
// first rows: of the runs that have numbers, the medians, with the least and the
// largest where those are meant.
func Medians(rows []Row) []Row {
	type key struct {
		Experiment
		placement string
	}
	runs := map[key][]Row{}
	var order []key
	for _, r := range rows {
		k := key{r.Experiment, r.Placement}
		if runs[k] == nil {
			order = append(order, k)
		}
		runs[k] = append(runs[k], r)
	}
	var merged []Row
	for _, k := range order {
		merged = append(merged, median(runs[k]))
	}
	return merged
}

// median merges the runs of one experiment.
func median(runs []Row) Row {
	m := Row{Experiment: runs[0].Experiment, Placement: runs[0].Placement, Run: -1}
	var good []Row
	for _, r := range runs {
		m.Clean += r.Clean
		m.Dirty += r.Dirty
		if r.Err == nil {
			good = append(good, r)
		}
	}
	if good == nil {
		m.Err = runs[0].Err
		return m
	}
	at := func(q int, value func(r *Row) float64) float64 {
		values := make([]float64, len(good))
		for i := range good {
			values[i] = value(&good[i])
		}
		slices.Sort(values)
		return quantile(values, q)
	}
	m.MinNS = at(0, func(r *Row) float64 { return r.MinNS })
	m.P50NS = at(50, func(r *Row) float64 { return r.P50NS })
	m.P90NS = at(50, func(r *Row) float64 { return r.P90NS })
	m.MaxNS = at(100, func(r *Row) float64 { return r.MaxNS })
	m.Fairness = at(50, func(r *Row) float64 { return r.Fairness })
	m.RunLength = at(50, func(r *Row) float64 { return r.RunLength })
	m.LostMin = at(0, func(r *Row) float64 { return r.LostMin })
	m.LostP50 = at(50, func(r *Row) float64 { return r.LostP50 })
	m.LostMax = at(100, func(r *Row) float64 { return r.LostMax })
	return m
}
