package explore

// POS gives each pending step a random priority, does the enabled one of highest
// priority, and draws anew for those that depend on it: partial orders are then drawn
// more evenly than by a walk over agents (Yuan, Yang, Gu, "Partial Order Aware
// Concurrency Sampling", CAV 2018).
func POS(seed uint64) Strategy { return pos{seed} }

type pos struct{ seed uint64 }

func (pos) String() string { return "pos" }

func (p pos) explore(x *exploration) error {
	return x.draw(func(from, to int64) walker {
		return &posWalker{draws: draws{seed: p.seed, next: from, to: to}, commute: x.Commute}
	})
}

type posWalker struct {
	draws
	commute bool
	system  System
	// priority is that of each agent's pending step.
	priority []uint64
}

func (k *posWalker) begin(s System) ([]Agent, bool) {
	if !k.another() {
		return nil, false
	}
	if k.system = s; k.priority == nil {
		k.priority = make([]uint64, s.Agents())
	}
	for a := range k.priority {
		k.priority[a] = k.pcg.Uint64()
	}
	return nil, true
}

func (k *posWalker) choose(_, open []Agent) Agent {
	best := open[0]
	for _, a := range open[1:] {
		if k.priority[a] > k.priority[best] {
			best = a
		}
	}
	return best
}

func (k *posWalker) did(a Agent, s *Step) {
	for b := range k.priority {
		if Agent(b) == a {
			k.priority[b] = k.pcg.Uint64()
		} else if p := k.system.Pending(Agent(b)); p != nil && s.Depends(p, k.commute) {
			k.priority[b] = k.pcg.Uint64()
		}
	}
}
