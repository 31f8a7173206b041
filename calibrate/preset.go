package calibrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/yamlfile"
)

// WriteYAML writes the host as a preset that cpus.ReadPreset accepts. What has no
// place in a preset, such as the price of a compare-and-swap, follows as comments.
func (r *Report) WriteYAML(w io.Writer) error {
	text := r.yaml()
	// Whatever was measured, the file must serve.
	var problems yamlfile.Problems
	if cpus.ParsePreset("calibrated preset", text, &problems); problems.Len() > 0 {
		return fmt.Errorf("the costs do not make a preset: %w", problems.Err())
	}
	_, err := w.Write(text)
	return err
}

func (r *Report) yaml() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "# Measured by smpsim calibrate on %s in %.0f s.\n", r.Started.UTC().Format("2006-01-02 15:04 UTC"), r.Took.Seconds())
	fmt.Fprintf(&out, "# %s\n", plain(r.Host.String()))
	for _, note := range r.Host.Notes {
		fmt.Fprintf(&out, "# %s\n", plain(note))
	}
	fmt.Fprintf(&out, "#\n# kind says how a number is known: measured here; read from the system; unsourced, it stands\n")
	fmt.Fprintf(&out, "# in from %s; or follows, the value of another cost.\n", r.Base)
	t := r.Host.Topology
	fmt.Fprintf(&out, "title: %s\n", quoted(r.Host.String()))
	fmt.Fprintf(&out, "topology: {sockets: %d, cores: %d, threads: %d, cores_per_llc: %d}\n", t.Sockets, t.Cores, t.Threads, t.CoresPerLLC)
	fmt.Fprintf(&out, "costs:\n")
	for _, e := range r.Entries {
		value := e.Value + e.Unit
		if e.Follows != "" {
			value = e.Follows
		}
		fmt.Fprintf(&out, "  # %s\n  %s:\n    {value: %s, kind: %s, source: %s}\n", e.Meaning, e.Name, value, e.Kind, quoted(e.Source))
	}
	fmt.Fprintf(&out, "# Measured too; a preset has no place for it:\n")
	for _, m := range r.Measurements {
		switch {
		case m.Err == nil && m.Cost == "":
			fmt.Fprintf(&out, "#   %s: %s, %s (%s; %s)\n", m.Name, spell(m.Stat.Value), m.Meaning, m.Method, m.Stat.describe())
		case m.Cost == "":
			fmt.Fprintf(&out, "#   %s: not measured: %s\n", m.Name, plain(m.Err.Error()))
		}
	}
	for _, p := range r.Pairs {
		if p.Err == nil {
			fmt.Fprintf(&out, "#   transfer between CPU %d and %d, %s: %s (%s)\n", p.A, p.B, p.Distance, spell(p.Stat.Value), p.Stat.describe())
		}
	}
	return out.Bytes()
}

// describe tells the spread of a number, and on how many windows it rests.
func (s Stat) describe() string {
	text := fmt.Sprintf("least of %d undisturbed windows of %d, their median %s, 90%% below %s", s.Clean, s.Clean+s.Dirty, spell(s.P50), spell(s.P90))
	if len(s.Regimes) > 1 {
		text += "; two regimes: windows " + s.regimes()
	}
	return text
}

// entries makes those of the preset: measured, read, or standing in from base.
func (r *Report) entries(base *cpus.Preset) {
	why := map[string]error{}
	found := map[string]*Measurement{}
	for i := range r.Measurements {
		m := &r.Measurements[i]
		if m.Err != nil {
			why[m.Cost] = m.Err
		} else if m.Cost != "" {
			found[m.Cost] = m
		}
	}
	sizes := map[string]int64{"l1_size": r.Host.L1Size, "l2_size": r.Host.L2Size, "llc_size": r.Host.LLCSize}
	for _, f := range cpus.CostFields {
		e := cpus.PresetEntry{Name: f.Name, Meaning: f.Meaning, Anchor: f.Anchor}
		switch m := found[f.Name]; {
		case m != nil:
			e.Value, e.Unit = split(spell(m.Stat.Value))
			e.Kind = cpus.CostMeasured
			e.Source = fmt.Sprintf("measured on %s by smpsim calibrate: %s; %s", r.Host, m.Method, m.Stat.describe())
		case sizes[f.Name] > 0:
			e.Value, e.Unit = split(size(sizes[f.Name]))
			e.Kind = cpus.CostRead
			e.Source = fmt.Sprintf("read in /sys/devices/system/cpu on %s by smpsim calibrate", r.Host)
		default:
			reason := why[f.Name]
			if reason == nil {
				reason = errNoWay
			}
			standIn(&e, base, reason)
		}
		r.Entries = append(r.Entries, e)
	}
	r.settle()
}

