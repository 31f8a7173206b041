package explore

import (
	"math"
	"reflect"
	"slices"
	"testing"
)

// near reports whether hits of n draws agree with a probability, within four standard
// errors.
func near(hits, n int64, probability float64) bool {
	se := math.Sqrt(probability * (1 - probability) / float64(n))
	return math.Abs(float64(hits)/float64(n)-probability) <= 4*se
}

func TestRandomWalkFailsWithTheExactProbability(t *testing.T) {
	const runs = 20_000
	for _, c := range []struct {
		name    string
		program *toy
		want    float64
	}{
		{"lost 2x1", lost(2, 1), 1. / 2},
		{"lost 2x2", lost(2, 2), 13. / 16},
		{"lost 3x1", lost(3, 1), 5. / 6},
		{"ABBA 2", abba(2), 1. / 2},
		{"ABBA ring 3", abba(3), 1. / 3},
		{"ABBA ring 4", abba(4), 11. / 48},
		{"collector, flag trusted", collectorTrusted(), 15. / 128},
		{"collector, re-checked", collectorChecked(), 0},
		{"depth-3, P=0", depth3(0), 1. / 8},
		{"locked 2x3", locked(2, 3), 0},
		{"reorder_3", reorder(3), 4. / 81},
		{"twostage 1+1", twostage(), 1. / 64},
		{"lazy01", lazy01(), 1. / 3},
		{"lost wake-up", lostWakeup(), 1. / 8},
	} {
		r, err := Explore(c.program.fresh(), Options{Strategy: Random(2024), Executions: runs, EndAtFinding: true})
		if err != nil {
			t.Fatal(err)
		}
		if r.Executions != runs || r.Complete || !near(*r.Failing, runs, c.want) {
			t.Errorf("%s: %d of %d fail, want a share of %v", c.name, *r.Failing, r.Executions, c.want)
		}
	}
}

// tallied is a walker that counts how often each schedule comes.
type tallied struct {
	surwWalker
	counts map[string]int64
}

func (k *tallied) end(w *worker, _ ending) { k.counts[Schedule(w.schedule).String()]++ }

func TestSURWDrawsEveryInterleavingEquallyOften(t *testing.T) {
	const runs = 70_000
	x := &exploration{newSystem: lost(2, 2).fresh(), Options: Options{Steps: DefaultSteps}}
	m, err := x.measure()
	if err != nil || !slices.Equal(m.steps, []uint64{4, 4}) || m.longest != 8 {
		t.Fatalf("measured %+v, %v; both agents do 4 steps", m, err)
	}
	k := &tallied{surwWalker{draws: draws{seed: 5, to: runs}, steps: m.steps, left: make([]uint64, 2)}, map[string]int64{}}
	if _, err := x.newWorker().work(share{walker: k}, -1); err != nil {
		t.Fatal(err)
	}
	chi := 0.
	for _, n := range k.counts {
		chi += (float64(n) - 1000) * (float64(n) - 1000) / 1000
	}
	// 69 degrees of freedom: mean 69, deviation 11.7.
	if len(k.counts) != 70 || chi > 69+4*11.7 {
		t.Errorf("%d interleavings, want 70; chi-squared %.1f, want about 69", len(k.counts), chi)
	}
}

// ordering is a bug of depth 1: it shows when one step comes before another.
func ordering() *toy {
	return (&toy{words: []int{0}}).build(seq(W(0, 1)), seq(R(0, 0), Check0(is(0, "==", 1), "set")))
}

func TestPCTKeepsItsGuarantee(t *testing.T) {
	const runs = 20_000
	for _, c := range []struct {
		name    string
		program *toy
		depth   int
	}{
		{"ordering", ordering(), 1},
		{"ABBA 2", abba(2), 2},
		{"lost 2x1", lost(2, 1), 2},
		{"lost wake-up", lostWakeup(), 2},
		{"depth-3, P=0", depth3(0), 3},
		{"depth-3, P=1", depth3(1), 3},
		{"depth-3, P=3", depth3(3), 3},
	} {
		r := explored(t, c.program, Options{Strategy: PCT(7, c.depth), Executions: runs})
		steps := r.Longest
		want := 1 / (2 * math.Pow(float64(steps), float64(c.depth-1)))
		if math.Abs(r.Bound-want) > 1e-12 {
			t.Errorf("%s: bound %v with %s, want %v", c.name, r.Bound, r.Basis, want)
		}
		rate := float64(*r.Failing) / runs
		if rate < r.Bound-4*math.Sqrt(r.Bound/runs) {
			t.Errorf("%s: found in %v of executions, guaranteed are %v", c.name, rate, r.Bound)
		}
	}
}

