package explore

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestLimitIsSaidAndNothingIsClaimed(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		limit string
	}{
		{"dfs, executions", Options{Strategy: DFS(), Executions: 100}, "100 executions"},
		{"dpor, executions", Options{Strategy: DPOR(), Executions: 5}, "5 executions"},
		{"bounded, executions", Options{Strategy: Bounded(2), Executions: 5}, "5 executions"},
		{"states, states", Options{Strategy: States(), Executions: 10}, "10 states"},
		{"dfs, memory", Options{Strategy: DFS(), Classes: true, Memory: 100}, "100 bytes of memory"},
		{"dpor, memory", Options{Strategy: DPOR(), Memory: 100}, "100 bytes of memory"},
		{"states, memory", Options{Strategy: States(), Memory: 2000}, "2000 bytes of memory"},
		{"dfs, steps", Options{Strategy: DFS(), Steps: 5}, "5 steps of one execution"},
		{"states, steps", Options{Strategy: States(), Steps: 5}, "5 steps of one execution"},
		{"dfs, first finding", Options{Strategy: DFS(), UntilFound: true}, "stopped at the first finding"},
		{"states, first finding", Options{Strategy: States(), UntilFound: true}, "stopped at the first finding"},
		{"dfs, watch", Options{Strategy: DFS(), Watch: func(done int64) bool { return done < 512 }}, "stopped after"},
		{"random", Options{Strategy: Random(1), Executions: 30}, "30 executions drawn at random"},
		{"round-robin", Options{Strategy: RoundRobin()}, "one execution, in turn"},
		{"replay", Options{Strategy: Replay(Schedule{0, 1})}, "one schedule"},
	} {
		r := explored(t, abba(4), c.o)
		if r.Complete || !slices.ContainsFunc(r.Limits, func(l string) bool { return strings.Contains(l, c.limit) }) {
			t.Errorf("%s: complete %v, limits %q, want %q", c.name, r.Complete, r.Limits, c.limit)
		}
		if r.Interleavings != nil || r.Traces != nil || r.ByPreemptions != nil || r.FinalStates != nil || r.States != nil {
			t.Errorf("%s: counts of what was not visited: %+v", c.name, r)
		}
	}
}

func TestLimitThatIsJustEnoughIsNone(t *testing.T) {
	for _, o := range []Options{
		{Strategy: DFS(), Executions: 168, Jobs: 2},
		{Strategy: DPOR(), Executions: 7},
		{Strategy: DFS(), Steps: 12},
	} {
		if r := explored(t, abba(3), o); !r.Complete {
			t.Errorf("%+v: limits %q", o, r.Limits)
		}
	}
	if r := explored(t, abba(3), Options{Strategy: DFS(), Executions: 167}); r.Complete || r.Executions != 167 {
		t.Errorf("one execution short: complete %v after %d", r.Complete, r.Executions)
	}
}

func TestFirstScheduleIsTheLeastOneForDFS(t *testing.T) {
	p := lost(2, 1)
	want := ""
	refer := func(s Schedule) bool {
		r := explored(t, p, Options{Strategy: Replay(s)})
		return len(r.Findings) > 0
	}
	for _, s := range []Schedule{{0, 0, 1, 1}, {0, 1, 0, 1}, {0, 1, 1, 0}, {1, 0, 0, 1}, {1, 0, 1, 0}, {1, 1, 0, 0}} {
		if refer(s) {
			want = s.String()
			break
		}
	}
	for jobs := 1; jobs <= 3; jobs++ {
		r := explored(t, p, Options{Strategy: DFS(), Jobs: jobs})
		if len(r.Findings) != 1 || r.Findings[0].Schedule.String() != want {
			t.Errorf("%d jobs: findings %v, want one with %s", jobs, r.Findings, want)
		}
	}
}