var errNoWay = errors.New("not to be seen from user space")

// standIn gives an entry the value that base has, and says why.
func standIn(e *cpus.PresetEntry, base *cpus.Preset, why error) {
	from := base.Entry(e.Name)
	e.Value, e.Unit, e.Follows = from.Value, from.Unit, from.Follows
	e.Kind = cpus.CostUnsourced
	if e.Follows != "" {
		e.Kind = cpus.CostFollows
	}
	e.Source = fmt.Sprintf("not measured: %s; stands in from %s", why, base.Name)
}

// ascending are the costs of which the first cannot exceed the second: those that
// [cpus.Preset.Check] compares.
var ascending = [][2]string{
	{"l1_hit", "l2_hit"},
	{"l2_hit", "llc_hit"},
	{"llc_hit", "dram"},
	{"l1_size", "l2_size"},
	{"l2_size", "llc_size"},
	{"plain_increment", "atomic"},
	{"l1_hit", "transfer_smt"},
	{"l1_hit", "transfer_llc"},
	{"l1_hit", "transfer_socket"},
	{"l1_hit", "transfer_remote"},
}

// settle lets a cost follow another where the two contradict each other: what
// stands in gives way to what was measured, and of two measured ones, whose
// difference the host's noise has swallowed, the one that should be greater.
//
// It ends: a stand-in is lowered once at most, since it follows from then on, and
// all else is raised to one of finitely many values.
func (r *Report) settle() {
	entry := func(name string) *cpus.PresetEntry {
		for i := range r.Entries {
			if r.Entries[i].Name == name {
				return &r.Entries[i]
			}
		}
		panic("calibrate: no cost " + name)
	}
	leader := func(e *cpus.PresetEntry) *cpus.PresetEntry {
		for e.Follows != "" {
			e = entry(e.Follows)
		}
		return e
	}
	for settled := false; !settled; {
		settled = true
		for _, pair := range ascending {
			lower, upper := entry(pair[0]), entry(pair[1])
			if amount(leader(lower)) <= amount(leader(upper)) {
				continue
			}
			settled = false
			giving, taking, word := upper, lower, "below"
			if lower.Kind == cpus.CostUnsourced && leader(upper).Kind != cpus.CostUnsourced {
				giving, taking, word = lower, upper, "above"
			}
			own := leader(giving)
			giving.Source += fmt.Sprintf("; its %s%s is %s that of %s, which it follows", own.Value, own.Unit, word, taking.Name)
			giving.Kind, giving.Follows = cpus.CostFollows, leader(taking).Name
		}
	}
	for i := range r.Entries {
		if e := &r.Entries[i]; e.Follows != "" {
			first := leader(e)
			e.Value, e.Unit, e.Follows = first.Value, first.Unit, first.Name
		}
	}
}

// amount returns an entry's value in the smallest unit of its kind.
func amount(e *cpus.PresetEntry) int64 {
	parse := yamlfile.ParseDuration
	if strings.HasSuffix(e.Unit, "B") {
		parse = yamlfile.ParseBytes
	}
	v, err := parse(e.Value + e.Unit)
	if err != nil {
		panic(fmt.Sprintf("calibrate: %s: %v", e.Name, err))
	}
	return v
}

// costField returns the description of a cost, or nil if there is none.
func costField(name string) *cpus.CostField {
	for i := range cpus.CostFields {
		if cpus.CostFields[i].Name == name {
			return &cpus.CostFields[i]
		}
	}
	return nil
}

// split cuts a quantity such as 5.5ns in two.
func split(text string) (value, unit string) {
	i := strings.LastIndexAny(text, "0123456789") + 1
	return text[:i], text[i:]
}

// quoted writes text as a YAML string; JSON's escapes are among YAML's.
func quoted(text string) string { return strconv.QuoteToASCII(plain(text)) }

// plain keeps the printable ASCII of a text that the host gave, such as a processor's name.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