// Depth 3 needs two falls: with fewer, PCT cannot find it, whatever the luck.
func TestPCTOfLessDepthMissesADeeperBug(t *testing.T) {
	if r := explored(t, depth3(2), Options{Strategy: PCT(7, 2), Executions: 20_000}); *r.Failing != 0 {
		t.Errorf("%d of %d executions with one fall found a bug of depth 3", *r.Failing, r.Executions)
	}
}

func TestPCTStatesNoBoundWhereAnExecutionWasLongerThanMeasured(t *testing.T) {
	// One in 2^9 random executions has the long tail; the measured ones do not.
	rare := seq(R(0, 0))
	for range 8 {
		rare = seq(R(0, 0), If(is(0, "==", 0), rare...))
	}
	p := (&toy{words: []int{0, 0}}).build(append(rare, If(is(0, "==", 0), times(20, W(1, 1))...)), seq(W(0, 1)))
	r := explored(t, p, Options{Strategy: PCT(1, 1), Executions: 2000})
	if r.Bound != 0 || r.Longest < 25 {
		t.Errorf("bound %v, %s, longest %d: want none", r.Bound, r.Basis, r.Longest)
	}
}

func TestRandomStrategiesReachEveryClass(t *testing.T) {
	for _, s := range []Strategy{Random(3), PCT(3, 4), SURW(3), POS(3)} {
		r := explored(t, wrw(2), Options{Strategy: s, Executions: 3000, Classes: true})
		if *r.Traces != 22 || r.Complete {
			t.Errorf("%v: %d classes, complete %v; want 22, never complete", s, *r.Traces, r.Complete)
		}
	}
}

// lastly is a walker that counts the executions in which agent 0 comes last.
type lastly struct {
	posWalker
	count int64
}

func (k *lastly) end(w *worker, _ ending) {
	if w.schedule[len(w.schedule)-1] == 0 {
		k.count++
	}
}

// A step that depends on what was done gets a new priority: agent 0 comes last if it
// loses to each of three steps anew. One that does not keeps its priority: it comes
// last if it is the lowest of four.
func TestPOSDrawsAnewForWhatDependsAlone(t *testing.T) {
	const runs = 20_000
	for word, want := range []float64{1. / 8, 1. / 4} {
		p := (&toy{words: []int{0, 0}}).build(seq(R(0, word)), times(3, W(0, 1)))
		x := &exploration{newSystem: p.fresh(), Options: Options{Steps: DefaultSteps}}
		k := &lastly{posWalker: posWalker{draws: draws{seed: 6, to: runs}}}
		if _, err := x.newWorker().work(share{walker: k}, -1); err != nil {
			t.Fatal(err)
		}
		if !near(k.count, runs, want) {
			t.Errorf("reading word %d comes last in %d of %d, want a share of %v", word, k.count, runs, want)
		}
	}
}

// An execution follows from the seed and its number: those before it do not matter.
func TestDrawnExecutionDependsOnItsNumberAlone(t *testing.T) {
	long := recorded(t, 0, 5000)
	for _, n := range []int64{0, 1, 1023, 1024, 1025, 4999} {
		if alone := recorded(t, n, n+1); alone[0] != long[n] {
			t.Errorf("execution %d is %s alone and %s among others", n, alone[0], long[n])
		}
	}
}

// noted is a walker that keeps the schedules.
type noted struct {
	randomWalker
	schedules []string
}

func (k *noted) end(w *worker, _ ending) {
	k.schedules = append(k.schedules, Schedule(w.schedule).String())
}

func recorded(t *testing.T, from, to int64) []string {
	x := &exploration{newSystem: lost(3, 2).fresh(), Options: Options{Steps: DefaultSteps}}
	k := &noted{randomWalker: randomWalker{draws{seed: 9, next: from, to: to}}}
	if _, err := x.newWorker().work(share{walker: k}, -1); err != nil {
		t.Fatal(err)
	}
	return k.schedules
}

func TestResultDoesNotDependOnJobs(t *testing.T) {
	strategies := []Strategy{DFS(), Bounded(2), DPOR(), Random(4), PCT(4, 3), SURW(4), POS(4), RoundRobin()}
	for name, p := range map[string]*toy{"collector": collectorTrusted(), "ring 3": abba(3), "reorder": reorder(3)} {
		for _, s := range strategies {
			for _, o := range []Options{
				{Executions: 5000, Classes: true},
				{Executions: 100, EndAtFinding: true},
				{Executions: 5000, UntilFound: true, Races: true},
				{Executions: 5000, Classes: true, Memory: 2000},
			} {
				o.Strategy = s
				var want *Result
				for _, jobs := range []int{1, 2, 5} {
					o.Jobs = jobs
					r := explored(t, p, o)
					if want == nil {
						want = r
					} else if !reflect.DeepEqual(want, r) {
						t.Errorf("%s: %v: %+v with %d jobs, %+v with one", name, s, r, jobs, want)
					}
				}
			}
		}
	}
}
