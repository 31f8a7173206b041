package cpus_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// fourDistances are two sockets of four cores of two threads, with a last-level
// cache for each two cores: from CPU 0, CPU 8 is its second thread, CPU 1 below
// the same last-level cache, CPU 2 in the same socket, CPU 4 in the other.
var fourDistances = cpus.Topology{Sockets: 2, Cores: 4, Threads: 2, CoresPerLLC: 2}

func distantMachine() *cpus.Machine {
	return cpus.New(des.New(1), cpus.Spec{Topology: fourDistances, Costs: roundCosts, CPUs: 16})
}

// access is a use of a line by a CPU: what it is, when it begins, and when the CPU
// may go on. Times are in nanoseconds.
type access struct {
	cpu  int
	kind string // read, write, rmw
	at   int
	done int
	// visible is when others see a write; 0 where it is no write.
	visible int
}

// TestAccessesTakeWhatTheirLineSays computes each sequence by hand. Of the costs:
// hit 2, store 1, locked operation 6, memory 100, transfers 8, 40, 80 and 160.
func TestAccessesTakeWhatTheirLineSays(t *testing.T) {
	for _, c := range []struct {
		claim    string
		accesses []access
	}{
		{"the first to touch a line gets it from memory and owns it", []access{
			{0, "read", 0, 100, 0},
			{0, "read", 100, 102, 0},
			{0, "write", 102, 103, 103},
			{0, "rmw", 110, 116, 0},
		}},
		{"an atomic on a new line is memory plus the operation", []access{{0, "rmw", 0, 106, 0}}},
		{"a store to a new line does not wait for memory", []access{{0, "write", 0, 1, 100}}},
		{"atomics pay the way from a second thread", []access{{0, "rmw", 0, 106, 0}, {8, "rmw", 1000, 1014, 0}}},
		{"atomics pay the way from a neighbour", []access{{0, "rmw", 0, 106, 0}, {1, "rmw", 1000, 1046, 0}}},
		{"atomics pay the way through the socket", []access{{0, "rmw", 0, 106, 0}, {2, "rmw", 1000, 1086, 0}}},
		{"atomics pay the way from the other socket", []access{{0, "rmw", 0, 106, 0}, {4, "rmw", 1000, 1166, 0}}},
		{"a copy that was read is there for both", []access{
			{0, "rmw", 0, 106, 0},
			{1, "read", 1000, 1040, 0},
			{0, "read", 1100, 1102, 0},
			{1, "read", 1100, 1102, 0},
		}},
		{"a writer waits for the farthest copy to go", []access{
			{0, "rmw", 0, 106, 0},
			{1, "read", 1000, 1040, 0},
			{4, "read", 2000, 2160, 0},
			{1, "rmw", 3000, 3166, 0},
			{0, "read", 4000, 4040, 0}, // from CPU 1, which owns it now
		}},
		{"who shares the line with its second thread alone has it in the same cache", []access{
			{0, "rmw", 0, 106, 0},
			{8, "read", 1000, 1008, 0},
			{8, "rmw", 2000, 2008, 0},
		}},
		{"requests wait for each other at the home", []access{
			{0, "rmw", 0, 106, 0},
			{1, "rmw", 1000, 1046, 0},
			{2, "rmw", 1000, 1132, 0}, // from 1046, when CPU 1 has done its operation, 80 on
			{4, "rmw", 1000, 1298, 0}, // from 1132, 160 on
		}},
		{"readers come in a row, each from the owner", []access{
			{0, "rmw", 0, 106, 0},
			{1, "read", 1000, 1040, 0},
			{2, "read", 1000, 1120, 0},
			{4, "read", 1000, 1280, 0},
		}},
		{"the holder goes on until a request reaches it, half a transfer after it was made", []access{
			{0, "rmw", 0, 106, 0},
			{1, "rmw", 1000, 1046, 0},
			{0, "rmw", 1010, 1016, 0},
			{0, "read", 1019, 1021, 0},
			{0, "rmw", 1020, 1092, 0}, // from 1046, 40 on
		}},
		{"the holder goes on while a reader's request is on its way", []access{
			{0, "rmw", 0, 106, 0},
			{4, "read", 1000, 1160, 0},
			{0, "rmw", 1079, 1085, 0},
			{0, "read", 1080, 1082, 0}, // it keeps a copy
			{0, "rmw", 1090, 1326, 0},  // from 1160, 160 to be rid of the reader's
		}},
		{"a new owner has the line when it has arrived", []access{
			{0, "rmw", 0, 106, 0},
			{4, "write", 1000, 1001, 1160},
			{4, "rmw", 1002, 1166, 0},
		}},
		{"a store that waits is there for its own CPU", []access{
			{0, "rmw", 0, 106, 0},
			{4, "write", 1000, 1001, 1160},
			{4, "read", 1001, 1003, 0},
		}},
	} {
		m := distantMachine()
		l := m.NewLine()
		for i, a := range c.accesses {
			at, on := des.Time(a.at)*ns, m.CPU(a.cpu)
			var done, visible des.Time
			switch a.kind {
			case "read":
				done = l.Read(on, at)
			case "rmw":
				done = l.RMW(on, at)
			case "write":
				done, visible = l.Write(on, at)
			}
			if done != des.Time(a.done)*ns || visible != des.Time(a.visible)*ns {
				t.Errorf("%s: access %d, %s by CPU %d at %v: done at %v, visible at %v, want %dns and %dns",
					c.claim, i, a.kind, a.cpu, at, done, visible, a.done, a.visible)
			}
		}
	}
}

