package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"
)

func TestDataRaceIsWhatHappensBeforeDoesNotOrder(t *testing.T) {
	const x, flag = 0, 1
	write, read := W(x, 1).plainly(), R(0, x).plainly()
	seen := is(1, "==", 1)
	for _, c := range []struct {
		name    string
		program []([]stmt)
		races   bool
	}{
		{"two plain writes", [][]stmt{seq(write), seq(W(x, 2).plainly())}, true},
		{"a plain write and a plain read", [][]stmt{seq(write), seq(read)}, true},
		{"a plain write and a marked read", [][]stmt{seq(write), seq(R(0, x))}, true},
		{"a marked write and a plain read", [][]stmt{seq(W(x, 1)), seq(read)}, true},
		{"marked accesses", [][]stmt{seq(W(x, 1)), seq(R(0, x), W(x, 2))}, false},
		{"two plain reads", [][]stmt{seq(read), seq(read)}, false},
		{"plain accesses of two objects", [][]stmt{seq(write), seq(R(0, 2).plainly())}, false},
		{"one agent alone", [][]stmt{seq(write, read), seq(W(2, 1))}, false},
		{"under a lock", [][]stmt{seq(L(0), write, U(0)), seq(L(0), read, U(0))}, false},
		{"under two locks", [][]stmt{seq(L(0), write, U(0)), seq(L(1), read, U(1))}, true},
		{"release to acquire", [][]stmt{seq(write, W(flag, 1).ordered()), seq(R(1, flag).ordered(), If(seen, read))}, false},
		{"a release that nobody acquires", [][]stmt{seq(write, W(flag, 1).ordered()), seq(R(1, flag), If(seen, read))}, true},
		{"an acquire of no release", [][]stmt{seq(write, W(flag, 1)), seq(R(1, flag).ordered(), If(seen, read))}, true},
		{"a release that was overwritten", [][]stmt{
			seq(write, W(flag, 2).ordered()), seq(W(flag, 1)), seq(R(1, flag).ordered(), If(seen, read)),
		}, true},
		{"a release after the access", [][]stmt{seq(W(flag, 1).ordered(), write), seq(R(1, flag).ordered(), If(seen, read))}, true},
		{"read-modify-writes", [][]stmt{seq(write, X(0, flag, 1)), seq(X(1, flag, 0), If(seen, read))}, false},
		{"a release that a read-modify-write handed on", [][]stmt{
			seq(write, W(flag, 5).ordered()), seq(Inc(flag)), seq(R(1, flag).ordered(), If(is(1, "==", 6), read)),
		}, false},
		{"full barriers", [][]stmt{seq(write, Fence(), W(flag, 1)), seq(R(1, flag), Fence(), If(seen, read))}, false},
		{"one full barrier", [][]stmt{seq(write, Fence(), W(flag, 1)), seq(R(1, flag), If(seen, read))}, true},
		{"spinning until it is written", [][]stmt{seq(write, W(flag, 1).ordered()), seq(Spin(flag, 1), read)}, false},
		{"join", [][]stmt{seq(write), seq(Join(0), read)}, false},
		{"wake to waking up", [][]stmt{seq(write, WakeAll()), seq(Enqueue(), read)}, false},
	} {
		r := explored(t, (&toy{words: []int{0, 0, 0}, locks: 2}).build(c.program...), Options{Strategy: DFS(), Races: true})
		found := slices.ContainsFunc(r.Findings, func(f Found) bool { return f.Kind == DataRace })
		if found != c.races || !r.Complete {
			t.Errorf("%s: race found %v, want %v (%v)", c.name, found, c.races, findingsOf(r))
		}
	}
}

func TestDataRaceNamesBothStepsWhicheverCameFirst(t *testing.T) {
	p := (&toy{words: []int{0}}).build(seq(W(0, 1).plainly()), seq(R(0, 0)))
	r := explored(t, p, Options{Strategy: DFS(), Races: true})
	if got := findingsOf(r); !slices.Equal(got, []string{"data-race object 0: plain write at step 1 and marked read at step 101"}) {
		t.Errorf("found %v", got)
	}
	if *r.Failing != 0 {
		t.Errorf("%d executions fail for a data race, want none", *r.Failing)
	}
}

// racing is an access or what orders, as the plain definition needs it.
type racing struct {
	agent   Agent
	label   int32
	touches []Touch
	ordered map[int]bool // the steps that happen before
}

