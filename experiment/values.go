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

// summedUp lists the expressions that cells are summed up by: those of every metric,
// and those that the file asks for besides.
func summedUp(r *observe.Result, wanted []Figure) []Figure {
	var all []Figure
	seen := map[Figure]bool{}
	add := func(function, arg string) {
		if f := (Figure{function, arg}); !seen[f] {
			seen[f] = true
			all = append(all, f)
		}
	}
	for i := range r.Metrics {
		m := &r.Metrics[i]
		if function, arg, ok := strings.Cut(m.Name, "("); ok && isStatistic(function) {
			add(function, strings.TrimSuffix(arg, ")"))
			continue
		}
		switch m.Kind {
		case observe.Distribution:
			for _, function := range []string{"mean", "p50", "p99", "max", "count", "throughput"} {
				add(function, m.Name)
			}
		case observe.Number:
			add("count", m.Name)
		default:
			add("mean", m.Name)
		}
	}
	for _, f := range wanted {
		add(f.Func, f.Arg)
	}
	return all
}

// isStatistic reports whether a metric's name is itself an expression.
func isStatistic(function string) bool {
	return function == "wait" || function == "hold" || function == "cpu_time"
}

// wanted lists the figures that plots, comparisons and expectations need.
func (x *Experiment) wanted() []Figure {
	var all []Figure
	for i := range x.Plots {
		if x.Plots[i].Kind == LinePlot {
			all = append(all, x.Plots[i].Figure)
		}
	}
	for i := range x.Compare {
		all = append(all, x.Compare[i].Figure)
	}
	for i := range x.Expect {
		if x.Expect[i].Exploration == nil {
			all = append(all, x.Expect[i].Figure)
		}
	}
	return all
}
