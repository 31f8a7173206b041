package afunix

import (
	"errors"
	"testing"

	"smpsim/cpus"
)

// alone runs body as a thread that shares its descriptors, for each collector.
func alone(t *testing.T, body func(t *testing.T, k *cpus.Thread, p *Process, n *Net)) {
	for _, v := range Variants {
		t.Run(string(v), func(t *testing.T) {
			m := newServer(t, 2, 0, 1)
			n := New(m, Params{GC: v, Trigger: DefaultTrigger})
			p := n.NewProcess("root")
			p.ShareFiles()
			on(m, 0, "caller", func(k *cpus.Thread) { body(t, k, p, n) })
			mustEnd(t, m, n)
		})
	}
}

// must fails the test if a call has failed.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestPeekLeavesTheMessageAndGivesDescriptors(t *testing.T) {
	alone(t, func(t *testing.T, k *cpus.Thread, p *Process, n *Net) {
		a, b, c := n.Socket(Dgram), n.Socket(Dgram), n.Socket(Dgram)
		must(t, p.SendmsgTo(k, a, b, 1, []*Sock{c}))
		for peeks := range int64(2) {
			fds, err := p.RecvmsgFlags(k, b, nil, Peek)
			must(t, err)
			if len(fds) != 1 || fds[0] != c || b.Queued() != 1 || c.descriptors != peeks+2 || n.Stats().InFlight != 1 {
				t.Errorf("peek %d: %v, %d messages, %d descriptors, %d in flight", peeks, fds, b.Queued(), c.descriptors, n.Stats().InFlight)
			}
			must(t, n.Check())
		}
		if fds := p.Recvmsg(k, b, nil); len(fds) != 1 || c.descriptors != 4 || n.Stats().InFlight != 0 {
			t.Errorf("received %v, %d descriptors, %d in flight", fds, c.descriptors, n.Stats().InFlight)
		}
	})
}

func TestAcceptedStreamHasWhatWasSentBefore(t *testing.T) {
	alone(t, func(t *testing.T, k *cpus.Thread, p *Process, n *Net) {
		l, s, c := n.Socket(Stream), n.Socket(Stream), n.Socket(Dgram)
		must(t, p.Listen(k, l))
		must(t, p.ConnectTo(k, s, l))
		must(t, p.Sendmsg(k, s, 1, []*Sock{c}))
		must(t, p.Close(k, c))
		must(t, n.Check())
		d, err := p.Accept(k, l, DontWait)
		must(t, err)
		must(t, n.Check())
		if fds := p.Recvmsg(k, d, nil); len(fds) != 1 || fds[0] != c {
			t.Errorf("received %v", fds)
		}
		must(t, p.Sendmsg(k, d, 1, []*Sock{c}))
		if fds := p.Recvmsg(k, s, nil); len(fds) != 1 || fds[0] != c {
			t.Errorf("the other end has received %v", fds)
		}
		must(t, p.Close(k, d))
		if fds, err := p.RecvmsgFlags(k, s, nil, 0); err != nil || len(fds) != 0 {
			t.Errorf("at the end of the stream: %v, %v", fds, err)
		}
		if err := p.Sendmsg(k, s, 1, nil); !errors.Is(err, ErrPipe) {
			t.Errorf("sending to nobody: %v", err)
		}
	})
}

// A listener that waits at its own embryo is in a cycle, which is garbage once it is
// closed.
func TestGarbageBehindAListenerIsFreed(t *testing.T) {
	alone(t, func(t *testing.T, k *cpus.Thread, p *Process, n *Net) {
		l, s := n.Socket(Stream), n.Socket(Stream)
		must(t, p.Listen(k, l))
		must(t, p.ConnectTo(k, s, l))
		must(t, p.Sendmsg(k, s, 1, []*Sock{l}))
		must(t, p.Close(k, l))
		if n.Garbage() != 2 {
			t.Errorf("%d sockets are garbage, want the listener and the embryo", n.Garbage())
		}
		must(t, p.Close(k, p.OpenSocket(k, Dgram)))
		k.Sleep(ms)
		if n.Garbage() != 0 || !l.Released() || s.Released() || !s.hungUp {
			t.Errorf("%d sockets are garbage, listener released %t, the other end %t, hung up %t", n.Garbage(), l.Released(), s.Released(), s.hungUp)
		}
	})
}

func TestListenerThatIsReachableKeepsItsEmbryos(t *testing.T) {
	alone(t, func(t *testing.T, k *cpus.Thread, p *Process, n *Net) {
		l, s, c := n.Socket(Stream), n.Socket(Stream), n.Socket(Dgram)
		must(t, p.Listen(k, l))
		must(t, p.ConnectTo(k, s, l))
		must(t, p.Sendmsg(k, s, 1, []*Sock{c, l}))
		must(t, p.SendmsgTo(k, c, c, 1, []*Sock{l}))
		must(t, p.Close(k, l))
		for range 2 {
			must(t, p.Close(k, p.OpenSocket(k, Dgram)))
			k.Sleep(ms)
		}
		if n.Garbage() != 0 || l.Released() || l.Queued() != 1 || l.receive.first().embryo.Queued() != 1 {
			t.Errorf("%d sockets are garbage, listener released %t with %d embryos", n.Garbage(), l.Released(), l.Queued())
		}
	})
}