// TestLockedOperationsWaitForTheStoreBuffer: a store to a line that is elsewhere
// drains 160ns on, and only then may an atomic on another line begin.
func TestLockedOperationsWaitForTheStoreBuffer(t *testing.T) {
	m := distantMachine()
	mine, theirs := m.NewLine(), m.NewLine()
	mine.RMW(m.CPU(4), 0)
	theirs.RMW(m.CPU(0), 0)
	theirs.Write(m.CPU(4), 1000*ns)
	if got := m.CPU(4).Drained(); got != 1160*ns {
		t.Errorf("the store is visible at %v, want 1.16us", got)
	}
	if got := mine.RMW(m.CPU(4), 1002*ns); got != 1166*ns {
		t.Errorf("the atomic is done at %v, want 1.166us", got)
	}
	if got := mine.Read(m.CPU(4), 1003*ns); got != 1005*ns {
		t.Errorf("a load waited for the store: done at %v, want 1.005us", got)
	}
}

// TestOpsTakeWhatTheirLineSays runs ops on a machine, one after the other on one
// CPU, and notes when each ends.
func TestOpsTakeWhatTheirLineSays(t *testing.T) {
	m := distantMachine()
	w, other := m.NewWord("w", 5), m.NewWord("other", 0)
	other.Line.RMW(m.CPU(4), 0)
	var at []des.Time
	m.StartAt(m.NewThread(&cpus.TaskSpec{Name: "t", CPUs: setOf(m, []int{0})}, func(k *cpus.Thread) {
		note := func() { at = append(at, k.Now()-1000*ns) }
		for _, op := range []func(){
			func() { k.Load(w) },                            // memory: 100
			func() { k.AddReturn(w, 1) },                    // 106
			func() { k.AddPlain(w, 1) },                     // 107
			func() { k.Store(w, 9) },                        // 108
			func() { k.Load(w) },                            // 110
			func() { k.AddPlain(other, 1) },                 // 160 for the load, 40... see below
			func() { k.Do(&cpus.Op{Kind: cpus.FenceFull}) }, // after the store has drained
			func() { k.Do(&cpus.Op{Kind: cpus.FenceWrite}) },
			func() { k.Do(&cpus.Op{Kind: cpus.BHOff}) },
			func() { k.Do(&cpus.Op{Kind: cpus.BHOn}) },
			func() { k.Do(&cpus.Op{Kind: cpus.IRQOff}) },
			func() { k.Do(&cpus.Op{Kind: cpus.IRQOn}) },
		} {
			op()
			note()
		}
	}), 1000*ns)
	if outcome := m.Run(des.Forever); outcome != cpus.Ended {
		t.Fatal(outcome)
	}
	// The load of other comes 160 on, at 270, and leaves a copy with CPU 4; the
	// store that follows is issued at 271 and visible 160 after the load, at 430.
	want := []des.Time{100, 106, 107, 108, 110, 271, 460, 460, 462, 464, 465, 466}
	for i := range want {
		if i >= len(at) || at[i] != want[i]*ns {
			t.Fatalf("ops ended at %v, want %v ns", at, want)
		}
	}
	if w.Value != 9 || other.Value != 1 {
		t.Errorf("words hold %d and %d, want 9 and 1", w.Value, other.Value)
	}
}

