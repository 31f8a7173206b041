package calibrate

import (
	"fmt"
	"math"
	"slices"
)

// window is what one stretch of a measurement found.
type window struct {
	// ns is nanoseconds an operation.
	ns float64
	// disturbed says that a thread of the measurement was preempted meanwhile, or
	// that its threads did not run side by side.
	disturbed bool
}

// Stat is what the undisturbed windows of a measurement say, in nanoseconds an
// operation.
type Stat struct {
	// Value is the least of the regime that more windows were in; of equal ones,
	// the faster.
	Value float64
	// Min, P50, P90 and Max are over all undisturbed windows.
	Min, P50, P90, Max float64
	// Clean and Dirty count the undisturbed and the other windows.
	Clean, Dirty int
	// Regimes are the one or two groups that the undisturbed windows form, the
	// faster first.
	Regimes []Regime
}

// Regime is a group of windows that lie together.
type Regime struct {
	Min, P50 float64
	Windows  int
}

// Spread is how far the typical window of the regime that gave the value lies
// above it: 0.05 is 5%.
func (s Stat) Spread() float64 {
	return s.main().P50/s.Value - 1
}

// main returns the regime that the value is from.
func (s Stat) main() Regime {
	best := s.Regimes[0]
	for _, r := range s.Regimes[1:] {
		if r.Windows > best.Windows {
			best = r
		}
	}
	return best
}

// leastWindows is how many undisturbed windows a number needs: below it one
// lucky window could decide.
const leastWindows = 5

// summarize makes a Stat of windows, or says why they do not allow one.
func summarize(windows []window) (Stat, error) {
	var clean []float64
	for _, w := range windows {
		if !w.disturbed {
			clean = append(clean, w.ns)
		}
	}
	if len(clean) < leastWindows {
		return Stat{}, fmt.Errorf("%d of %d windows were undisturbed, %d are needed", len(clean), len(windows), leastWindows)
	}
	slices.Sort(clean)
	if clean[0] <= 0 {
		return Stat{}, fmt.Errorf("%.3g ns an operation is below what the clock and the loop take", clean[0])
	}
	s := Stat{
		Min: clean[0], P50: quantile(clean, 50), P90: quantile(clean, 90), Max: clean[len(clean)-1],
		Clean: len(clean), Dirty: len(windows) - len(clean),
	}
	for _, group := range regimes(clean) {
		s.Regimes = append(s.Regimes, Regime{Min: group[0], P50: quantile(group, 50), Windows: len(group)})
	}
	s.Value = s.main().Min
	return s, nil
}

// less returns the windows with a cost that they contain taken off.
func less(windows []window, ns float64) []window {
	rest := slices.Clone(windows)
	for i := range rest {
		rest[i].ns -= ns
	}
	return rest
}

// quantile returns the q-th percentile of sorted values, by nearest rank.
func quantile(sorted []float64, q int) float64 {
	rank := (len(sorted)*q + 99) / 100
	return sorted[max(rank, 1)-1]
}

// When two groups of windows are two regimes and not one with a tail: the slower
// is at least twice as slow, as on the host where near and far were 4.6 apart;
// each has a tenth of the windows and as many as a number needs; there is a gap
// between them; and each is compact, which a tail is not.
const (
	regimeRatio   = 2.0
	regimeGap     = 1.3
	regimeCompact = 2.0
)

// regimes splits sorted positive values in two where they form two regimes. The
// split is the one that leaves the least variance of logarithms within the parts
// (Otsu's criterion): ratios matter here, not differences.
func regimes(sorted []float64) [][]float64 {
	n := len(sorted)
	logs := make([]float64, n)
	total := 0.0
	for i, v := range sorted {
		logs[i] = math.Log(v)
		total += logs[i]
	}
	cut, most, below := 0, 0.0, 0.0
	for i := 1; i < n; i++ {
		below += logs[i-1]
		apart := below/float64(i) - (total-below)/float64(n-i)
		if between := float64(i) * float64(n-i) * apart * apart; between > most {
			cut, most = i, between
		}
	}
	fast, slow := sorted[:cut], sorted[cut:]
	least := max(leastWindows, n/10)
	if len(fast) < least || len(slow) < least {
		return [][]float64{sorted}
	}
	two := quantile(slow, 50) >= regimeRatio*quantile(fast, 50) &&
		quantile(slow, 10) >= regimeGap*quantile(fast, 90) &&
		compact(fast) && compact(slow)
	if !two {
		return [][]float64{sorted}
	}
	return [][]float64{fast, slow}
}

func compact(sorted []float64) bool {
	return quantile(sorted, 90) <= regimeCompact*quantile(sorted, 10)
}
