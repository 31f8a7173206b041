package calibrate

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"
)

// find returns the medians of an experiment.
func find(t *testing.T, rows []Row, placement string, e Experiment) Row {
	t.Helper()
	for _, r := range Medians(rows) {
		if r.Placement == placement && r.Experiment == e {
			return r
		}
	}
	t.Fatalf("no row of %v, %s", e, placement)
	return Row{}
}

// TestTruthIsWhatWasPublished compares medians of the data that is part of the
// program with the table that was printed from it.
func TestTruthIsWhatWasPublished(t *testing.T) {
	truth := Truth()
	for _, want := range []struct {
		placement string
		Experiment
		p50, fairness, runLength float64
	}{
		{"far", Experiment{Name: "pingpong_1line", Threads: 2}, 238, 1, 0},
		{"near", Experiment{Name: "pingpong_1line", Threads: 2}, 63, 1, 0},
		{"far", Experiment{Name: "atomic_add_shared", Threads: 2}, 11.8, 0.94, 0},
		{"far", Experiment{Name: "tas", Threads: 2}, 66, 0.55, 20},
		{"far", Experiment{Name: "ticket", Threads: 1, CSNS: 100}, 128, 1, 0},
		{"far", Experiment{Name: "ticket", Threads: 2, CSNS: 1000}, 1415, 1, 1},
		{"far", Experiment{Name: "mcs", Threads: 2, CSNS: 100}, 489, 1, 1},
		{"far", Experiment{Name: "pthread_mutex", Threads: 2}, 35, 0.8, 28},
	} {
		r := find(t, truth, want.placement, want.Experiment)
		if math.Abs(r.P50NS-want.p50) > 1 || math.Abs(r.Fairness-want.fairness) > 0.1 || math.Abs(r.RunLength-want.runLength) > 1 {
			t.Errorf("%v: p50 %v, fairness %v, run length %v; want %v, %v, %v", want.Experiment, r.P50NS, r.Fairness, r.RunLength, want.p50, want.fairness, want.runLength)
		}
	}
	for _, want := range []struct {
		name         string
		gap, outside int64
		lost         float64
	}{
		{"incq_nolock", 0, 0, 0.498},
		{"load_gap_store", 0, 0, 0.483},
		{"load_gap_store", 0, 100, 0.278},
		{"load_gap_store", 1000, 1000, 0.496},
		{"load_gap_store", 300, 10000, 0.042},
		{"atomic_add", 0, 0, 0},
	} {
		r := find(t, truth, "far", Experiment{Name: want.name, Threads: 2, GapNS: want.gap, OutsideNS: want.outside})
		if math.Abs(r.LostP50-want.lost) > 0.0006 || r.LostMin > r.LostP50 || r.LostMax < r.LostP50 {
			t.Errorf("%v: %v lost (%v to %v), want %v", r.Experiment, r.LostP50, r.LostMin, r.LostMax, want.lost)
		}
	}
	for _, p := range TruthParameters() {
		if p.Name == "getppid" && math.Abs(p.MinNS-935) > 0.5 {
			t.Errorf("%+v", p)
		}
	}
	var misses []float64
	for _, l := range TruthLookups() {
		if l.Names == "bin" && l.Bound == 100000 && l.Op == "connect_miss_abs" {
			misses = append(misses, l.P50NS)
		}
	}
	if slices.Sort(misses); len(misses) == 0 || math.Abs(quantile(misses, 50)-99600) > 50 {
		t.Errorf("misses among 100000 names take %v", misses)
	}
}

