package afunix

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

const (
	ns = des.Nanosecond
	us = des.Microsecond
	ms = des.Millisecond
)

// serverCosts are those of the preset xeon-server.
var serverCosts = cpus.Costs{
	Cycle: 333, L1Hit: 1100, L2Hit: 4600, LLCHit: 17 * ns, DRAM: 90 * ns,
	PlainIncrement: 280, Atomic: 5500, Fence: 21900, Pause: 18 * ns,
	TransferSMT: 7600, TransferLLC: 47 * ns, TransferSocket: 47 * ns, TransferRemote: 134 * ns,
	BHPair: 3 * ns, Syscall: 70 * ns, SwitchThread: 1070 * ns, SwitchProcess: 2410 * ns,
	WakeIdle: 3 * us, WakeWaker: 700 * ns, Tick: 2 * us, FillPeriod: 64 * ns,
	UnixDgramSendmsg: 540 * ns, PassUnixFD: 277 * ns,
	L1Size: 32 << 10, L2Size: 1 << 20, LLCSize: 36608 << 10,
}

var serverTopology = cpus.Topology{Sockets: 2, Cores: 24, Threads: 2, CoresPerLLC: 24}

// newServer returns a machine with the first n CPUs of the server. hz is 0 for
// no ticks.
func newServer(t testing.TB, n, hz int, seed uint64) *cpus.Machine {
	sim := des.New(seed)
	t.Cleanup(sim.Close)
	return cpus.New(sim, cpus.Spec{Topology: serverTopology, Costs: serverCosts, CPUs: n, HZ: hz})
}

// on starts a thread bound to a CPU.
func on(m *cpus.Machine, cpu int, name string, body func(k *cpus.Thread)) *cpus.Task {
	set := m.NewCPUSet()
	set.Add(cpu)
	t := m.NewThread(&cpus.TaskSpec{Name: name, MM: int32(cpu), CPUs: &set}, body)
	m.Start(t)
	return t
}

// mustEnd runs the machine until all tasks have ended and checks the counts.
func mustEnd(t testing.TB, m *cpus.Machine, n *Net) {
	t.Helper()
	if o := m.Run(1000 * des.Second); o != cpus.Ended {
		t.Fatalf("run: %v at %v, failure %v", o, m.Sim.Now(), m.Failure())
	}
	if err := n.Check(); err != nil {
		t.Fatal(err)
	}
}

// recorder keeps every trace event.
type recorder struct{ events []cpus.TraceEvent }

func (r *recorder) Trace(e cpus.TraceEvent) { r.events = append(r.events, e) }

// durations returns what the calls of a function took, in order of return.
func (r *recorder) durations(m *cpus.Machine, fn string) []des.Time {
	id := m.Intern(fn)
	var all []des.Time
	for _, e := range r.events {
		if e.Kind == cpus.TraceFuncReturn && e.Name == id {
			all = append(all, des.Time(e.Arg))
		}
	}
	return all
}
