package experiment

import (
	"slices"
	"strconv"
	"strings"

	"smpsim/yamlfile"
)

// path is a dotted path into a cell, in segments.
type path []string

func (p path) String() string { return strings.Join(p, ".") }

// covers reports whether replacing p replaces q as well.
func (p path) covers(q path) bool {
	return len(p) <= len(q) && slices.Equal(p, q[:len(p)])
}

// target is what a path may lead to. A path into a choice can have several, of which
// the file's own keys decide.
type target struct {
	shape *shape
	key   *key // nil for what has no key of its own, such as a named task
}

// checkPath splits a dotted path and wants the schema to know it.
func checkPath(text string, at yamlfile.Pos, problems *yamlfile.Problems) (path, bool) {
	p := path(strings.Split(text, "."))
	if findKey(fileKeys, p[0]) != nil {
		problems.Addf(at, "%s describes the whole file: a path leads into %s", p[0], strings.Join(keyNames(cellKeys), ", "))
		return nil, false
	}
	if _, ok := lookup(p); ok {
		return p, true
	}
	m := yamlfile.Mistake{Message: "unknown path " + strconv.Quote(text), Nearest: nearestPath(p)}
	if m.Nearest == "" {
		m.Allowed = segmentsAfter(p.known())
	}
	problems.Add(at, m)
	return nil, false
}

// known is the longest beginning of a path that the schema knows.
func (p path) known() path {
	for i := range p {
		if _, ok := lookup(p[:i+1]); !ok {
			return p[:i]
		}
	}
	return p
}

// lookup is everything a path may lead to, or false if the schema does not know it.
func lookup(p path) ([]target, bool) {
	targets := []target{{shape: cellShape}}
	for _, segment := range p {
		var next []target
		for _, t := range targets {
			next = append(next, t.shape.below(segment)...)
		}
		if targets = next; len(targets) == 0 {
			return nil, false
		}
	}
	return targets, true
}

// below is what one segment of a path may lead to from s.
func (s *shape) below(segment string) []target {
	switch s.form {
	case formMapping:
		if k := findKey(s.keys, segment); k != nil {
			return []target{{k.shape, k}}
		}
	case formChoice:
		var targets []target
		for _, k := range candidateKeys(s, segment) {
			targets = append(targets, target{k.shape, k})
		}
		return targets
	case formNamed:
		if spellings[s.names.form].pattern.MatchString(segment) {
			return []target{{shape: s.item}}
		}
	case formList:
		if _, err := strconv.ParseUint(segment, 10, 16); err == nil {
			return []target{{shape: s.item}}
		}
	case formEither:
		var targets []target
		for _, one := range s.either {
			targets = append(targets, one.below(segment)...)
		}
		return targets
	case formTree:
		if spellings[formName].pattern.MatchString(segment) {
			return []target{{shape: s}, {shape: s.item}}
		}
	}
	return nil
}

// nearestPath is the path that p is most likely a slip of: one with a segment
// corrected, or the only one that p is the end of.
func nearestPath(p path) string {
	if len(p) > maxPathSegments {
		return ""
	}
	fixed := slices.Clone(p)
	for i := len(fixed.known()); i < len(fixed); i = len(fixed.known()) {
		fixed[i] = yamlfile.Nearest(fixed[i], segmentsAfter(fixed[:i]))
		if _, ok := lookup(fixed[:i+1]); !ok {
			return endingIn(p)
		}
	}
	return fixed.String()
}

const maxPathSegments = 16

// segmentsAfter is the names that may follow a path, each once.
func segmentsAfter(p path) []string {
	targets, _ := lookup(p)
	var names []string
	add := func(keys []key) {
		for _, name := range keyNames(keys) {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, t := range targets {
		add(t.shape.keys)
		for _, a := range t.shape.alternatives {
			add(a.keys)
			for _, word := range a.keys[0].shape.words {
				add(a.keys[0].shape.opens[word])
			}
		}
	}
	return names
}

// endingIn is the only path without chosen names that ends in p, or empty.
func endingIn(p path) string {
	found := ""
	var walk func(at path, s *shape)
	walk = func(at path, s *shape) {
		if len(at) > len(p) && p.equalEnd(at) {
			if found != "" {
				found = "several"
				return
			}
			found = at.String()
		}
		for i := range s.keys {
			walk(append(slices.Clip(at), s.keys[i].name), s.keys[i].shape)
		}
	}
	walk(nil, cellShape)
	if found == "several" {
		return ""
	}
	return found
}

func (p path) equalEnd(of path) bool { return slices.Equal(p, of[len(of)-len(p):]) }

func findKey(keys []key, name string) *key {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	return nil
}

func keyNames(keys []key) []string {
	names := make([]string, 0, len(keys))
	for _, k := range keys {
		names = append(names, k.name)
	}
	return names
}

func alternativeNames(s *shape) []string {
	names := make([]string, 0, len(s.alternatives))
	for _, a := range s.alternatives {
		names = append(names, a.name())
	}
	return names
}

// candidateKeys is every key of a name among the alternatives of a choice.
func candidateKeys(s *shape, name string) []*key {
	var found []*key
	add := func(keys []key) {
		if k := findKey(keys, name); k != nil && !slices.ContainsFunc(found, func(f *key) bool { return f.shape == k.shape }) {
			found = append(found, k)
		}
	}
	for i := range s.alternatives {
		a := &s.alternatives[i]
		add(a.keys)
		first := a.keys[0].shape
		for _, word := range first.words {
			add(first.opens[word])
		}
	}
	return found
}
