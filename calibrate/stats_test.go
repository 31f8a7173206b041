package calibrate

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// clean makes undisturbed windows.
func clean(values ...float64) []window {
	windows := make([]window, len(values))
	for i, v := range values {
		windows[i].ns = v
	}
	return windows
}

// spread makes n windows evenly from low to high.
func spread(n int, low, high float64) []window {
	windows := make([]window, n)
	for i := range windows {
		windows[i].ns = low + (high-low)*float64(i)/float64(max(n-1, 1))
	}
	return windows
}

func mustSummarize(t *testing.T, windows []window) Stat {
	t.Helper()
	s, err := summarize(windows)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheLeastUndisturbedWindowIsTheNumber(t *testing.T) {
	windows := append(clean(4.5, 5, 4, 7, 5, 4.5, 13), window{ns: 1, disturbed: true}, window{ns: 400, disturbed: true})
	s := mustSummarize(t, windows)
	if s.Value != 4 || s.Min != 4 || s.P50 != 5 || s.Max != 13 || s.Clean != 7 || s.Dirty != 2 {
		t.Errorf("summary is %+v", s)
	}
	if s.Spread() != 0.25 {
		t.Errorf("spread is %v, want a quarter", s.Spread())
	}
}

func TestFewUndisturbedWindowsGiveNoNumber(t *testing.T) {
	windows := append(clean(1, 2, 3, 4), window{ns: 1, disturbed: true})
	if s, err := summarize(windows); err == nil || err.Error() != "4 of 5 windows were undisturbed, 5 are needed" {
		t.Errorf("summary %+v, error %v", s, err)
	}
	if _, err := summarize(clean(-1, 2, 3, 4, 5)); err == nil {
		t.Error("a negative time was taken for a number")
	}
}

// TestRegimesAreNeverMixed uses the figures of a host that showed two: a line went
// between its CPUs in 44 to 63 ns near, and in 217 to 338 ns far.
func TestRegimesAreNeverMixed(t *testing.T) {
	near, far := func(n int) []window { return spread(n, 44, 63) }, func(n int) []window { return spread(n, 217, 338) }
	for name, test := range map[string]struct {
		windows []window
		want    float64
		regimes int
	}{
		"near alone":   {near(100), 44, 1},
		"far alone":    {far(100), 217, 1},
		"mostly near":  {append(near(60), far(40)...), 44, 2},
		"mostly far":   {append(far(60), near(40)...), 217, 2},
		"equally many": {append(far(50), near(50)...), 44, 2},
		"few far":      {append(near(95), far(5)...), 44, 1},
	} {
		s := mustSummarize(t, test.windows)
		if s.Value != test.want || len(s.Regimes) != test.regimes {
			t.Errorf("%s: value %v in %+v, want %v and %d regimes", name, s.Value, s.Regimes, test.want, test.regimes)
		}
	}
	s := mustSummarize(t, append(near(60), far(40)...))
	if want := []Regime{{Min: 44, P50: quantileOf(near(60), 50), Windows: 60}, {Min: 217, P50: quantileOf(far(40), 50), Windows: 40}}; !slices.Equal(s.Regimes, want) {
		t.Errorf("regimes %+v, want %+v", s.Regimes, want)
	}
}

func TestALongTailIsNoRegime(t *testing.T) {
	// Half of the windows lie together, the others stretch to ten times as much.
	if s := mustSummarize(t, append(spread(100, 10, 11), spread(100, 11, 110)...)); len(s.Regimes) != 1 {
		t.Errorf("a tail was taken for a regime: %+v", s.Regimes)
	}
	if s := mustSummarize(t, append(spread(100, 10, 11), spread(100, 14, 16)...)); len(s.Regimes) != 1 {
		t.Errorf("what differs by less than half was taken for regimes: %+v", s.Regimes)
	}
}

func quantileOf(windows []window, q int) float64 {
	var values []float64
	for _, w := range windows {
		values = append(values, w.ns)
	}
	slices.Sort(values)
	return quantile(values, q)
}

func TestSummariesDependOnTheWindowsAndNotTheirOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(0.1, 1e6), leastWindows, 200).Draw(t, "values")
		windows := clean(values...)
		s, err := summarize(windows)
		if err != nil {
			t.Fatal(err)
		}
		slices.Reverse(windows)
		again, _ := summarize(windows)
		if s.Value != again.Value || s.P90 != again.P90 || !slices.Equal(s.Regimes, again.Regimes) {
			t.Fatalf("%+v reversed is %+v", s, again)
		}
		count := 0
		for i, r := range s.Regimes {
			count += r.Windows
			if r.Min > r.P50 || (i > 0 && r.P50 < regimeRatio*s.Regimes[i-1].P50) {
				t.Fatalf("regimes %+v", s.Regimes)
			}
		}
		if count != len(values) || !slices.Contains(values, s.Value) || s.Regimes[0].Min != s.Min {
			t.Fatalf("%+v of %v", s, values)
		}
	})
}

func TestTeamsAreUndisturbedWhereTheyRanSideBySide(t *testing.T) {
	whole := turn{ops: 10, start: 1000, end: 2000}
	for name, test := range map[string]struct {
		other     turn
		disturbed bool
	}{
		"together":      {turn{ops: 10, start: 1010, end: 2020}, false},
		"one preempted": {turn{ops: 10, start: 1010, end: 2020, preempted: true}, true},
		"one late":      {turn{ops: 10, start: 1100, end: 2000}, true},
		"one early":     {turn{ops: 10, start: 1000, end: 1900}, true},
		"apart":         {turn{ops: 10, start: 2500, end: 3000}, true},
	} {
		r := round{turns: []turn{whole, test.other}}
		if got := r.disturbed(teamOverlap); got != test.disturbed {
			t.Errorf("%s: disturbed is %v", name, got)
		}
	}
	r := round{turns: []turn{whole, {ops: 30, start: 1000, end: 2200}}}
	if r.perOp() != 30 || r.fairness() != 1.0/3 {
		t.Errorf("an operation takes %v, fairness is %v", r.perOp(), r.fairness())
	}
	r.turns[1].ns = 60
	if r.perOp() != 2 {
		t.Errorf("a member's own time gives %v an operation", r.perOp())
	}
}
