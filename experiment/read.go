package experiment

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"smpsim/yamlfile"
)

// reader takes a file apart. Its steps, in order: split the file into the parts that
// describe it and those that a cell consists of; apply --set; read variants and sweep
// as patches; expand and check the cells; check what refers to variants and cells.
type reader struct {
	problems  *yamlfile.Problems
	overrides []patch // of --set, in the order given
	file      *value  // the parts in fileKeys
	base      *yamlfile.Node
	variants  []variant
	axes      []axis
}

// variant is a named list of patches.
type variant struct {
	name    string
	patches []patch
}

// read reads an experiment from the tree of its file, nil if there is none. With
// problems noted, it holds what could be understood.
func read(name string, root *yamlfile.Node, overrides Overrides, problems *yamlfile.Problems) *Experiment {
	r := &reader{problems: problems}
	r.readOverrides(overrides.Set)
	if root == nil {
		return nil
	}
	e := &Experiment{File: name}
	if r.split(root) {
		r.readVariants()
		r.readSweep()
		r.checkOverlaps()
		r.checkReplaced()
		e.Cells = r.expand()
		r.describe(e)
		r.readFigures(e)
	}
	if overrides.Seed != nil {
		e.Seed = *overrides.Seed
	}
	return e
}

// readOverrides reads --set path=value. Positions count within that text.
func (r *reader) readOverrides(set []string) {
	for _, text := range set {
		before, value, ok := strings.Cut(text, "=")
		name := strings.TrimSpace(before)
		at := yamlfile.Pos{File: "--set " + name, Line: 1, Column: 1}
		if !ok || name == "" {
			at.File = "--set " + text
			r.problems.Addf(at, "expected path=value")
			continue
		}
		valueAt := at
		valueAt.Column = utf8.RuneCountInString(before) + 2
		p := patch{at: at, value: yamlfile.ParseValue(valueAt, value, r.problems)}
		if p.value == nil {
			continue
		}
		if k := findKey(fileKeys, name); k != nil && k.shape.form < formMapping {
			p.path = path{name}
		} else if p.path, ok = checkPath(name, at, r.problems); !ok {
			continue
		}
		r.overrides = append(r.overrides, p)
	}
}

// split sorts the keys of a file into those that describe it and those of its cells,
// applies the overrides to both, and checks the former.
func (r *reader) split(root *yamlfile.Node) bool {
	pairs, ok := root.Mapping(r.problems, "")
	if !ok {
		return false
	}
	file := &yamlfile.Node{Kind: yamlfile.Mapping, Pos: root.Pos}
	r.base = &yamlfile.Node{Kind: yamlfile.Mapping, Pos: root.Pos}
	for _, pair := range pairs {
		switch name := pair.Key.Text; {
		case findKey(fileKeys, name) != nil:
			file.Pairs = append(file.Pairs, pair)
		case findKey(cellKeys, name) != nil:
			r.base.Pairs = append(r.base.Pairs, pair)
		default:
			r.problems.AddUnknown(pair.Key.Pos, fmt.Sprintf("unknown key %q", name), name,
				slices.Concat(keyNames(fileKeys), keyNames(cellKeys)))
		}
	}
	for _, p := range r.overrides {
		if findKey(fileKeys, p.path[0]) != nil {
			file = p.apply(file, r.problems)
		} else {
			r.base = p.apply(r.base, r.problems)
		}
	}
	r.checkFile(file)
	return r.checkSizes()
}

// checkFile checks the parts that describe the file. Those without mistakes are kept,
// so that mistakes in the cells are found as well.
func (r *reader) checkFile(file *yamlfile.Node) {
	c := newChecker(r.problems, false)
	r.file = &value{node: file}
	for i := range fileKeys {
		k := &fileKeys[i]
		one := &yamlfile.Node{Kind: yamlfile.Mapping, Pos: file.Pos}
		if given := file.Get(k.name); given != nil {
			one.Pairs = []yamlfile.Pair{{Key: &yamlfile.Node{Kind: yamlfile.Scalar, Text: k.name}, Value: given}}
		}
		if v := c.mapping("", nil, fileKeys[i:i+1], one); v != nil {
			r.file.fields = append(r.file.fields, v.fields...)
		}
	}
}

