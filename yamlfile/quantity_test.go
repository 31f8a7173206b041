package yamlfile_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"smpsim/yamlfile"
)

// TestQuantitiesReadExactlyOrSayWhyNot runs testdata/quantities: a line of input for
// each value, and its reading or the mistake behind an arrow.
func TestQuantitiesReadExactlyOrSayWhyNot(t *testing.T) {
	number := func(parse func(string) (int64, error)) func(string) (string, error) {
		return func(text string) (string, error) {
			v, err := parse(text)
			return fmt.Sprint(v), err
		}
	}
	commands := map[string]func(string) (string, error){
		"duration":  number(yamlfile.ParseDuration),
		"count":     number(yamlfile.ParseCount),
		"bytes":     number(yamlfile.ParseBytes),
		"frequency": number(yamlfile.ParseFrequency),
		"percent":   number(yamlfile.ParsePercent),
		"number": func(text string) (string, error) {
			v, err := yamlfile.ParseNumber(text)
			return fmt.Sprint(v), err
		},
		"distribution": func(text string) (string, error) {
			v, err := yamlfile.ParseDistribution(text)
			return fmt.Sprint(v.Kind, " ", v.Args, " ", v.File), err
		},
	}
	datadriven.Walk(t, "testdata/quantities", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var b strings.Builder
			for text := range strings.SplitSeq(d.Input, "\n") {
				value, err := commands[d.Cmd](text)
				if err != nil {
					value = err.Error()
				}
				fmt.Fprintf(&b, "%s -> %s\n", text, strings.TrimSpace(value))
			}
			return b.String()
		})
	})
}

func TestDurationsEqualExactArithmetic(t *testing.T) {
	factors := map[string]int64{"ps": 1, "ns": 1e3, "us": 1e6, "ms": 1e9, "s": 1e12}
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.StringMatching(`-?(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?`).Draw(t, "number")
		unit := rapid.SampledFrom([]string{"ps", "ns", "us", "ms", "s"}).Draw(t, "unit")
		exact, ok := new(big.Rat).SetString(number)
		if !ok {
			t.Fatalf("not a number: %s", number)
		}
		exact.Mul(exact, new(big.Rat).SetInt64(factors[unit]))
		got, err := yamlfile.ParseDuration(number + unit)
		readable := exact.IsInt() && exact.Num().IsInt64()
		switch {
		case readable && err != nil:
			t.Fatalf("%s%s: %v", number, unit, err)
		case !readable && err == nil:
			t.Fatalf("%s%s: read as %d, is %s", number, unit, got, exact)
		case readable && exact.Num().Int64() != got:
			t.Fatalf("%s%s: read as %d, is %s", number, unit, got, exact)
		}
	})
}

func TestFormattedDurationsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ps := rapid.Int64Min(-1<<62).Draw(t, "ps")
		text := yamlfile.FormatDuration(ps)
		if got, err := yamlfile.ParseDuration(text); err != nil || got != ps {
			t.Fatalf("%d is spelled %s and read as %d, %v", ps, text, got, err)
		}
	})
}

func FuzzQuantity(f *testing.F) {
	for _, text := range []string{"250ns", "1.5us", "32Ki", "35.75MiB", "3GHz", "0.5%", "-1", "010", "1_0", "1e3", "0x1", "9.", ".5"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, parse := range []func(string) (int64, error){
			yamlfile.ParseDuration, yamlfile.ParseCount, yamlfile.ParseBytes, yamlfile.ParseFrequency, yamlfile.ParsePercent,
		} {
			if _, err := parse(text); err != nil && err.Error() == "" {
				t.Fatal("an error that says nothing")
			}
		}
		if ps, err := yamlfile.ParseDuration(text); err == nil {
			again, err := yamlfile.ParseDuration(yamlfile.FormatDuration(ps))
			if err != nil || again != ps {
				t.Fatalf("%s is %d, spelled %s", text, ps, yamlfile.FormatDuration(ps))
			}
		}
		if count, err := yamlfile.ParseCount(text); err == nil {
			if number, err := yamlfile.ParseNumber(text); err != nil || number != float64(count) {
				t.Fatalf("%s: count %d, number %v, %v", text, count, number, err)
			}
		}
	})
}

func FuzzDistribution(f *testing.F) {
	for _, text := range []string{
		"250ns", "exp(5us)", "uniform(1us, 2us)", "lognormal(5us, 0.25)", "empirical(a b.csv)",
		"exp()", "exp((", "uniform(2us,1us)", "lognormal(1us, 1ns)", "expo(1us)", "empirical()",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := yamlfile.ParseDistribution(text)
		if err != nil {
			return
		}
		again, err := yamlfile.ParseDistribution(d.String())
		if err != nil || again.String() != d.String() {
			t.Fatalf("%s reads as %v, which reads as %v, %v", text, d, again, err)
		}
	})
}