func TestCallsFailAsTheirManualPagesSay(t *testing.T) {
	alone(t, func(t *testing.T, k *cpus.Thread, p *Process, n *Net) {
		a, b, gone := n.Socket(Dgram), n.Socket(Dgram), n.Socket(Dgram)
		l, s, other := n.Socket(Stream), n.Socket(Stream), n.Socket(Stream)
		must(t, p.Close(k, gone))
		check := func(call string, err, want error) {
			t.Helper()
			if !errors.Is(err, want) {
				t.Errorf("%s: %v, want %v", call, err, want)
			}
		}
		receive := func(u *Sock, flags Flags) error {
			_, err := p.RecvmsgFlags(k, u, nil, flags)
			return err
		}
		accept := func(u *Sock) error {
			_, err := p.Accept(k, u, DontWait)
			return err
		}
		check("send without a peer", p.Sendmsg(k, a, 1, nil), ErrNotConnected)
		check("send on a closed descriptor", p.SendmsgTo(k, gone, a, 1, nil), ErrBadFD)
		check("send a closed descriptor", p.SendmsgTo(k, a, b, 1, []*Sock{a, gone}), ErrBadFD)
		check("send to a closed socket", p.SendmsgTo(k, a, gone, 1, []*Sock{a}), ErrRefused)
		check("receive nothing", receive(a, DontWait), ErrAgain)
		check("peek at nothing", receive(a, DontWait|Peek), ErrAgain)
		check("receive on a closed descriptor", receive(gone, 0), ErrBadFD)
		check("receive on a stream without a peer", receive(s, 0), ErrInvalid)
		check("close again", p.Close(k, gone), ErrBadFD)
		check("listen on datagrams", p.Listen(k, a), ErrInvalid)
		check("accept on who does not listen", accept(l), ErrInvalid)
		check("connect to who does not listen", p.ConnectTo(k, s, l), ErrRefused)
		check("connect to datagrams", p.ConnectTo(k, s, a), ErrRefused)
		check("connect datagrams to a stream", p.ConnectTo(k, a, s), ErrRefused)
		must(t, p.Listen(k, l))
		check("accept nobody", accept(l), ErrAgain)
		check("connect a listener", p.ConnectTo(k, l, l), ErrInvalid)
		must(t, p.ConnectTo(k, s, l))
		check("connect again", p.ConnectTo(k, s, l), ErrIsConnected)
		check("listen while connected", p.Listen(k, s), ErrInvalid)
		check("send on a connected stream with an address", p.SendmsgTo(k, s, l, 1, nil), ErrIsConnected)
		check("send on another with an address", p.SendmsgTo(k, other, l, 1, nil), ErrInvalid)
		must(t, p.Close(k, l))
		check("connect to a closed listener", p.ConnectTo(k, other, l), ErrRefused)
		check("send to an embryo that is gone", p.Sendmsg(k, s, 1, nil), ErrPipe)
		must(t, p.ConnectTo(k, a, b))
		must(t, p.Sendmsg(k, a, 1, []*Sock{b}))
		must(t, n.Check())
	})
}

// Receivers that wait are woken by a message, by a connection and by a hang-up.
func TestWaitersAreWoken(t *testing.T) {
	m := newServer(t, 3, 0, 1)
	n := New(m, Params{GC: Merged, Trigger: DefaultTrigger})
	l, s, a := n.Socket(Stream), n.Socket(Stream), n.Socket(Dgram)
	for _, u := range []*Sock{l, s, a} {
		u.Dup() // each process has its own
	}
	var got []*Sock
	on(m, 0, "waiter", func(k *cpus.Thread) {
		p := n.NewProcess("root")
		must(t, p.Listen(k, l))
		d, err := p.Accept(k, l, 0)
		must(t, err)
		got = p.Recvmsg(k, d, nil)
		got = p.Recvmsg(k, d, got)
	})
	on(m, 1, "other", func(k *cpus.Thread) {
		p := n.NewProcess("root")
		k.Sleep(ms)
		must(t, p.ConnectTo(k, s, l))
		k.Sleep(ms)
		must(t, p.Sendmsg(k, s, 1, []*Sock{a}))
		k.Sleep(ms)
		must(t, p.Close(k, s))
		must(t, p.Close(k, s))
	})
	mustEnd(t, m, n)
	if len(got) != 1 || got[0] != a || m.Sim.Now() < 3*ms {
		t.Errorf("received %v by %v", got, m.Sim.Now())
	}
}
