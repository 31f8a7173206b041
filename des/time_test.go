package des

import (
	"math"
	"math/big"
	"strings"
	"testing"
)

func TestTimesPrintExactlyInTheLargestFittingUnit(t *testing.T) {
	for at, want := range map[Time]string{
		0:                          "0s",
		1:                          "1ps",
		333:                        "333ps",
		Nanosecond:                 "1ns",
		1500 * Nanosecond:          "1.5us",
		Second + 1:                 "1.000000000001s",
		-2*Millisecond - 5:         "-2.000000005ms",
		Forever:                    "forever",
		Forever - 1:                "9223372.036854775806s",
		math.MinInt64:              "-9223372.036854775808s",
		1*Microsecond + Picosecond: "1.000001us",
	} {
		if got := at.String(); got != want {
			t.Errorf("%d ps prints as %s, want %s", int64(at), got, want)
		}
	}
	if got := (1500 * Picosecond).Nanoseconds(); got != 1.5 {
		t.Errorf("1500 ps are %v ns", got)
	}
}

// FuzzTimeString reads the text back with exact arithmetic.
func FuzzTimeString(f *testing.F) {
	for _, seed := range []int64{0, 1, -1, 999, 1000, 1001, 1e12, 123456789012345, math.MaxInt64, math.MinInt64, -math.MaxInt64} {
		f.Add(seed)
	}
	units := []struct {
		name string
		size int64
	}{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}
	f.Fuzz(func(t *testing.T, ps int64) {
		text := Time(ps).String()
		if Time(ps) == Forever {
			if text != "forever" {
				t.Fatalf("forever prints as %s", text)
			}
			return
		}
		for _, u := range units {
			number, ok := strings.CutSuffix(text, u.name)
			if !ok || strings.ContainsAny(number, "smunp") {
				continue
			}
			value, ok := new(big.Rat).SetString(number)
			if !ok {
				t.Fatalf("%d ps prints as %s, which has no number", ps, text)
			}
			value.Mul(value, new(big.Rat).SetInt64(u.size))
			if !value.IsInt() || value.Num().Int64() != ps || !value.Num().IsInt64() {
				t.Fatalf("%d ps prints as %s, which is %v ps", ps, text, value)
			}
			whole, fraction, _ := strings.Cut(strings.TrimPrefix(number, "-"), ".")
			if strings.HasSuffix(fraction, "0") || ps != 0 && whole == "0" || len(whole) > 3 && u.name != "s" {
				t.Fatalf("%d ps prints as %s, which is not the shortest in the largest unit", ps, text)
			}
			return
		}
		t.Fatalf("%d ps prints as %s, without a unit", ps, text)
	})
}
