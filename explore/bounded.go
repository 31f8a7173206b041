package explore

import "fmt"

// Bounded explores the interleavings with at most k preemptions, which are switches
// away from an agent that could have gone on: few bugs need more than two (Musuvathi
// and Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
// Programs", PLDI 2007). It is complete when it has visited all of those; under
// Options.Classes it counts the classes that they reach.
func Bounded(k int) Strategy {
	if k < 0 {
		panic(fmt.Sprintf("explore: preemptions must not be negative, got %d", k))
	}
	return depthFirst{bound: k}
}
