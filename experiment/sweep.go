package experiment

import (
	"math/bits"
	"slices"

	"smpsim/yamlfile"
)

// Limits of an experiment's size, so that a slip in a sweep does not fill the memory.
const (
	MaxCells = 100_000
	// maxWork bounds cells times values in the file, to a few seconds of checking.
	maxWork = 100_000_000
	maxAxes = 32
)

// axis is a swept path.
type axis struct {
	path    path
	at      yamlfile.Pos
	values  []*yamlfile.Node
	derived bool // its single value is a reference
}

func (a axis) describe() Axis {
	d := Axis{Path: a.path.String(), Derived: a.derived}
	for _, v := range a.values {
		d.Values = append(d.Values, v.Flow())
	}
	return d
}

// readSweep reads the grid. A --set of a swept path leaves that value alone to sweep.
func (r *reader) readSweep() {
	given := r.file.get("sweep")
	if given == nil {
		return
	}
	if len(given.fields) > maxAxes {
		r.problems.Addf(given.node.Pos, "sweep: has more than %d paths", maxAxes)
		return
	}
	for _, pair := range given.node.Pairs {
		p, ok := checkPath(pair.Key.Text, pair.Key.Pos, r.problems)
		if !ok {
			continue
		}
		a := axis{path: p, at: pair.Key.Pos, values: []*yamlfile.Node{pair.Value}}
		if pair.Value.Kind == yamlfile.Sequence {
			a.values = pair.Value.Items
		}
		if len(a.values) == 0 {
			r.problems.Addf(pair.Value.Pos, "sweep.%s: is empty", p)
			continue
		}
		r.checkRepeats(a)
		for _, set := range r.overrides {
			switch {
			case slices.Equal(set.path, p):
				a.values = []*yamlfile.Node{set.value}
			case p.covers(set.path):
				r.problems.Addf(set.at, "has no effect: the sweep sets %s", p)
			}
		}
		a.derived = len(a.values) == 1 && isReference(a.values[0])
		r.axes = append(r.axes, a)
	}
}

// checkRepeats notes values that a swept path has twice: their cells would be equal.
func (r *reader) checkRepeats(a axis) {
	seen := make(map[string]bool, len(a.values))
	for _, v := range a.values {
		text := v.Flow()
		if seen[text] {
			r.problems.Addf(v.Pos, "sweep.%s: %s stands in the list already", a.path, text)
		}
		seen[text] = true
	}
}

// expand makes the cells: every variant at every point of the grid.
func (r *reader) expand() []Cell {
	cells, ok := r.countCells()
	if !ok {
		return nil
	}
	x := &expansion{
		reader:  r,
		checker: newChecker(r.problems, true),
		measure: r.measure(),
		cells:   make([]Cell, 0, cells),
		refs:    r.hasReferences(),
	}
	slices.Sort(x.measure)
	x.measure = slices.Compact(x.measure)
	for _, v := range r.variants {
		tree := r.base
		for _, p := range v.patches {
			tree = p.apply(tree, r.problems)
		}
		x.variant = v.name
		x.along(0, tree)
	}
	return x.cells
}

// countCells is the number of cells, or false if there are too many to go on.
func (r *reader) countCells() (int, bool) {
	total := uint64(len(r.variants))
	for _, a := range r.axes {
		high, low := bits.Mul64(total, uint64(len(a.values)))
		if high > 0 || low > MaxCells {
			r.problems.Addf(a.at, "the sweep makes more than %d cells: %d before %s, which has %d values",
				MaxCells, total, a.path, len(a.values))
			return 0, false
		}
		total = low
	}
	if size := uint64(countNodes(r.base) + len(r.axes)); total*size > maxWork {
		at := r.file.node.Pos
		if len(r.axes) > 0 {
			at = r.axes[0].at
		}
		r.problems.Addf(at, "%d cells of %d values each are too many", total, size)
		return 0, false
	}
	return int(total), true
}

func countNodes(n *yamlfile.Node) int {
	nodes := 1
	for _, item := range n.Items {
		nodes += countNodes(item)
	}
	for _, pair := range n.Pairs {
		nodes += countNodes(pair.Value)
	}
	return nodes
}

func (r *reader) hasReferences() bool {
	if hasReference(r.base) {
		return true
	}
	for _, v := range r.variants {
		if slices.ContainsFunc(v.patches, func(p patch) bool { return hasReference(p.value) }) {
			return true
		}
	}
	return slices.ContainsFunc(r.axes, func(a axis) bool { return slices.ContainsFunc(a.values, hasReference) })
}

// expansion walks the grid for one variant after another.
type expansion struct {
	*reader
	checker *checker
	variant string
	measure []string // sorted, each once
	refs    bool     // there are references somewhere
	cells   []Cell
}

// along gives the axis its values one by one, and makes a cell behind the last axis.
func (x *expansion) along(axis int, tree *yamlfile.Node) {
	if x.problems.Full() {
		return
	}
	if axis == len(x.axes) {
		x.finish(tree)
		return
	}
	a := x.axes[axis]
	for _, v := range a.values {
		p := patch{a.path, a.at, v}
		x.along(axis+1, p.apply(tree, x.problems))
	}
}

// finish checks a cell's tree as a whole and appends the cell. A cell with mistakes is
// appended as well, as far as it can be understood: what refers to it is checked then,
// and nobody else sees it.
func (x *expansion) finish(tree *yamlfile.Node) {
	if x.refs {
		tree = references{tree, x.problems}.resolve(tree)
	}
	x.checker.env = env{timed: tree.Get("stop").Get("after") != nil, explores: tree.Get("explore") != nil}
	resolved := x.checker.cell(tree)
	cell := decodeCell(resolved)
	cell.Variant, cell.measure, cell.resolved = x.variant, x.measure, resolved
	for _, a := range x.axes {
		p := Param{Path: a.path.String(), Derived: a.derived}
		if v := find(tree, a.path); v != nil {
			p.Value = v.Flow()
		}
		cell.Params = append(cell.Params, p)
	}
	consistency{&cell, resolved, tree, x.problems}.check()
	x.cells = append(x.cells, cell)
}

// cell checks the sections of a cell. In place of one that is wrong or missing stands
// an empty one, so that the others can be checked against each other.
func (c *checker) cell(tree *yamlfile.Node) *value {
	v := &value{shape: cellShape, node: tree}
	for i := range cellKeys {
		k := &cellKeys[i]
		given := tree.Get(k.name)
		switch {
		case given == nil && k.required:
			c.problems.Addf(tree.Pos, "%s is missing", k.name)
		case given == nil && !k.filled:
			continue
		}
		var section *value
		if given != nil {
			section = c.check(k.name, k.shape, given)
		}
		if section == nil {
			section = c.check(k.name, k.shape, k.empty())
		}
		v.fields = append(v.fields, field{k.name, section})
	}
	return v
}
