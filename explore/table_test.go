package explore

import (
	"encoding/binary"
	"math/rand/v2"
	"runtime"
	"testing"

	"pgregory.net/rapid"
)

func TestDigestsAreASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var set digests
		want := map[digest]int32{}
		for i, key := range rapid.SliceOf(rapid.Byte()).Draw(t, "keys") {
			h := digestOf([]byte{key})
			got, fresh := set.put(h, int32(i))
			old, known := want[h]
			if !known {
				old, want[h] = int32(i), int32(i)
			}
			if fresh == known || got != old {
				t.Fatalf("key %d: put gives %d, fresh %v; want %d, %v", key, got, fresh, old, !known)
			}
		}
		for h := range want {
			set.set(h, -7)
			if got, fresh := set.put(h, 0); fresh || got != -7 {
				t.Fatalf("changed number reads %d, fresh %v", got, fresh)
			}
		}
		if set.count != len(want) {
			t.Fatalf("%d in the set, want %d", set.count, len(want))
		}
		set.empty()
		for h := range want {
			if _, fresh := set.put(h, 0); !fresh {
				t.Fatal("something was left in the empty set")
			}
		}
	})
}

// A hash that drops a bit, or a length, would merge states.
func TestDigestDependsOnEveryBitAndTheLength(t *testing.T) {
	seen := map[digest]bool{}
	note := func(b []byte) {
		if h := digestOf(b); seen[h] {
			t.Fatalf("digest of %x is that of another string", b)
		} else {
			seen[h] = true
		}
	}
	for length := range 70 {
		b := make([]byte, length)
		note(b)
		for bit := range 8 * length {
			b[bit/8] ^= 1 << (bit % 8)
			note(b)
			b[bit/8] ^= 1 << (bit % 8)
		}
	}
	// Half of 128 bits change with one of the input.
	changed := 0
	rng := rand.New(rand.NewPCG(1, 1))
	const draws = 4000
	for range draws {
		var b [24]byte
		binary.LittleEndian.PutUint64(b[8:], rng.Uint64())
		g := digestOf(b[:])
		b[rng.IntN(24)] ^= 1 << rng.IntN(8)
		h := digestOf(b[:])
		for lane := range h {
			for x := g[lane] ^ h[lane]; x != 0; x &= x - 1 {
				changed++
			}
		}
	}
	if mean := float64(changed) / draws; mean < 63 || mean > 65 {
		t.Errorf("%.2f of 128 bits change with one bit of the input, want 64", mean)
	}
}

func TestStepTableKnowsWhatStepsDependWhateverTheirNumber(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, commute := range []bool{false, true} {
		table := newStepTable(commute)
		var steps []Step
		for len(steps) < mostRows+300 {
			s := Step{Access: Access(1 + rng.IntN(63)), Label: int32(len(steps)), Objects: []int32{int32(rng.IntN(4))}}
			if rng.IntN(3) == 0 {
				s.Others = []Touch{{int32(rng.IntN(4)), Access(1 + rng.IntN(3))}}
			}
			if rng.IntN(9) == 0 {
				s.Objects = nil
			}
			if n := table.number(&s); int(n) != len(steps) {
				t.Fatalf("step %d has number %d", len(steps), n)
			}
			steps = append(steps, s)
		}
		for range 100_000 {
			a, b := rng.IntN(len(steps)), rng.IntN(len(steps))
			if got, want := table.dependent(int32(a), int32(b)), steps[a].Depends(&steps[b], commute); got != want {
				t.Fatalf("steps %d %+v and %d %+v: dependent %v, want %v", a, steps[a], b, steps[b], got, want)
			}
			if n := table.number(&steps[a]); int(n) != a {
				t.Fatalf("step %d has number %d the second time", a, n)
			}
		}
	}
}

func TestDependenceIsOneObjectWithAWriteBetweenThem(t *testing.T) {
	step := func(access Access, objects ...int32) *Step { return &Step{Access: access, Objects: objects} }
	also := func(s *Step, object int32, access Access) *Step {
		s.Others = append(s.Others, Touch{object, access})
		return s
	}
	for _, c := range []struct {
		a, b             *Step
		depend, commuted bool
	}{
		{step(Reads, 1), step(Reads, 1), false, false},
		{step(Reads, 1), step(Writes, 1), true, true},
		{step(Writes, 1), step(Writes, 2), false, false},
		{step(Reads, 1, 2), step(Writes, 2, 3), true, true},
		{step(Reads|Writes|Increment, 1), step(Reads|Writes|Increment, 1), true, false},
		{step(Reads|Writes|Increment, 1), step(Reads|Writes, 1), true, true},
		{also(step(Reads, 1), 2, Writes), step(Reads, 1), false, false},
		{also(step(Reads, 1), 2, Writes), step(Reads, 2), true, true},
		{also(step(Writes, 1), 2, Reads), also(step(Writes, 3), 2, Reads), false, false},
		{also(step(Writes, 1), 2, Reads), also(step(Writes, 3), 2, Writes), true, true},
		{step(Acquires | Releases), step(Acquires | Releases), false, false},
	} {
		for _, pair := range [][2]*Step{{c.a, c.b}, {c.b, c.a}} {
			if got := pair[0].Depends(pair[1], false); got != c.depend {
				t.Errorf("%+v and %+v: %v, want %v", *pair[0], *pair[1], got, c.depend)
			}
			if got := pair[0].Depends(pair[1], true); got != c.commuted {
				t.Errorf("%+v and %+v, increments commuting: %v, want %v", *pair[0], *pair[1], got, c.commuted)
			}
		}
	}
}

func TestExecutionsAllocateNothing(t *testing.T) {
	for _, c := range []struct {
		program *toy
		o       Options
	}{
		{collectorChecked(), Options{Strategy: Random(1), Races: true, Cycles: true, Classes: true}},
		{collectorChecked(), Options{Strategy: PCT(1, 3)}},
		{collectorChecked(), Options{Strategy: SURW(1)}},
		{collectorChecked(), Options{Strategy: POS(1)}},
		{wrw(4), Options{Strategy: DFS(), Races: true}},
		{wrw(4), Options{Strategy: Bounded(5)}},
		{fib(4), Options{Strategy: DPOR(), Races: true}},
	} {
		mallocs := func(executions int64) uint64 {
			c.o.Executions = executions
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			r, err := Explore(c.program.fresh(), c.o)
			runtime.ReadMemStats(&after)
			if err != nil || r.Executions != executions {
				t.Fatalf("%v: %d executions, %v", c.o.Strategy, r.Executions, err)
			}
			return after.Mallocs - before.Mallocs
		}
		mallocs(100)
		few, many := mallocs(5000), mallocs(15000)
		// A share allocates what it keeps, some twenty times; an execution nothing.
		if extra := int64(many - few); extra > 2000 {
			t.Errorf("%v: 10,000 more executions allocate %d times more", c.o.Strategy, extra)
		}
	}
}
