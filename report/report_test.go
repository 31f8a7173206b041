package report

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"pgregory.net/rapid"

	"smpsim/des"
	"smpsim/observe"
)

// A golden file has a command a case; its input is JSON of the printed type, or
// lines as the command says:
//
//	histogram [unit=U] [total=T] [elide]    "min max count" a bucket
//	locks | outliers | sanity | comparisons | expectations | sensitivities
//	cells                                   {"params", "metrics", "cells"}
//	cpu-time                                a list of TaskTimes
//	value unit=U | duration                 a number a line
//	estimate unit=U                         samples, a line an estimate
func TestGolden(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if strings.HasSuffix(path, ".txt") {
			datadriven.RunTest(t, path, render)
		}
	})
}

func render(t *testing.T, d *datadriven.TestData) string {
	switch d.Cmd {
	case "histogram":
		return Histogram(histogram(t, d), d.HasArg("elide"))
	case "locks":
		return Locks(decode[[]observe.Lock](t, d))
	case "outliers":
		f := decode[observe.Function](t, d)
		return Outliers(&f)
	case "sanity":
		r := decode[observe.Result](t, d)
		return Sanity(&r)
	case "cpu-time":
		return CPUTime(decode[[]TaskTimes](t, d))
	case "comparisons":
		return Comparisons(decode[[]Comparison](t, d))
	case "expectations":
		return Expectations(decode[[]Expectation](t, d))
	case "sensitivities":
		return Sensitivities(decode[[]Sensitivity](t, d))
	case "cells":
		in := decode[struct {
			Params, Metrics []string
			Cells           []Cell
		}](t, d)
		return Cells(in.Params, in.Metrics, in.Cells)
	case "value":
		return lines(d, func(x []float64) string { return Value(x[0], unit(d)) })
	case "duration":
		return lines(d, func(x []float64) string { return Duration(des.Time(x[0])) })
	case "estimate":
		return lines(d, func(x []float64) string {
			e := NewEstimate(x)
			return e.Format(unit(d))
		})
	default:
		t.Fatalf("unknown command %q", d.Cmd)
		return ""
	}
}

func decode[T any](t *testing.T, d *datadriven.TestData) T {
	var v T
	in := json.NewDecoder(strings.NewReader(d.Input))
	in.DisallowUnknownFields()
	if err := in.Decode(&v); err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	return v
}

func unit(d *datadriven.TestData) string {
	for _, arg := range d.CmdArgs {
		if arg.Key == "unit" {
			return arg.Vals[0]
		}
	}
	return ""
}

func lines(d *datadriven.TestData, write func([]float64) string) string {
	var b strings.Builder
	for line := range strings.Lines(d.Input) {
		var numbers []float64
		for _, field := range strings.Fields(line) {
			x, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return err.Error()
			}
			numbers = append(numbers, x)
		}
		fmt.Fprintf(&b, "%s: %s\n", strings.TrimSpace(line), write(numbers))
	}
	return b.String()
}

func histogram(t *testing.T, d *datadriven.TestData) *observe.Metric {
	m := &observe.Metric{Unit: "ns", Kind: observe.Distribution}
	if u := unit(d); u != "" {
		m.Unit = u
	}
	for line := range strings.Lines(d.Input) {
		var bucket observe.Bucket
		if _, err := fmt.Sscan(line, &bucket.Min, &bucket.Max, &bucket.Count); err != nil {
			t.Fatalf("%s: %q: %v", d.Pos, line, err)
		}
		m.Samples.Log2 = append(m.Samples.Log2, bucket)
		m.Samples.Count += bucket.Count
	}
	m.Count = m.Samples.Count
	var total int64
	d.MaybeScanArgs(t, "total", &total)
	m.Samples.Total = float64(total)
	m.Samples.Mean = float64(total) / float64(max(1, m.Samples.Count))
	return m
}

// Known values of Student's t: NIST/SEMATECH e-Handbook of Statistical Methods,
// section 1.3.6.7.2, column 0.975.
func TestIntervalsAreThoseOfStudentsT(t *testing.T) {
	for n, want := range map[int]float64{1: 12.706, 2: 4.303, 4: 2.776, 9: 2.262, 29: 2.045, 100: 1.984} {
		if got := t975(n); math.Abs(got-want) > 0.0006 {
			t.Errorf("t(0.975, %d) = %v, want %v", n, got, want)
		}
	}
	// 1..5: mean 3, standard deviation √2.5, half-width 2.776·√(2.5/5).
	e := NewEstimate([]float64{1, 2, 3, 4, 5})
	if e.Mean != 3 || math.Abs(e.CI95-2.776445*math.Sqrt(0.5)) > 1e-6 {
		t.Errorf("estimate %+v", e)
	}
	if e := NewEstimate([]float64{7}); e.Mean != 7 || e.CI95 != 0 || e.Replicas != 1 {
		t.Errorf("estimate of one sample: %+v", e)
	}
}

// The interval covers the true mean about 95 times in 100.
func TestIntervalsCoverTheMean(t *testing.T) {
	stream := des.New(1).Stream("samples")
	const runs = 4000
	covered := 0
	for range runs {
		samples := make([]float64, 5)
		for i := range samples {
			// A sum of twelve uniform numbers is close to normal.
			for range 12 {
				samples[i] += float64(stream.Below(1 << 20))
			}
		}
		e := NewEstimate(samples)
		if math.Abs(e.Mean-6*(1<<20-1)) <= e.CI95 {
			covered++
		}
	}
	if share := float64(covered) / runs; share < 0.94 || share > 0.96 {
		t.Errorf("%.3f of the intervals cover the mean, want 0.95", share)
	}
}

var sizes = map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}

// parse reads what Value and Format write.
func parse(t *rapid.T, text string) (number float64, size float64) {
	fields := strings.Fields(text)
	size, ok := sizes[fields[len(fields)-1]]
	if !ok {
		t.Fatalf("%q has no unit", text)
	}
	number, err := strconv.ParseFloat(fields[0], 64)
	if err != nil {
		t.Fatal(err)
	}
	return number, size
}

func TestNumbersReadBackToFourDigits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := float64(rapid.Int64Range(1, 1<<53).Draw(t, "ps")>>rapid.IntRange(0, 52).Draw(t, "shift")) / 1000
		text := Value(v, "ns")
		number, size := parse(t, text)
		if math.Abs(number*size-v) > 0.5001e-3*v && size < 1e9 {
			t.Fatalf("%v ns is written %q", v, text)
		}
		if number >= 1000 && size < 1e9 || number < 1 && size > 1 {
			t.Fatalf("%v ns is written %q", v, text)
		}
	})
}

func TestAPrintedIntervalIsNeverNarrower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := Estimate{
			Mean:     rapid.Float64Range(0.001, 1e12).Draw(t, "mean"),
			CI95:     rapid.Float64Range(1e-9, 1e9).Draw(t, "ci95"),
			Replicas: 5,
		}
		text := e.Format("ns")
		_, size := parse(t, text)
		half, err := strconv.ParseFloat(strings.Fields(text)[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if half*size < e.CI95*(1-1e-8) {
			t.Fatalf("%+v is printed %q", e, text)
		}
	})
}
