package explore

// RoundRobin does one execution: the agents in turn, a step each. It is what a fair
// machine in lock-step would do, and a first look at a system.
func RoundRobin() Strategy { return roundRobin{} }

type roundRobin struct{}

func (roundRobin) String() string { return "round-robin" }

func (roundRobin) explore(x *exploration) error {
	return x.single(&roundRobinWalker{last: nobody}, "one execution, in turn")
}

type roundRobinWalker struct {
	once
	last Agent
}

func (k *roundRobinWalker) choose(_, open []Agent) Agent {
	next := open[0]
	for _, a := range open {
		if a > k.last {
			next = a
			break
		}
	}
	k.last = next
	return next
}

// single explores the one execution that a walker leads through.
func (x *exploration) single(k walker, limit string) error {
	err := x.runShares(func(i int) (share, bool) {
		return share{walker: k, stops: true}, i == 0
	}, -1)
	if err != nil {
		return err
	}
	x.conclude()
	x.limited("%s", limit)
	x.result.Complete = false
	return nil
}

// once is the part of a walker through one execution that all such share.
type once struct{ begun bool }

func (o *once) begin(System) ([]Agent, bool) {
	more := !o.begun
	o.begun = true
	return nil, more
}

func (*once) did(Agent, *Step)    {}
func (*once) end(*worker, ending) {}
