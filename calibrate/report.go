package calibrate

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"smpsim/cpus"
	"smpsim/yamlfile"
)

// Report is what a calibration found.
type Report struct {
	Host *Host
	// Base is the name of the preset whose costs stand in.
	Base string
	// Started and Took are when the calibration ran and how long.
	Started time.Time
	Took    time.Duration
	// Measurements are all that were tried, in the order of the attempts, with
	// transfers last.
	Measurements []Measurement
	// Pairs are the transfers between pairs of CPUs.
	Pairs []Pair
	// Entries are those of the preset, in the order of cpus.CostFields.
	Entries []cpus.PresetEntry
}

// StandIns returns the entries of costs that were not found on this host.
func (r *Report) StandIns() []cpus.PresetEntry {
	var names []cpus.PresetEntry
	for _, e := range r.Entries {
		if e.Kind != cpus.CostMeasured && e.Kind != cpus.CostRead {
			names = append(names, e)
		}
	}
	return names
}

// Table returns the report as text: what was measured, between which CPUs, what
// stands in and why, and what the host lacks.
func (r *Report) Table() string {
	var out strings.Builder
	fmt.Fprintf(&out, "%s, in %.1f s\n", r.Host, r.Took.Seconds())
	for _, note := range r.Host.Notes {
		fmt.Fprintf(&out, "note: %s\n", note)
	}
	t := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nmeasured\tvalue\tspread\tmedian\t90%\twindows\tregimes\tmeaning\n")
	for _, m := range r.Measurements {
		if m.Err == nil {
			row(t, m.Name, m.Stat, m.Meaning)
		}
	}
	if len(r.Pairs) > 1 {
		fmt.Fprint(t, "\nCPUs\tvalue\tspread\tmedian\t90%\twindows\tregimes\tdistance\n")
		for _, p := range r.Pairs {
			if p.Err == nil {
				row(t, fmt.Sprintf("%d and %d", p.A, p.B), p.Stat, p.Distance.String())
			}
		}
	}
	fmt.Fprint(t, "\nnot measured\twhy\n")
	for _, m := range r.Measurements {
		if m.Err != nil {
			fmt.Fprintf(t, "%s\t%s\n", m.Name, m.Err)
		}
	}
	fmt.Fprintf(t, "\nstands in\tvalue\tsource\n")
	for _, e := range r.StandIns() {
		fmt.Fprintf(t, "%s\t%s%s\t%s\n", e.Name, e.Value, e.Unit, e.Source)
	}
	_ = t.Flush() // a strings.Builder takes everything
	return out.String()
}

func row(t *tabwriter.Writer, name string, s Stat, meaning string) {
	fmt.Fprintf(t, "%s\t%s\t%.0f%%\t%s\t%s\t%d of %d\t%s\t%s\n", name, spell(s.Value), 100*s.Spread(), spell(s.P50), spell(s.P90),
		s.Clean, s.Clean+s.Dirty, s.regimes(), meaning)
}

// regimes says what groups the windows form, if not one.
func (s Stat) regimes() string {
	if len(s.Regimes) == 1 {
		return "one"
	}
	parts := make([]string, len(s.Regimes))
	for i, g := range s.Regimes {
		parts[i] = fmt.Sprintf("%d from %s", g.Windows, spell(g.Min))
	}
	return strings.Join(parts, ", ")
}

// spell writes nanoseconds with three digits and their unit.
func spell(ns float64) string { return yamlfile.FormatDuration(picoseconds(ns)) }

// picoseconds rounds nanoseconds to three digits of whole picoseconds, at least one.
func picoseconds(ns float64) int64 {
	ps, scale := max(ns*1000, 1), int64(1)
	for ps/float64(scale) >= 999.5 {
		scale *= 10
	}
	return int64(ps/float64(scale)+0.5) * scale
}

// middle returns the Stat of the pair whose number is the middle one of those at a
// distance, or says why there is none.
func (r *Report) middle(d Distance) (Stat, error) {
	var found []Stat
	var failed error
	for i := range r.Pairs {
		p := &r.Pairs[i]
		if p.Distance != d {
			continue
		}
		var err error
		if p.Stat, err = summarize(p.windows); err != nil && p.Err == nil {
			p.Err = err
		}
		if p.Err == nil {
			found = append(found, p.Stat)
		} else if failed == nil {
			failed = p.Err
		}
	}
	if found != nil {
		slices.SortFunc(found, func(a, b Stat) int { return cmp.Compare(a.Value, b.Value) })
		return found[(len(found)-1)/2], nil
	}
	switch {
	case failed != nil:
		return Stat{}, failed
	case len(r.Host.CPUs) < 2:
		return Stat{}, errOneCPU
	default:
		return Stat{}, errNotThatWide
	}
}
