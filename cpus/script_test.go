package cpus_test

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

// roundCosts are figures that can be added up by hand and told apart in a sum.
var roundCosts = cpus.Costs{
	Cycle: 1 * ns, L1Hit: 2 * ns, L2Hit: 5 * ns, LLCHit: 20 * ns, DRAM: 100 * ns,
	PlainIncrement: 1 * ns, Atomic: 6 * ns, Fence: 30 * ns, Pause: 10 * ns,
	TransferSMT: 8 * ns, TransferLLC: 40 * ns, TransferSocket: 80 * ns, TransferRemote: 160 * ns,
	BHPair: 4 * ns, Syscall: 50 * ns, SwitchThread: 1 * us, SwitchProcess: 2 * us,
	WakeIdle: 3 * us, WakeWaker: 500 * ns, Tick: 5 * us, FillPeriod: 64 * ns,
	L1Size: 32 << 10, L2Size: 1 << 20, LLCSize: 32 << 20,
}

// eightCPUs are two sockets of two cores of two threads, all of a socket below
// one last-level cache. CPUs 0 and 1 are the cores of socket 0, 2 and 3 those of
// socket 1, 4 to 7 their second threads.
var eightCPUs = cpus.Topology{Sockets: 2, Cores: 2, Threads: 2, CoresPerLLC: 2}

func newMachine(n, hz int, policy string) *cpus.Machine {
	return cpus.New(des.New(1), cpus.Spec{Topology: eightCPUs, Costs: roundCosts, CPUs: n, HZ: hz, Policy: policy})
}

// step is one op of a script with its operands.
type step struct {
	op   cpus.Op
	a, b int64
}

// script performs its steps one after the other, then exits. What it has
// switched off counts from the moment the op is handed out: such an op cannot be
// cut in two.
type script struct {
	steps      []step
	next       int
	irqOff     int
	preemptOff int
	bhOff      int
	exit       cpus.Op
	ended      func()
}

func (s *script) Next(t *cpus.Task) *cpus.Op {
	if s.next == len(s.steps) {
		if s.ended != nil {
			s.ended()
		}
		s.exit.Kind = cpus.Exit
		return &s.exit
	}
	st := &s.steps[s.next]
	s.next++
	t.A, t.B = st.a, st.b
	switch st.op.Kind {
	case cpus.IRQOff:
		s.irqOff++
	case cpus.IRQOn:
		s.irqOff--
	case cpus.PreemptOff:
		s.preemptOff++
	case cpus.PreemptOn:
		s.preemptOff--
	case cpus.BHOff:
		s.bhOff++
	case cpus.BHOn:
		s.bhOff--
	case cpus.Call:
		spins := !st.op.Prim.(*gate).sleeps
		switch {
		case st.op.Sub == gateLock && spins:
			s.preemptOff++
		case st.op.Sub == gateUnlock && spins:
			s.preemptOff--
		}
	}
	return &st.op
}

// again is a script that begins anew when it has exited, as a handler does.
type again struct{ *script }

func (a *again) Next(t *cpus.Task) *cpus.Op {
	op := a.script.Next(t)
	if op.Kind == cpus.Exit {
		a.script.next = 0
	}
	return op
}

// userTime adds up what the script computes in user space.
func (s *script) userTime() des.Time {
	sum := des.Time(0)
	for _, st := range s.steps {
		if st.op.Kind == cpus.Compute && st.op.User {
			sum += st.op.Dur
		}
	}
	return sum
}

func compute(d des.Time) step { return step{op: cpus.Op{Kind: cpus.Compute, Dur: d, User: true}} }
func sleep(d des.Time) step   { return step{op: cpus.Op{Kind: cpus.Sleep, Dur: d}} }
func plain(k cpus.Kind) step  { return step{op: cpus.Op{Kind: k}} }

func on(k cpus.Kind, w *cpus.Word, a, b int64) step {
	return step{op: cpus.Op{Kind: k, Word: w}, a: a, b: b}
}

// run starts a task that performs the steps, on the given CPUs or on all.
func run(m *cpus.Machine, name string, bind []int, steps ...step) *cpus.Task {
	spec := &cpus.TaskSpec{Name: name, Behavior: &script{steps: steps}, CPUs: setOf(m, bind)}
	t := m.NewTask(spec)
	m.Start(t)
	return t
}

func setOf(m *cpus.Machine, bind []int) *cpus.CPUSet {
	if bind == nil {
		return nil
	}
	set := m.NewCPUSet()
	for _, i := range bind {
		set.Add(i)
	}
	return &set
}

// Operations of a gate.
const (
	gateLock uint8 = iota + 1
	gateUnlock
	gateWait
	gateOpen
)

// gate is a lock that is handed over in first-come order, and an event. Its
// waiters spin or, where sleeps is set, sleep. An acquisition takes the time
// look, a hand-over the time handoff.
type gate struct {
	m             *cpus.Machine
	sleeps        bool
	look, handoff des.Time
	holder        *cpus.Task
	waiters       []*cpus.Task
	open          bool
}

func (g *gate) Name() string { return "gate" }

func (g *gate) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := g.m.Sim.Now()
	switch op.Sub {
	case gateLock:
		if !g.sleeps {
			t.PreemptDisable()
		}
		return now + g.look
	case gateUnlock:
		g.holder = nil
		if len(g.waiters) > 0 {
			g.holder, g.waiters = g.waiters[0], g.waiters[1:]
			if g.sleeps {
				g.m.Wake(g.holder)
			} else {
				g.m.Resume(g.holder, now+g.handoff)
			}
		}
		return now
	case gateOpen:
		g.open = true
		for _, waiter := range g.waiters {
			g.m.Wake(waiter)
		}
		g.waiters = nil
		return now + g.m.Costs.WakeWaker
	default:
		if g.open {
			return cpus.Finished
		}
		return g.wait(t)
	}
}

func (g *gate) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch {
	case op.Sub == gateUnlock && !g.sleeps:
		t.PreemptEnable()
	case op.Sub == gateLock && t.Phase == 0:
		t.Phase = 1
		if g.holder != nil {
			return g.wait(t)
		}
		g.holder = t
	}
	return cpus.Finished
}

func (g *gate) wait(t *cpus.Task) cpus.Until {
	g.waiters = append(g.waiters, t)
	if g.sleeps {
		return cpus.Blocked
	}
	return cpus.Spinning
}

func (g *gate) do(sub uint8) step { return step{op: cpus.Op{Kind: cpus.Call, Prim: g, Sub: sub}} }

// wantAccounts compares what a CPU has spent in each mode.
func wantAccounts(t *testing.T, m *cpus.Machine, cpu int, want map[cpus.Mode]des.Time) {
	t.Helper()
	for mode := range cpus.Modes {
		if got := m.CPU(cpu).Account(mode); got != want[mode] {
			t.Errorf("CPU %d spent %v in mode %v, want %v", cpu, got, mode, want[mode])
		}
	}
}

// tracerFunc lets a function be a tracer.
type tracerFunc func(e cpus.TraceEvent)

func (f tracerFunc) Trace(e cpus.TraceEvent) { f(e) }
