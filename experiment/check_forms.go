package experiment

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"smpsim/yamlfile"
)

// choice checks a mapping whose first keys decide which others it may have.
func (c *checker) choice(what string, s *shape, n *yamlfile.Node) *value {
	pairs, ok := n.Mapping(c.problems, what)
	if !ok {
		return nil
	}
	var decided *alternative
	for i := range s.alternatives {
		a := &s.alternatives[i]
		given := n.Get(a.name())
		if given == nil {
			continue
		}
		if decided != nil {
			c.problems.Addf(n.Pos, "%shas both %s and %s: one of them", prefix(what), decided.name(), a.name())
			return nil
		}
		decided = a
	}
	if decided == nil {
		c.undecided(what, s, n, pairs)
		return nil
	}
	v := c.mapping(what, s, decided.keys, n)
	if v != nil {
		v.decided = decided.name()
	}
	return v
}

// undecided notes that no alternative's key is there, and which one was meant.
func (c *checker) undecided(what string, s *shape, n *yamlfile.Node, pairs []yamlfile.Pair) {
	names := alternativeNames(s)
	for _, pair := range pairs {
		if candidateKeys(s, pair.Key.Text) == nil {
			c.unknownKey(what, pair.Key, names)
			return
		}
	}
	c.problems.Add(n.Pos, yamlfile.Mistake{Message: prefix(what) + "does not say what it is: one of these keys is needed", Allowed: names})
}

// named keeps the entries that are right when others are wrong, so that mistakes
// elsewhere are found as well.
func (c *checker) named(what string, s *shape, n *yamlfile.Node) *value {
	pairs, ok := n.Mapping(c.problems, what)
	if !ok || !c.length(what, s, n, len(pairs)) {
		return nil
	}
	v := &value{shape: s, node: n, fields: make([]field, 0, len(pairs))}
	for _, pair := range pairs {
		path := join(what, pair.Key.Text)
		name, item := c.check(path, s.names, pair.Key), c.check(path, s.item, pair.Value)
		if name != nil && item != nil {
			v.fields = append(v.fields, field{pair.Key.Text, item})
		}
	}
	return v
}

// list keeps what is right, as named does.
func (c *checker) list(what string, s *shape, n *yamlfile.Node) *value {
	items, ok := n.Sequence(c.problems, what)
	if !ok || !c.length(what, s, n, len(items)) {
		return nil
	}
	v := &value{shape: s, node: n, items: make([]*value, 0, len(items))}
	for i, item := range items {
		if part := c.check(join(what, strconv.Itoa(i)), s.item, item); part != nil {
			v.items = append(v.items, part)
		}
	}
	return v
}

func (c *checker) length(what string, s *shape, n *yamlfile.Node, entries int) bool {
	switch entries := int64(entries); {
	case entries < s.low:
		c.problems.Addf(n.Pos, "%sis empty", prefix(what))
	case entries > s.high:
		c.problems.Addf(n.Pos, "%shas more than %d entries", prefix(what), s.high)
	default:
		return true
	}
	return false
}

// either checks a node against the first shape whose form it has: a word that is
// one of the words, otherwise a scalar, a list or a mapping.
func (c *checker) either(what string, s *shape, n *yamlfile.Node) *value {
	var names, forms []string
	for _, one := range s.either {
		switch {
		case one.form == formWord && n.Kind == yamlfile.Scalar && slices.Contains(one.words, n.Text),
			one.form == formList && n.Kind == yamlfile.Sequence:
			return c.check(what, one, n)
		case one.form == formWord:
			names = append(names, one.words...)
		case one.form != formList && n.Kind == yamlfile.Scalar && startsNumber(n.Text):
			return c.check(what, one, n)
		default:
			forms = append(forms, one.describe())
		}
	}
	message := fmt.Sprintf("%s%q is not allowed here", prefix(what), n.Text)
	if n.Origin != "" {
		message += fmt.Sprintf(" (from %s)", n.Origin)
	}
	switch n.Kind {
	case yamlfile.Null:
		message = prefix(what) + "has no value"
	case yamlfile.Sequence, yamlfile.Mapping:
		message = prefix(what) + "is not of a form that is allowed here"
	}
	c.problems.Add(n.Pos, yamlfile.Mistake{
		Message: message, Nearest: yamlfile.Nearest(n.Text, names), Allowed: append(names, forms...),
	})
	return nil
}

// startsNumber reports whether text looks like a quantity rather than a word.
func startsNumber(text string) bool {
	return text != "" && (text[0] >= '0' && text[0] <= '9' || strings.ContainsAny(text[:1], "-+."))
}

// steps wants each step to be a word or a mapping; what it means is compiled elsewhere.
func (c *checker) steps(what string, s *shape, n *yamlfile.Node) *value {
	items, ok := n.Sequence(c.problems, what)
	if !ok || !c.length(what, s, n, len(items)) {
		return nil
	}
	for i, item := range items {
		if item.Kind != yamlfile.Scalar && (item.Kind != yamlfile.Mapping || len(item.Pairs) == 0) {
			c.problems.Addf(item.Pos, "%s.%d: a step is an operation's name, or a mapping that begins with it", what, i)
			ok = false
		}
	}
	if !ok {
		return nil
	}
	return &value{shape: s, node: n}
}

// tree flattens nested mappings into dotted paths.
func (c *checker) tree(what string, s *shape, n *yamlfile.Node) *value {
	v := &value{shape: s, node: n}
	ok := true
	var walk func(path string, n *yamlfile.Node)
	walk = func(path string, n *yamlfile.Node) {
		for _, pair := range n.Pairs {
			below := join(path, pair.Key.Text)
			if c.check(what, nameShape, pair.Key) == nil {
				ok = false
				continue
			}
			if pair.Value.Kind == yamlfile.Mapping {
				walk(below, pair.Value)
				continue
			}
			leaf := c.check(join(what, below), s.item, pair.Value)
			ok = ok && leaf != nil
			v.fields = append(v.fields, field{below, leaf})
		}
	}
	if _, isMapping := n.Mapping(c.problems, what); !isMapping {
		return nil
	}
	walk("", n)
	if !ok {
		return nil
	}
	return v
}

// paths keeps the pairs as they are; who asked for them knows the paths.
func (c *checker) paths(what string, s *shape, n *yamlfile.Node) *value {
	pairs, ok := n.Mapping(c.problems, what)
	if !ok || !c.length(what, s, n, len(pairs)) {
		return nil
	}
	v := &value{shape: s, node: n}
	for _, pair := range pairs {
		v.fields = append(v.fields, field{pair.Key.Text, &value{node: pair.Value}})
	}
	return v
}
