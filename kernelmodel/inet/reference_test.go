package inet

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/des"
)

// reference is a socket whose calls are made one at a time, each with the one lock that
// there is held throughout.
type reference struct {
	connected          bool
	own, peer          Name
	num, next          uint16
	addrLock, portLock bool
}

// step is a call of a random program.
type step struct {
	think des.Time
	call  string
	route Route
	name  Name
}

// answer is what a call says: a name, or an error.
func answer(name Name, err error) string {
	if err != nil {
		return err.Error()
	}
	return name.String()
}

// perform makes a call on the reference.
func (r *reference) perform(s *step) string {
	port := func() uint16 {
		r.next += 2
		return r.next - 2
	}
	switch s.call {
	case "getsockname":
		return answer(r.own, nil)
	case "getpeername":
		if !r.connected {
			return answer(Name{}, ErrNotConnected)
		}
		return answer(r.peer, nil)
	case "connect":
		if r.connected {
			return answer(Name{}, ErrIsConnected)
		}
		if r.num == 0 {
			r.num = port()
		}
		if r.own.Addr == 0 {
			r.own.Addr = s.route.Source
		}
		r.connected, r.own.Port, r.peer = true, r.num, s.route.Peer
	case "disconnect":
		if r.connected && !r.portLock {
			r.num = 0
		}
		if !r.addrLock {
			r.own.Addr = 0
		}
		r.connected = false
	case "bind":
		if r.connected || r.num != 0 {
			return answer(Name{}, ErrInvalid)
		}
		r.addrLock, r.portLock = s.name.Addr != 0, s.name.Port != 0
		r.own = s.name
		if r.own.Port == 0 {
			r.own.Port = port()
		}
		r.num = r.own.Port
	}
	return answer(Name{}, nil)
}

// performOn makes it on a socket.
func (s *step) performOn(k *cpus.Thread, u *Sock) string {
	switch s.call {
	case "getsockname":
		return answer(u.GetSockName(k), nil)
	case "getpeername":
		return answer(u.GetPeerName(k))
	case "connect":
		err := u.Connect(k, s.route)
		if errors.Is(err, ErrAborted) {
			err = nil // it was connected, and has learnt of the disconnect that followed
		}
		return answer(Name{}, err)
	case "disconnect":
		u.Disconnect(k)
		return answer(Name{}, nil)
	default:
		return answer(Name{}, u.Bind(k, s.name))
	}
}

// made is a call that was made.
type made struct {
	*step
	from, to des.Time
	said     string
}

// play lets each program run on a CPU of its own, on one socket.
func play(t testing.TB, v GetName, programs [][]step) (calls []made, s Stats) {
	m := newServer(t, len(programs), 0, 1)
	n := New(m, Params{GetName: v, Base: base})
	u := n.Socket()
	for i, program := range programs {
		on(m, i, "task", func(k *cpus.Thread) {
			for j := range program {
				k.RunUser(program[j].think)
				from := k.Now()
				said := program[j].performOn(k, u)
				calls = append(calls, made{&program[j], from, k.Now(), said})
			}
		})
	}
	mustEnd(t, m)
	m.Sim.Close()
	return calls, n.Stats()
}

// explained reports whether there is an order of the calls in which the reference says
// the same, and in which no call comes before one that had ended when it began.
func explained(calls []made) bool {
	type place struct {
		done uint64
		at   reference
	}
	tried := make(map[place]bool)
	var search func(p place) bool
	search = func(p place) bool {
		if p.done == 1<<len(calls)-1 {
			return true
		}
		if tried[p] {
			return false
		}
		tried[p] = true
		first := des.Forever // the first end among those that are left
		for i := range calls {
			if p.done>>i&1 == 0 {
				first = min(first, calls[i].to)
			}
		}
		for i := range calls {
			if p.done>>i&1 == 1 || calls[i].from > first {
				continue
			}
			next := place{p.done | 1<<i, p.at}
			if next.at.perform(calls[i].step) == calls[i].said && search(next) {
				return true
			}
		}
		return false
	}
	return search(place{at: reference{next: firstPort}})
}