func TestEveryFoundScheduleReplaysToItsFinding(t *testing.T) {
	for name, p := range map[string]*toy{
		"lost": lost(2, 2), "ring": abba(3), "collector": collectorTrusted(), "reorder": reorder(3), "wake": lostWakeup(),
	} {
		for _, s := range []Strategy{DFS(), Bounded(2), DPOR(), States(), Random(2), PCT(2, 3), SURW(2), POS(2)} {
			o := Options{Strategy: s, Executions: 1000, EndAtFinding: true}
			for _, f := range explored(t, p, o).Findings {
				token, err := ParseSchedule(f.Schedule.String())
				if err != nil || len(token) != f.Steps {
					t.Fatalf("%s: %v: token %v of %d steps, %v", name, s, f.Schedule, f.Steps, err)
				}
				r := explored(t, p, Options{Strategy: Replay(token), EndAtFinding: true})
				if got := findingsOf(r); !slices.Contains(got, string(f.Kind)+" "+f.What) {
					t.Errorf("%s: %v: schedule of %v replays to %v", name, s, f.Finding, got)
				}
			}
		}
	}
}

func TestReplaySaysWhereItDiverges(t *testing.T) {
	for schedule, want := range map[string]string{
		"0.1.1":  "replay diverged at step 3: agent 1 is not enabled, enabled are [0]",
		"0x4.0":  "replay diverged at step 5: agent 0 is not enabled, enabled are [1]",
		"0x4.7":  "replay diverged at step 5: agent 7 is not enabled",
		"0x9999": "replay diverged at step 5",
	} {
		s, err := ParseSchedule(schedule)
		if err != nil {
			t.Fatal(err)
		}
		p := (&toy{words: []int{0}, locks: 1}).build(seq(L(0), W(0, 1), W(0, 2), U(0)), seq(L(0), U(0)))
		if schedule == "0.1.1" {
			s = Schedule{0, 0, 1}
		}
		_, err = Explore(p.fresh(), Options{Strategy: Replay(s)})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", schedule, err, want)
		}
		if err := Follow(p.fresh()(), s, func(int, []Agent, Agent, *Step) {}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s followed: %v, want %q", schedule, err, want)
		}
	}
}

func TestEndAtFindingEndsExecutionsAtAssertionsOnly(t *testing.T) {
	// The deadlock comes after the assertion in every execution in which that fails.
	p := (&toy{words: []int{0}, locks: 1}).build(seq(R(0, 0), Check0(is(0, "==", 0), "early"), Spin(0, 7)), seq(W(0, 1)))
	for _, s := range []Strategy{DFS(), DPOR(), States()} {
		whole := explored(t, p, Options{Strategy: s})
		if got := findingsOf(whole); !slices.Equal(got, []string{"assert early", "deadlock stuck: 0 at 2"}) {
			t.Errorf("%v: finds %v", s, got)
		}
	}
	first := (&toy{words: []int{0}}).build(seq(R(0, 0), Check0(is(0, "==", 1), "first"), R(1, 0), Check0(is(1, "==", 1), "second")))
	for _, s := range []Strategy{DFS(), DPOR(), States()} {
		if got := findingsOf(explored(t, first, Options{Strategy: s, EndAtFinding: true})); !slices.Equal(got, []string{"assert first"}) {
			t.Errorf("%v, ending: finds %v, want the first alone", s, got)
		}
		if got := findingsOf(explored(t, first, Options{Strategy: s})); len(got) != 2 {
			t.Errorf("%v, going on: finds %v, want both", s, got)
		}
	}
}

func TestReducedExplorationFindsWhatEndingExecutionsFind(t *testing.T) {
	programs, seen := 1000, 0
	if testing.Short() {
		programs = 200
	}
	for seed := uint64(0); seen < programs; seed++ {
		p := randomToy(seed)
		ref, ok := refer(p.fresh()(), false, true, 100)
		if !ok || len(ref.findings) == 0 {
			continue
		}
		seen++
		for _, s := range []Strategy{DFS(), DPOR(), States()} {
			r, err := Explore(p.fresh(), Options{Strategy: s, EndAtFinding: true})
			if err != nil {
				t.Fatal(err)
			}
			if got := findingsOf(r); !slices.Equal(got, keys(ref.findings)) {
				t.Fatalf("program %d: %v finds %v, reference %v\n%s", seed, s, got, keys(ref.findings), listing(p))
			}
		}
	}
}

