package inet

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

const (
	ns = des.Nanosecond
	us = des.Microsecond
)

// base is the anchor of the published experiment.
const base = 144230 * des.Picosecond

// Names and routes of tests.
var (
	here  = Name{10<<24 | 1, 8080}
	there = Name{10<<24 | 2, 443}
	eth   = Route{Source: 10<<24 | 1, Peer: Name{10<<24 | 2, 80}}
	lo    = Route{Source: 127<<24 | 1, Peer: Name{127<<24 | 2, 81}}
)

// newServer returns a machine with the first n CPUs of the server that the contract's
// experiments name. hz is 0 for no ticks.
func newServer(t testing.TB, n, hz int, seed uint64) *cpus.Machine {
	t.Helper()
	preset, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		t.Fatal(err)
	}
	sim := des.New(seed)
	t.Cleanup(sim.Close)
	return cpus.New(sim, cpus.Spec{Topology: preset.Topology, Costs: preset.Costs, CPUs: n, HZ: hz})
}

// on starts a thread bound to a CPU.
func on(m *cpus.Machine, cpu int, name string, body func(k *cpus.Thread)) *cpus.Task {
	set := m.NewCPUSet()
	set.Add(cpu)
	t := m.NewThread(&cpus.TaskSpec{Name: name, MM: int32(cpu), CPUs: &set}, body)
	m.Start(t)
	return t
}

// mustEnd runs the machine until all tasks have ended.
func mustEnd(t testing.TB, m *cpus.Machine) {
	t.Helper()
	if o := m.Run(1000 * des.Second); o != cpus.Ended {
		t.Fatalf("run: %v at %v, failure %v", o, m.Sim.Now(), m.Failure())
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