func TestReadModifyWritesDoWhatTheirNamesSay(t *testing.T) {
	for _, c := range []struct {
		kind          cpus.Kind
		old, a, b     int64
		value, result int64
		writes        bool
	}{
		{cpus.AddReturn, 5, 3, 0, 8, 8, true},
		{cpus.FetchAdd, 5, 3, 0, 8, 5, true},
		{cpus.Xchg, 5, 3, 0, 3, 5, true},
		{cpus.Cmpxchg, 5, 5, 9, 9, 5, true},
		{cpus.Cmpxchg, 5, 4, 9, 5, 5, false},
		{cpus.IncNotZero, 5, 0, 0, 6, 1, true},
		{cpus.IncNotZero, 0, 0, 0, 0, 0, false},
		{cpus.TestAndSet, 0, 0, 0, 1, 0, true},
		{cpus.TestAndSet, 1, 0, 0, 1, 1, true},
	} {
		m := newMachine(1, 0, "fifo")
		w := m.NewWord("w", c.old)
		var result int64
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "t"}, func(k *cpus.Thread) {
			k.Task().A, k.Task().B = c.a, c.b
			result = k.Do(&cpus.Op{Kind: c.kind, Word: w})
		}))
		m.Run(des.Forever)
		_, _, writes := cpus.Modify(c.kind, c.old, c.a, c.b)
		if w.Value != c.value || result != c.result || writes != c.writes {
			t.Errorf("kind %d of %d with %d, %d: word %d, result %d, writes %v; want %d, %d, %v",
				c.kind, c.old, c.a, c.b, w.Value, result, writes, c.value, c.result, c.writes)
		}
	}
}

// hammer lets n tasks, one a CPU and in the given order, do op on words that
// share a line for a while, and returns the time per operation of all together.
func hammer(t *testing.T, costs cpus.Costs, on []int, kind cpus.Kind, shared bool) float64 {
	t.Helper()
	topology := load(t, "xeon-server").Topology
	m := cpus.New(des.New(1), cpus.Spec{Topology: topology, Costs: costs, CPUs: topology.CPUs(), Policy: "fifo"})
	line := m.NewLine()
	ops := 0
	var words []*cpus.Word
	for _, cpu := range on {
		w := m.NewWordOn(line, "w", 0)
		if shared && len(words) > 0 {
			w = words[0]
		}
		words = append(words, w)
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "t", CPUs: setOf(m, []int{cpu})}, func(k *cpus.Thread) {
			k.Task().A = 1
			for op := (&cpus.Op{Kind: kind, Word: w}); ; ops++ {
				k.Do(op)
			}
		}))
	}
	const warm, end = 100 * us, 1100 * us
	m.Run(warm)
	before := ops
	m.Run(end)
	m.Sim.Close()
	return (end - warm).Nanoseconds() / float64(ops-before)
}

// TestContendedAtomicsCostTheSameHoweverFarTheLineTravels: measured on a host, two
// CPUs hammering one word need 7.5 to 11.8 ns an operation, where a transfer costs
// 44 ns as where it costs 238; one CPU alone needs 5.5.
func TestContendedAtomicsCostTheSameHoweverFarTheLineTravels(t *testing.T) {
	costs := load(t, "xeon-server").Costs
	if alone := hammer(t, costs, []int{0}, cpus.AddReturn, true); alone < 5.49 || alone > 5.51 {
		t.Errorf("one CPU alone: %.2f ns an operation, want 5.5", alone)
	}
	for _, transfer := range []des.Time{44 * ns, 47 * ns, 134 * ns, 238 * ns} {
		costs.TransferLLC, costs.TransferSocket = transfer, transfer
		got := hammer(t, costs, []int{0, 1}, cpus.AddReturn, true)
		t.Logf("two CPUs, transfer %v: %.2f ns an operation", transfer, got)
		if got < 8 || got > 12 {
			t.Errorf("two CPUs, transfer %v: %.2f ns an operation, want 8 to 12", transfer, got)
		}
	}
	costs = load(t, "xeon-server").Costs
	var all []int
	for i := range 64 {
		all = append(all, i)
	}
	got := hammer(t, costs, all, cpus.AddReturn, true)
	t.Logf("64 CPUs of two sockets: %.2f ns an operation", got)
	if got < 8 || got > 14 {
		t.Errorf("64 CPUs: %.2f ns an operation, want about as much as two", got)
	}
}

