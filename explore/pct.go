package explore

import "fmt"

// PCT runs the enabled agent of highest priority. Priorities are random, and at
// depth-1 random steps the agent that would go on falls below all others. With n agents
// and at most k steps an execution finds a bug of that depth, one that shows whenever
// depth steps are ordered rightly, with probability at least 1/(n k^(depth-1))
// (Burckhardt, Kothari, Musuvathi, Nagarakatte, "A Randomized Scheduler with
// Probabilistic Guarantees of Finding Bugs", ASPLOS 2010).
//
// The number of steps is measured beforehand; Result.Bound is the bound, and 0 if an
// execution was longer than those measured. An agent that goes round in a loop falls
// below the others too, where Options.Cycles shows it.
func PCT(seed uint64, depth int) Strategy {
	if depth < 1 {
		panic(fmt.Sprintf("explore: depth must be at least 1, got %d", depth))
	}
	return pct{seed, depth}
}

type pct struct {
	seed  uint64
	depth int
}

func (p pct) String() string { return fmt.Sprintf("pct(%d)", p.depth) }

func (p pct) explore(x *exploration) error {
	m, err := x.measure()
	if err != nil {
		return err
	}
	agents, steps := len(m.steps), max(1, m.longest)
	err = x.draw(func(from, to int64) walker {
		return &pctWalker{
			draws:    draws{seed: p.seed, next: from, to: to},
			steps:    uint64(steps),
			priority: make([]int, agents),
			falls:    make([]uint64, p.depth-1),
		}
	})
	if err != nil {
		return err
	}
	r := &x.result
	r.Basis = fmt.Sprintf("%d agents, %d steps, depth %d", agents, steps, p.depth)
	if r.Longest > steps {
		r.Basis += fmt.Sprintf("; no bound, for an execution had %d steps", r.Longest)
		return nil
	}
	r.Bound = 1 / float64(agents)
	for range p.depth - 1 {
		r.Bound /= float64(steps)
	}
	return nil
}

type pctWalker struct {
	draws
	steps uint64
	// priority of each agent: depth and more at first, below depth after a fall, below
	// 0 after going round.
	priority []int
	// falls are the steps, from 1, at which who would go on falls.
	falls  []uint64
	step   uint64
	rounds int
}

func (k *pctWalker) begin(System) ([]Agent, bool) {
	if !k.another() {
		return nil, false
	}
	k.step, k.rounds = 0, 0
	for i := range k.priority {
		j := int(k.below(uint64(i + 1)))
		k.priority[i] = k.priority[j]
		k.priority[j] = len(k.falls) + 1 + i
	}
	for i := range k.falls {
		k.falls[i] = 1 + k.below(k.steps)
	}
	return nil, true
}

func (k *pctWalker) choose(_, open []Agent) Agent {
	k.step++
	a := k.first(open)
	for i, at := range k.falls {
		if at == k.step {
			k.priority[a] = i
			a = k.first(open)
		}
	}
	return a
}

// first returns the agent of highest priority.
func (k *pctWalker) first(open []Agent) Agent {
	best := open[0]
	for _, a := range open[1:] {
		if k.priority[a] > k.priority[best] {
			best = a
		}
	}
	return best
}

func (k *pctWalker) wentRound(moved []Agent) {
	for _, a := range moved {
		k.rounds++
		k.priority[a] = -k.rounds
	}
}
