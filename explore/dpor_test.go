package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Waiting steps are where plain reduction fails: each of these has a class that no
// reversal of a single race of the first execution leads to.
func TestReductionReachesClassesBehindWaitingSteps(t *testing.T) {
	for _, c := range []struct {
		name    string
		commute bool
		program *toy
	}{
		{"the first execution deadlocks", false, (&toy{words: []int{0}}).build(
			seq(W(0, 1)), seq(Spin(0, 0), W(0, 2)))},
		{"a lock between whose two acquisitions lies an unlock", false, (&toy{words: []int{0, 0}, locks: 1}).build(
			seq(L(0), W(0, 1), U(0)), seq(R(0, 1), L(0), R(1, 0), U(0)))},
		{"a semaphore for two", false, (&toy{words: []int{2, 0}}).build(
			seq(Down(0), Inc(1), Up(0)), seq(Down(0), Inc(1), Up(0)), seq(Down(0), Inc(1), Up(0)))},
		{"increments that commute and each close the way", true, (&toy{words: []int{0}}).build(
			seq(Inc(0)), seq(Inc(0)), seq(Spin(0, 0)))},
		{"increments of which one must come before", true, (&toy{words: []int{0}}).build(
			seq(Inc(0)), seq(Inc(0)), seq(Inc(0)), seq(Spin(0, 1)))},
		{"two objects that independent steps change", false, (&toy{words: []int{0, 0}}).build(
			seq(W(0, 1)), seq(W(1, 1)), seq(SpinBoth(0, 1, 0)))},
		{"a compare-and-swap that fails in one order", false, (&toy{words: []int{0, 0}}).build(
			seq(CAS(0, 0, 0, 1), R(1, 1)), seq(R(1, 1), CAS(0, 0, 0, 2)), seq(W(1, 1)))},
		{"a compare-and-swap that could come earlier only by failing", false, (&toy{words: []int{0, 0}, locks: 1}).build(
			seq(R(0, 0)), seq(L(0), R(1, 1), If(is(1, "==", 0), W(0, 1)), U(0)), seq(CASFree(0, 0, 1, 2, 0), W(1, 1)))},
		{"an agent that is started between", false, (&toy{words: []int{0, 0}}).build(
			seq(W(0, 1)), seq(R(0, 1), Start(2)), seq(CAS(0, 0, 0, 1)))},
		{"a trylock", false, (&toy{words: []int{0}, locks: 1}).build(
			seq(L(0), W(0, 1), U(0)), seq(Try(0, 0), If(is(0, "==", 1), R(1, 0), U(0))))},
		{"a join", false, (&toy{words: []int{0}, locks: 1}).build(
			seq(L(0), W(0, 1), U(0)), seq(Join(0), L(0), R(0, 0), U(0)), seq(L(0), W(0, 2), U(0)))},
	} {
		ref, ok := refer(c.program.fresh()(), c.commute, false, 5000)
		if !ok {
			t.Fatalf("%s: too large for the reference", c.name)
		}
		if bad := disagreement(c.program, ref, c.commute); bad != "" {
			t.Errorf("%s: %s\n%s", c.name, bad, listing(c.program))
		}
	}
}

func TestReductionSaysWhereAStepWaitsForTooMuch(t *testing.T) {
	one := seq(Inc(0))
	p := (&toy{words: []int{0}}).build(append(slices.Repeat([][]stmt{one}, mostDisablers+2), seq(Spin(0, 0)))...)
	r, err := Explore(p.fresh(), Options{Strategy: DPOR(), Commute: true})
	if err != nil || r.Complete || r.Traces != nil || !strings.Contains(fmt.Sprint(r.Limits), "more than 12 others") {
		t.Errorf("complete %v, limits %v, %v", r.Complete, r.Limits, err)
	}
}

// classes within few preemptions, as published.
func TestFewPreemptionsReachThePublishedNumberOfClasses(t *testing.T) {
	const x, y = 0, 1
	two := func(a, b []stmt) *toy { return (&toy{words: []int{0, 0}}).build(a, b) }
	for _, c := range []struct {
		name    string
		program *toy
		want    []int64
	}{
		{"inc 3", inc(3), []int64{6, 24, 36}},
		{"inc 4", inc(4), []int64{24, 168, 432, 576}},
		{"wrw 3", wrw(3), []int64{24, 132, 264, 300}},
		{"SB", two(seq(W(x, 1), R(0, y)), seq(W(y, 1), R(0, x))), []int64{2, 3}},
		{"MP", two(seq(W(x, 1), W(y, 1)), seq(R(0, y), R(1, x))), []int64{2, 3}},
		{"LB", two(seq(R(0, x), W(y, 1)), seq(R(0, y), W(x, 1))), []int64{2, 3}},
	} {
		for k, want := range c.want {
			r := explored(t, c.program, Options{Strategy: Bounded(k), Classes: true, Jobs: 2})
			if !r.Complete || *r.Traces != want {
				t.Errorf("%s: %d classes with at most %d preemptions, want %d", c.name, *r.Traces, k, want)
			}
		}
	}
}

// named is a toy with names.
type named struct{ *toy }

func (named) AgentName(a Agent) string       { return []string{"left", "right"}[a] }
func (named) ObjectName(object int32) string { return []string{"x", "y"}[object] }
func (named) StepName(label int32) string    { return fmt.Sprintf("line %d", label) }

func TestFindingsUseTheNamesOfTheSystem(t *testing.T) {
	for want, p := range map[string]*toy{
		"livelock left, right go round for ever":                        polite(),
		"data-race x: plain write at line 1 and plain read at line 101": (&toy{words: []int{0, 0}}).build(seq(W(0, 1).plainly()), seq(R(0, 0).plainly())),
	} {
		r, err := Explore(func() System { return named{p.fresh()().(*toy)} }, Options{Strategy: DFS(), Races: true, Cycles: true})
		if err != nil || !slices.Equal(findingsOf(r), []string{want}) {
			t.Errorf("found %v, %v, want %s", findingsOf(r), err, want)
		}
	}
}

// dumb is a toy that cannot tell its state, as a model in Go.
type dumb struct{ System }

func (dumb) State([]byte) []byte { return nil }

func TestSystemWithoutStatesIsExploredByExecutions(t *testing.T) {
	fresh := func(p *toy) func() System { return func() System { return dumb{p.fresh()()} } }
	r, err := Explore(fresh(abba(3)), Options{Strategy: DPOR(), Cycles: true, CheckDeterminism: true})
	if err != nil || !r.Complete || *r.Traces != 7 {
		t.Errorf("dpor: %+v, %v", r, err)
	}
	r, err = Explore(fresh(polite()), Options{Strategy: RoundRobin(), Cycles: true, Steps: 50})
	if err != nil || !slices.Equal(findingsOf(r), []string{"livelock? no end within 50 steps"}) {
		t.Errorf("round-robin: %v, %v", findingsOf(r), err)
	}
	if _, err = Explore(fresh(polite()), Options{Strategy: States()}); err == nil || !strings.Contains(err.Error(), "can tell its state") {
		t.Errorf("states: %v", err)
	}
}
