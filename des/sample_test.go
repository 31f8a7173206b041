package des

import (
	"math"
	"math/big"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"
)

// TestSamplesFollowTheirDistributions draws 200,000 times from each and compares
// mean, variance and the whole distribution function. Deviations are in standard
// errors: a right sampler exceeds 5 with a chance below 10^-6, the
// Kolmogorov-Smirnov distance below with one of 10^-6.
func TestSamplesFollowTheirDistributions(t *testing.T) {
	const n = 200_000
	mean := float64(3 * Microsecond)
	for _, c := range []struct {
		name   string
		dist   Dist
		theory interface {
			Mean() float64
			Variance() float64
			ExKurtosis() float64
			CDF(x float64) float64
		}
	}{
		{"exp", Exp(3 * Microsecond), distuv.Exponential{Rate: 1 / mean}},
		{"uniform", Uniform(Microsecond, 5*Microsecond), distuv.Uniform{Min: 1e6, Max: 5e6}},
		{"lognormal", LogNormal(3*Microsecond, 0.5), distuv.LogNormal{Mu: math.Log(mean), Sigma: 0.5}},
	} {
		r := New(11).Stream(c.name)
		xs := make([]float64, n)
		for i := range xs {
			xs[i] = float64(c.dist.Sample(r))
		}
		variance := c.theory.Variance()
		gotMean, gotVariance := stat.MeanVariance(xs, nil)
		if z := (gotMean - c.theory.Mean()) / math.Sqrt(variance/n); math.Abs(z) > 5 {
			t.Errorf("%s: mean %g, want %g: %.1f standard errors off", c.name, gotMean, c.theory.Mean(), z)
		}
		spread := variance * math.Sqrt((c.theory.ExKurtosis()+2)/n)
		if z := (gotVariance - variance) / spread; math.Abs(z) > 5 {
			t.Errorf("%s: variance %g, want %g: %.1f standard errors off", c.name, gotVariance, variance, z)
		}
		slices.Sort(xs)
		distance := 0.0
		for i, x := range xs {
			p := c.theory.CDF(x)
			distance = max(distance, p-float64(i)/n, float64(i+1)/n-p)
		}
		if beyond := math.Sqrt(-math.Log(1e-6/2)/2) / math.Sqrt(n); distance > beyond {
			t.Errorf("%s: Kolmogorov-Smirnov distance %.5f, beyond %.5f", c.name, distance, beyond)
		}
	}
}

func TestEmpiricalDrawsItsSamplesAlone(t *testing.T) {
	samples := []Time{3, 3, 50}
	d := Empirical(samples)
	samples[0] = 7 // the distribution keeps its own copy
	r := New(1).Stream("e")
	count := map[Time]int{}
	for range 30_000 {
		count[d.Sample(r)]++
	}
	// Two thirds of 30,000, with a standard deviation of 82.
	if len(count) != 2 || math.Abs(float64(count[3]-20_000)) > 5*82 || count[3]+count[50] != 30_000 {
		t.Errorf("drew %v", count)
	}
}

func TestFixedTellsConstantsFromTheRest(t *testing.T) {
	constant, random := Const(9), Exp(9)
	if v, ok := constant.Fixed(); v != 9 || !ok {
		t.Errorf("constant: %v, %v", v, ok)
	}
	if _, ok := random.Fixed(); ok {
		t.Error("an exponential passes for fixed")
	}
	var zero Dist
	if v, ok := zero.Fixed(); v != 0 || !ok || zero.Sample(New(1).Stream("z")) != 0 {
		t.Error("the zero distribution is not always 0")
	}
}

func TestExtremeSamplesStayInRange(t *testing.T) {
	for _, d := range []Dist{Exp(Forever), LogNormal(Forever, 10), LogNormal(1, 10), Uniform(0, Forever-1), Exp(0)} {
		r := New(2).Stream("extreme")
		for range 10_000 {
			if v := d.Sample(r); v < 0 || v > max(1<<62, d.b) {
				t.Fatalf("%+v: drew %d", d, v)
			}
		}
	}
}

// TestLogAndExpAgreeWithTheLibrarys allows two units in the last place: enough to
// show that the series are right, while theirs differ between processors.
func TestLogAndExpAgreeWithTheLibrarys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(
			rapid.Float64Range(0x1p-53, 1), rapid.Float64Range(0.5, 2), rapid.Float64Range(1, 1e18),
		).Draw(t, "x")
		if off := unitsOff(log(x), math.Log(x)); off > 2 {
			t.Fatalf("log(%v) is %d units off", x, off)
		}
		y := rapid.OneOf(
			rapid.Float64Range(-1, 1), rapid.Float64Range(-50, 50), rapid.Float64Range(-700, 700),
		).Draw(t, "y")
		if off := unitsOff(exp(y), math.Exp(y)); off > 2 {
			t.Fatalf("exp(%v) is %d units off", y, off)
		}
	})
	if log(1) != 0 || exp(0) != 1 {
		t.Errorf("log(1) is %v, exp(0) is %v", log(1), exp(0))
	}
}

// unitsOff returns how many floating-point numbers lie between a and b.
func unitsOff(a, b float64) uint64 {
	x, y := int64(math.Float64bits(a)), int64(math.Float64bits(b))
	if (x < 0) != (y < 0) {
		if a == b {
			return 0
		}
		return math.MaxUint64
	}
	return uint64(max(x, y) - min(x, y))
}

func TestFractionIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(0, math.MaxInt64).Draw(t, "n")
		den := rapid.Int64Range(1, math.MaxInt64).Draw(t, "den")
		num := rapid.Int64Range(0, den).Draw(t, "num")
		want := new(big.Int).Mul(big.NewInt(n), big.NewInt(num))
		want.Quo(want, big.NewInt(den))
		if got := Fraction(Time(n), Time(num), Time(den)); int64(got) != want.Int64() {
			t.Fatalf("%d*%d/%d is %d, want %v", n, num, den, got, want)
		}
	})
}