// bare hides what a toy can do beyond a System.
type bare struct{ System }

func TestStatesGoBackWithOrWithoutSnapshots(t *testing.T) {
	for name, p := range map[string]*toy{"collector": collectorTrusted(), "ring": abba(3), "polite": polite()} {
		o := Options{Strategy: States(), Cycles: true, CheckDeterminism: true}
		want := explored(t, p, o)
		got, err := Explore(func() System { return bare{p.fresh()()} }, o)
		if err != nil || !reflect.DeepEqual(want, got) {
			t.Errorf("%s: %+v, %v by doing again, %+v by snapshots", name, got, err, want)
		}
	}
}

// shifty is a System that changes its mind: every second execution sees other initial
// values.
type shifty struct {
	*toy
	resets int
}

func (s *shifty) Reset() {
	s.resets++
	s.words[0] = s.resets % 2
	s.toy.Reset()
}

func TestSelfCheckSeesHiddenState(t *testing.T) {
	for _, s := range []Strategy{DFS(), DPOR(), Random(1), States()} {
		_, err := Explore(func() System {
			p := collectorTrusted()
			return &shifty{toy: (&toy{words: slices.Clone(p.words), locks: 1, code: p.code}).build()}
		}, Options{Strategy: s, Executions: 50, CheckDeterminism: true})
		if err == nil || !strings.Contains(err.Error(), "not deterministic") {
			t.Errorf("%v: error %v, want that it is not deterministic", s, err)
		}
	}
}

// moody is a System whose states show which execution it is in, and nothing else does.
type moody struct {
	*toy
	resets int
}

func (m *moody) Reset()                  { m.resets++; m.toy.Reset() }
func (m *moody) State(buf []byte) []byte { return append(m.toy.State(buf), byte(m.resets)) }

func TestSelfCheckComparesStates(t *testing.T) {
	for _, s := range []Strategy{DFS(), DPOR(), Random(1)} {
		_, err := Explore(func() System { return &moody{toy: lost(2, 1).fresh()().(*toy)} },
			Options{Strategy: s, Executions: 50, CheckDeterminism: true})
		if err == nil || !strings.Contains(err.Error(), "the state differs at step 0") {
			t.Errorf("%v: error %v, want that states differ", s, err)
		}
	}
}

// sly says less of its steps than it should.
type sly struct{ *toy }

func (s sly) Do(a Agent) *Step {
	st := s.toy.Do(a)
	st.Access &^= Waits | Varies
	return st
}

func TestReductionPanicsWhereAStepHidesThatItVariesOrWaits(t *testing.T) {
	for name, c := range map[string]struct {
		program *toy
		want    string
	}{
		"a compare-and-swap that may fail": {(&toy{words: []int{0}}).build(seq(CAS(0, 0, 0, 1)), seq(CAS(0, 0, 0, 1))), "mark it as Varies"},
		"a lock after another step":        {(&toy{words: []int{0, 0}, locks: 1}).build(seq(L(0), R(0, 1), U(0)), seq(R(0, 0), L(0), U(0))), "must touch an object of it"},
	} {
		func() {
			defer func() {
				if p := recover(); p == nil || !strings.Contains(p.(string), c.want) {
					t.Errorf("%s: %v, want a panic with %q", name, p, c.want)
				}
			}()
			_, _ = Explore(func() System { return sly{c.program.fresh()().(*toy)} }, Options{Strategy: DPOR()})
		}()
	}
}

func TestUnusableOptionsAreErrors(t *testing.T) {
	for want, o := range map[string]Options{
		"no strategy":                {},
		"none may be negative":       {Strategy: DFS(), Jobs: -1},
		"cannot see data races":      {Strategy: States(), Races: true},
		"cannot count classes":       {Strategy: States(), Classes: true},
		"nothing that would stop it": {Strategy: Random(1)},
	} {
		if _, err := Explore(lost(2, 1).fresh(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", o, err, want)
		}
	}
}
