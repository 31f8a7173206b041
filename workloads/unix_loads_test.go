package workloads_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel/afunix"
	"smpsim/workloads"
)

// unixBench is a machine with AF_UNIX and what was measured on it.
type unixBench struct {
	m     *cpus.Machine
	x     *workloads.Unix
	calls map[string][]des.Time
	tasks map[string]*cpus.Task
	index int
}

func newUnixBench(t testing.TB, count int, p afunix.Params) *unixBench {
	preset, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		t.Fatal(err)
	}
	sim := des.New(1)
	t.Cleanup(sim.Close)
	m := cpus.New(sim, cpus.Spec{Topology: preset.Topology, Costs: preset.Costs, CPUs: count, HZ: 250})
	b := &unixBench{m: m, x: workloads.NewUnix(afunix.New(m, p)), calls: map[string][]des.Time{}, tasks: map[string]*cpus.Task{}}
	m.SetTracer(b)
	return b
}

func (b *unixBench) Trace(e cpus.TraceEvent) {
	if e.Kind == cpus.TraceFuncReturn {
		name := b.m.NameOf(e.Name)
		b.calls[name] = append(b.calls[name], des.Time(e.Arg))
	}
}

// start runs a load as a task bound to the next CPU.
func (b *unixBench) start(name, user string, background bool, load interface {
	Body(env workloads.UnixEnv) func(k *cpus.Thread)
},
) {
	set := b.m.NewCPUSet()
	set.Add(b.index)
	b.index++
	spec := &cpus.TaskSpec{Name: name, CPUs: &set, Kthread: background}
	t := b.m.NewThread(spec, load.Body(workloads.UnixEnv{Unix: b.x, Task: name, User: user}))
	b.m.Start(t)
	b.tasks[name] = t
}

func (b *unixBench) run(t testing.TB, until des.Time) {
	t.Helper()
	if o := b.m.Run(until); o != cpus.Ended && o != cpus.TimeUp {
		t.Fatalf("%v: %v", o, b.m.Failure())
	}
	if err := b.x.Net.Check(); err != nil {
		t.Fatal(err)
	}
}

func TestSendmsgSendsAsManyMessagesAsAsked(t *testing.T) {
	b := newUnixBench(t, 1, afunix.Params{GC: afunix.Merged, Trigger: afunix.DefaultTrigger})
	b.start("sane", "alice", false, workloads.UnixDgramSendmsg{Messages: 7, Size: 1})
	b.run(t, des.Second)
	if n := len(b.calls["unix_dgram_sendmsg"]); n != 7 {
		t.Errorf("%d calls, want 7", n)
	}
}

func TestAClosedLoopThinksBetweenCallsInUserSpace(t *testing.T) {
	b := newUnixBench(t, 1, afunix.Params{GC: afunix.Merged, Trigger: afunix.DefaultTrigger})
	think := workloads.Pace{Think: des.Const(10 * des.Microsecond)}
	b.start("sane", "alice", false, workloads.UnixDgramSendmsg{Messages: 5, Size: 1, Pace: think})
	b.run(t, des.Second)
	if got := b.m.CPU(0).Account(cpus.User); got != 40*des.Microsecond {
		t.Errorf("%v in user space, want four times 10us", got)
	}
}

func TestAnOpenLoopCatchesUpWithItsSchedule(t *testing.T) {
	b := newUnixBench(t, 2, afunix.Params{GC: afunix.Inline, Trigger: 100})
	if err := b.x.Net.Setup(afunix.Graph{Shape: afunix.Open, Sockets: 20000, User: "mallory"}); err != nil {
		t.Fatal(err)
	}
	// Each call collects for more than a millisecond; a call is due every 100 us.
	every := des.Const(100 * des.Microsecond)
	b.start("sane", "alice", false, workloads.UnixDgramSendmsg{Messages: 10, Size: 1, Pace: workloads.Pace{Arrival: &every}})
	b.run(t, des.Second)
	busy := des.Time(0)
	for _, d := range b.calls["unix_dgram_sendmsg"] {
		busy += d
	}
	if idle := b.m.Sim.Now() - busy; idle > 200*des.Microsecond {
		t.Errorf("%v passed outside of the calls, which were always late but for the first", idle)
	}
	early := newUnixBench(t, 2, afunix.Params{GC: afunix.Merged, Trigger: 100})
	early.start("sane", "alice", false, workloads.UnixDgramSendmsg{Messages: 10, Size: 1, Pace: workloads.Pace{Arrival: &every}})
	early.run(t, des.Second)
	if now := early.m.Sim.Now(); now < des.Millisecond || now > des.Millisecond+10*des.Microsecond {
		t.Errorf("ten calls that are quick ended at %v, want just after 1ms", now)
	}
}

func TestRoundTripsLeaveNothingInFlight(t *testing.T) {
	for _, v := range afunix.Variants {
		b := newUnixBench(t, 4, afunix.Params{GC: v, Trigger: afunix.DefaultTrigger})
		for range 4 {
			b.start("passer", "alice", false, workloads.ScmRightsRoundTrip{Messages: 25, Size: 1, FDs: 4})
		}
		b.run(t, des.Second)
		trips, sends := len(b.calls["scm_rights_round_trip"]), len(b.calls["unix_dgram_sendmsg"])
		if s := b.x.Net.Stats(); trips != 100 || sends != 100 || s.InFlight != 0 {
			t.Errorf("%s: %d trips, %d sends, %+v, want 100, 100 and nothing in flight", v, trips, sends, s)
		}
	}
}