func (c made) String() string { return fmt.Sprintf("%v..%v %s: %s", c.from, c.to, c.call, c.said) }

// anyStep draws a call: about half of them read a name.
func anyStep(draw func(n int) int) step {
	calls := []string{"getsockname", "getsockname", "getpeername", "connect", "connect", "disconnect", "bind"}
	names := []Name{here, {here.Addr, 0}, {0, 9090}, {}}
	return step{
		think: des.Time(draw(1500)) * ns, call: calls[draw(len(calls))],
		route: []Route{eth, lo}[draw(2)], name: names[draw(len(names))],
	}
}

// without leaves out the calls of one kind.
func without(call string, calls []made) []made {
	return slices.DeleteFunc(slices.Clone(calls), func(c made) bool { return c.call == call })
}

// TestCallsAgreeWithASocketThatIsAlwaysLocked: with any reader that is safe, calls of
// three tasks say what they would say if they were made one at a time. A sequence count
// makes each of the two names whole, not both together: a socket shows its own new name
// while it has no peer yet.
func TestCallsAgreeWithASocketThatIsAlwaysLocked(t *testing.T) {
	for _, v := range []GetName{LockSock, LockSockFast, Seqcount} {
		t.Run(string(v), rapid.MakeCheck(func(rt *rapid.T) {
			programs := make([][]step, 3)
			for i := range programs {
				for range rapid.IntRange(1, 5).Draw(rt, "calls") {
					s := anyStep(func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "draw") })
					programs[i] = append(programs[i], s)
				}
			}
			calls, s := play(t, v, programs)
			same := explained(calls)
			if v == Seqcount {
				same = explained(without("getpeername", calls)) && explained(without("getsockname", calls))
			}
			if s.Torn != 0 || !same {
				rt.Fatalf("%d torn, of\n%v", s.Torn, calls)
			}
		}))
	}
}

// TestTornNamesAreNoneOfALockedSockets: what is counted as torn, no order of the calls
// explains; and a reader without a lock does return such names.
func TestTornNamesAreNoneOfALockedSockets(t *testing.T) {
	for _, v := range []GetName{Unlocked, ReadOnce} {
		torn := 0
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, 1))
			var writer, reader []step
			for range 3 {
				writer = append(writer, anyStep(func(n int) int { return r.IntN(n) }))
			}
			writer = append(writer, step{think: 100 * ns, call: "connect", route: eth})
			for range 12 {
				reader = append(reader, step{think: des.Time(r.IntN(400)) * ns, call: "getsockname"})
			}
			calls, s := play(t, v, [][]step{writer, reader})
			if s.Torn > 0 {
				torn++
				if explained(calls) {
					t.Errorf("%s, seed %d: %d torn, but the calls have an order:\n%v", v, seed, s.Torn, calls)
				}
			}
		}
		if torn < 30 {
			t.Errorf("%s: %d of 300 runs have torn names", v, torn)
		}
		t.Logf("%s: %d of 300 runs have torn names", v, torn)
	}
}

// TestTheReferenceTellsAnOrderFromNone guards the search itself.
func TestTheReferenceTellsAnOrderFromNone(t *testing.T) {
	connect, ask := &step{call: "connect", route: eth}, &step{call: "getsockname"}
	whole := Name{eth.Source, firstPort}.String()
	calls := []made{{connect, 0, 10, answer(Name{}, nil)}, {ask, 5, 6, Name{}.String()}, {ask, 7, 8, whole}}
	if !explained(calls) {
		t.Error("a name that appears while connect() runs is not explained")
	}
	slices.Reverse(calls[1:])
	calls[1].from, calls[1].to = 1, 2
	if explained(calls) {
		t.Error("a name that goes back is explained")
	}
	calls[1].said = Name{eth.Source, 0}.String()
	if explained(calls) {
		t.Error("half a name is explained")
	}
}
