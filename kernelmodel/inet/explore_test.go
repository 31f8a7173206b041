package inet_test

import (
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel/inet"
)

var (
	own    = inet.Name{Addr: 10<<24 | 1, Port: 8080}
	peer   = inet.Name{Addr: 10<<24 | 2, Port: 443}
	eth    = inet.Route{Source: 10<<24 | 1, Peer: inet.Name{Addr: 10<<24 | 2, Port: 80}}
	lo     = inet.Route{Source: 127<<24 | 1, Peer: inet.Name{Addr: 127<<24 | 2, Port: 81}}
	unsafe = []inet.GetName{inet.Unlocked, inet.ReadOnce}
)

// act is what a task does with the socket.
type act func(k *cpus.Thread, u *inet.Sock)

func connect(k *cpus.Thread, u *inet.Sock)     { _ = u.Connect(k, eth) }
func connectLo(k *cpus.Thread, u *inet.Sock)   { _ = u.Connect(k, lo) }
func disconnect(k *cpus.Thread, u *inet.Sock)  { u.Disconnect(k) }
func bind(k *cpus.Thread, u *inet.Sock)        { _ = u.Bind(k, own) }
func getsockname(k *cpus.Thread, u *inet.Sock) { u.GetSockName(k) }
func getpeername(k *cpus.Thread, u *inet.Sock) { _, _ = u.GetPeerName(k) }
func receive(k *cpus.Thread, u *inet.Sock)     { u.Receive(k) }

// reconnect moves the socket from one connection to another.
func reconnect(k *cpus.Thread, u *inet.Sock) {
	disconnect(k, u)
	connectLo(k, u)
}

// race makes systems in which tasks do one thing each with one socket.
func race(v inet.GetName, ready func(u *inet.Sock), acts ...act) func() explore.System {
	return func() explore.System {
		return explore.NewModel(explore.ModelSpec{Build: func(m *cpus.Machine) explore.Modelled {
			n := inet.New(m, inet.Params{GetName: v})
			u := n.Socket()
			ready(u)
			var built explore.Modelled
			for i, a := range acts {
				name := string(rune('a' + i))
				built.Tasks = append(built.Tasks, m.NewThread(&cpus.TaskSpec{Name: name}, func(k *cpus.Thread) { a(k, u) }))
			}
			built.Finally = []explore.ModelCheck{
				{What: "torn == 0", Holds: func() (bool, error) { return n.Stats().Torn == 0, nil }},
				{What: "nobody owns the socket", Holds: func() (bool, error) { return !u.Owned(), nil }},
			}
			return built
		}})
	}
}

func unconnected(*inet.Sock)   {}
func established(u *inet.Sock) { u.Establish(own, peer) }
func aboutToFail(u *inet.Sock) { u.FailNextConnect() }