// checkSizes refuses early what would make later steps slow.
func (r *reader) checkSizes() bool {
	ok := true
	for _, pair := range r.base.Pairs {
		k := findKey(cellKeys, pair.Key.Text)
		if k.shape.form == formNamed && len(pair.Value.Pairs) > maxNamed {
			r.problems.Addf(pair.Value.Pos, "%s: has more than %d entries", k.name, maxNamed)
			ok = false
		}
	}
	return ok
}

// readVariants reads the named patches.
func (r *reader) readVariants() {
	given := r.file.get("variants")
	if given == nil || len(given.fields) == 0 {
		r.variants = []variant{{name: BaseVariant}}
		return
	}
	for _, f := range given.fields {
		v := variant{name: f.name}
		for _, pair := range f.value.node.Pairs {
			if p, ok := checkPath(pair.Key.Text, pair.Key.Pos, r.problems); ok {
				v.patches = append(v.patches, patch{p, pair.Key.Pos, pair.Value})
			}
		}
		r.variants = append(r.variants, v)
	}
}

// checkOverlaps notes patches that would have no effect, because a later one replaces
// what they set: a file that says so was not meant so.
func (r *reader) checkOverlaps() {
	var sweep []patch
	for i, a := range r.axes {
		p := patch{path: a.path, at: a.at}
		for _, earlier := range r.axes[:i] {
			if p.voids(patch{path: earlier.path}) {
				r.problems.Addf(a.at, "replaces %s, which is swept before it", earlier.path)
			}
		}
		sweep = append(sweep, p)
	}
	for _, v := range r.variants {
		for i, p := range v.patches {
			for _, later := range slices.Concat(v.patches[i+1:], sweep) {
				if later.voids(p) {
					r.problems.Addf(p.at, "%s has no effect: %s is set after it, in line %d", p.path, later.path, later.at.Line)
				}
			}
		}
		for _, set := range r.overrides {
			for _, p := range v.patches {
				if p.voids(set) {
					r.problems.Addf(set.at, "has no effect: variant %s sets %s", v.name, p.path)
				}
			}
		}
	}
}

// checkReplaced checks the values that variants or the sweep replace, and that no cell
// may hold: what stands in a file should be right even where it is not used.
func (r *reader) checkReplaced() {
	replaced := func(p path) {
		n := find(r.base, p)
		if n == nil || isReference(n) {
			return
		}
		targets, _ := lookup(p)
		var first *yamlfile.Problems
		for _, t := range targets {
			var own yamlfile.Problems
			c := newChecker(&own, true)
			if c.check(p.String(), t.shape, n); own.Len() == 0 {
				return
			}
			if first == nil {
				first = &own
			}
		}
		r.problems.Merge(first)
	}
	for _, v := range r.variants {
		for _, p := range v.patches {
			replaced(p.path)
		}
	}
	for _, a := range r.axes {
		replaced(a.path)
	}
}

// describe fills in what the file says of itself.
func (r *reader) describe(e *Experiment) {
	text := func(key string) string {
		if v := r.file.get(key); v != nil {
			return v.text
		}
		return ""
	}
	e.Name, e.Title, e.About = text("name"), text("title"), text("about")
	if e.Title == "" {
		e.Title = e.Name
	}
	if seed, replicas := r.file.get("seed"), r.file.get("replicas"); seed != nil && replicas != nil {
		e.Seed, e.Replicas = uint64(seed.number), int(replicas.number)
	}
	e.Measure = r.measure()
	for _, v := range r.variants {
		e.Variants = append(e.Variants, v.name)
	}
	for _, a := range r.axes {
		e.Axes = append(e.Axes, a.describe())
	}
}

// measure is the metrics whose samples are kept, in file order.
func (r *reader) measure() []string {
	var names []string
	if v := r.file.get("measure"); v != nil {
		for _, item := range v.items {
			names = append(names, item.text)
		}
	}
	return names
}
