package afunix

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"

	"pgregory.net/rapid"
)

// round is what happens between two collections of a random graph: messages
// that carry sockets, and descriptors that are closed or received.
type round struct {
	passes  []pass
	closes  []int
	receive []int
}

type pass struct {
	to    int
	carry []int
}

// rounds draws graphs of n sockets that are dense enough for cycles, chains into
// cycles, self loops and live members to be common.
func rounds(n int) *rapid.Generator[[]round] {
	sock := rapid.IntRange(0, n-1)
	passes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) pass {
		return pass{to: sock.Draw(t, "to"), carry: rapid.SliceOfN(sock, 1, 2).Draw(t, "carry")}
	}), 1, n+1)
	one := rapid.Custom(func(t *rapid.T) round {
		var r round
		kind := rapid.SampledFrom([]string{"grow", "shrink", "both"}).Draw(t, "kind")
		if kind != "shrink" {
			r.passes = passes.Draw(t, "passes")
		}
		if kind != "grow" {
			r.closes = rapid.SliceOfN(sock, 1, n).Draw(t, "closes")
		}
		if rapid.Bool().Draw(t, "receives") {
			r.receive = []int{sock.Draw(t, "receive")}
		}
		return r
	})
	return rapid.SliceOfN(one, 1, 4)
}

// tryGraph plays rounds, one process on one CPU, and returns the first thing
// that a collection got wrong. Every socket has a message in its queue from the
// start, which must be there for as long as the socket is.
func tryGraph(t testing.TB, p Params, n int, all []round) error {
	m := newServer(t, 2, 0, 1)
	net := New(m, p)
	socks := make([]*Sock, n)
	for i := range socks {
		socks[i] = net.Socket(Dgram)
		net.enqueue(socks[i], net.alloc(net.User("root"), 1))
	}
	var verdict error
	on(m, 0, "player", func(k *cpus.Thread) {
		me := net.NewProcess("root")
		from := net.Socket(Dgram)
		for _, r := range all {
			for _, pass := range r.passes {
				var fds []*Sock
				for _, i := range pass.carry {
					if socks[i].descriptors > 0 {
						fds = append(fds, socks[i])
					}
				}
				if len(fds) > 0 {
					from.Connect(socks[pass.to])
					_ = me.Sendmsg(k, from, 1, fds)
				}
			}
			for _, i := range r.receive {
				if u := socks[i]; u.descriptors > 0 && u.queued > 1 {
					// The marker goes to the end of the queue.
					marker := u.receive.first()
					net.unqueue(u, marker)
					me.Recvmsg(k, u, nil)
					net.enqueue(u, marker)
				}
			}
			for _, i := range r.closes {
				if socks[i].descriptors > 0 {
					me.Close(k, socks[i])
				}
			}
			if verdict = finish(k, net); verdict != nil {
				return
			}
		}
	})
	if o := m.Run(100 * des.Second); o != cpus.Ended {
		t.Fatalf("%v: %v", o, m.Failure())
	}
	if verdict == nil {
		verdict = net.Check()
	}
	return verdict
}

func TestCollectorIsExactOnRandomGraphs(t *testing.T) {
	for _, v := range Variants {
		t.Run(string(v), func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				p := Params{GC: v, Trigger: DefaultTrigger}
				n := rapid.IntRange(1, 6).Draw(rt, "sockets")
				if err := tryGraph(t, p, n, rounds(n).Draw(rt, "rounds")); err != nil {
					rt.Fatal(err)
				}
			})
		})
	}
}

// Both graphs are small cases that TestCollectorIsExactOnRandomGraphs finds
// when the fix is out.

func TestUnifiedIndexFreesAComponentWithSeveralWaysBack(t *testing.T) {
	// A search from 0 goes to 1, from there to 2 and back to 1, then to 3 and back
	// to 0: 2 has found a way back to 1 only.
	component := []round{{
		passes: []pass{{1, []int{0}}, {2, []int{1}}, {1, []int{2}}, {3, []int{1}}, {0, []int{3}}},
		closes: []int{0, 1, 2, 3},
	}}
	if err := tryGraph(t, Params{GC: SCC, Trigger: DefaultTrigger}, 4, component); err != nil {
		t.Error(err)
	}
	before := Params{GC: SCC, Trigger: DefaultTrigger, Unfixed: Unfixed{MixedIndex: true}}
	if err := tryGraph(t, before, 4, component); err == nil {
		t.Error("without the fix the component was freed")
	}
}

func TestFreshIndexKeepsTheQueueOfALiveSocket(t *testing.T) {
	live := []round{
		// A cycle, held open, so that collections go on and trust the grouping.
		{passes: []pass{{0, []int{0}}}},
		// 1 waits at 2, and 2 at 3, which is open: two new vertices, one of which the
		// other will receive.
		{passes: []pass{{2, []int{1}}, {3, []int{2}}}, closes: []int{1}},
	}
	if err := tryGraph(t, Params{GC: SCC, Trigger: DefaultTrigger}, 4, live); err != nil {
		t.Error(err)
	}
	before := Params{GC: SCC, Trigger: DefaultTrigger, Unfixed: Unfixed{StaleIndex: true}}
	if err := tryGraph(t, before, 4, live); err == nil {
		t.Error("without the fix the queue was kept")
	}
}

func TestFreeingGarbageLeavesTheGraphAcyclic(t *testing.T) {
	m := newServer(t, 2, 0, 1)
	n := New(m, Params{GC: SCC, Trigger: DefaultTrigger})
	for _, g := range []Graph{{Garbage, 6, "mallory"}, {Open, 1, "mallory"}} {
		if err := n.Setup(g); err != nil {
			t.Fatal(err)
		}
	}
	on(m, 0, "closer", func(k *cpus.Thread) {
		if err := finish(k, n); err != nil {
			t.Error(err)
		}
	})
	mustEnd(t, m, n)
	// The six releases call the collector again, since one socket is in flight.
	if s := n.Stats(); s.Freed != 7 || s.Collections != 1 || s.Entered < 2 {
		t.Errorf("%+v, want 7 freed by 1 collection, and later entries without one", s)
	}
}
