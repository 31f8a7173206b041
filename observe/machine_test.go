package observe_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
	"smpsim/observe"
)

const (
	workers = 5
	rounds  = 400
	end     = 20 * des.Millisecond
)

// newMachine returns four CPUs on which five workers share a spinlock: they
// spin, are preempted, interrupted, and sleep.
func newMachine(t *testing.T, seed uint64) *cpus.Machine {
	t.Helper()
	ns := des.Nanosecond
	m := cpus.New(des.New(seed), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: 4, Threads: 1, CoresPerLLC: 4},
		CPUs:     4, HZ: 1000, Policy: "round-robin", Slice: 50 * des.Microsecond,
		Costs: cpus.Costs{
			Cycle: 333, L1Hit: ns, L2Hit: 5 * ns, LLCHit: 17 * ns, DRAM: 90 * ns, PlainIncrement: 280,
			Atomic: 5 * ns, Fence: 20 * ns, Pause: 18 * ns, TransferLLC: 47 * ns, Syscall: 70 * ns,
			SwitchThread: 1000 * ns, SwitchProcess: 2000 * ns, WakeIdle: 3000 * ns, WakeWaker: 700 * ns,
			Tick: 2000 * ns, L1Size: 32 << 10, L2Size: 1 << 20, LLCSize: 35 << 20, FillPeriod: 1000 * ns,
		},
	})
	t.Cleanup(m.Sim.Close)
	lock := kernelmodel.NewSpinlock(m, "lock", "qspinlock")
	call, nodes := m.Intern("section"), m.Intern("nodes")
	for i := range workers {
		spec := &cpus.TaskSpec{Name: "worker", Index: int32(i), Numbered: true, MM: int32(i)}
		m.Start(m.NewThread(spec, func(k *cpus.Thread) {
			for round := range rounds {
				entered := k.Enter(call)
				k.Call(lock, kernelmodel.Lock)
				k.Run(des.Time(1+k.Stream().Below(3000)) * ns)
				k.Call(lock, kernelmodel.Unlock)
				k.Return(call, entered)
				k.Machine().Sample(nodes, int64(round))
				k.RunUser(3000 * ns)
				if round%10 == 0 {
					k.Sleep(5000 * ns)
				}
			}
		}))
	}
	m.NewTask(&cpus.TaskSpec{Name: "never"})
	return m
}

func TestAccountsOfTasksAndTimelineAddUpToThoseOfTheCPUs(t *testing.T) {
	m := newMachine(t, 1)
	r := observe.NewRecorder(m)
	r.Timeline(0, end)
	m.SetTracer(r)
	outcome := m.Run(end)
	result := r.Result()
	if outcome != cpus.Ended || m.Failure() != nil {
		t.Fatalf("outcome %v, %v", outcome, m.Failure())
	}
	var byTask, byCPU, bySlice observe.Accounts
	for _, task := range result.Tasks {
		for mode, d := range task.Times {
			byTask[mode] += d
		}
	}
	for i, accounts := range result.CPUs {
		for mode, d := range accounts {
			if got := m.CPU(i).Account(cpus.Mode(mode)); got != d {
				t.Errorf("CPU %d was %v in mode %v, the machine says %v", i, d, cpus.Mode(mode), got)
			}
			byCPU[mode] += d
		}
	}
	last := make([]des.Time, m.CPUs())
	for _, s := range result.Timeline.Slices {
		if s.Start != last[s.CPU] {
			t.Fatalf("CPU %d: a slice from %v after one to %v", s.CPU, s.Start, last[s.CPU])
		}
		last[s.CPU] = s.End
		bySlice[s.Mode] += s.End - s.Start
	}
	byTask[cpus.Idle] = byCPU[cpus.Idle] // nobody's
	if diff := cmp.Diff(byCPU, byTask); diff != "" {
		t.Errorf("accounts (-CPUs +tasks):\n%s", diff)
	}
	if diff := cmp.Diff(byCPU, bySlice); diff != "" {
		t.Errorf("accounts (-CPUs +timeline):\n%s", diff)
	}
	for mode, d := range byCPU {
		if d == 0 {
			t.Errorf("no CPU was ever in mode %v: the test does not test it", cpus.Mode(mode))
		}
	}
}