// TestFalseSharingSlowsPlainIncrementsButLessThanAtomics: two CPUs that increment
// words of their own need 0.14 ns an increment together. On one line they need at
// least twice that, and no more than the 4 ns measured on a host, since their
// stores wait in the buffer and not on the line.
func TestFalseSharingSlowsPlainIncrementsButLessThanAtomics(t *testing.T) {
	costs := load(t, "xeon-server").Costs
	if alone := hammer(t, costs, []int{0}, cpus.AddPlain, false); alone < 0.279 || alone > 0.281 {
		t.Errorf("one CPU alone: %.3f ns an increment, want 0.28", alone)
	}
	for _, on := range [][]int{{0, 1}, {0, 24}} {
		got := hammer(t, costs, on, cpus.AddPlain, false)
		t.Logf("CPUs %v: %.2f ns an increment", on, got)
		if got < 0.279 || got > 4 {
			t.Errorf("CPUs %v: %.2f ns an increment, want 0.28 to 4", on, got)
		}
	}
}

// TestPollersReadTheLineAgainOneAfterTheOther: three CPUs poll, 40, 80 and 160 ns
// away. A write by CPU 0 costs it the trip to the farthest copy; then each reads
// the line again, and the last has it after the sum of the transfers.
func TestPollersReadTheLineAgainOneAfterTheOther(t *testing.T) {
	m := distantMachine()
	l := m.NewLine()
	l.RMW(m.CPU(0), 0)
	pollers := []int{1, 2, 4}
	for i, cpu := range pollers {
		l.Read(m.CPU(cpu), des.Time(1000+200*i)*ns)
		l.Poll(m.CPU(cpu), false)
	}
	issued, visible := l.Write(m.CPU(0), 2000*ns)
	if issued != 2001*ns || visible != 2160*ns {
		t.Errorf("the write is issued at %v and visible at %v, want 2.001us and 2.16us", issued, visible)
	}
	const seen = 2166 // CPU 0 completes an operation on the line first
	order := m.Sim.Stream("order")
	for i, cpu := range pollers {
		transfer := []int{40, 80, 160}[i]
		earliest, latest := des.Forever, des.Time(0)
		for range 200 {
			at := l.Seen(m.CPU(cpu), order)
			earliest, latest = min(earliest, at), max(latest, at)
		}
		if want := des.Time(seen+transfer) * ns; earliest != want {
			t.Errorf("CPU %d sees the write at %v at the earliest, want %v", cpu, earliest, want)
		}
		if want := des.Time(seen+40+80+160) * ns; latest != want {
			t.Errorf("CPU %d sees the write at %v at the latest, want %v", cpu, latest, want)
		}
	}
	// A request of somebody else waits until all have read.
	if got, want := l.RMW(m.CPU(8), 2200*ns), des.Time(seen+280+160+6)*ns; got != want {
		t.Errorf("an atomic of CPU 8 is done at %v, want %v", got, want)
	}
}

// TestHammeredLinesAreAnsweredInTurn: of CPUs that poll by locked operations one
// has the line and the others come before anybody else's request.
func TestHammeredLinesAreAnsweredInTurn(t *testing.T) {
	m := distantMachine()
	l := m.NewLine()
	l.RMW(m.CPU(1), 0)
	for _, cpu := range []int{1, 2, 4} {
		l.Poll(m.CPU(cpu), true)
	}
	// Seen from CPU 0 they are 40, 80 and 160 away: two thirds of 280 is 186.666.
	want := 1000*ns + 186_666 + 40*ns + 6*ns
	if got := l.RMW(m.CPU(0), 1000*ns); got != want {
		t.Errorf("done at %v, want %v", got, want)
	}
	for _, cpu := range []int{1, 2, 4} {
		l.Unpoll(m.CPU(cpu))
	}
	if got, want := l.RMW(m.CPU(1), 5000*ns), 5046*ns; got != want {
		t.Errorf("with the pollers gone done at %v, want %v", got, want)
	}
}

// TestFalseSharingFillsTheStoreBufferAndNothingElse: two CPUs that store to one line as
// fast as they can wait for it with a full buffer, and ask for it once at a time.
func TestFalseSharingFillsTheStoreBufferAndNothingElse(t *testing.T) {
	m := distantMachine()
	l := m.NewLine()
	a, b := m.CPU(0), m.CPU(1)
	var now [2]des.Time
	for range 20_000 {
		c, i := a, 0
		if now[1] < now[0] {
			c, i = b, 1
		}
		issued, visible := l.Write(c, now[i])
		if issued < now[i] || visible < issued {
			t.Fatalf("a store at %v is issued at %v and visible at %v", now[i], issued, visible)
		}
		now[i] = issued
	}
	if each := max(now[0], now[1]) / 10_000; each <= m.Costs.PlainIncrement || each >= m.Costs.TransferLLC/4 {
		t.Errorf("a store takes %v: want more than %v, and far less than a transfer, %v", each, m.Costs.PlainIncrement, m.Costs.TransferLLC)
	}
}
