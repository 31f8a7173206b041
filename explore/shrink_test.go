package explore

import (
	"slices"
	"strings"
	"testing"
)

// longWay finds something by an execution with many switches.
func longWay(t *testing.T, p *toy, o Options) Found {
	t.Helper()
	var longest Found
	for seed := range uint64(30) {
		o.Strategy, o.Executions, o.UntilFound = Random(seed), 10_000, true
		r := explored(t, p, o)
		if len(r.Findings) > 0 && len(r.Findings[0].Schedule.String()) > len(longest.Schedule.String()) {
			longest = r.Findings[0]
		}
	}
	if longest.Kind == "" {
		t.Fatal("nothing found")
	}
	return longest
}

func TestShrinkReachesTheFewestPreemptions(t *testing.T) {
	for _, c := range []struct {
		name    string
		program *toy
	}{
		{"lost 2x2", lost(2, 2)},
		{"ring 3", abba(3)},
		{"collector", collectorTrusted()},
		{"reorder 3", reorder(3)},
		{"twostage", twostage()},
		{"lost wake-up", lostWakeup()},
	} {
		o := Options{EndAtFinding: true}
		f := longWay(t, c.program, o)
		s, err := Shrink(c.program.fresh(), f, Shrinking{Options: o})
		if err != nil {
			t.Fatal(err)
		}
		o.Strategy = DFS()
		fewest := slices.IndexFunc(explored(t, c.program, o).ByPreemptions, func(row [2]int64) bool { return row[1] > 0 })
		if !s.Fewest || s.Preemptions != fewest || s.Kind != f.Kind || s.What != f.What {
			t.Errorf("%s: %v became %v: %v, want %d preemptions", c.name, f, s.Found, s, fewest)
		}
		o.Strategy = Replay(s.Schedule)
		if got := findingsOf(explored(t, c.program, o)); !slices.Contains(got, string(f.Kind)+" "+f.What) {
			t.Errorf("%s: the shrunk schedule %v finds %v", c.name, s.Schedule, got)
		}
	}
}

// parted is the lost update among much else: agents that do nothing to it, rounds more
// than needed, steps beside. Each part is a stretch of statements.
func parted() (parts int, without func(dropped []bool) func() System) {
	type part struct {
		agent int
		body  []stmt
	}
	lose := seq(R(0, 0), WR(0, 0, 1))
	all := []part{
		{2, seq(W(1, 1), W(1, 2))},
		{0, lose},
		{0, lose},
		{1, lose},
		{1, lose},
		{0, seq(W(2, 1))},
		{1, seq(R(2, 2))},
	}
	return len(all), func(dropped []bool) func() System {
		programs := make([][]stmt, 3)
		want := 0
		for i, p := range all {
			if !dropped[i] {
				programs[p.agent] = append(programs[p.agent], p.body...)
				if len(p.body) == 2 && p.agent < 2 {
					want++
				}
			}
		}
		if len(programs[0]) == 0 {
			return nil // a program without its first task is none
		}
		return (&toy{words: []int{0, 0, 0}, finally: func(t *toy) bool { return t.value[0] == want }}).build(programs...).fresh()
	}
}

func TestShrinkDropsAllThatTheFindingDoesNotNeed(t *testing.T) {
	parts, without := parted()
	whole := without(make([]bool, parts))
	r, err := Explore(whole, Options{Strategy: Random(6), Executions: 10_000, UntilFound: true})
	if err != nil || len(r.Findings) == 0 {
		t.Fatal(r, err)
	}
	s, err := Shrink(whole, r.Findings[0], Shrinking{Parts: parts, Without: without})
	if err != nil {
		t.Fatal(err)
	}
	if s.Steps != 4 || s.Preemptions != 1 || !s.Fewest || s.String() != "4 steps, 1 preemption (the fewest), 5 of 7 parts dropped" {
		t.Errorf("reached %v with %v", s, s.Schedule)
	}
	again, err := Explore(without(s.Dropped), Options{Strategy: Replay(s.Schedule)})
	if err != nil || !slices.Equal(findingsOf(again), []string{"check finally"}) {
		t.Errorf("the shrunk system finds %v, %v", again, err)
	}
}

func TestShrinkKeepsToItsFinding(t *testing.T) {
	// An easy finding, without preemption, and a hard one, with.
	p := (&toy{words: []int{0, 0}}).build(
		seq(R(0, 0), W(1, 1), R(1, 0), Check0(isReg(0, "==", 1, 0), "hard")),
		seq(R(2, 1), Check0(is(2, "==", 0), "easy"), W(0, 1)))
	f := longWay(t, p, Options{target: &Finding{Kind: Assert, What: "hard"}})
	s, err := Shrink(p.fresh(), f, Shrinking{})
	if err != nil || s.What != "hard" || s.Preemptions != 1 || !s.Fewest {
		t.Errorf("%v: %v, %v", s.Found, s, err)
	}
	f.What = "never seen"
	if _, err := Shrink(p.fresh(), f, Shrinking{}); err == nil || !strings.Contains(err.Error(), "does not lead to assert: never seen") {
		t.Errorf("a finding that is not there: %v", err)
	}
}

func TestShrinkSaysWhereItsSearchWasNotWhole(t *testing.T) {
	p := lost(3, 3)
	f := longWay(t, p, Options{target: &Finding{Kind: Check, What: "finally"}})
	s, err := Shrink(p.fresh(), f, Shrinking{Options: Options{Executions: 2}})
	if err != nil || s.Fewest && s.Preemptions > 0 {
		t.Errorf("%v after searches of two executions, %v", s, err)
	}
}
