package explore

import (
	"errors"
	"math/bits"
	"math/rand/v2"
)

// shareOfDraws is how many executions a share of a random strategy has.
const shareOfDraws = 1024

// draw explores executions that are drawn at random, by walkers for those numbered
// from (included) to to (not included). Execution n depends on the seed and n alone.
func (x *exploration) draw(walker func(from, to int64) walker) error {
	if x.Executions == 0 && x.Watch == nil && !x.UntilFound {
		return errors.New("no number of executions to draw, and nothing that would stop it")
	}
	err := x.runShares(func(i int) (share, bool) {
		from := int64(i) * shareOfDraws
		to := from + shareOfDraws
		if x.Executions > 0 {
			to = min(to, x.Executions)
		}
		return share{walker: walker(from, to)}, from < to
	}, -1)
	if err != nil {
		return err
	}
	x.conclude()
	x.limited("%d executions drawn at random", x.result.Executions)
	x.result.Complete = false
	if x.Classes {
		x.result.Traces = count(int64(x.seen.traces.count))
	}
	return nil
}

// draws is the part of a random walker that all share: its numbers.
type draws struct {
	seed     uint64
	next, to int64
	pcg      rand.PCG
}

// another seeds the numbers of the next execution; false when there is none.
func (d *draws) another() bool {
	if d.next >= d.to {
		return false
	}
	d.pcg.Seed(d.seed, mix(uint64(d.next)^key1, key2))
	d.next++
	return true
}

// below returns a uniform number in [0, n). The bias of the multiplication is removed
// by drawing again (Lemire, "Fast random integer generation in an interval", 2019).
func (d *draws) below(n uint64) uint64 {
	high, low := bits.Mul64(d.pcg.Uint64(), n)
	if low < n {
		for threshold := -n % n; low < threshold; {
			high, low = bits.Mul64(d.pcg.Uint64(), n)
		}
	}
	return high
}

func (d *draws) did(Agent, *Step)    {}
func (d *draws) end(*worker, ending) {}

// profile is what executions of a system look like: measured, not bounded.
type profile struct {
	// steps is the mean number of steps of each agent, rounded, at least 1.
	steps []uint64
	// longest is the length of the longest execution.
	longest int
}

// measuredRuns is how many random executions a profile rests on.
const measuredRuns = 64

// measure takes the profile of a system from random executions of a seed of its own.
func (x *exploration) measure() (profile, error) {
	w := x.newWorker()
	k := &counting{randomWalker: randomWalker{draws{seed: key0, to: measuredRuns}}, steps: make([]uint64, w.system.Agents())}
	t, err := w.work(share{walker: k}, -1)
	for i, n := range k.steps {
		k.steps[i] = max(1, (n+measuredRuns/2)/measuredRuns)
	}
	return profile{k.steps, t.longest}, err
}

// counting is a random walk that counts the steps of each agent.
type counting struct {
	randomWalker
	steps []uint64
}

func (k *counting) did(a Agent, _ *Step) { k.steps[a]++ }
