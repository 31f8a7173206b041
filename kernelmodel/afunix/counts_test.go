package afunix

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

func TestPlainAndAtomicCountsGiveEqualResults(t *testing.T) {
	for _, v := range []Variant{Inline, Worker, WorkerAsync, Merged} {
		rapid.Check(t, func(rt *rapid.T) {
			script := rapid.SliceOfN(actions, 0, 30).Draw(rt, "actions")
			result := func(kind string) (any, Stats) {
				_, n, _, err := play(t, 1, Params{GC: v, InflightCount: kind}, 5, [][]action{script})
				if err != nil {
					rt.Fatal(err)
				}
				return contents(n.reachable()), n.Stats()
			}
			plain, plainStats := result("plain")
			atomic, atomicStats := result("atomic")
			if d := cmp.Diff(atomic, plain); d != "" {
				rt.Fatalf("%s: atomic and plain differ: %s", v, d)
			}
			if plainStats.Freed != atomicStats.Freed || plainStats.InFlight != atomicStats.InFlight {
				rt.Fatalf("%s: atomic %+v, plain %+v", v, atomicStats, plainStats)
			}
		})
	}
}

func TestSpunIsWhatTheContentionOfTheLockAddsUpTo(t *testing.T) {
	m := newServer(t, 8, 1000, 1)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, Params{GC: Merged, Trigger: DefaultTrigger})
	for cpu := range 8 {
		from, to := n.Socketpair(Dgram)
		on(m, cpu, "passer", func(k *cpus.Thread) {
			p := n.NewProcess("alice")
			fds := []*Sock{n.Socket(Dgram), n.Socket(Dgram)}
			for range 50 {
				if err := p.Sendmsg(k, from, 1, fds); err != nil {
					t.Error(err)
				}
				for _, u := range p.Recvmsg(k, to, nil) {
					p.Close(k, u)
				}
			}
		})
	}
	mustEnd(t, m, n)
	lock, want := m.Intern("unix_gc_lock"), des.Time(0)
	for _, e := range r.events {
		if e.Kind == cpus.TraceContentionEnd && e.Name == lock {
			want += des.Time(e.Arg)
		}
	}
	if got := n.Stats().Spun; got != want || got == 0 {
		t.Errorf("%v, and the tracepoints say %v", got, want)
	}
}

// Every shape has as many references in flight as asked for, and the collector
// finds what its name promises: candidates, garbage, or neither.
func TestGraphsAreWhatTheirNamesSay(t *testing.T) {
	for _, c := range []struct {
		shape      Shape
		candidates int64
		garbage    int64
	}{{Open, 0, 0}, {Closed, 7, 0}, {Pairs, 0, 0}, {Ring, 0, 0}, {Self, 0, 0}, {Garbage, 7, 7}} {
		for _, v := range Variants {
			m := newServer(t, 2, 0, 1)
			n := New(m, Params{GC: v, Trigger: DefaultTrigger})
			if err := n.Setup(Graph{c.shape, 7, "mallory"}); err != nil {
				t.Fatal(err)
			}
			if err := n.Check(); err != nil {
				t.Errorf("%s, %s: %v", v, c.shape, err)
			}
			if n.Stats().InFlight != 7 || n.User("mallory").InFlight() != 7 {
				t.Errorf("%s, %s: %d in flight, %d of the user, want 7", v, c.shape, n.Stats().InFlight, n.User("mallory").InFlight())
			}
			closed := int64(0)
			for _, u := range n.socks {
				if u.descriptors == 0 {
					closed++
				}
			}
			if closed != c.candidates {
				t.Errorf("%s, %s: %d have no descriptor, want %d", v, c.shape, closed, c.candidates)
			}
			on(m, 0, "closer", func(k *cpus.Thread) {
				if err := finish(k, n); err != nil {
					t.Errorf("%s, %s: %v", v, c.shape, err)
				}
			})
			mustEnd(t, m, n)
			if freed := n.Stats().Freed - 1; freed != c.garbage {
				t.Errorf("%s, %s: %d freed, want %d", v, c.shape, freed, c.garbage)
			}
		}
	}
}

func TestUserBeyondItsLimitMaySendNoMoreDescriptors(t *testing.T) {
	m := newServer(t, 1, 0, 1)
	n := New(m, Params{GC: Merged, Trigger: DefaultTrigger, NoFile: 3})
	from, _ := n.Socketpair(Stream)
	fds := []*Sock{n.Socket(Dgram), n.Socket(Dgram)}
	on(m, 0, "sender", func(k *cpus.Thread) {
		alice, root := n.NewProcess("alice"), n.NewProcess("root")
		for i, want := range []error{nil, nil, ErrTooManyRefs} {
			if err := alice.Sendmsg(k, from, 1, fds); err != want {
				t.Errorf("message %d: %v, want %v", i, err, want)
			}
		}
		if err := alice.Sendmsg(k, from, 1, nil); err != nil {
			t.Errorf("a message without descriptors: %v", err)
		}
		for range 3 {
			if err := root.Sendmsg(k, from, 1, fds); err != nil {
				t.Errorf("root: %v", err)
			}
		}
	})
	mustEnd(t, m, n)
}

func TestSendingToNobodyIsAnError(t *testing.T) {
	m := newServer(t, 1, 0, 1)
	n := New(m, Params{GC: Merged, Trigger: DefaultTrigger})
	lone := n.Socket(Dgram)
	from, to := n.Socketpair(Dgram)
	passed := n.Socket(Dgram)
	on(m, 0, "sender", func(k *cpus.Thread) {
		p := n.NewProcess("alice")
		if err := p.Sendmsg(k, lone, 1, []*Sock{passed}); err != ErrNotConnected {
			t.Errorf("without a peer: %v", err)
		}
		p.Close(k, to)
		if err := p.Sendmsg(k, from, 1, []*Sock{passed}); err != ErrRefused {
			t.Errorf("to a closed peer: %v", err)
		}
	})
	mustEnd(t, m, n)
	if in := n.Stats().InFlight; in != 0 {
		t.Errorf("%d in flight after nothing was delivered", in)
	}
}
