package observe

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// values draws numbers of every magnitude, and often ones beside a bucket's bound.
var values = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) int64 {
	v := rapid.Int64Range(0, math.MaxInt64).Draw(t, "v") >> rapid.IntRange(0, 62).Draw(t, "shift")
	if rapid.Bool().Draw(t, "bound") {
		v = lowest(int(bucketOf(v)))
		v -= min(v, int64(rapid.IntRange(0, 1).Draw(t, "below")))
	}
	return v
}), 1, 300)

func histOf(values []int64) *Hist {
	h := new(Hist)
	for _, v := range values {
		h.Add(v)
	}
	return h
}

// checkAgainst compares everything a histogram tells with the values themselves.
func checkAgainst(t interface{ Fatalf(string, ...any) }, h *Hist, all []int64) {
	sorted := slices.Sorted(slices.Values(all))
	n := len(sorted)
	if h.Count() != uint64(n) || h.Min() != sorted[0] || h.Max() != sorted[n-1] {
		t.Fatalf("count %d, min %d, max %d, want %d, %d, %d", h.Count(), h.Min(), h.Max(), n, sorted[0], sorted[n-1])
	}
	for _, permille := range []int{1, 10, 250, 500, 900, 990, 999, 1000} {
		want := sorted[(n*permille+999)/1000-1]
		got := h.Quantile(permille)
		if got < want || got-want > want/subs || bucketOf(got) != bucketOf(want) {
			t.Fatalf("quantile %d/1000 of %d values is %d, want %d or less than 1/128 above", permille, n, got, want)
		}
	}
	sum := new(big.Int)
	for _, v := range all {
		sum.Add(sum, big.NewInt(v))
	}
	high, low := h.Sum()
	got := new(big.Int).SetUint64(high)
	got.Lsh(got, 64).Add(got, new(big.Int).SetUint64(low))
	if got.Cmp(sum) != 0 {
		t.Fatalf("sum %v, want %v", got, sum)
	}
	mean, _ := new(big.Rat).SetFrac(sum, big.NewInt(int64(n))).Float64()
	if math.Abs(h.Mean()-mean) > 1e-15*mean {
		t.Fatalf("mean %v, want %v", h.Mean(), mean)
	}
}

func TestAHistogramTellsWhatTheSortedValuesTell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := values.Draw(t, "values")
		checkAgainst(t, histOf(all), all)
	})
}

func TestBucketsAndQuantilesAreThoseOfHdrHistogram(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		oracle, h := hdrhistogram.New(1, math.MaxInt64/2, 2), new(Hist)
		seed := values.Draw(t, "values")
		// Of a multiple of a thousand values, both mean the same ranks.
		for i := range 3000 {
			v := seed[i%len(seed)] / 2
			h.Add(v)
			if err := oracle.RecordValue(v); err != nil {
				t.Fatal(err)
			}
		}
		counts := make(map[int64]int64)
		for i := range rows * subs {
			if row := h.rows[i/subs]; row != nil && row[i%subs] > 0 {
				counts[highest(i)] = int64(row[i%subs])
			}
		}
		want := make(map[int64]int64)
		for _, bar := range oracle.Distribution() {
			if bar.Count > 0 {
				want[bar.To] = bar.Count
			}
		}
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Fatalf("buckets (-HdrHistogram +ours):\n%s", diff)
		}
		for _, permille := range []int{500, 900, 990, 999, 1000} {
			want := min(oracle.ValueAtQuantile(float64(permille)/10), h.Max())
			if got := h.Quantile(permille); got != want {
				t.Fatalf("quantile %d/1000 is %d, want %d", permille, got, want)
			}
		}
	})
}

