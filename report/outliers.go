package report

import (
	"cmp"
	"fmt"
	"strings"

	"smpsim/observe"
)

// Outliers explains the slowest calls of a function: a line for each that took more
// than twice the median, with what happened during it, the longest first. A wait
// contains what went on meanwhile, a callee what happened in it, so that the parts may
// come to more than the whole.
func Outliers(f *observe.Function) string {
	if len(f.Slowest) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "slowest calls of %s, median %s:\n", f.Name, Duration(f.Slowest[0].Median))
	shown := 0
	for i := range f.Slowest {
		if o := &f.Slowest[i]; o.End-o.Start > 2*o.Median {
			b.WriteString("  " + Explain(o) + "\n")
			shown++
		}
	}
	if shown == 0 {
		slowest := &f.Slowest[0]
		return fmt.Sprintf("no call of %s took more than twice the median of %s; the slowest took %s\n",
			f.Name, Duration(slowest.Median), Duration(slowest.End-slowest.Start))
	}
	return b.String()
}

// mostIncidents is how many things a sentence tells.
const mostIncidents = 6

// Explain says in a sentence what happened during a call.
func Explain(o *observe.Outlier) string {
	s := fmt.Sprintf("%s at %s on CPU %d", Duration(o.End-o.Start), Duration(o.Start), o.CPU)
	if o.Task != "" {
		s += " in " + o.Task
	}
	if o.Ordinal == 1 {
		s += " (the first call)"
	}
	if len(o.Incidents) == 0 {
		return s + ": nothing was traced but its own work"
	}
	parts := make([]string, 0, mostIncidents+1)
	for _, i := range o.Incidents[:min(mostIncidents, len(o.Incidents))] {
		parts = append(parts, incident(i))
	}
	if more := len(o.Incidents) - mostIncidents; more > 0 {
		parts = append(parts, fmt.Sprintf("and %d things that took less", more))
	}
	return s + ": " + strings.Join(parts, "; ")
}

// incident says what happened, and for how long.
func incident(i observe.Incident) string {
	took, times := Duration(i.Total), ""
	if i.Count > 1 {
		times = fmt.Sprintf(" %d times", i.Count)
	}
	switch i.Cause {
	case observe.Tick:
		if i.Count > 1 {
			return fmt.Sprintf("%s in %d timer ticks", took, i.Count)
		}
		return took + " timer tick"
	case observe.Contended:
		s := took + " waiting for " + cmp.Or(i.Name, "other locks") + times
		if i.Count > 1 {
			s += ", at most " + Duration(i.Most)
		}
		return s
	case observe.Asleep:
		if i.Name == "" {
			return took + " asleep" + times
		}
		return took + " asleep" + times + " while " + i.Name + " ran"
	case observe.Runnable:
		return took + " waiting for a CPU" + times
	case observe.Preempted:
		return took + " preempted by " + cmp.Or(i.Name, "other tasks") + times
	case observe.Queued:
		return "queued " + cmp.Or(i.Name, "other work") + times
	case observe.Woke:
		return took + " waking " + cmp.Or(i.Name, "other tasks") + times
	case observe.Called:
		return took + " in " + cmp.Or(i.Name, "other functions") + times
	default:
		panic(fmt.Sprintf("report: incident of cause %d", i.Cause))
	}
}
