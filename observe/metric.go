package observe

import (
	"math/bits"

	"smpsim/cpus"
	"smpsim/des"
)

// Kind says what a metric is.
type Kind uint8

const (
	// Distribution has samples: durations, or values of a quantity.
	Distribution Kind = iota + 1
	// Number is a count of events or things.
	Number
	// Rate is something per second of virtual time.
	Rate
	// Time is a single duration.
	Time
)

func (k Kind) String() string {
	return [...]string{"invalid", "distribution", "count", "rate", "time"}[k]
}

// Metric is something measured, under the name that experiments use for it.
type Metric struct {
	Name string
	// Unit is "ns", "count", or of CPU time per virtual time, "s/s".
	Unit string
	Kind Kind
	// Value is the metric's, unless it is a distribution.
	Value float64
	// Count is how many there were: of the samples, but of a mark the passages,
	// while its samples are the intervals between two passages of a task.
	Count uint64
	// Samples sums up a distribution.
	Samples Summary
}

// Summary sums up a distribution, in the metric's unit. All is 0 if it is empty.
type Summary struct {
	Count                         uint64
	Total, Mean                   float64
	Min, P50, P90, P99, P999, Max float64
	Log2                          []Bucket
}

// Summary sums h up in the given unit.
func (h *Hist) Summary(unit Unit) Summary {
	size := float64(unit.size())
	in := func(v int64) float64 { return float64(v) / size }
	return Summary{
		Count: h.count,
		Total: h.total(unit),
		Mean:  h.Mean() / size,
		Min:   in(h.Min()), P50: in(h.Quantile(500)), P90: in(h.Quantile(900)),
		P99: in(h.Quantile(990)), P999: in(h.Quantile(999)), Max: in(h.Max()),
		Log2: h.Log2(unit),
	}
}

// total returns the sum in the given unit. Whole units are exact up to 2^53 of
// them, 104 days in nanoseconds.
func (h *Hist) total(unit Unit) float64 {
	size := uint64(unit.size())
	whole, rest := bits.Div64(h.high%size, h.low, size)
	return float64(float64(h.high/size)*0x1p64) + float64(whole) + float64(rest)/float64(size)
}

// metrics adds everything recorded under its name. Where two kinds of things
// share a name, the later goes by "mark(x)" or "sample(x)".
func (r *Recorder) metrics(out *Result, names *names) {
	distribution := func(name string, unit Unit, h *Hist, count uint64) {
		out.Metrics = append(out.Metrics, Metric{
			Name: name, Unit: unit.String(), Kind: Distribution, Count: count, Samples: h.Summary(unit),
		})
	}
	for _, id := range names.sorted {
		if f := peek(r.functions, id); f != nil {
			distribution(names.of(id), Nanoseconds, &f.latency, f.latency.Count())
		}
	}
	for _, id := range names.sorted {
		if m := peek(r.marks, id); m != nil {
			distribution(out.unused("mark", names.of(id)), Nanoseconds, &m.interval, m.passages)
		}
	}
	for _, id := range names.sorted {
		if h := peek(r.samples, id); h != nil {
			distribution(out.unused("sample", names.of(id)), Count, h, h.Count())
		}
	}
	for _, id := range names.sorted {
		if l := peek(r.locks, id); l != nil {
			distribution("wait("+names.of(id)+")", Nanoseconds, &l.wait, l.wait.Count())
			distribution("hold("+names.of(id)+")", Nanoseconds, &l.hold, l.hold.Count())
		}
	}
	for _, id := range names.sorted {
		if w := peek(r.works, id); w != nil {
			distribution("queued("+names.of(id)+")", Nanoseconds, &w.latency, w.latency.Count())
			distribution("ran("+names.of(id)+")", Nanoseconds, &w.run, w.run.Count())
		}
	}
	for mode := range cpus.Modes {
		var sum des.Time
		for i := range out.CPUs {
			sum += out.CPUs[i][mode]
		}
		m := Metric{Name: "cpu_time(" + mode.String() + ")", Unit: "s/s", Kind: Rate}
		if out.Elapsed > 0 {
			m.Value = float64(sum) / float64(out.Elapsed)
		}
		out.Metrics = append(out.Metrics, m)
	}
}

func (r *Result) unused(kind, name string) string {
	if r.Metric(name) != nil {
		return kind + "(" + name + ")"
	}
	return name
}

// Metric returns the metric of that name, or nil.
func (r *Result) Metric(name string) *Metric {
	for i := range r.Metrics {
		if r.Metrics[i].Name == name {
			return &r.Metrics[i]
		}
	}
	return nil
}

// SetCount adds a metric with a single value, in place of one of the same name.
// It is a [Time] if the unit is "ns", else a [Number].
func (r *Result) SetCount(name, unit string, v float64) {
	m := Metric{Name: name, Unit: unit, Kind: Number, Value: v}
	if unit == "ns" {
		m.Kind = Time
	}
	if old := r.Metric(name); old != nil {
		*old = m
		return
	}
	r.Metrics = append(r.Metrics, m)
}

// Eval returns the value and the unit of a function of a metric, such as
// mean(unix_dgram_sendmsg). The functions are mean, p50, p90, p99, p999, min and max of
// samples; mean, min and max also of a single time; count and throughput, its rate per
// second of virtual time; wait and hold, the means over a lock's acquisitions; and
// cpu_time of a mode. It reports false if there is no such metric, or if the metric has
// no samples to take the function of.
func (r *Result) Eval(function, metric string) (value float64, unit string, ok bool) {
	switch function {
	case "wait", "hold", "cpu_time":
		m := r.Metric(function + "(" + metric + ")")
		switch {
		case m == nil:
			return 0, "", false
		case m.Kind == Distribution:
			return m.statistic("mean")
		default:
			return m.Value, m.Unit, true
		}
	case "count":
		n, ok := r.count(metric)
		return n, "count", ok
	case "throughput":
		n, ok := r.count(metric)
		if !ok || r.Elapsed == 0 {
			return 0, "", false
		}
		return n * float64(des.Second) / float64(r.Elapsed), "1/s", true
	default:
		if m := r.Metric(metric); m != nil {
			return m.statistic(function)
		}
		return 0, "", false
	}
}

// count returns how many there were of a metric, or how often a lock was taken.
func (r *Result) count(metric string) (float64, bool) {
	m := r.Metric(metric)
	if m == nil {
		m = r.Metric("wait(" + metric + ")")
	}
	switch {
	case m == nil:
		return 0, false
	case m.Kind == Distribution:
		return float64(m.Count), true
	default:
		return m.Value, m.Kind == Number
	}
}

func (m *Metric) statistic(function string) (value float64, unit string, ok bool) {
	s := &m.Samples
	if m.Kind == Time {
		switch function {
		case "mean", "min", "max":
			return m.Value, m.Unit, true
		}
		return 0, "", false
	}
	if s.Count == 0 {
		return 0, "", false
	}
	switch function {
	case "mean":
		value = s.Mean
	case "p50":
		value = s.P50
	case "p90":
		value = s.P90
	case "p99":
		value = s.P99
	case "p999":
		value = s.P999
	case "min":
		value = s.Min
	case "max":
		value = s.Max
	default:
		return 0, "", false
	}
	return value, m.Unit, true
}
