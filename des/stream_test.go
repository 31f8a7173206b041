package des

import (
	"math"
	"testing"
)

// TestStreamsGiveTheKnownNumbers pins the first draws: they must be the same on
// every architecture and in every release, or old seeds would tell new stories.
func TestStreamsGiveTheKnownNumbers(t *testing.T) {
	for _, c := range []struct {
		seed uint64
		name string
		want [3]uint64
	}{
		{0, "", [3]uint64{0x774eeec809f0eb48, 0x5ceecb0d09df55e0, 0xd95c4267b1fafdb}},
		{1, "tick/0", [3]uint64{0x22ec35d4811d97e0, 0xafbb8c260ab6488e, 0xca32a4153295d5fe}},
		{1, "tick/1", [3]uint64{0xab894c8f34926e32, 0x7230dfc0505c83ec, 0x63d275ccd336a2ee}},
		{math.MaxUint64, "tick/0", [3]uint64{0x580cef8729354c62, 0x9092eb055d98bce3, 0x5bf9008ff159ded6}},
	} {
		r := New(c.seed).Stream(c.name)
		if got := [3]uint64{r.Uint64(), r.Uint64(), r.Uint64()}; got != c.want {
			t.Errorf("seed %d, stream %q: %#x, want %#x", c.seed, c.name, got, c.want)
		}
	}
}

func TestSamplesAreTheKnownTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		dist Dist
		want [4]Time
	}{
		{"const", Const(5), [4]Time{5, 5, 5, 5}},
		{"exp", Exp(Microsecond), [4]Time{266366, 984412, 18056, 555639}},
		{"uniform", Uniform(Microsecond, 3*Microsecond), [4]Time{1609328, 1098998, 1585595, 1816928}},
		{"lognormal", LogNormal(Microsecond, 1.5), [4]Time{426867, 199854, 61948, 6389289}},
		{"empirical", Empirical([]Time{1, 20, 300}), [4]Time{300, 20, 1, 20}},
	} {
		r := New(7).Stream(c.name)
		var got [4]Time
		for i := range got {
			got[i] = c.dist.Sample(r)
		}
		if got != c.want {
			t.Errorf("%s: %#v, want %v", c.name, got, c.want)
		}
	}
}

func TestAStreamDependsOnItsNameAndSeedAlone(t *testing.T) {
	draw := func(r *Stream) [8]uint64 {
		var all [8]uint64
		for i := range all {
			all[i] = r.Uint64()
		}
		return all
	}
	s := New(5)
	first, other := s.Stream("a"), s.Stream("b")
	draw(other)
	want := draw(first)
	late := New(5)
	for range 10 {
		draw(late.Stream("b"))
		late.Stream("c")
	}
	if got := draw(late.Stream("a")); got != want {
		t.Error("a stream changed with others made before it")
	}
	if got := draw(s.Stream("a")); got != want {
		t.Error("asked for a second time, a stream does not begin anew")
	}
	for name, r := range map[string]*Stream{"another name": s.Stream("b"), "another seed": New(6).Stream("a")} {
		if draw(r) == want {
			t.Errorf("%s gives the same stream", name)
		}
	}
}

// TestBelowIsUniform counts 10^6 draws below 7 and 3<<62, where the bias of a
// plain multiplication would be largest. A right generator fails this one time in
// a million: chi-square with 6 and 2 degrees of freedom exceeds 38.3 and 27.6.
func TestBelowIsUniform(t *testing.T) {
	const draws = 1_000_000
	r := New(1).Stream("below")
	for _, c := range []struct {
		n      uint64
		cells  int
		cell   func(v uint64) int
		beyond float64
	}{
		{7, 7, func(v uint64) int { return int(v) }, 38.3},
		{3 << 62, 3, func(v uint64) int { return int(v % 3) }, 27.6},
	} {
		count := make([]float64, c.cells)
		for range draws {
			v := r.Below(c.n)
			if v >= c.n {
				t.Fatalf("drew %d below %d", v, c.n)
			}
			count[c.cell(v)]++
		}
		expected, chi := float64(draws)/float64(c.cells), 0.0
		for _, k := range count {
			chi += (k - expected) * (k - expected) / expected
		}
		if chi > c.beyond {
			t.Errorf("below %d: chi-square %.1f, beyond %.1f", c.n, chi, c.beyond)
		}
	}
	if r.Below(1) != 0 {
		t.Error("drew something else than 0 below 1")
	}
}
