package explore

// Random picks uniformly among the enabled agents at every step: a random walk. An
// interleaving of k choices among n agents has probability at least n^-k; those with
// few agents enabled are likelier than others. Execution n follows from the seed and n.
func Random(seed uint64) Strategy { return random{seed} }

type random struct{ seed uint64 }

func (random) String() string { return "random" }

func (r random) explore(x *exploration) error {
	return x.draw(func(from, to int64) walker {
		return &randomWalker{draws{seed: r.seed, next: from, to: to}}
	})
}

type randomWalker struct{ draws }

func (k *randomWalker) begin(System) ([]Agent, bool) { return nil, k.another() }

func (k *randomWalker) choose(_, open []Agent) Agent {
	if len(open) == 1 {
		return open[0]
	}
	return open[k.below(uint64(len(open)))]
}
