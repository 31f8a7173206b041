package afunix

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// forgetful has every collection done.
func (n *Net) forgetful() {
	switch g := n.ledger.(type) {
	case *inflightList:
		g.memo.off = true
	case *graph:
		g.memo.off = true
	}
}

// busy is a run in which collections are frequent and changes are rare.
type busy struct {
	p        Params
	setup    []Graph
	messages int
	scripts  [][]action
}

// run plays it and returns all that can be seen of it.
func (b *busy) run(t testing.TB, remember bool) ([]cpus.TraceEvent, Stats, string, *Net) {
	m := newServer(t, len(b.scripts)+2, 1000, 1)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, b.p)
	if !remember {
		n.forgetful()
	}
	for _, g := range b.setup {
		if err := n.Setup(g); err != nil {
			t.Fatal(err)
		}
	}
	own := []*Sock{n.Socket(Dgram), n.socks[len(n.socks)-1]}
	all := append([]*Sock{own[0]}, n.socks...)
	a, drain := n.Socketpair(Dgram)
	drain.Discard()
	on(m, 0, "sane", func(k *cpus.Thread) {
		p := n.NewProcess("alice")
		for range b.messages {
			_ = p.Sendmsg(k, a, 1, nil)
		}
	})
	for i, script := range b.scripts {
		who := newPlayer(n, "bob", own, all)
		on(m, i+1, fmt.Sprint("player", i), func(k *cpus.Thread) {
			for _, a := range script {
				k.Sleep(a.pause)
				who.do(k, a)
			}
		})
	}
	if o := m.Run(des.Second); o != cpus.Ended {
		t.Fatalf("%v: %v", o, m.Failure())
	}
	verdict := ""
	if err := n.Check(); err != nil {
		verdict = err.Error()
	}
	return r.events, n.Stats(), fmt.Sprintf("%v %v %v", m.Sim.Now(), verdict, contents(n.reachable())), n
}

func TestRememberedCollectionsChangeNothing(t *testing.T) {
	for _, v := range Variants {
		t.Run(string(v), func(t *testing.T) {
			recalled := 0
			rapid.Check(t, func(rt *rapid.T) {
				b := busy{
					p: Params{GC: v}, messages: rapid.IntRange(1, 40).Draw(rt, "messages"),
					scripts: rapid.SliceOfN(rapid.SliceOfN(actions, 0, 8), 0, 2).Draw(rt, "scripts"),
				}
				for range rapid.IntRange(1, 3).Draw(rt, "graphs") {
					b.setup = append(b.setup, Graph{
						Shape:   rapid.SampledFrom(Shapes).Draw(rt, "shape"),
						Sockets: rapid.IntRange(1, 60).Draw(rt, "sockets"), User: "mallory",
					})
				}
				events, stats, end, n := b.run(t, true)
				wantEvents, wantStats, wantEnd, _ := b.run(t, false)
				if d := cmp.Diff(wantStats, stats); d != "" || end != wantEnd {
					rt.Fatalf("stats: %s\nend %s, want %s", d, end, wantEnd)
				}
				if d := cmp.Diff(wantEvents, events); d != "" {
					rt.Fatalf("traces differ: %s", d)
				}
				switch g := n.ledger.(type) {
				case *inflightList:
					recalled += g.memo.recalled
				case *graph:
					recalled += g.memo.recalled
				}
			})
			if recalled == 0 {
				t.Error("no collection was recalled: the test has compared nothing")
			}
		})
	}
}

// A chain of closed sockets, each in the queue of the one before it, the first
// in that of an open one: all are candidates, and restored one after the other.
func chain(n *Net, length int) []*Sock {
	socks := []*Sock{n.Socket(Dgram)}
	for range length {
		socks = append(socks, n.Socket(Dgram))
	}
	for i, u := range socks[1:] {
		n.pass(n.User("mallory"), u, socks[i])
		u.fcount--
		u.descriptors--
	}
	return socks
}

func TestAChangeInTheMiddleOfARememberedCollectionChangesNothing(t *testing.T) {
	cuts := map[int]bool{}
	for offset := range 200 {
		run := func(remember bool) ([]cpus.TraceEvent, *Net) {
			m := newServer(t, 2, 0, 1)
			r := &recorder{}
			m.SetTracer(r)
			n := New(m, Params{GC: Inline})
			if !remember {
				n.forgetful()
			}
			socks := chain(n, 60)
			a, drain := n.Socketpair(Dgram)
			drain.Discard()
			on(m, 0, "sane", func(k *cpus.Thread) {
				for range 20 {
					if err := n.NewProcess("alice").Sendmsg(k, a, 1, nil); err != nil {
						t.Error(err)
					}
				}
			})
			on(m, 1, "peer", func(k *cpus.Thread) {
				// A message into a candidate's queue, which needs no descriptor of it.
				k.RunUser(60*us + des.Time(offset)*50*ns)
				n.enqueue(socks[40], n.alloc(n.User("bob"), 1))
			})
			mustEnd(t, m, n)
			return r.events, n
		}
		got, n := run(true)
		want, _ := run(false)
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("offset %d: traces differ: %s", offset, d)
		}
		memo := &n.ledger.(*inflightList).memo
		if memo.recalled == 0 {
			t.Fatalf("offset %d: nothing was recalled", offset)
		}
		cuts[memo.cut] = true
	}
	if !cuts[0] || !cuts[1] {
		t.Errorf("%v: some collections must be cut in the middle, and some must not", cuts)
	}
}
