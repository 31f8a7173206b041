package workloads_test

import (
	"fmt"
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel/inet"
	"smpsim/workloads"
)

// inetBench is a machine with internet sockets and what was measured on it.
type inetBench struct {
	m     *cpus.Machine
	x     *workloads.Inet
	calls map[string][]des.Time
	index int
}

func newInetBench(t testing.TB, count int, v inet.GetName, base des.Time, seed uint64) *inetBench {
	preset, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		t.Fatal(err)
	}
	sim := des.New(seed)
	t.Cleanup(sim.Close)
	m := cpus.New(sim, cpus.Spec{Topology: preset.Topology, Costs: preset.Costs, CPUs: count, HZ: 250})
	b := &inetBench{m: m, x: workloads.NewInet(inet.New(m, inet.Params{GetName: v, Base: base})), calls: map[string][]des.Time{}}
	m.SetTracer(b)
	return b
}

func (b *inetBench) Trace(e cpus.TraceEvent) {
	if e.Kind == cpus.TraceFuncReturn {
		name := b.m.NameOf(e.Name)
		b.calls[name] = append(b.calls[name], des.Time(e.Arg))
	}
}

// start runs a load as a task.
func (b *inetBench) start(name string, background bool, load interface {
	Body(x *workloads.Inet) func(k *cpus.Thread)
},
) {
	b.index++
	spec := &cpus.TaskSpec{Name: name, Background: background, MM: int32(b.index)}
	b.m.Start(b.m.NewThread(spec, load.Body(b.x)))
}

func (b *inetBench) run(t testing.TB) inet.Stats {
	t.Helper()
	if o := b.m.Run(100 * des.Second); o != cpus.Ended {
		t.Fatalf("%v: %v", o, b.m.Failure())
	}
	return b.x.Net.Stats()
}

// mean is that of a function's calls.
func (b *inetBench) mean(fn string) des.Time {
	sum := des.Time(0)
	for _, d := range b.calls[fn] {
		sum += d
	}
	return sum / des.Time(max(1, len(b.calls[fn])))
}

const published = 144230 * des.Picosecond

// getsockname is the contract's experiment: callers, and one who connects.
func getsockname(t testing.TB, v inet.GetName, callers int, calls int64, socket string) (*inetBench, inet.Stats) {
	b := newInetBench(t, 8, v, published, 11)
	for range callers {
		b.start("caller", false, workloads.GetSockName{Calls: calls, Socket: socket})
	}
	think := workloads.Pace{Think: des.Exp(20 * des.Microsecond)}
	b.start("connector", true, workloads.ConnectLoop{Socket: "shared", Pace: think})
	return b, b.run(t)
}

func TestLocklessCallsAreQuickAndTornAndLockedOnesSlowAndWhole(t *testing.T) {
	for _, callers := range []int{1, 4} {
		for _, v := range inet.GetNames {
			b, s := getsockname(t, v, callers, 20000/int64(callers), "shared")
			mean := b.mean("getsockname")
			t.Logf("%d callers, %-14s %10v a call, %4d torn of %d; %d connects; %d through the backlog",
				callers, v, mean, s.Torn, len(b.calls["getsockname"]), len(b.calls["tcp_v4_connect"]), s.Backlogged)
			lockless := v == inet.Unlocked || v == inet.ReadOnce
			if lockless != (s.Torn > 0) {
				t.Errorf("%s: %d torn", v, s.Torn)
			}
			// Whoever takes a lock waits for the handshakes, and several for each other.
			slow := mean > published*3/2
			if callers > 1 {
				slow = mean > 5*published
			}
			if quick := mean < published+10*des.Nanosecond; quick != (lockless || v == inet.Seqcount) || slow == quick {
				t.Errorf("%s, %d callers: %v a call", v, callers, mean)
			}
		}
	}
}

func TestOwnSocketsKnowNothingOfOthers(t *testing.T) {
	b, s := getsockname(t, inet.LockSock, 4, 2000, workloads.OwnSocket)
	if mean := b.mean("getsockname"); mean > published+50*des.Nanosecond || s.Torn != 0 {
		t.Errorf("%v a call, %d torn", mean, s.Torn)
	}
	b, s = getsockname(t, inet.ReadOnce, 4, 2000, "another")
	if mean := b.mean("getsockname"); mean > published+20*des.Nanosecond || s.Torn != 0 {
		t.Errorf("a socket that nobody connects: %v a call, %d torn", mean, s.Torn)
	}
}

func TestInetLoadsMakeAsManyCallsAsAsked(t *testing.T) {
	b := newInetBench(t, 4, inet.LockSock, published, 1)
	b.start("own", false, workloads.GetSockName{Calls: 7, Socket: workloads.OwnSocket})
	b.start("peer", false, workloads.GetPeerName{Calls: 6, Socket: "shared"})
	b.start("connect", false, workloads.ConnectLoop{Calls: 5, Socket: "shared"})
	b.start("softirq", false, workloads.ReceiveSoftirq{Calls: 4, Socket: "shared"})
	s := b.run(t)
	got := fmt.Sprint(len(b.calls["getsockname"]), len(b.calls["getpeername"]), len(b.calls["connect"]),
		len(b.calls["tcp_disconnect"]), len(b.calls["tcp_v4_connect"]), s.Received)
	// Five calls: disconnect, connect, disconnect, connect, disconnect; two connects answered.
	if got != "7 6 5 3 2 6" || s.Dropped != 0 {
		t.Errorf("calls %s, %+v", got, s)
	}
}

func TestDataForASocketThatIsOwnedGoesThroughTheBacklog(t *testing.T) {
	for _, v := range []inet.GetName{inet.LockSock, inet.ReadOnce} {
		b := newInetBench(t, 4, v, published, 1)
		for range 2 {
			b.start("caller", false, workloads.GetSockName{Calls: 3000, Socket: "shared"})
		}
		b.start("softirq", true, workloads.ReceiveSoftirq{Socket: "shared", Pace: workloads.Pace{Think: des.Exp(des.Microsecond)}})
		s := b.run(t)
		if owned := v == inet.LockSock; owned != (s.Backlogged > 0) || s.Received == 0 {
			t.Errorf("%s: %+v", v, s)
		}
	}
}

func TestEqualSeedsGiveEqualCallsAndTornNames(t *testing.T) {
	for _, v := range inet.GetNames {
		one, s1 := getsockname(t, v, 3, 500, "shared")
		two, s2 := getsockname(t, v, 3, 500, "shared")
		if s1 != s2 || !slices.Equal(one.calls["getsockname"], two.calls["getsockname"]) {
			t.Errorf("%s: %+v and %+v", v, s1, s2)
		}
	}
}
