package explore

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Two agents that politely give way to each other can do so for ever.
func polite() *toy {
	// Words 0 and 1: wants. Each raises its own and backs off while the other's is up.
	side := func(mine, other int) []stmt {
		return seq(W(mine, 1), R(0, other), While(is(0, "==", 1), W(mine, 0), W(mine, 1), R(0, other)), W(mine, 0))
	}
	return (&toy{words: []int{0, 0}}).build(side(0, 1), side(1, 0))
}

// A loop that polls a flag ends once the other agent has set it.
func polling() *toy {
	return (&toy{words: []int{0}}).build(seq(R(0, 0), While(is(0, "==", 0), R(0, 0))), seq(W(0, 1)))
}

// A loop that takes and gives back a lock leaves the other agent enabled now and then,
// but not always.
func hogging() *toy {
	return (&toy{words: []int{0}, locks: 1}).build(
		seq(L(0), R(0, 0), U(0), While(is(0, "==", 0), L(0), R(0, 0), U(0))),
		seq(L(0), W(0, 1), U(0)))
}

func TestLivelockIsAFairCycleAlone(t *testing.T) {
	for _, c := range []struct {
		name    string
		program *toy
		want    []string
	}{
		{"polite", polite(), []string{"livelock agent 0, agent 1 go round for ever"}},
		{"polling for what comes", polling(), []string{}},
		{"polling for what never comes", (&toy{words: []int{0}}).build(seq(R(0, 0), While(is(0, "==", 0), R(0, 0)))), []string{"livelock agent 0 goes round for ever"}},
		{"a lock that others get now and then", hogging(), []string{}},
		{
			"two that poll", (&toy{words: []int{0}}).build(
				seq(R(0, 0), While(is(0, "==", 0), R(0, 0))), seq(R(0, 0), While(is(0, "==", 0), R(0, 0)))),
			[]string{"livelock agent 0, agent 1 go round for ever"},
		},
	} {
		for _, s := range []Strategy{DFS(), States(), DPOR(), Random(1), PCT(1, 2)} {
			r := explored(t, c.program, Options{Strategy: s, Cycles: true, Executions: 2000})
			if got := findingsOf(r); !slices.Equal(got, c.want) {
				t.Errorf("%s: %v finds %v, want %v", c.name, s, got, c.want)
			}
			if s == DFS() || s == States() {
				if !r.Complete || r.Interleavings != nil {
					t.Errorf("%s: %v: complete %v, limits %v, interleavings %v: want complete, without a number", c.name, s, r.Complete, r.Limits, r.Interleavings)
				}
			} else if r.Complete {
				t.Errorf("%s: %v claims to be complete", c.name, s)
			}
			for _, f := range r.Findings {
				again := explored(t, c.program, Options{Strategy: Replay(f.Schedule), Cycles: true})
				if got := findingsOf(again); !slices.Equal(got, c.want) {
					t.Errorf("%s: %v: schedule %v finds %v when replayed, want %v", c.name, s, f.Schedule, got, c.want)
				}
			}
		}
	}
}

func TestEndlessExecutionIsALimitNotAProof(t *testing.T) {
	r := explored(t, polling(), Options{Strategy: DFS(), Steps: 20})
	if r.Complete || !slices.Contains(r.Limits, "20 steps of one execution") {
		t.Errorf("complete %v, limits %v: want the limit of steps", r.Complete, r.Limits)
	}
	if got := findingsOf(r); !slices.Equal(got, []string{"livelock? no end within 20 steps"}) || *r.Failing != 0 {
		t.Errorf("finds %v, %d failing", got, *r.Failing)
	}
	if f := r.Findings[0]; f.Steps != 20 || len(f.Schedule) != 20 {
		t.Errorf("the schedule that was cut has %d steps, want 20", f.Steps)
	}
}