func TestAFloodEndsWhereItsUserHasTooManyInFlight(t *testing.T) {
	b := newUnixBench(t, 1, afunix.Params{GC: afunix.SCC, Trigger: afunix.DefaultTrigger, NoFile: 100})
	b.start("flood", "mallory", false, workloads.ScmRightsFlood{FDs: 10})
	b.run(t, des.Second)
	// The limit is tested before a message is counted: the last one exceeds it.
	if s := b.x.Net.Stats(); s.InFlight != 110 {
		t.Errorf("%d in flight, want 110", s.InFlight)
	}
}

func TestAReceiverTakesWhatTheTaskItNamesSends(t *testing.T) {
	for _, flood := range []bool{false, true} {
		b := newUnixBench(t, 3, afunix.Params{GC: afunix.Merged, Trigger: afunix.DefaultTrigger})
		if flood {
			b.start("sender", "mallory", false, workloads.ScmRightsFlood{Messages: 50, FDs: 3})
		} else {
			b.start("sender", "mallory", false, workloads.UnixDgramSendmsg{Messages: 50, Size: 1, FDs: 3})
		}
		b.start("receiver", "alice", false, workloads.UnixReceiver{From: "sender", Messages: 50})
		b.run(t, des.Second)
		if n, s := len(b.calls["unix_dgram_recvmsg"]), b.x.Net.Stats(); n != 50 || s.InFlight != 0 {
			t.Errorf("flood %v: received %d, %d in flight, want 50 and 0", flood, n, s.InFlight)
		}
	}
}

func TestASlowReceiverSlowsItsSendersDown(t *testing.T) {
	b := newUnixBench(t, 3, afunix.Params{GC: afunix.Merged, Trigger: afunix.DefaultTrigger})
	b.start("sender", "alice", false, workloads.UnixDgramSendmsg{Messages: 100, Size: 1, FDs: 1})
	slow := workloads.Pace{Think: des.Const(50 * des.Microsecond)}
	b.start("receiver", "bob", true, workloads.UnixReceiver{From: "sender", Pace: slow})
	b.run(t, des.Second)
	// Eleven wait in the queue; the others were received, 50 us apart, before the
	// last was sent.
	if now := b.m.Sim.Now(); now < 88*50*des.Microsecond {
		t.Errorf("all were sent by %v, faster than they were received", now)
	}
}

func TestClosesCollectWhileAnythingIsInFlight(t *testing.T) {
	closes := func(sockets int) afunix.Stats {
		b := newUnixBench(t, 1, afunix.Params{GC: afunix.Inline, Trigger: afunix.DefaultTrigger})
		if err := b.x.Net.Setup(afunix.Graph{Shape: afunix.Open, Sockets: sockets, User: "mallory"}); err != nil {
			t.Fatal(err)
		}
		b.start("closer", "alice", false, workloads.UnixGCClose{Calls: 6})
		b.run(t, des.Second)
		if n := len(b.calls["unix_release_sock"]); n != 6 {
			t.Errorf("%d sockets were released, want 6", n)
		}
		return b.x.Net.Stats()
	}
	if s := closes(0); s.Collections != 0 {
		t.Errorf("with nothing in flight: %+v", s)
	}
	if s := closes(1); s.Collections != 6 {
		t.Errorf("with one socket in flight: %+v, want 6 collections", s)
	}
}

// The published experiment in small: 32K sockets in flight, 4096 messages that
// pass nothing.
func TestSaneSenderPaysForTheCollectionOnlyWhereItRunsInline(t *testing.T) {
	mean := func(v afunix.Variant) (des.Time, afunix.Stats) {
		b := newUnixBench(t, 8, afunix.Params{GC: v, Trigger: afunix.DefaultTrigger})
		if err := b.x.Net.Setup(afunix.Graph{Shape: afunix.Open, Sockets: 32768, User: "mallory"}); err != nil {
			t.Fatal(err)
		}
		b.start("sane", "alice", false, workloads.UnixDgramSendmsg{Messages: 4096, Size: 1})
		b.run(t, 100*des.Second)
		sum := des.Time(0)
		for _, d := range b.calls["unix_dgram_sendmsg"] {
			sum += d
		}
		return sum / 4096, b.x.Net.Stats()
	}
	inline, s := mean(afunix.Inline)
	if s.Collections != 4096 {
		t.Errorf("%d collections, want one a message", s.Collections)
	}
	for _, v := range []afunix.Variant{afunix.WorkerAsync, afunix.Merged, afunix.SCC} {
		if async, _ := mean(v); inline < 1000*async {
			t.Errorf("%s: %v a message, inline %v: less than a thousandfold", v, async, inline)
		} else {
			t.Logf("%s: %v a message, inline %v", v, async, inline)
		}
	}
}
