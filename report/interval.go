package report

import (
	"math"
	"strconv"

	"gonum.org/v1/gonum/stat/distuv"
)

// Estimate is the mean of a figure over replicas, with the half-width of its 95%
// confidence interval where there is one.
type Estimate struct {
	Mean float64
	// CI95 is meaningful if Replicas is at least 2.
	CI95     float64
	Replicas int
}

// NewEstimate estimates the mean of what a sample of replicas measured, by Student's
// t distribution. A single sample has no interval. It panics if there is none.
func NewEstimate(samples []float64) Estimate {
	n := len(samples)
	if n == 0 {
		panic("report: estimate of no samples")
	}
	var sum float64
	for _, x := range samples {
		sum += x
	}
	e := Estimate{Mean: sum / float64(n), Replicas: n}
	if n == 1 {
		return e
	}
	var squares float64
	for _, x := range samples {
		d := x - e.Mean
		squares += float64(d * d)
	}
	e.CI95 = t975(n-1) * math.Sqrt(squares/float64(n-1)/float64(n))
	return e
}

// t975 is the 0.975 quantile of Student's t distribution with that many degrees of
// freedom. It is rounded to a millionth, since the last bits of what it is computed
// with differ from one processor to the next.
func t975(freedom int) float64 {
	q := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(freedom)}.Quantile(0.975)
	return math.Round(q*1e6) / 1e6
}

// mostDigits bounds the digits of a mean with a narrow interval.
const mostDigits = 6

// Format writes the estimate in a metric's unit: "1.826 ± 0.012 ms". The interval
// has two significant digits, fewer where the mean would have more than six.
func (e Estimate) Format(unit string) string {
	if e.Replicas < 2 || math.IsNaN(e.CI95) || math.IsInf(e.CI95, 0) {
		return Value(e.Mean, unit)
	}
	s := scaleOf(max(math.Abs(e.Mean), e.CI95), unit)
	mean, half := e.Mean/s.size, e.CI95/s.size
	if half == 0 {
		text := Value(e.Mean, unit)
		return text[:len(text)-len(s.name)] + " ± 0" + s.name
	}
	decimals := 1 - exponent(half)
	if mean != 0 {
		decimals = min(decimals, mostDigits-1-exponent(mean))
	}
	decimals = max(0, decimals)
	return strconv.FormatFloat(mean, 'f', decimals, 64) + " ± " + ceil(half, decimals) + s.name
}

// ceil writes v with so many decimals, rounded up unless it is what it prints as to
// nine digits.
func ceil(v float64, decimals int) string {
	text := strconv.FormatFloat(v, 'f', decimals, 64)
	if got := mustParse(text); got >= v || v-got < 1e-9*v {
		return text
	}
	unit := mustParse("1e-" + strconv.Itoa(decimals))
	return strconv.FormatFloat(mustParse(text)+unit, 'f', decimals, 64)
}