// randomLoops makes a program of loops that poll and write.
func randomLoops(seed uint64) *toy {
	rng := rand.New(rand.NewPCG(seed, 11))
	p := &toy{words: make([]int, 2), locks: 1}
	var programs [][]stmt
	for range 2 + rng.IntN(2) {
		word := func() int { return rng.IntN(2) }
		var body []stmt
		switch rng.IntN(5) {
		case 0:
			body = append(body, W(word(), rng.IntN(2)))
		case 1:
			body = append(body, L(0), W(word(), rng.IntN(2)), U(0))
		case 2:
			body = append(body, If(is(1, "==", rng.IntN(2)), W(word(), rng.IntN(2))), R(1, word()))
		case 3:
			body = append(body, Try(1, 0), If(is(1, "==", 1), W(word(), 1), U(0)))
		}
		polled := word()
		s := seq(R(0, polled), While(is(0, []string{"==", "!="}[rng.IntN(2)], rng.IntN(2)), append(body, R(0, polled))...))
		if rng.IntN(2) == 0 {
			s = append(s, W(word(), rng.IntN(2)))
		}
		if rng.IntN(3) == 0 {
			s = seq(W(word(), rng.IntN(2)), W(word(), rng.IntN(2)))
		}
		programs = append(programs, s)
	}
	return p.build(programs...)
}

// fairCycle says by brute force whether the graph of states has a cycle in which
// everybody moves who is enabled in one of its states: for each set of agents, among
// the states that enable no other, a state from which each of the set can move and come
// back.
func fairCycle(s System) bool {
	var ways []Schedule
	index := map[string]int{}
	var next [][]int // next[state][agent], -1 for none
	add := func(way Schedule) int {
		state := string(s.State(nil))
		if i, ok := index[state]; ok {
			return i
		}
		index[state] = len(ways)
		ways = append(ways, way)
		return len(ways) - 1
	}
	do := func(way Schedule) {
		s.Reset()
		for _, a := range way {
			s.Do(a)
		}
	}
	do(nil)
	add(nil)
	for i := 0; i < len(ways); i++ {
		row := slices.Repeat([]int{-1}, s.Agents())
		do(ways[i])
		for _, a := range s.Enabled(nil) {
			way := append(slices.Clone(ways[i]), a)
			do(way)
			row[a] = add(way)
		}
		next = append(next, row)
	}
	n := len(ways)
	for set := 1; set < 1<<s.Agents(); set++ {
		inside := make([]bool, n)
		reach := make([][]bool, n)
		for i := range n {
			inside[i] = true
			reach[i] = make([]bool, n)
			reach[i][i] = true
			for a, to := range next[i] {
				if to >= 0 && set>>a&1 == 0 {
					inside[i] = false
				}
			}
		}
		for i := range n {
			for _, to := range next[i] {
				if to >= 0 && inside[i] && inside[to] {
					reach[i][to] = true
				}
			}
		}
		for k := range n {
			for i := range n {
				for j := range n {
					reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
				}
			}
		}
		for home := range n {
			all := inside[home]
			for a := range s.Agents() {
				if set>>a&1 == 0 {
					continue
				}
				moves := false
				for i := range n {
					to := next[i][a]
					moves = moves || to >= 0 && inside[i] && inside[to] && reach[home][i] && reach[to][home]
				}
				all = all && moves
			}
			if all {
				return true
			}
		}
	}
	return false
}

func TestStatesFindALivelockWhereThereIsAFairCycle(t *testing.T) {
	programs := uint64(150)
	if testing.Short() {
		programs = 30
	}
	livelocks := 0
	for seed := range programs {
		p := randomLoops(seed)
		want := fairCycle(p.fresh()())
		r := explored(t, p, Options{Strategy: States(), Cycles: true})
		got := strings.Contains(strings.Join(findingsOf(r), "\n"), "livelock")
		if got != want || !r.Complete {
			t.Fatalf("program %d: livelock found %v, there is one %v, complete %v\n%s", seed, got, want, r.Complete, listing(p))
		}
		if want {
			livelocks++
		}
		d := explored(t, p, Options{Strategy: DFS(), Cycles: true, Executions: 1000})
		if d.Complete && strings.Contains(strings.Join(findingsOf(d), "\n"), "livelock") != want {
			t.Errorf("program %d: dfs finds %v, there is a livelock: %v\n%s", seed, findingsOf(d), want, listing(p))
		}
		if d.Complete && *d.FinalStates != *r.FinalStates {
			t.Errorf("program %d: %d final states by dfs, %d by states\n%s", seed, *d.FinalStates, *r.FinalStates, listing(p))
		}
	}
	if livelocks == 0 || livelocks == int(programs) {
		t.Errorf("%d of %d programs have a livelock: the test tells nothing", livelocks, programs)
	}
}