func TestMediansAreOverTheRunsThatHaveNumbers(t *testing.T) {
	e := Experiment{Name: "tas", Threads: 2}
	rows := []Row{
		{Experiment: e, Placement: "host", Run: 0, MinNS: 5, P50NS: 9, MaxNS: 20, Clean: 30},
		{Experiment: Experiment{Name: "mcs", Threads: 2}, Placement: "host", Err: errOneCPU},
		{Experiment: e, Placement: "host", Run: 1, Err: errors.New("disturbed"), Dirty: 40},
		{Experiment: e, Placement: "host", Run: 2, MinNS: 4, P50NS: 7, MaxNS: 30, Clean: 30},
		{Experiment: e, Placement: "host", Run: 3, MinNS: 6, P50NS: 8, MaxNS: 10, Clean: 30, Dirty: 1},
		{Experiment: e, Placement: "far", MinNS: 50, P50NS: 66},
	}
	m := Medians(rows)
	if len(m) != 3 || m[0].P50NS != 8 || m[0].MinNS != 4 || m[0].MaxNS != 30 || m[0].Clean != 90 || m[0].Dirty != 41 || m[0].Err != nil {
		t.Errorf("medians are %+v", m)
	}
	if m[1].Err != errOneCPU || m[2].P50NS != 66 {
		t.Errorf("medians are %+v", m[1:])
	}
}

func TestExperimentsCoverEveryKindAtEveryNumberOfThreads(t *testing.T) {
	all := Experiments(6)
	counts := map[string][]int{}
	for i, e := range all {
		if slices.Contains(all[:i], e) {
			t.Errorf("%v is listed twice", e)
		}
		if !slices.Contains(counts[e.Name], e.Threads) {
			counts[e.Name] = append(counts[e.Name], e.Threads)
		}
	}
	for _, name := range slices.Concat(LockNames, LineNames, UpdateNames) {
		want := []int{1, 2, 4, 6}
		switch {
		case name == "pingpong_1line":
			want = []int{2}
		case name == "no_false_sharing_plain", slices.Contains(UpdateNames, name):
			want = want[1:]
		}
		if !slices.Equal(counts[name], want) {
			t.Errorf("%s runs with %v threads, want %v", name, counts[name], want)
		}
	}
	if got := threadCounts(1); !slices.Equal(got, []int{1}) {
		t.Errorf("one CPU runs %v threads", got)
	}
}

// TestLocksLetInOneAtATime has three threads, so that the queued lock has a holder,
// a pending one and one in the queue.
func TestLocksLetInOneAtATime(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	const threads, rounds = 3, 20
	a := newArena(threads)
	for i, name := range LockNames {
		inside, count := 0, 0
		var all sync.WaitGroup
		for me := range threads {
			all.Go(func() {
				for range rounds {
					a.enter(i, me)
					inside++
					if inside != 1 {
						t.Errorf("%s: %d threads are inside", name, inside)
					}
					count++
					yield()
					inside--
					a.leave(i, me)
					yield()
				}
			})
		}
		all.Wait()
		if count != threads*rounds {
			t.Errorf("%s: %d of %d rounds were counted", name, count, threads*rounds)
		}
	}
}

// TestTheQueuedLockServesThePendingWaiterBeforeTheQueue plays the holder and then
// the pending waiter itself, and looks at the lock's word.
func TestTheQueuedLockServesThePendingWaiterBeforeTheQueue(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	l := &newArena(3).queued
	shows := func(want uint32) {
		t.Helper()
		for range 20_000 {
			if atomic.LoadUint32(&l.word) == want {
				return
			}
			yield()
		}
		t.Fatalf("the word is %#x, want %#x", atomic.LoadUint32(&l.word), want)
	}
	var entered atomic.Int32
	enter := func(me int) chan bool {
		done := make(chan bool)
		go func() {
			l.lock(me)
			entered.Add(1)
			close(done)
		}()
		return done
	}
	l.lock(0)
	first := enter(1)
	shows(queuedLocked | queuedPending)
	second := enter(2)
	shows(queuedLocked | queuedPending | 3*queuedTail)
	l.unlock()
	<-first
	shows(queuedLocked | 3*queuedTail)
	// Held by a pending waiter's hand: the queue has to stay where it is.
	atomic.StoreUint32(&l.word, queuedPending|3*queuedTail)
	for range 1000 {
		yield()
	}
	if entered.Load() != 1 {
		t.Error("the queue went before the pending waiter")
	}
	shows(queuedPending | 3*queuedTail)
	atomic.StoreUint32(&l.word, 3*queuedTail)
	<-second
	shows(queuedLocked)
	l.unlock()
	shows(0)
}