// plainRaces finds the races of an execution by the definition: it keeps for every step
// all that happen before it, and for every object the steps that released it.
func plainRaces(s System, rng *rand.Rand) (races []string, schedule Schedule) {
	var steps []racing
	released := map[int32][]int{}
	latest := map[Agent]int{}
	fences := []int{}
	all := map[string]bool{}
	s.Reset()
	for enabled := s.Enabled(nil); len(enabled) > 0; enabled = s.Enabled(nil) {
		a := enabled[rng.IntN(len(enabled))]
		schedule = append(schedule, a)
		d := s.Do(a)
		now := len(steps)
		e := racing{agent: a, label: d.Label, ordered: map[int]bool{}}
		after := func(i int) {
			e.ordered[i] = true
			for j := range steps[i].ordered {
				e.ordered[j] = true
			}
		}
		if i, ok := latest[a]; ok {
			after(i)
		}
		latest[a] = now
		for _, o := range d.Objects {
			e.touches = append(e.touches, Touch{o, d.Access})
		}
		e.touches = append(e.touches, d.Others...)
		if len(e.touches) == 0 && d.Access&Acquires != 0 {
			for _, i := range fences {
				after(i)
			}
			fences = append(fences, now)
		}
		for _, o := range e.touches {
			if o.Access&Acquires != 0 {
				for _, i := range released[o.Object] {
					after(i)
				}
			}
		}
		for _, o := range e.touches {
			for i, f := range steps {
				for _, p := range f.touches {
					if p.Object != o.Object || f.agent == a || e.ordered[i] || (p.Access|o.Access)&Writes == 0 || (p.Access|o.Access)&Plain == 0 {
						continue
					}
					pair := []string{fmt.Sprint(f.label), fmt.Sprint(e.label)}
					sort.Strings(pair)
					all[fmt.Sprint(o.Object, pair)] = true
				}
			}
			pureWrite := o.Access&(Reads|Writes|Acquires) == Writes
			switch {
			case o.Access&Releases != 0 && pureWrite:
				released[o.Object] = []int{now}
			case o.Access&Releases != 0:
				released[o.Object] = append(released[o.Object], now)
			case pureWrite:
				released[o.Object] = nil
			}
		}
		steps = append(steps, e)
	}
	return keys(all), schedule
}

// randomSync makes a program without control flow that is all about order: plain
// accesses of one word, and of another what may order them.
func randomSync(seed uint64) *toy {
	rng := rand.New(rand.NewPCG(seed, 5))
	p := &toy{words: []int{0, 0}, locks: 1}
	var programs [][]stmt
	for range 2 + rng.IntN(2) {
		var s []stmt
		for range 2 + rng.IntN(3) {
			s = append(s, [][]stmt{
				{W(0, 1).plainly()},
				{R(0, 0).plainly()},
				{W(0, 1)},
				{R(0, 0)},
				{W(1, 1).ordered()},
				{W(1, 1).ordered()},
				{R(0, 1).ordered()},
				{R(0, 1).ordered()},
				{R(0, 1).ordered()},
				{W(1, 1)},
				{R(0, 1)},
				{X(0, 1, 1)},
				{Inc(1)},
				{Fence()},
				{L(0), W(0, 1).plainly(), U(0)},
				{WakeAll()},
			}[rng.IntN(16)]...)
		}
		programs = append(programs, s)
	}
	return p.build(programs...)
}

func TestRaceDetectorAgreesWithTheDefinition(t *testing.T) {
	programs, raced := uint64(20_000), 0
	if testing.Short() {
		programs = 5000
	}
	for seed := range programs {
		p := randomSync(seed)
		if seed%8 == 0 {
			p = randomToy(seed)
		}
		want, schedule := plainRaces(p.fresh()(), rand.New(rand.NewPCG(seed, 3)))
		d := newRaceDetector(p.fresh()())
		d.reset()
		if err := Follow(p.fresh()(), schedule, func(_ int, _ []Agent, a Agent, st *Step) { d.step(a, st) }); err != nil {
			t.Fatal(err)
		}
		got := map[string]bool{}
		for key := range d.told {
			pair := []string{fmt.Sprint(key.label), fmt.Sprint(key.other)}
			sort.Strings(pair)
			got[fmt.Sprint(key.object, pair)] = true
		}
		// Of several accesses of an agent, the detector names the last.
		for _, race := range keys(got) {
			if !slices.Contains(want, race) {
				t.Fatalf("program %d: schedule %v: race %s found, which is none\n%s", seed, schedule, race, listing(p))
			}
		}
		if (len(got) == 0) != (len(want) == 0) {
			t.Fatalf("program %d: schedule %v: found %v, races are %v\n%s", seed, schedule, keys(got), want, listing(p))
		}
		if len(want) > 0 {
			raced++
		}
	}
	if raced < int(programs)/10 || raced > int(programs)*9/10 {
		t.Errorf("%d of %d executions race: the test tells little", raced, programs)
	}
}

// A drain is its owner's: what a store buffer writes late does not race with the task.
func TestStepOfAnOwnedAgentCountsAsItsOwners(t *testing.T) {
	p := (&toy{words: []int{0}}).build(seq(W(0, 1).plainly()), seq(R(0, 0).plainly()))
	for name, c := range map[string]struct {
		system func() System
		races  int
	}{
		"apart": {p.fresh(), 1},
		"owned": {func() System { return owned{p.fresh()().(*toy)} }, 0},
	} {
		r, err := Explore(c.system, Options{Strategy: DFS(), Races: true})
		if err != nil || len(r.Findings) != c.races {
			t.Errorf("%s: %v, %v; want %d races", name, r.Findings, err, c.races)
		}
	}
}

// owned is a toy all of whose agents are the first's.
type owned struct{ *toy }

func (owned) Owner(Agent) Agent { return 0 }