func TestLocksAndCallsAreCountedExactly(t *testing.T) {
	m := newMachine(t, 2)
	r := observe.NewRecorder(m)
	r.Timeline(0, end)
	m.SetTracer(r)
	m.Run(end)
	result := r.Result()
	lock := result.Locks[0]
	if lock.Acquired != workers*rounds || lock.Released != workers*rounds {
		t.Errorf("lock taken %d times and released %d times, want %d", lock.Acquired, lock.Released, workers*rounds)
	}
	if lock.Contended == 0 || lock.Contended >= lock.Acquired {
		t.Errorf("%d of %d acquisitions contended", lock.Contended, lock.Acquired)
	}
	var held, waited des.Time
	for _, s := range result.Timeline.Locks {
		if s.Waiting {
			waited += s.End - s.Start
		} else {
			held += s.End - s.Start
		}
	}
	if held != lock.Held {
		t.Errorf("the timeline shows the lock held for %v, the statistics say %v", held, lock.Held)
	}
	if waited == 0 || waited > lock.Wait {
		t.Errorf("the timeline shows waits of %v, the statistics say %v", waited, lock.Wait)
	}
	for _, name := range []string{"section", "nodes"} {
		if n, _, ok := result.Eval("count", name); !ok || n != workers*rounds {
			t.Errorf("count(%s) = %v, %v, want %d", name, n, ok, workers*rounds)
		}
	}
	if mean, _, _ := result.Eval("mean", "nodes"); mean != (rounds-1)/2.0 {
		t.Errorf("mean(nodes) = %v, want %v", mean, (rounds-1)/2.0)
	}
	for _, task := range result.Tasks {
		if task.Name == "never" != (task.Runs == 0) {
			t.Errorf("%s ran %d times", task.Name, task.Runs)
		}
	}
}

// What lies inside a call cannot have taken longer than the call, and the slowest
// calls of a contended lock are slow for a reason.
func TestTheSlowestCallsAreExplained(t *testing.T) {
	m := newMachine(t, 3)
	r := observe.NewRecorder(m)
	m.SetTracer(r)
	m.Run(end)
	result := r.Result()
	section := result.Functions[0]
	if section.Name != "section" || section.Open != 0 || len(section.Slowest) != 8 {
		t.Fatalf("%s: %d open, %d outliers", section.Name, section.Open, len(section.Slowest))
	}
	worst, _, _ := result.Eval("max", "section")
	if first := section.Slowest[0]; (first.End - first.Start).Nanoseconds() != worst {
		t.Errorf("the slowest call took %v, the maximum is %v ns", first.End-first.Start, worst)
	}
	for i, o := range section.Slowest {
		if i > 0 && o.End-o.Start > section.Slowest[i-1].End-section.Slowest[i-1].Start {
			t.Errorf("outlier %d is slower than the one before", i)
		}
		var sum des.Time
		for _, incident := range o.Incidents {
			if incident.Total > o.End-o.Start {
				t.Errorf("%v took %v of a call of %v", incident.Cause, incident.Total, o.End-o.Start)
			}
			sum += incident.Total
		}
		// A section is at most 3 us long.
		if own := o.End - o.Start - sum; own > 4*des.Microsecond {
			t.Errorf("of %v, %v are not explained by %v", o.End-o.Start, own, o.Incidents)
		}
	}
}

// A sender that queues a collection and waits for its end is told that it woke a
// worker, how long it slept and for what; one that only queues it, the first two.
func TestACallKnowsTheWorkItQueuedAndSleptFor(t *testing.T) {
	m := newMachine(t, 7)
	queue := kernelmodel.NewWorkqueue(m, kernelmodel.WorkqueueSpec{Name: "unbound"})
	work := queue.NewWork("gc_work", m.Func(func(k *cpus.Thread) { k.Run(des.Millisecond) }))
	patient, hasty := m.Intern("patient"), m.Intern("hasty")
	m.Start(m.NewThread(&cpus.TaskSpec{Name: "sender"}, func(k *cpus.Thread) {
		entered := k.Enter(hasty)
		kernelmodel.QueueWork(k, work)
		k.Return(hasty, entered)
		k.Sleep(2 * des.Millisecond)
		entered = k.Enter(patient)
		kernelmodel.QueueWork(k, work)
		kernelmodel.FlushWork(k, work)
		k.Return(patient, entered)
	}))
	r := observe.NewRecorder(m)
	m.SetTracer(r)
	m.Run(end)
	if m.Failure() != nil {
		t.Fatal(m.Failure())
	}
	for _, f := range r.Result().Functions {
		if f.Name == "section" {
			continue
		}
		call := f.Slowest[0]
		names := map[observe.Cause]string{}
		var slept des.Time
		for _, i := range call.Incidents {
			names[i.Cause] = i.Name
			if i.Cause == observe.Asleep {
				slept += i.Total
			}
		}
		if names[observe.Queued] != "gc_work" || !strings.HasPrefix(names[observe.Woke], "kworker/") {
			t.Errorf("%s: queued %q, woke %q", f.Name, names[observe.Queued], names[observe.Woke])
		}
		want := ""
		if f.Name == "patient" {
			want = "gc_work"
		}
		if names[observe.Asleep] != want || (slept >= des.Millisecond) != (want != "") {
			t.Errorf("%s slept for %v while %q ran", f.Name, slept, names[observe.Asleep])
		}
	}
}

