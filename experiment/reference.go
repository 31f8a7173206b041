package experiment

import (
	"slices"
	"strings"

	"smpsim/yamlfile"
)

// A reference is an unquoted scalar $path: it stands for the single value at that path
// in the same cell.

func isReference(n *yamlfile.Node) bool {
	return n.Kind == yamlfile.Scalar && !n.Quoted && strings.HasPrefix(n.Text, "$")
}

// hasReference reports whether there is a reference in n or below it.
func hasReference(n *yamlfile.Node) bool {
	if isReference(n) {
		return true
	}
	for _, item := range n.Items {
		if hasReference(item) {
			return true
		}
	}
	for _, pair := range n.Pairs {
		if hasReference(pair.Value) {
			return true
		}
	}
	return false
}

// references resolves the references of one cell.
type references struct {
	cell     *yamlfile.Node // the tree before any is resolved
	problems *yamlfile.Problems
}

// resolve is n with values in place of references, sharing what holds none. A
// reference that cannot be resolved stays, after its mistake has been noted.
func (r references) resolve(n *yamlfile.Node) *yamlfile.Node {
	switch {
	case isReference(n):
		if value, ok := r.follow(n); ok {
			return value
		}
	case n.Kind == yamlfile.Sequence:
		var items []*yamlfile.Node
		for i, item := range n.Items {
			if resolved := r.resolve(item); resolved != item {
				if items == nil {
					items = append(items, n.Items...)
				}
				items[i] = resolved
			}
		}
		if items != nil {
			changed := *n
			changed.Items = items
			return &changed
		}
	case n.Kind == yamlfile.Mapping:
		var pairs []yamlfile.Pair
		for i, pair := range n.Pairs {
			if resolved := r.resolve(pair.Value); resolved != pair.Value {
				if pairs == nil {
					pairs = append(pairs, n.Pairs...)
				}
				pairs[i].Value = resolved
			}
		}
		if pairs != nil {
			changed := *n
			changed.Pairs = pairs
			return &changed
		}
	}
	return n
}

// follow is the value that a reference stands for, standing where the reference does.
func (r references) follow(start *yamlfile.Node) (*yamlfile.Node, bool) {
	var chain []string
	for n := start; ; {
		chain = append(chain, n.Text)
		p, ok := checkPath(n.Text[1:], start.Pos, r.problems)
		if !ok {
			return nil, false
		}
		next := find(r.cell, p)
		switch {
		case next == nil:
			if next = defaultAt(p); next == nil {
				r.problems.Addf(start.Pos, "%s has no value in this cell", n.Text)
				return nil, false
			}
		case next.Kind != yamlfile.Scalar:
			r.problems.Addf(start.Pos, "%s is not a single value", n.Text)
			return nil, false
		}
		if !isReference(next) {
			value := *next
			value.Pos, value.Origin = start.Pos, start.Text
			return &value, true
		}
		switch n = next; {
		case slices.Contains(chain, n.Text):
			r.problems.Addf(start.Pos, "the references go in a circle: %s", strings.Join(append(chain, n.Text), " -> "))
			return nil, false
		case len(chain) == mostReferences:
			r.problems.Addf(start.Pos, "%s leads through more than %d other references", start.Text, mostReferences)
			return nil, false
		}
	}
}

// mostReferences bounds a chain of references, so that hostile files stay cheap.
const mostReferences = 16

// defaultAt is the default of a path, or nil if it has none that holds in every cell.
func defaultAt(p path) *yamlfile.Node {
	targets, _ := lookup(p)
	if len(targets) != 1 || targets[0].key == nil {
		return nil
	}
	k := targets[0].key
	if k.def == "" || k.defTimed != "" || k.defExplored != "" {
		return nil
	}
	return &yamlfile.Node{Kind: yamlfile.Scalar, Text: k.def}
}
