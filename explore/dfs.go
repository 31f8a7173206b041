package explore

import (
	"fmt"
	"slices"
)

// DFS explores every interleaving, in lexicographic order of the agents' numbers. It
// gives the number of all interleavings and of the failing ones, in all and by
// preemptions. It is complete where executions end; where they can go round, what is
// reached and found stays complete under Options.Cycles, and the number of
// interleavings, which is infinite, is not given.
func DFS() Strategy { return depthFirst{bound: -1} }

// depthFirst is DFS or Bounded.
type depthFirst struct {
	// bound is the most preemptions, or -1.
	bound int
}

func (d depthFirst) String() string {
	if d.bound < 0 {
		return "dfs"
	}
	return fmt.Sprintf("bounded(%d)", d.bound)
}

func (d depthFirst) explore(x *exploration) error {
	starts, err := d.starts(x)
	if err != nil {
		return err
	}
	err = x.runShares(func(i int) (share, bool) {
		if i >= len(starts) {
			return share{}, false
		}
		s := starts[i]
		k := &dfsWalker{bound: d.bound, start: s.choices, preempted: s.preempted}
		return share{walker: k, exhaustive: true}, true
	}, x.most())
	if err != nil {
		return err
	}
	x.conclude()
	if r := &x.result; r.Complete {
		x.reached()
		if !x.total.looped {
			r.ByPreemptions = x.total.byPreemptions
			if d.bound < 0 {
				r.Interleavings = count(r.Executions)
			}
		}
	}
	return nil
}

// start is where a share of the tree of interleavings begins.
type start struct {
	choices   []Agent
	preempted int
}

// Shares enough to keep many workers busy, and short enough to find.
const (
	enoughShares  = 64
	deepestShares = 12
)

// starts divides the tree, in order, at the first depth that gives enough shares.
func (d depthFirst) starts(x *exploration) ([]start, error) {
	w := x.newWorker()
	for depth := 1; ; depth++ {
		k := &dfsWalker{bound: d.bound, depth: depth}
		if _, err := w.work(share{walker: k, exhaustive: true}, -1); err != nil {
			return nil, err
		}
		if len(k.starts) >= enoughShares || depth >= deepestShares || !k.deeper {
			return k.starts, nil
		}
	}
}

// dfsWalker goes through the tree of interleavings below a start.
type dfsWalker struct {
	bound int
	start []Agent
	// preempted counts the preemptions of path.
	preempted int
	path      []Agent
	frames    []dfsFrame
	options   []Agent
	begun     bool

	// depth, if above 0, is where to stop and note a start; deeper, that there was more.
	depth  int
	starts []start
	deeper bool
}

// dfsFrame is a choice on the path: which of options[from:to] is taken.
type dfsFrame struct {
	from, to, taken int
	// preempted counts the preemptions before; could is who preceded and could have
	// gone on, or nobody.
	preempted int
	could     Agent
}

func (k *dfsWalker) begin(System) ([]Agent, bool) {
	if !k.begun {
		k.begun = true
		k.path = append(k.path, k.start...)
		return k.path, true
	}
	for n := len(k.frames) - 1; n >= 0; n-- {
		f := &k.frames[n]
		if f.taken++; f.from+f.taken < f.to {
			k.frames, k.options = k.frames[:n+1], k.options[:f.to]
			k.path = k.path[:len(k.start)+n]
			k.take(f)
			return k.path, true
		}
	}
	return nil, false
}

// take follows the frame's present option.
func (k *dfsWalker) take(f *dfsFrame) Agent {
	a := k.options[f.from+f.taken]
	k.preempted = f.preempted
	if f.could != nobody && f.could != a {
		k.preempted++
	}
	k.path = append(k.path, a)
	return a
}

func (k *dfsWalker) choose(enabled, open []Agent) Agent {
	if k.depth > 0 && len(k.path) == k.depth {
		k.deeper = true
		return nobody
	}
	f := dfsFrame{from: len(k.options), preempted: k.preempted, could: nobody}
	if n := len(k.path); n > 0 && has(enabled, k.path[n-1]) {
		f.could = k.path[n-1]
	}
	for _, a := range open {
		if k.bound < 0 || k.preempted < k.bound || f.could == nobody || f.could == a {
			k.options = append(k.options, a)
		}
	}
	f.to = len(k.options)
	if f.from == f.to {
		return around
	}
	k.frames = append(k.frames, f)
	return k.take(&k.frames[len(k.frames)-1])
}

func (k *dfsWalker) did(Agent, *Step) {}

func (k *dfsWalker) end(w *worker, e ending) {
	if k.depth > 0 {
		k.starts = append(k.starts, start{slices.Clone(k.path), k.preempted})
	} else if e.how != cut {
		w.tally.preempted(k.preempted, e.failing)
	}
}