func TestMergingEqualsAddingEverything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(values, 1, 4).Draw(t, "parts")
		merged := new(Hist)
		for _, part := range parts {
			merged.Merge(histOf(part))
		}
		merged.Merge(new(Hist))
		if diff := cmp.Diff(histOf(slices.Concat(parts...)), merged, cmp.AllowUnexported(Hist{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestPowersOfTwoAreCountedExactlyInBothUnits(t *testing.T) {
	check := func(t interface{ Fatalf(string, ...any) }, all []int64) {
		for _, unit := range []Unit{Count, Nanoseconds} {
			counts := make(map[int]uint64)
			for _, v := range all {
				counts[max(1, bits.Len64(uint64(v/unit.size())))]++
			}
			for _, b := range histOf(all).Log2(unit) {
				octave := bits.Len64(uint64(b.Max))
				if low := uint64(1) << octave >> 1 &^ 1; uint64(b.Min) != low || uint64(b.Max) != 1<<octave-1 {
					t.Fatalf("bucket from %d to %d", b.Min, b.Max)
				}
				if counts[octave] != b.Count {
					t.Fatalf("%d values from %d to %d %v, want %d", b.Count, b.Min, b.Max, unit, counts[octave])
				}
				delete(counts, octave)
			}
			if len(counts) > 0 {
				t.Fatalf("values in no bucket: %v", counts)
			}
		}
	}
	var bounds []int64
	for n := range 53 {
		bounds = append(bounds, 1000<<n-1, 1000<<n, 1<<n-1, 1<<n)
	}
	check(t, bounds)
	rapid.Check(t, func(t *rapid.T) { check(t, values.Draw(t, "values")) })
}

func TestTheSumOfTheLargestValuesDoesNotOverflow(t *testing.T) {
	h := new(Hist)
	for range 1000 {
		h.Add(math.MaxInt64)
	}
	if got, want := h.Mean(), float64(math.MaxInt64); got != want {
		t.Errorf("mean %v, want %v", got, want)
	}
	if got, want := h.total(Nanoseconds), float64(math.MaxInt64); got != want {
		t.Errorf("total %v ns, want %v", got, want)
	}
}

func TestTotalsAreExactToTheNanosecond(t *testing.T) {
	h := new(Hist)
	// The published collector took 7,477,526,027 ns in all.
	for range 4095 {
		h.Add(1825567000)
	}
	h.Add(7477526027000 - 4095*1825567000)
	if got := h.total(Nanoseconds); got != 7477526027 {
		t.Errorf("total %v ns, want 7477526027", got)
	}
}

func TestANegativeValueIsRefused(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a negative value was counted")
		}
	}()
	new(Hist).Add(-1)
}

func TestAddingAllocatesNothingOnceTheRangeIsKnown(t *testing.T) {
	h := new(Hist)
	v := int64(1)
	add := func() {
		for v = 1; v < 1<<40; v <<= 1 {
			h.Add(v)
		}
	}
	add()
	if n := testing.AllocsPerRun(100, add); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzHist(f *testing.F) {
	f.Add([]byte{})
	f.Add(binary.LittleEndian.AppendUint64(nil, math.MaxInt64))
	f.Add([]byte("some values of no particular size"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var all []int64
		for ; len(data) >= 8; data = data[8:] {
			all = append(all, int64(binary.LittleEndian.Uint64(data)&math.MaxInt64))
		}
		h := histOf(all)
		if len(all) == 0 {
			if h.Quantile(500) != 0 || h.Mean() != 0 || h.Log2(Count) != nil {
				t.Fatal("an empty histogram tells something")
			}
			return
		}
		checkAgainst(t, h, all)
	})
}

func BenchmarkHistAdd(b *testing.B) {
	h := new(Hist)
	// Latencies from 100 ns to 1 ms, in an order that no predictor learns.
	var latencies [4096]int64
	x := uint64(1)
	for i := range latencies {
		x = x*6364136223846793005 + 1442695040888963407
		latencies[i] = 100_000 + int64(x>>34)
	}
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		h.Add(latencies[i%len(latencies)])
		i++
	}
}