// found explores all classes of executions and lists what is wrong with any.
func found(t *testing.T, system func() explore.System, races bool) (whats []string, r *explore.Result) {
	t.Helper()
	r, err := explore.Explore(system, explore.Options{Strategy: explore.DPOR(), Races: races, Executions: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete {
		t.Fatalf("not all was visited: %v, %d executions", r.Limits, r.Executions)
	}
	for _, f := range r.Findings {
		whats = append(whats, string(f.Kind)+": "+f.What)
	}
	return whats, r
}

const tornFinding = "check: torn == 0"

// TestATornNameIsFoundWhereReadersTakeNoLockAndNowhereElse explores every change of a
// name against every call that reads it: whole, so that "none" is a proof.
func TestATornNameIsFoundWhereReadersTakeNoLockAndNowhereElse(t *testing.T) {
	for _, c := range []struct {
		name         string
		ready        func(u *inet.Sock)
		change, read act
		tears        bool
	}{
		{"connect against getsockname", unconnected, connect, getsockname, true},
		{"failing connect against getsockname", aboutToFail, connect, getsockname, true},
		{"bind against getsockname", unconnected, bind, getsockname, true},
		{"disconnect against getsockname", established, disconnect, getsockname, false},
		{"reconnect against getsockname", established, reconnect, getsockname, true},
		{"connect against getpeername", unconnected, connect, getpeername, false},
		{"reconnect against getpeername", established, reconnect, getpeername, true},
	} {
		for _, v := range inet.GetNames {
			t.Run(c.name+"/"+string(v), func(t *testing.T) {
				whats, r := found(t, race(v, c.ready, c.change, c.read), false)
				tears := c.tears && slices.Contains(unsafe, v)
				if tears != slices.Contains(whats, tornFinding) || len(whats) > 1 || !tears && len(whats) > 0 {
					t.Errorf("found %q; torn names are there: %t", whats, tears)
				}
				t.Logf("%d executions, longest %d steps; %q", r.Executions, r.Longest, whats)
			})
		}
	}
}

// TestReductionMissesNothing compares, where all interleavings can be visited, their
// classes and what they find with those of reduced exploration.
func TestReductionMissesNothing(t *testing.T) {
	for _, c := range []struct {
		v    inet.GetName
		acts []act
	}{
		{inet.ReadOnce, []act{bind, getsockname}},
		{inet.LockSock, []act{getsockname, receive}},
	} {
		system := race(c.v, unconnected, c.acts...)
		reduced, r := found(t, system, false)
		whole, err := explore.Explore(system, explore.Options{Strategy: explore.DFS(), Classes: true, Executions: 300_000})
		if err != nil {
			t.Fatal(err)
		}
		if !whole.Complete || *whole.Traces != r.Executions || len(whole.Findings) != len(reduced) {
			t.Errorf("%s: %d interleavings, %v, of %d classes, with %v; reduced: %d, with %q",
				c.v, whole.Executions, whole.Limits, *whole.Traces, whole.Findings, r.Executions, reduced)
		}
		t.Logf("%s: %d interleavings, %d classes", c.v, whole.Executions, r.Executions)
	}
}

// TestDataRacesAreThoseThatReviewersNamed: the patch marks what it names, and overlooks
// the peer's address and the state.
func TestDataRacesAreThoseThatReviewersNamed(t *testing.T) {
	racy := func(v inet.GetName, ready func(u *inet.Sock), change, read act) (fields []string) {
		whats, _ := found(t, race(v, ready, change, read), true)
		for _, f := range []string{"inet_daddr", "inet_dport", "inet_rcv_saddr", "inet_saddr", "inet_sport", "sk_state"} {
			on := func(what string) bool {
				return strings.HasPrefix(what, string(explore.DataRace)) && strings.Contains(what, " "+f+":")
			}
			if slices.ContainsFunc(whats, on) {
				fields = append(fields, f)
			}
		}
		for _, what := range whats {
			if what != tornFinding && !strings.HasPrefix(what, string(explore.DataRace)) {
				t.Errorf("%s: %s", v, what)
			}
		}
		return fields
	}
	for _, v := range inet.GetNames {
		var ownFields, peerFields []string
		switch v {
		case inet.Unlocked:
			ownFields = []string{"inet_rcv_saddr", "inet_saddr", "inet_sport"}
			peerFields = []string{"inet_daddr", "inet_dport", "sk_state"}
		case inet.ReadOnce:
			peerFields = []string{"inet_daddr", "sk_state"}
		}
		if got := racy(v, unconnected, connect, getsockname); !slices.Equal(got, ownFields) {
			t.Errorf("%s, getsockname: races on %q, want %q", v, got, ownFields)
		}
		if got := racy(v, established, reconnect, getpeername); !slices.Equal(got, peerFields) {
			t.Errorf("%s, getpeername: races on %q, want %q", v, got, peerFields)
		}
	}
}

// TestTheSocketLockLosesNoSegmentAndNoWakeUp: data is processed in the order of its
// arrival, which the model asserts, and nobody waits for ever, which would be a deadlock.
func TestTheSocketLockLosesNoSegmentAndNoWakeUp(t *testing.T) {
	twice := func(k *cpus.Thread, u *inet.Sock) {
		receive(k, u)
		receive(k, u)
	}
	for _, c := range []struct {
		name  string
		v     inet.GetName
		ready func(u *inet.Sock)
		acts  []act
	}{
		{"two segments against an owner", inet.LockSock, established, []act{getsockname, twice}},
		{"two segments against a connect", inet.LockSock, unconnected, []act{connect, twice}},
		{"a segment on each of two CPUs against an owner", inet.LockSock, established, []act{getsockname, receive, receive}},
		{"a fast reader against a waiting owner", inet.LockSockFast, established, []act{getsockname, disconnect, receive}},
		{"three owners", inet.LockSock, unconnected, []act{getsockname, getsockname, disconnect}},
	} {
		whats, r := found(t, race(c.v, c.ready, c.acts...), false)
		if len(whats) > 0 {
			t.Errorf("%s: %q", c.name, whats)
		}
		t.Logf("%s: %d executions", c.name, r.Executions)
	}
}
