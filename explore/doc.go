// Package explore chooses interleavings: it finds the order of steps that breaks an
// assertion, a check or an invariant, that races, deadlocks or goes round for ever; and
// where it visits every class of executions, it proves that there is none.
//
// What is explored is a [System]: a program compiled by package workloads, or a kernel
// model, without costs. Everything that could happen next is due at once, and a
// strategy picks.
//
// # Use
//
//	r, err := explore.Explore(newSystem, explore.Options{Strategy: explore.DPOR(), Races: true})
//	for _, f := range r.Findings {
//		fmt.Println(f.Kind, f.What, f.Schedule) // and Replay(f.Schedule) does it again
//	}
//	if !r.Complete {
//		fmt.Println("not all was visited:", r.Limits)
//	}
//
// [DPOR] is the strategy to begin with: one execution of each class. [States] wins where
// many classes meet in few states, [Bounded] and the random ones ([Random], [PCT],
// [SURW], [POS]) where both are too many. [DFS] counts interleavings. [Shrink] makes a
// schedule simpler.
//
// # Invariants
//
//   - A result depends on the system, the strategy and its seed: not on the number of
//     jobs, on time, or on what was explored before. Options.Watch is the exception.
//   - A count is exact or not given. "Nothing found" and "nothing found within the
//     limit" are told apart by Result.Complete.
//   - A schedule that is reported leads to its finding when it is replayed.
//   - In steady state an execution allocates nothing.
//
// # Where to read
//
// system.go says what a system must tell, explore.go what can be asked and is answered.
// Each strategy has a file, which cites its paper: dfs.go, bounded.go, dpor.go with
// dpor_race.go and wakeup.go, random.go, pct.go, surw.go, pos.go, roundrobin.go,
// replay.go, states.go. They are walkers (walker.go), which a worker (worker.go) follows
// through its share of the work (shares.go). trace.go is happens-before for reduction,
// race.go for data races; cycle.go and component.go find livelocks. shrink.go makes a
// schedule simpler, transcript.go tells it, script.go does it again by names. The files named
// program*.go make a system of a YAML program, those named model*.go of a model in Go.
package explore