func TestATimelineSaysWhatItLeftOut(t *testing.T) {
	m := idleMachine()
	r := observe.NewRecorder(m)
	r.Timeline(0, des.Second)
	const limit, more = 1_000_000, 7
	item, task := m.Intern("item"), m.Tasks()[0].ID()
	for range limit + more {
		r.Trace(cpus.TraceEvent{Kind: cpus.TraceQueueWork, Task: task, Name: item})
	}
	if l := r.Result().Timeline; len(l.Points) != limit || l.Dropped != more {
		t.Errorf("%d points, %d dropped, want %d and %d", len(l.Points), l.Dropped, limit, more)
	}
}

func TestObservingChangesNothing(t *testing.T) {
	bare := newMachine(t, 4)
	bare.Run(end)
	for _, timeline := range []bool{false, true} {
		m := newMachine(t, 4)
		r := observe.NewRecorder(m)
		if timeline {
			r.Timeline(des.Millisecond, 2*des.Millisecond)
		}
		m.SetTracer(r)
		m.Run(end)
		if m.Sim.Now() != bare.Sim.Now() || m.Sim.Fired() != bare.Sim.Fired() {
			t.Errorf("timeline %v: %d events until %v, want %d until %v",
				timeline, m.Sim.Fired(), m.Sim.Now(), bare.Sim.Fired(), bare.Sim.Now())
		}
	}
}

func TestEqualSeedsGiveEqualResults(t *testing.T) {
	run := func(seed uint64) *observe.Result {
		m := newMachine(t, seed)
		r := observe.NewRecorder(m)
		r.Timeline(0, end)
		m.SetTracer(r)
		m.Run(end)
		return r.Result()
	}
	if diff := cmp.Diff(run(5), run(5)); diff != "" {
		t.Error(diff)
	}
	if cmp.Equal(run(5), run(6)) {
		t.Error("another seed gives the same result: the test does not test it")
	}
}

// events is a steady stream of what a busy machine traces, for eight tasks on
// eight CPUs.
func events(m *cpus.Machine) []cpus.TraceEvent {
	var stream []cpus.TraceEvent
	now := des.Time(0)
	outer, inner := m.Intern("unix_dgram_sendmsg"), m.Intern("unix_gc")
	for range 100 {
		for i := range 8 {
			task := m.Tasks()[i].ID()
			lock := m.Intern("lock" + strconv.Itoa(i%3))
			pass := func(kind cpus.TraceKind, name cpus.NameID, arg int64) {
				now += 100 * des.Nanosecond
				stream = append(stream, cpus.TraceEvent{At: now, Arg: arg, Kind: kind, CPU: int16(i), Task: task, Name: name})
			}
			pass(cpus.TraceMode, -1, int64(cpus.Kernel))
			pass(cpus.TraceFuncEntry, outer, 0)
			pass(cpus.TraceFuncEntry, inner, 0)
			pass(cpus.TraceContentionBegin, lock, 0)
			pass(cpus.TraceMode, -1, int64(cpus.Spin))
			pass(cpus.TraceMode, -1, int64(cpus.Kernel))
			pass(cpus.TraceContentionEnd, lock, 300_000)
			pass(cpus.TraceLockAcquired, lock, 300_000)
			pass(cpus.TraceLockReleased, lock, 200_000)
			pass(cpus.TraceFuncReturn, inner, 600_000)
			pass(cpus.TraceFuncReturn, outer, 800_000)
			pass(cpus.TraceMark, outer, 1_000_000)
		}
	}
	return stream
}

func idleMachine() *cpus.Machine {
	m := cpus.New(des.New(1), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: 8, Threads: 1, CoresPerLLC: 8}, CPUs: 8, Policy: "fair",
	})
	for i := range 8 {
		m.NewTask(&cpus.TaskSpec{Name: "sender", Index: int32(i), Numbered: true})
	}
	return m
}

func TestTracingAllocatesNothingInSteadyState(t *testing.T) {
	m := idleMachine()
	stream := events(m)
	r := observe.NewRecorder(m)
	pass := func() {
		for _, e := range stream {
			r.Trace(e)
		}
	}
	pass()
	if n := testing.AllocsPerRun(10, pass); n != 0 {
		t.Errorf("%v allocations in %d events", n, len(stream))
	}
}

func BenchmarkRecorderTrace(b *testing.B) {
	m := idleMachine()
	stream := events(m)
	var r cpus.Tracer = observe.NewRecorder(m)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		r.Trace(stream[i])
		if i++; i == len(stream) {
			i = 0
		}
	}
}
