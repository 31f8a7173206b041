package explore

// SURW picks an agent with the probability of the share of the remaining steps that
// are its own. Where the numbers of steps are fixed and nobody blocks, every
// interleaving is equally likely; otherwise nearly so, for the numbers are means that
// were measured beforehand. (Zhao, Wolff, Mathur, Roychoudhury, "Selectively Uniform
// Concurrency Testing", ASPLOS 2025; all steps are selected, for every step here is a
// visible one.)
func SURW(seed uint64) Strategy { return surw{seed} }

type surw struct{ seed uint64 }

func (surw) String() string { return "surw" }

func (s surw) explore(x *exploration) error {
	m, err := x.measure()
	if err != nil {
		return err
	}
	return x.draw(func(from, to int64) walker {
		return &surwWalker{
			draws: draws{seed: s.seed, next: from, to: to},
			steps: m.steps,
			left:  make([]uint64, len(m.steps)),
		}
	})
}

type surwWalker struct {
	draws
	// steps are those that each agent is thought to do, left those still to do: at
	// least 1, for who is enabled has one.
	steps, left []uint64
}

func (k *surwWalker) begin(System) ([]Agent, bool) {
	copy(k.left, k.steps)
	return nil, k.another()
}

func (k *surwWalker) choose(_, open []Agent) Agent {
	all := uint64(0)
	for _, a := range open {
		all += k.left[a]
	}
	at := k.below(all)
	for _, a := range open {
		if at < k.left[a] {
			k.left[a] = max(1, k.left[a]-1)
			return a
		}
		at -= k.left[a]
	}
	panic("explore: a number below the sum is below no part of it")
}
