package afunix_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
	"smpsim/kernelmodel/afunix"
)

// windows are scenes in which a collector goes wrong when a fix is out.
var windows = []struct {
	name     string
	variants []afunix.Variant
	unfixed  afunix.Unfixed
	trigger  int64
	scene    scene
	// finds is what is found without the fix, or how it begins.
	finds string
}{
	{
		// The first collector comes back to its last assertion while the second has
		// candidates of its own.
		"two collect at once",
		[]afunix.Variant{afunix.Inline},
		afunix.Unfixed{NoRecheck: true},
		0,
		scene{
			sockets: "a b c", before: []call{send("b", "c", "c")},
			threads: [][]call{{closes("a")}, {closes("b")}, {closes("c")}},
		},
		"bug: 1 candidates left after the hitlist was purged",
	},
	{
		// The collector finds a to be all in flight. It is peeked at, by way of b, which is
		// closed before the collector comes to it.
		"a peek behind the collector's back", afunix.Variants,
		afunix.Unfixed{PeekWithoutBarrier: true},
		0,
		scene{
			sockets: "a b c", before: []call{send("c", "b", "a"), send("c", "a", "b"), closes("a")},
			threads: [][]call{{peek("b"), closes("b")}, {closes("c")}},
		},
		"bug: the collector frees a message at a, which is reachable",
	},
	{
		// What waits at an embryo is given back, and was not subtracted: the embryo was not
		// in L's queue then.
		"an embryo between two phases", afunix.Variants[:4],
		afunix.Unfixed{ConnectWithoutBarrier: true},
		0,
		scene{
			sockets: "L S x v", before: []call{listen("L"), send("x", "x", "L"), closes("L")},
			threads: [][]call{{connect("S", "L")}, {send("S", "", "v"), closes("v"), send("x", "x")}},
		},
		"bug: v is listed with 2 in flight, and 1 messages carry it",
	},
	{
		// a keeps the graph cyclic and its grouping trusted. The new vertices of b and c
		// seem to be of one component, so that b does not keep c alive.
		"vertices of the same stale index",
		[]afunix.Variant{afunix.SCC},
		afunix.Unfixed{StaleIndex: true},
		0,
		scene{
			sockets: "a b c d", before: []call{send("a", "a", "a"), send("d", "c"), send("d", "b", "c")},
			threads: [][]call{{send("d", "d", "b"), closes("c")}, {closes("a")}},
		},
		"bug: the collector frees a message at c, which is reachable",
	},
	{
		// A search from a goes to b, from there to c and back to b, then to d and back to a:
		// c has found a way back to b only.
		"a component of several indices",
		[]afunix.Variant{afunix.SCC},
		afunix.Unfixed{MixedIndex: true},
		1000,
		scene{
			sockets: "a b c d", before: []call{
				send("a", "b", "a"), send("a", "c", "b"), send("a", "b", "c"), send("a", "d", "b"), send("a", "a", "d"),
				closes("a"), closes("b"),
			},
			threads: [][]call{{closes("c")}, {closes("d")}},
		},
		"check: all garbage is freed",
	},
}

func TestEachWindowIsOpenWithoutItsFix(t *testing.T) {
	for _, w := range windows {
		t.Run(w.name, func(t *testing.T) {
			for _, v := range w.variants {
				p := eager(v, w.unfixed)
				p.Trigger = w.trigger
				_, found := w.scene.explored(t, p, explore.Options{Strategy: explore.DPOR(), UntilFound: true})
				if !slices.ContainsFunc(found, func(f string) bool { return strings.HasPrefix(f, w.finds) }) {
					t.Errorf("%s: found %q, want %q", v, found, w.finds)
				}
			}
		})
	}
}

func TestEachWindowIsShutByItsFix(t *testing.T) {
	for _, w := range windows {
		t.Run(w.name, func(t *testing.T) {
			for _, v := range w.variants {
				p := eager(v, afunix.Unfixed{})
				p.Trigger = w.trigger
				r, found := w.scene.explored(t, p, explore.Options{Strategy: explore.DPOR()})
				if !r.Complete || len(found) > 0 {
					t.Errorf("%s: complete %t %v, found %q", v, r.Complete, r.Limits, found)
				}
				t.Logf("%s: %d classes", v, r.Executions)
			}
		})
	}
}

// flushWatch notices a sender that goes on while the collection that it has queued is
// pending or runs.
type flushWatch struct {
	wait   cpus.NameID
	sender *cpus.Task
	work   *kernelmodel.Work
	missed bool
}

func (w *flushWatch) Trace(e cpus.TraceEvent) {
	if e.Kind == cpus.TraceFuncReturn && e.Name == w.wait && e.Task == w.sender.ID() && w.work.Busy() {
		w.missed = true
	}
}

// A sender that is made to wait and has queued a collection waits for its end, if nobody
// else queues one. While the work item itself set the flag, the sender could find it no
// longer pending and the flag not yet set.
func TestASenderWaitsForTheCollectionItHasQueued(t *testing.T) {
	scene := scene{sockets: "a b c", before: []call{send("a", "b", "c")}, threads: [][]call{{send("a", "b", "c")}}}
	for _, v := range []afunix.Variant{afunix.Merged, afunix.SCC} {
		for _, byWork := range []bool{false, true} {
			build := func(m *cpus.Machine) explore.Modelled {
				built := scene.build(m, eager(v, afunix.Unfixed{FlagSetByWork: byWork}))
				w := &flushWatch{wait: m.Intern("wait_for_unix_gc"), sender: built.Tasks[1]}
				for _, o := range m.Built() {
					if work, ok := o.(*kernelmodel.Work); ok && work.Name() == "unix_gc_work" {
						w.work = work
					}
				}
				m.SetTracer(w)
				built.Check = func() error {
					if w.missed {
						return errors.New("the sender has not waited")
					}
					return nil
				}
				return built
			}
			r, found := exploredModel(t, build, explore.Options{Strategy: explore.DPOR()})
			if missed := len(found) > 0; !r.Complete || missed != byWork {
				t.Errorf("%s, flag set by the work item %t: %q in %d classes", v, byWork, found, r.Executions)
			}
		}
	}
}
