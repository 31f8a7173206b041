package experiment

import (
	"strings"

	"smpsim/observe"
)

// metrics turns what was observed into the metrics of results.json.
func metrics(r *observe.Result) Ordered {
	var all Ordered
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if m.Kind != observe.Distribution {
			all = append(all, Member{m.Name, Metric{Unit: m.Unit, Value: number(m.Value)}})
			continue
		}
		s := &m.Samples
		count := int64(m.Count)
		out := Metric{Unit: m.Unit, Count: &count}
		if s.Count > 0 {
			out.Mean, out.Min, out.P50, out.P90 = number(s.Mean), number(s.Min), number(s.P50), number(s.P90)
			out.P99, out.P999, out.Max = number(s.P99), number(s.P999), number(s.Max)
		}
		for _, b := range s.Log2 {
			out.Log2 = append(out.Log2, Bucket{b.Min, b.Max, int64(b.Count)})
		}
		all = append(all, Member{m.Name, out})
	}
	return all
}

// values evaluates, for every metric, the expressions that cells are summed up by,
// and those that the file asks for besides.
func values(r *observe.Result, wanted []Figure) []Value {
	var all []Value
	seen := map[string]bool{}
	add := func(f Figure) {
		what := f.String()
		if seen[what] {
			return
		}
		seen[what] = true
		if v, unit, ok := r.Eval(f.Func, f.Arg); ok {
			all = append(all, Value{what, unit, v})
		}
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if function, arg, ok := strings.Cut(m.Name, "("); ok && isStatistic(function) {
			add(Figure{function, strings.TrimSuffix(arg, ")")})
			continue
		}
		switch m.Kind {
		case observe.Distribution:
			for _, f := range []string{"mean", "p50", "p99", "max", "count", "throughput"} {
				add(Figure{f, m.Name})
			}
		case observe.Number:
			add(Figure{"count", m.Name})
		default:
			add(Figure{"mean", m.Name})
		}
	}
	for _, f := range wanted {
		add(f)
	}
	return all
}

// isStatistic reports whether a metric's name is itself an expression.
func isStatistic(function string) bool {
	return function == "wait" || function == "hold" || function == "cpu_time"
}
