package afunix_test

import (
	"slices"
	"testing"

	"smpsim/explore"
	"smpsim/kernelmodel/afunix"
)

// eager are parameters with which every send starts a collection if anything is in
// flight, and waits for it if it passes a socket.
func eager(v afunix.Variant, u afunix.Unfixed) afunix.Params {
	return afunix.Params{GC: v, SaneUser: new(int64), Unfixed: u}
}

// small are scenes of three sockets, with the number of their classes for each of
// Variants.
var small = []struct {
	name    string
	scene   scene
	classes [5]int64
}{
	{"a socket in flight is sent, received and closed", scene{
		sockets: "a b c", before: []call{send("a", "b", "c")},
		threads: [][]call{{send("a", "b", "c"), closes("c")}, {receive("b")}},
	}, [5]int64{118, 118, 296, 329, 289}},
	{"two sockets in each other's queues are closed", scene{
		sockets: "a b c", before: []call{send("c", "a", "b"), send("c", "b", "a")},
		threads: [][]call{{closes("a")}, {closes("b")}, {send("c", "c")}},
	}, [5]int64{4, 15, 54, 288, 264}},
	{"a socket in its own queue is closed while another is passed", scene{
		sockets: "a b c", before: []call{send("a", "a", "a")},
		threads: [][]call{{closes("a"), closes("b")}, {send("b", "c", "b"), receive("c")}},
	}, [5]int64{16, 85, 300, 380, 200}},
	{"a socket is peeked at and the way to it closed", scene{
		sockets: "a b c", before: []call{send("c", "b", "a"), send("c", "a", "b"), closes("a")},
		threads: [][]call{{peek("b"), closes("b")}, {closes("c")}},
	}, [5]int64{12, 13, 26, 66, 51}},
	{"a stream is received from while the other end hangs up", scene{
		sockets: "L S c", before: []call{listen("L"), connect("S", "L"), send("c", "c", "c")},
		threads: [][]call{{accept("L")}, {receive("S"), closes("c")}},
	}, [5]int64{4, 8, 8, 12, 12}},
	{"garbage is sent a message", scene{
		sockets: "a b c", before: []call{send("a", "a", "a")},
		threads: [][]call{{closes("a"), closes("b")}, {send("c", "a")}},
	}, [5]int64{103, 94, 96, 290, 243}},
	{"an embryo carries a socket when it is accepted", scene{
		sockets: "L S c", before: []call{listen("L"), send("c", "c", "c")},
		threads: [][]call{{connect("S", "L"), send("S", "", "c")}, {accept("L")}},
	}, [5]int64{48, 56, 111, 413, 512}},
	{"a listener in flight is closed", scene{
		sockets: "L S c", before: []call{listen("L"), send("c", "c", "L")},
		threads: [][]call{{connect("S", "L"), send("S", "", "c")}, {accept("L"), closes("L")}},
	}, [5]int64{79, 170, 356, 1152, 305}},
	{"a socket in flight begins to listen", scene{
		sockets: "L S c", before: []call{send("c", "c", "L")},
		threads: [][]call{{listen("L"), connect("S", "L")}, {closes("L"), send("c", "c")}},
	}, [5]int64{13, 13, 16, 29, 9}},
	{"a stream is connected and told to listen", scene{
		sockets: "L S c", before: []call{listen("L"), send("c", "c", "c")},
		threads: [][]call{{connect("S", "L"), closes("c")}, {listen("S")}, {accept("S")}},
	}, [5]int64{202, 202, 202, 202, 202}},
	{"datagrams are sent while they are connected", scene{
		sockets: "a b c", before: []call{send("c", "c", "c")},
		threads: [][]call{{connect("a", "b")}, {send("a", "", "c"), closes("b")}},
	}, [5]int64{16, 32, 64, 144, 144}},
}

// In every interleaving counts agree with messages, no collector frees what can be
// received, none meets one of its own assertions, plain accesses do not race, nobody
// waits for ever, and a last collection leaves no garbage.
func TestEveryCollectorIsRightInAllInterleavings(t *testing.T) {
	for i, v := range afunix.Variants {
		t.Run(string(v), func(t *testing.T) {
			for _, c := range small {
				p := eager(v, afunix.Unfixed{})
				p.InflightCount = "plain"
				r, found := c.scene.explored(t, p, explore.Options{Strategy: explore.DPOR(), Races: true})
				if len(found) > 0 {
					t.Errorf("%s: found %q", c.name, found)
				}
				if !r.Complete || r.Blocked != 0 || r.Executions != c.classes[i] {
					t.Errorf("%s: %d classes, %d blocked, complete %t %v; want %d", c.name, r.Executions, r.Blocked, r.Complete, r.Limits, c.classes[i])
				}
			}
		})
	}
}

// What is not announced shows: unreduced interleavings come to an end that reduced
// exploration, which relies on announcements, has not seen.
func TestReducedExplorationSeesEveryEnd(t *testing.T) {
	for _, v := range afunix.Variants {
		for _, c := range slices.Concat(small[1:6], small[9:]) {
			p := eager(v, afunix.Unfixed{})
			reduced, _ := c.scene.explored(t, p, explore.Options{Strategy: explore.DPOR(), CheckDeterminism: true})
			bounded, _ := c.scene.explored(t, p, explore.Options{Strategy: explore.Bounded(1), Classes: true})
			if *bounded.FinalStates > *reduced.FinalStates || *bounded.Traces > reduced.Executions {
				t.Errorf("%s: %s: %d ends and %d classes, reduced exploration has %d and %d",
					v, c.name, *bounded.FinalStates, *bounded.Traces, *reduced.FinalStates, reduced.Executions)
			}
		}
	}
}
