package afunix

import (
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// sends lets one task send messages without descriptors while a graph is in
// flight, and returns what the calls of a function took.
func sends(t *testing.T, p Params, g Graph, messages int, fn string) []des.Time {
	m := newServer(t, 1, 0, 1)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, p)
	if err := n.Setup(g); err != nil {
		t.Fatal(err)
	}
	a, b := n.Socketpair(Dgram)
	b.Discard()
	on(m, 0, "sane", func(k *cpus.Thread) {
		alice := n.NewProcess("alice")
		for range messages {
			if err := alice.Sendmsg(k, a, 1, nil); err != nil {
				t.Error(err)
			}
		}
	})
	mustEnd(t, m, n)
	return r.durations(m, fn)
}

func TestWarmCollectionOverOpenSocketsIsFourCacheHitsEach(t *testing.T) {
	const sockets = 32768
	took := sends(t, Params{GC: Inline, Trigger: DefaultTrigger}, Graph{Open, sockets, "mallory"}, 3, "unix_gc")
	if len(took) != 3 {
		t.Fatalf("%d collections, want 3", len(took))
	}
	// What is not the walk: the lock twice, the flag, the wait queue.
	const rest = 100 * ns
	cold, warm := sockets*4*serverCosts.DRAM, sockets*4*serverCosts.LLCHit
	if warm != 2228224*ns {
		t.Fatalf("the arithmetic is off: %v", warm)
	}
	for i, want := range []des.Time{cold, warm, warm} {
		if took[i] < want || took[i] > want+rest+serverCosts.DRAM*6 {
			t.Errorf("collection %d took %v, want %v and a little", i, took[i], want)
		}
	}
	if took[1] != took[2] {
		t.Errorf("two warm collections took %v and %v", took[1], took[2])
	}
}

func TestSendWithoutWaitingTakesTheAnchor(t *testing.T) {
	for _, v := range []Variant{WorkerAsync, Merged, SCC} {
		took := sends(t, Params{GC: v, Trigger: DefaultTrigger}, Graph{Open, 100, "mallory"}, 10, "unix_dgram_sendmsg")
		if got := took[len(took)-1]; got != serverCosts.UnixDgramSendmsg {
			t.Errorf("%s: %v, want the anchor, %v", v, got, serverCosts.UnixDgramSendmsg)
		}
	}
}

// trip returns what the last of some messages that a task sends to itself with
// the given number of descriptors took to send.
func trip(t *testing.T, p Params, fds int, fn string) des.Time {
	m := newServer(t, 1, 0, 1)
	r := &recorder{}
	m.SetTracer(r)
	n := New(m, p)
	a, b := n.Socketpair(Dgram)
	on(m, 0, "passer", func(k *cpus.Thread) {
		alice := n.NewProcess("alice")
		var pass []*Sock
		for range fds {
			pass = append(pass, n.Socket(Dgram))
		}
		for range 5 {
			if err := alice.Sendmsg(k, a, 1, pass); err != nil {
				t.Error(err)
			}
			for _, u := range alice.Recvmsg(k, b, nil) {
				alice.Close(k, u)
			}
		}
	})
	mustEnd(t, m, n)
	took := r.durations(m, fn)
	return took[len(took)-1]
}

func TestPassingOneDescriptorTakesTheAnchorInTheVariantThatWasMeasured(t *testing.T) {
	got := trip(t, Params{GC: SCC, Trigger: DefaultTrigger}, 1, "unix_dgram_sendmsg")
	if want := serverCosts.UnixDgramSendmsg + serverCosts.PassUnixFD; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestPlainCountSavesALockedOperationEachPassing(t *testing.T) {
	for _, fn := range []string{"unix_inflight", "unix_notinflight"} {
		atomic := trip(t, Params{GC: Merged, Trigger: DefaultTrigger, InflightCount: "atomic"}, 3, fn)
		plain := trip(t, Params{GC: Merged, Trigger: DefaultTrigger, InflightCount: "plain"}, 3, fn)
		if want := serverCosts.Atomic - serverCosts.PlainIncrement; atomic-plain != want {
			t.Errorf("%s: atomic %v, plain %v, want a difference of %v", fn, atomic, plain, want)
		}
	}
}

func TestCountsOfCandidatesAreAllThatAtomicCostsTheCollector(t *testing.T) {
	const sockets = 1000
	gc := func(kind string, g Graph) des.Time {
		p := Params{GC: Inline, InflightCount: kind}
		took := sends(t, p, g, 3, "unix_gc")
		return slices.Min(took)
	}
	open, closed := Graph{Open, sockets, "m"}, Graph{Ring, sockets, "m"}
	if a, p := gc("atomic", open), gc("plain", open); a != p {
		t.Errorf("without candidates: atomic %v, plain %v", a, p)
	}
	if a, p := gc("atomic", closed), gc("plain", closed); a != p {
		t.Errorf("a ring that is held open: atomic %v, plain %v", a, p)
	}
}
