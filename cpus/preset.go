package cpus

import (
	"embed"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"smpsim/des"
	"smpsim/yamlfile"
)

// Preset is a machine as a data file describes it: how its CPUs are arranged and
// what things take on it, each number with where it comes from.
type Preset struct {
	// Name is the file's name without its extension.
	Name, Title string
	Topology    Topology
	Costs       Costs
	// Entries has one entry for each of [CostFields], in their order.
	Entries []PresetEntry
}

// PresetEntry is a cost as a preset gives it.
type PresetEntry struct {
	// Name and Meaning are those of the [CostField].
	Name, Meaning string
	// Value and Unit are the number as it was written, such as 35.75 and MiB.
	Value, Unit string
	// Kind says how the number is known: one of [CostKinds], or [CostGiven].
	Kind string
	// Source is where the number was read, how it was measured, or why it stands here.
	Source string
	// Anchor marks a figure that is given where the model does not predict.
	Anchor bool
	// Follows names the cost whose value this one takes, if Kind is [CostFollows].
	Follows string

	pos yamlfile.Pos
}

// How a number of a preset is known.
const (
	// CostRead was read in a source.
	CostRead = "read"
	// CostMeasured was measured on a host.
	CostMeasured = "measured"
	// CostUnsourced is a round figure, to be varied and never leaned on.
	CostUnsourced = "unsourced"
	// CostFollows takes the value of another cost.
	CostFollows = "follows"
	// CostGiven replaces the preset's number by the user's own; see [Preset.Override].
	CostGiven = "given"
)

// CostKinds are the kinds that a preset file may use.
var CostKinds = []string{CostRead, CostMeasured, CostUnsourced, CostFollows}

//go:embed presets/*.yaml
var presetFiles embed.FS

const presetDir = "presets"

// Presets returns the names of the built-in presets, sorted.
func Presets() []string {
	files, err := presetFiles.ReadDir(presetDir)
	if err != nil {
		panic(fmt.Sprintf("cpus: embedded presets: %v", err))
	}
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = presetName(f.Name())
	}
	slices.Sort(names)
	return names
}

// LoadPreset returns the built-in preset of that name. The error for a name
// that does not exist is a *yamlfile.Mistake, which lists those that do.
func LoadPreset(name string) (*Preset, error) {
	all := Presets()
	if !slices.Contains(all, name) {
		return nil, &yamlfile.Mistake{
			Message: fmt.Sprintf("%q is not a preset", name), Nearest: yamlfile.Nearest(name, all), Allowed: all,
		}
	}
	file := path.Join(presetDir, name+".yaml")
	data, err := presetFiles.ReadFile(file)
	if err != nil {
		panic(fmt.Sprintf("cpus: embedded preset: %v", err))
	}
	var problems yamlfile.Problems
	p := ParsePreset(file, data, &problems)
	return p, problems.Err()
}

// ReadPreset reads a preset from a file of the user's. It returns nil, with at
// least one problem noted, if the file has a mistake.
func ReadPreset(file string, problems *yamlfile.Problems) *Preset {
	var own yamlfile.Problems
	p := readPreset(file, yamlfile.Load(file, &own), &own)
	problems.Merge(&own)
	return p
}

// ParsePreset is [ReadPreset] for the text of a file; file is what positions say.
func ParsePreset(file string, data []byte, problems *yamlfile.Problems) *Preset {
	var own yamlfile.Problems
	p := readPreset(file, yamlfile.Parse(file, data, &own), &own)
	problems.Merge(&own)
	return p
}

// Entry returns the entry of a cost, or nil if there is no cost of that name.
func (p *Preset) Entry(name string) *PresetEntry {
	i := slices.IndexFunc(p.Entries, func(e PresetEntry) bool { return e.Name == name })
	if i < 0 {
		return nil
	}
	return &p.Entries[i]
}

// Unsourced returns the names of the costs that nobody has read or measured, in
// the order of [CostFields]: a conclusion has to survive their being halved and
// doubled.
func (p *Preset) Unsourced() []string {
	var names []string
	for _, e := range p.Entries {
		if e.Kind == CostUnsourced {
			names = append(names, e.Name)
		}
	}
	return names
}

// Scale multiplies the cost of that name by num/den, rounding down but to no
// less than one of its smallest unit unless it was zero. Costs that followed it
// in a preset keep their value. It panics if there is no such cost.
func (c *Costs) Scale(name string, num, den int64) {
	field := costField(name)
	if field == nil {
		panic(fmt.Sprintf("cpus: no cost %q to scale", name))
	}
	scale := func(v int64) int64 {
		return max(min(v, 1), int64(des.Fraction(des.Time(v), des.Time(num), des.Time(den))))
	}
	if field.Time != nil {
		*field.Time(c) = des.Time(scale(int64(*field.Time(c))))
		return
	}
	*field.Size(c) = scale(*field.Size(c))
}

// costField returns the field of that name, or nil.
func costField(name string) *CostField {
	for i := range CostFields {
		if CostFields[i].Name == name {
			return &CostFields[i]
		}
	}
	return nil
}

func costNames() []string {
	names := make([]string, len(CostFields))
	for i := range CostFields {
		names[i] = CostFields[i].Name
	}
	return names
}

func presetName(file string) string {
	return strings.TrimSuffix(filepath.Base(file), ".yaml")
}
