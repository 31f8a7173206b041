package plots

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestLabelsAreSpreadApartInOrderAndWithinBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const height, lo = 30, 122
		want := rapid.SliceOfN(rapid.Float64Range(0, 700), 1, 8).Draw(t, "want")
		slices.Sort(want)
		hi := lo + height*len(want) + rapid.IntRange(0, 400).Draw(t, "spare")
		got := spread(want, height, lo, hi)
		for i, y := range got {
			if y-height/2 < lo || y+height/2 > hi {
				t.Fatalf("label %d at %d is outside %d to %d: %v", i, y, lo, hi, got)
			}
			if i > 0 && y-got[i-1] < height {
				t.Fatalf("labels %d and %d overlap: %v", i-1, i, got)
			}
		}
		// No other arrangement is closer to what was wanted, but for rounding.
		other := make([]float64, len(want))
		at := float64(lo + height/2)
		spare := float64(hi - lo - height*len(want))
		for i := range other {
			step := rapid.Float64Range(0, spare).Draw(t, "step")
			spare -= step
			at += step
			other[i] = at
			at += height
		}
		best, furthest := 0.0, 0.0
		for i, w := range want {
			d := math.Abs(float64(got[i]) - w)
			best, furthest = best+d*d, max(furthest, d)
			other[i] -= w
		}
		cost := 0.0
		for _, d := range other {
			cost += d * d
		}
		// Rounding moves each label by half a pixel at most.
		if rounding := float64(len(want)) * (furthest + 1); cost < best-rounding {
			t.Fatalf("%v is nearer than %v to %v", other, got, want)
		}
	})
}

func TestLabelsThatDoNotTouchStayWhereTheyWere(t *testing.T) {
	got := spread([]float64{150, 200, 300.4}, 30, 122, 563)
	if want := []int{150, 200, 300}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

var prose = rapid.StringMatching(`([a-zµ()0-9_]{1,14} (· )?){0,30}[a-z]{1,9}`)

func TestShortenedTextFitsAndSaysThatItWasCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := prose.Draw(t, "s")
		width := rapid.Float64Range(40, 1500).Draw(t, "width")
		got := shorten(s, titleSize, width)
		if textWidth(s, titleSize) <= width {
			if got != s {
				t.Fatalf("%q was cut to %q though it fits", s, got)
			}
			return
		}
		want := "…"
		for n := range []rune(s) {
			cut := strings.TrimRight(string([]rune(s)[:n]), " ·,") + "…"
			if textWidth(cut, titleSize) <= width {
				want = cut
			}
		}
		if got != want {
			t.Fatalf("%q became %q for %v pixels, want %q", s, got, width, want)
		}
	})
}

func TestWrappedTextFitsAndLosesNoWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := prose.Draw(t, "s")
		lines := wrap(s, textSize, 1297, 2)
		for _, line := range lines {
			if textWidth(line, textSize) > 1297 {
				t.Fatalf("line %q does not fit", line)
			}
		}
		if len(lines) > 2 {
			t.Fatalf("%d lines", len(lines))
		}
		if len(lines) == 2 && (strings.HasSuffix(lines[0], "·") || strings.HasPrefix(lines[1], "·")) {
			t.Fatalf("a separator where the line breaks anyway: %q", lines)
		}
		words := func(s string) string { return strings.ReplaceAll(strings.Join(strings.Fields(s), ""), "·", "") }
		got, all := words(strings.Join(lines, "")), words(s)
		if begin, cut := strings.CutSuffix(got, "…"); got != all && !(cut && strings.HasPrefix(all, begin)) {
			t.Fatalf("%q became %q", s, lines)
		}
	})
}

func TestLegendStandsBesideTheSubtitleOrBelowIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const baseline, end = 105, figureWidth - margin
		used := rapid.Float64Range(0, 1297).Draw(t, "used")
		var keys []key
		for range rapid.IntRange(1, 12).Draw(t, "keys") {
			keys = append(keys, key{
				name:   strings.Repeat("n", rapid.IntRange(1, 120).Draw(t, "length")),
				sample: rapid.SampledFrom([]sample{box, stretch, interval, shares}).Draw(t, "sample"),
			})
		}
		placed, last := placeKeys(keys, baseline, used)
		if len(placed) != len(keys) || last != placed[len(placed)-1].y {
			t.Fatalf("%d of %d keys, the last at %d of %d", len(placed), len(keys), placed[len(placed)-1].y, last)
		}
		x, y := margin+used, baseline // where the line is free
		for i, k := range placed {
			if k.y != y {
				x, y = margin, y+lineStep
			}
			if k.y != y || k.x < x-1 || k.x+k.width() > end+1 {
				t.Fatalf("key %d at %v, %d to %v: free from %v, %d", i, k.x, k.y, k.x+k.width(), x, y)
			}
			x = k.x + k.width()
		}
	})
}