// TestWhatThreadsShareLiesOnLinesOfItsOwn checks offsets: two parts on one line
// would contend where the experiment says they do not.
func TestWhatThreadsShareLiesOnLinesOfItsOwn(t *testing.T) {
	a := newArena(3)
	words := []unsafe.Pointer{
		unsafe.Pointer(&a.tas.held), unsafe.Pointer(&a.ticket.next), unsafe.Pointer(&a.mcs.tail), unsafe.Pointer(&a.mcs.nodes),
		unsafe.Pointer(&a.queued.word), unsafe.Pointer(&a.queued.nodes), unsafe.Pointer(&a.guarded.count), unsafe.Pointer(&a.word.n),
		unsafe.Pointer(&a.sharedLine()[0]),
	}
	for i := range a.own {
		words = append(words, unsafe.Pointer(&a.own[i].n), unsafe.Pointer(&a.mcs.nodes[i]), unsafe.Pointer(&a.queued.nodes[i]))
	}
	seen := map[uintptr]bool{}
	for i, w := range words {
		line := uintptr(w) / lineSize
		if seen[line] {
			t.Errorf("part %d shares its line", i)
		}
		seen[line] = true
	}
	line := a.sharedLine()
	if first := uintptr(unsafe.Pointer(&line[0])); len(line) != 8 || first%lineSize != 0 {
		t.Errorf("%d words at %#x are to be a line", len(line), first)
	}
}

// TestContendedExperimentsRunHere says nothing about how long anything takes, but
// what can be counted must be right.
func TestContendedExperimentsRunHere(t *testing.T) {
	h := host()
	experiments := Experiments(min(len(h.CPUs), 2))
	tooWide := Experiment{Name: "tas", Threads: len(h.CPUs) + 1}
	experiments = append(experiments, tooWide, Experiment{Name: "nonsense", Threads: 1})
	told := 0
	rows, err := Contend(context.Background(), ContendOptions{
		Experiments: experiments, Runs: 2, Budget: 2 * time.Second,
		Progress: func(done, total int, _ string) {
			if done != told || total != 2*len(experiments) {
				t.Errorf("%d of %d are said to be done", done, total)
			}
			told++
		},
	})
	if err != nil || len(rows) != 2*len(experiments) {
		t.Fatalf("%d rows for %d experiments, twice; %v", len(rows), len(experiments), err)
	}
	for i, r := range rows {
		if r.Experiment != experiments[i%len(experiments)] || r.Run != i/len(experiments) || r.Placement != "host" {
			t.Errorf("row %d is run %d of %v", i, r.Run, r.Experiment)
		}
		if (r.Experiment == tooWide || r.Name == "nonsense") && r.Err == nil {
			t.Errorf("%v has numbers", r.Experiment)
		}
		if r.Err != nil {
			continue // nothing undisturbed on a busy host
		}
		if r.MinNS <= 0 || r.MinNS > r.P50NS || r.P50NS > r.P90NS || r.P90NS > r.MaxNS || r.Clean < leastWindows {
			t.Errorf("%+v", r)
		}
		if r.Fairness < 0 || r.Fairness > 1 || r.LostMin < 0 || r.LostMin > r.LostP50 || r.LostP50 > r.LostMax || r.LostMax > 1 {
			t.Errorf("%+v", r)
		}
		if lock := slices.Contains(LockNames, r.Name); lock != (r.RunLength > 0) && r.Threads > 1 {
			t.Errorf("%v: run length %v", r.Experiment, r.RunLength)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Contend(ctx, ContendOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
