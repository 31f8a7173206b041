package experiment

import (
	"fmt"
	"slices"
	"strconv"

	"smpsim/yamlfile"
)

// patch replaces the value at a path.
type patch struct {
	path  path
	at    yamlfile.Pos // where the path is written
	value *yamlfile.Node
}

// apply is the tree with the patch, sharing whatever did not change. The path must be
// in the schema; it need not be in the tree, except for the names of tasks and objects
// and the entries of lists that it leads through.
func (p patch) apply(tree *yamlfile.Node, problems *yamlfile.Problems) *yamlfile.Node {
	return p.set(tree, 0, problems)
}

func (p patch) set(n *yamlfile.Node, depth int, problems *yamlfile.Problems) *yamlfile.Node {
	if depth == len(p.path) {
		return p.value
	}
	segment := p.path[depth]
	switch {
	case n == nil || n.Kind == yamlfile.Null:
		n = &yamlfile.Node{Kind: yamlfile.Mapping, Pos: p.value.Pos}
	case n.Kind == yamlfile.Sequence:
		index, err := strconv.Atoi(segment)
		if err != nil || index >= len(n.Items) {
			problems.Addf(p.at, "%s: there are %d entries, of which the first is 0", p.path[:depth+1], len(n.Items))
			return n
		}
		changed := *n
		changed.Items = slices.Clone(n.Items)
		changed.Items[index] = p.set(n.Items[index], depth+1, problems)
		return &changed
	case n.Kind == yamlfile.Scalar:
		return n // whoever checks the section says what it should be
	}
	changed := *n
	for i := range n.Pairs {
		if n.Pairs[i].Key.Text == segment {
			changed.Pairs = slices.Clone(n.Pairs)
			changed.Pairs[i].Value = p.set(n.Pairs[i].Value, depth+1, problems)
			return &changed
		}
	}
	if p.leadsThroughName(depth) {
		p.noSuchName(n, depth, problems)
		return n
	}
	name := &yamlfile.Node{Kind: yamlfile.Scalar, Pos: p.at, Text: segment}
	changed.Pairs = append(slices.Clip(n.Pairs), yamlfile.Pair{Key: name, Value: p.set(nil, depth+1, problems)})
	return &changed
}

// leadsThroughName reports whether the segment names a task or an object of which the
// patch would change a part: if there is none, the name is misspelt.
func (p patch) leadsThroughName(depth int) bool {
	targets, _ := lookup(p.path[:depth])
	named := slices.ContainsFunc(targets, func(t target) bool { return t.shape.form == formNamed })
	return named && depth+1 < len(p.path)
}

func (p patch) noSuchName(n *yamlfile.Node, depth int, problems *yamlfile.Problems) {
	names := make([]string, 0, len(n.Pairs))
	for _, pair := range n.Pairs {
		names = append(names, pair.Key.Text)
	}
	problems.AddUnknown(p.at, fmt.Sprintf("%s has no %s", p.path[:depth], p.path[depth]), p.path[depth], names)
}

// find is the node at a path, or nil.
func find(n *yamlfile.Node, p path) *yamlfile.Node {
	for _, segment := range p {
		if n == nil {
			return nil
		}
		if n.Kind != yamlfile.Sequence {
			n = n.Get(segment)
			continue
		}
		index, err := strconv.Atoi(segment)
		if err != nil || index < 0 || index >= len(n.Items) {
			return nil
		}
		n = n.Items[index]
	}
	return n
}

// voids reports whether a later patch leaves nothing of an earlier one.
func (p patch) voids(earlier patch) bool { return p.path.covers(earlier.path) }
