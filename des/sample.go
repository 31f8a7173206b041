package des

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Dist is a distribution of times. The zero value is always 0. Its samples are
// equal on every architecture: no processor may fuse a product and a sum here,
// and no call reaches the platform's exp or log (see log and exp below).
type Dist struct {
	kind  distKind
	a, b  Time
	sigma float64
	table []Time
}

type distKind uint8

const (
	constant distKind = iota
	exponential
	uniform
	lognormal
	empirical
)

// Const is d, always.
func Const(d Time) Dist { return Dist{kind: constant, a: d} }

// Exp is the exponential distribution with the given mean.
func Exp(mean Time) Dist { return Dist{kind: exponential, a: mean} }

// Uniform is uniform over [low, high]. It panics if high is below low.
func Uniform(low, high Time) Dist {
	if high < low {
		panic(fmt.Sprintf("des: uniform distribution from %v to %v", low, high))
	}
	return Dist{kind: uniform, a: low, b: high}
}

// LogNormal has the given median; sigma is the standard deviation of the
// logarithm.
func LogNormal(median Time, sigma float64) Dist {
	return Dist{kind: lognormal, a: median, sigma: sigma}
}

// Empirical draws one of the samples with equal chances. It panics if there
// are none.
func Empirical(samples []Time) Dist {
	if len(samples) == 0 {
		panic("des: empirical distribution without samples")
	}
	return Dist{kind: empirical, table: slices.Clone(samples)}
}

// Fixed reports whether every sample is the same, and which.
func (d *Dist) Fixed() (Time, bool) { return d.a, d.kind == constant }

// Sample draws from d. A sample is never negative and below 2^62 ps.
func (d *Dist) Sample(r *Stream) Time {
	switch d.kind {
	case exponential:
		return clip(float64(d.a) * -log(r.unit()))
	case uniform:
		return d.a + Time(r.Below(uint64(d.b-d.a)+1))
	case lognormal:
		return clip(float64(d.a) * exp(float64(d.sigma*normal(r))))
	case empirical:
		return d.table[r.Below(uint64(len(d.table)))]
	default:
		return d.a
	}
}

func clip(ps float64) Time {
	if ps >= 1<<62 {
		return 1 << 62
	}
	return Time(ps)
}

// normal draws from the standard normal distribution by Marsaglia's polar
// method, which needs a logarithm and a root but no sine.
func normal(r *Stream) float64 {
	for {
		x, y := 2*r.unit()-1, 2*r.unit()-1
		q := float64(x*x) + float64(y*y)
		if q > 0 && q < 1 {
			return x * math.Sqrt(float64(-2*log(q))/q)
		}
	}
}

const ln2 = 0x1.62e42fefa39efp-1

// log returns the natural logarithm of a positive normal x: with x = m 2^k and
// m near 1, ln m = 2 artanh((m-1)/(m+1)), as a series. Conversions keep a
// product from being fused with the sum that takes it.
func log(x float64) float64 {
	b := math.Float64bits(x)
	k := int(b>>52) - 1023
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m, k = m/2, k+1
	}
	s := (m - 1) / (m + 1)
	z := float64(s * s)
	sum := 1.0 / 21
	for n := 19; n >= 3; n -= 2 {
		sum = float64(sum*z) + 1/float64(n)
	}
	// The series without its first term, which goes in unrounded.
	rest := float64(s * float64(z*sum))
	return float64(float64(k)*ln2) + float64(2*(s+rest))
}

// exp returns e^x for |x| < 700: 2^k times a Taylor series of the rest. The
// logarithm of 2 comes in two parts, the first so short that k times it is exact:
// a rest rounded once would be off by as much as x is large.
func exp(x float64) float64 {
	const ln2High, ln2Low = 0x1.62e42feep-1, 0x1.a39ef35793c76p-33
	k := math.Round(x / ln2)
	r := x - float64(k*ln2High) - float64(k*ln2Low)
	sum := 1.0
	for n := 16; n >= 1; n-- {
		sum = float64(float64(sum*r)/float64(n)) + 1
	}
	scale := uint64(int64(k)+1023) << 52
	return sum * math.Float64frombits(scale)
}

// Fraction returns n*num/den without overflow, rounded down; den is positive
// and the result must fit.
func Fraction(n, num, den Time) Time {
	high, low := bits.Mul64(uint64(n), uint64(num))
	q, _ := bits.Div64(high, low, uint64(den))
	return Time(q)
}
