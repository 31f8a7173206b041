package cpus

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/des"
	"smpsim/yamlfile"
)

// Bounds of what a preset may say. No machine comes near them; beyond them is a
// slip of the unit, and sums of costs could leave the clock's range.
const (
	maxCost  = des.Second
	maxSize  = 1 << 40
	maxUnits = 4096
)

// presetReader turns a file's tree into a preset.
type presetReader struct {
	preset   *Preset
	problems *yamlfile.Problems
}

func readPreset(file string, root *yamlfile.Node, problems *yamlfile.Problems) *Preset {
	if root == nil {
		return nil
	}
	r := &presetReader{preset: &Preset{Name: presetName(file)}, problems: problems}
	parts := r.members(root, "", []string{"title", "topology", "costs"})
	if n := parts["title"]; n != nil {
		r.preset.Title, _ = n.Str(problems, "title")
	}
	r.topology(parts["topology"])
	r.costs(parts["costs"])
	if problems.Len() > 0 {
		return nil
	}
	r.preset.follow()
	r.preset.Check(problems)
	if problems.Len() > 0 {
		return nil
	}
	return r.preset
}

// members returns the values of a mapping that must have exactly the given keys.
func (r *presetReader) members(n *yamlfile.Node, what string, keys []string) map[string]*yamlfile.Node {
	found := map[string]*yamlfile.Node{}
	if n == nil {
		return found
	}
	pairs, ok := n.Mapping(r.problems, what)
	if !ok {
		return found
	}
	for _, pair := range pairs {
		found[pair.Key.Text] = pair.Value
	}
	prefix := ""
	if what != "" {
		prefix = what + ": "
	}
	for _, key := range keys {
		if found[key] == nil {
			r.problems.Addf(n.Pos, "%s%s is missing", prefix, key)
		}
	}
	for _, pair := range pairs {
		if key := pair.Key.Text; !slices.Contains(keys, key) {
			r.problems.AddUnknown(pair.Key.Pos, fmt.Sprintf("%sunknown key %q", prefix, key), key, keys)
		}
	}
	return found
}

func (r *presetReader) topology(n *yamlfile.Node) {
	t := &r.preset.Topology
	fields := []struct {
		name  string
		value *int
	}{{"sockets", &t.Sockets}, {"cores", &t.Cores}, {"threads", &t.Threads}, {"cores_per_llc", &t.CoresPerLLC}}
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.name
	}
	parts := r.members(n, "topology", names)
	for _, f := range fields {
		if part := parts[f.name]; part != nil {
			count, _ := part.Int(r.problems, "topology."+f.name, 1, maxUnits)
			*f.value = int(count)
		}
	}
	switch {
	case t.Sockets == 0 || t.Cores == 0 || t.Threads == 0 || t.CoresPerLLC == 0:
	case t.Cores%t.CoresPerLLC != 0:
		r.problems.Addf(parts["cores_per_llc"].Pos, "topology.cores_per_llc: %d does not divide the %d cores of a socket", t.CoresPerLLC, t.Cores)
	case t.CPUs() > maxUnits:
		r.problems.Addf(n.Pos, "topology: %d CPUs, which is above %d", t.CPUs(), maxUnits)
	}
}

func (r *presetReader) costs(n *yamlfile.Node) {
	parts := r.members(n, "costs", costNames())
	for i := range CostFields {
		field := &CostFields[i]
		entry := PresetEntry{Name: field.Name, Meaning: field.Meaning, Anchor: field.Anchor}
		if part := parts[field.Name]; part != nil {
			r.cost(field, part, &entry)
		}
		r.preset.Entries = append(r.preset.Entries, entry)
	}
	for i := range r.preset.Entries {
		r.checkFollows(&r.preset.Entries[i])
	}
}

// cost reads one entry: {value, kind, source}.
func (r *presetReader) cost(field *CostField, n *yamlfile.Node, e *PresetEntry) {
	what := "costs." + field.Name
	e.pos = n.Pos
	parts := r.members(n, what, []string{"value", "kind", "source"})
	if part := parts["kind"]; part != nil {
		e.Kind, _ = part.OneOf(r.problems, what+".kind", CostKinds)
	}
	if part := parts["source"]; part != nil {
		source, _ := part.Str(r.problems, what+".source")
		e.Source = strings.Join(strings.Fields(source), " ")
		if part.Kind == yamlfile.Scalar && e.Source == "" {
			r.problems.Addf(part.Pos, "%s.source: is empty: say where the number comes from", what)
		}
	}
	part := parts["value"]
	if part == nil {
		return
	}
	e.pos = part.Pos
	if e.Kind == CostFollows {
		e.Follows, _ = part.OneOf(r.problems, what+".value", costNames())
		return
	}
	if field.set(&r.preset.Costs, part, r.problems, what+".value") {
		e.Value, e.Unit = splitUnit(part.Text)
	}
}

// checkFollows rejects a cost that follows itself, a follower, or another kind of quantity.
func (r *presetReader) checkFollows(e *PresetEntry) {
	if e.Follows == "" {
		return
	}
	leader := r.preset.Entry(e.Follows)
	switch {
	case leader.Kind == CostFollows:
		r.problems.Addf(e.pos, "costs.%s.value: %s follows another cost itself: name that one", e.Name, e.Follows)
	case (costField(e.Name).Time == nil) != (costField(e.Follows).Time == nil):
		r.problems.Addf(e.pos, "costs.%s.value: %s is another kind of quantity", e.Name, e.Follows)
	}
}

// set reads the field's value from a node and reports whether it could.
func (f *CostField) set(c *Costs, n *yamlfile.Node, problems *yamlfile.Problems, what string) bool {
	if f.Size != nil {
		size, ok := n.Bytes(problems, what, LineSize, maxSize)
		if ok {
			*f.Size(c) = size
		}
		return ok
	}
	lowest := des.Picosecond
	if f.mayBeFree() {
		lowest = 0
	}
	cost, ok := n.Duration(problems, what, int64(lowest), int64(maxCost))
	if ok {
		*f.Time(c) = des.Time(cost)
	}
	return ok
}

// mayBeFree reports whether zero makes sense: to ask what it would be like if
// something took no time. Without a price on memory and polling, tasks could go
// on for ever within one instant.
func (f *CostField) mayBeFree() bool {
	switch f.Name {
	case "fence", "bh_pair", "syscall", "switch_thread", "switch_process", "wake_idle", "wake_waker", "tick":
		return true
	default:
		return f.Anchor
	}
}

// splitUnit cuts a quantity such as 5.5ns in two.
func splitUnit(text string) (value, unit string) {
	i := strings.LastIndexAny(text, "0123456789") + 1
	return text[:i], text[i:]
}
