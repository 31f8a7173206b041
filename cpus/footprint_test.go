package cpus_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/des"
)

// walker runs walks one after the other on chosen CPUs and notes what each took.
type walker struct {
	m *cpus.Machine
}

// walk lets CPU cpu touch n objects of f, now, and returns how long it took.
func (w *walker) walk(t *testing.T, cpu int, f *cpus.Footprint, n int64) des.Time {
	t.Helper()
	took := des.Time(-1)
	w.task(cpu, func(k *cpus.Thread) {
		before := k.Now()
		k.Walk(f, n)
		took = k.Now() - before
	})
	return took
}

// work keeps CPU cpu busy with something else.
func (w *walker) work(cpu int, d des.Time) {
	w.task(cpu, func(k *cpus.Thread) { k.Run(d) })
}

func (w *walker) task(cpu int, body func(k *cpus.Thread)) {
	// A task that never ends keeps the machine from ending with the walk.
	done := false
	w.m.Start(w.m.NewThread(&cpus.TaskSpec{Name: "walk", CPUs: setOf(w.m, []int{cpu})}, func(k *cpus.Thread) {
		body(k)
		done = true
	}))
	for !done {
		w.m.Run(w.m.Sim.Now() + des.Second)
	}
}

func newWalker() *walker {
	w := &walker{m: distantMachine()}
	w.m.Start(w.m.NewTask(&cpus.TaskSpec{Name: "sleeper", CPUs: setOf(w.m, []int{15}), Behavior: &script{steps: []step{sleep(1000 * des.Second)}}}))
	w.m.Run(0)
	return w
}

func footprint(lines, objects int64) *cpus.Footprint {
	f := cpus.NewFootprint(lines)
	f.SetObjects(objects)
	return f
}

// TestWalksCostWhatTheLevelThatHoldsThemCosts: cold, every line comes from memory,
// 100 ns; walked again at once, from the smallest cache that holds all of the
// structure: 32 KiB, 1 MiB or 32 MiB, at 2, 5 or 20 ns; from memory if none does.
func TestWalksCostWhatTheLevelThatHoldsThemCosts(t *testing.T) {
	for _, c := range []struct {
		lines, objects int64
		warm           des.Time
	}{
		{1, 100, 2 * ns},
		{4, 128, 2 * ns},   // 32 KiB to the byte
		{1, 513, 5 * ns},   // one line more
		{2, 8192, 5 * ns},  // 1 MiB to the byte
		{2, 8193, 20 * ns}, // one object more
		{4, 131072, 20 * ns},
		{4, 131073, 100 * ns}, // beyond 32 MiB
	} {
		w, f := newWalker(), footprint(c.lines, c.objects)
		if got, want := w.walk(t, 0, f, c.objects), des.Time(c.lines*c.objects)*100*ns; got != want {
			t.Errorf("%d objects of %d lines, cold: %v, want %v", c.objects, c.lines, got, want)
		}
		for range 2 {
			if got, want := w.walk(t, 0, f, c.objects), des.Time(c.lines*c.objects)*c.warm; got != want {
				t.Errorf("%d objects of %d lines, warm: %v, want %v", c.objects, c.lines, got, want)
			}
		}
	}
}

// TestAWalkElsewhereFindsWhatIsNear: 100 objects of one line were walked by CPU 0.
func TestAWalkElsewhereFindsWhatIsNear(t *testing.T) {
	for _, c := range []struct {
		where string
		cpu   int
		line  des.Time
	}{
		{"the second thread, in the same caches", 8, 2 * ns},
		{"a neighbour, in the last-level cache", 1, 20 * ns},
		{"another last-level cache of the socket", 2, 80 * ns},
		{"another socket, farther than memory", 4, 100 * ns},
	} {
		w, f := newWalker(), footprint(1, 100)
		w.walk(t, 0, f, 100)
		if got := w.walk(t, c.cpu, f, 100); got != 100*c.line {
			t.Errorf("%s: %v, want %v", c.where, got, 100*c.line)
		}
		if got := w.walk(t, c.cpu, f, 100); got != 200*ns {
			t.Errorf("%s, walked again: %v, want 200ns", c.where, got)
		}
	}
}

// TestForeignLinesPushAStructureOut: a busy CPU brings in a foreign line every 64
// ns, and a structure that leaves room goes line by line when the room is full.
func TestForeignLinesPushAStructureOut(t *testing.T) {
	const l1, l2 = 512, 16384 // lines of the caches
	for _, c := range []struct {
		claim   string
		objects int64
		foreign int64
		cpu     int
		want    des.Time
	}{
		{"there is room for them", 256, l1 - 256, 0, 256 * 2 * ns},
		// Half of it has gone from the first level and lies in the second.
		{"half of it has gone", 256, l1 - 128, 0, 128*2*ns + 128*5*ns},
		{"all of it has gone to the second level", 256, l1, 0, 256 * 5 * ns},
		{"half of it has gone to the last level", 256, l2 - 128, 0, 128*5*ns + 128*20*ns},
		{"all of it has gone to the last level", 256, l2, 0, 256 * 20 * ns},
		{"the second thread brings them in as well", 256, l1 - 128, 8, 128*2*ns + 128*5*ns},
		{"a neighbour's are in its own caches", 256, l1, 1, 256 * 2 * ns},
	} {
		w, f := newWalker(), footprint(1, c.objects)
		w.walk(t, 0, f, c.objects)
		w.work(c.cpu, des.Time(c.foreign)*64*ns)
		if got := w.walk(t, 0, f, c.objects); got != c.want {
			t.Errorf("%d foreign lines, %s: %v, want %v", c.foreign, c.claim, got, c.want)
		}
	}
}

// TestAnotherStructuresWalkIsForeign: its lines push the first out, but the time
// it took brings in nothing more.
func TestAnotherStructuresWalkIsForeign(t *testing.T) {
	w := newWalker()
	first, second := footprint(1, 256), footprint(1, 384)
	w.walk(t, 0, first, 256)
	w.walk(t, 0, second, 384)
	// 640 lines in a cache of 512: of the first, 128 have gone.
	if got, want := w.walk(t, 0, first, 256), 128*2*ns+128*5*ns; got != want {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestAPartialWalkIsChargedByTheWholeStructure: ten objects of a structure that
// only the last-level cache holds.
func TestAPartialWalkIsChargedByTheWholeStructure(t *testing.T) {
	w, f := newWalker(), footprint(2, 20_000)
	w.walk(t, 0, f, 20_000)
	if got := w.walk(t, 0, f, 10); got != 10*2*20*ns {
		t.Errorf("%v, want 400ns", got)
	}
	f.SetObjects(10)
	if got := w.walk(t, 0, f, 10); got != 10*2*2*ns {
		t.Errorf("shrunk to what was just walked: %v, want 40ns", got)
	}
}
