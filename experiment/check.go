package experiment

import (
	"fmt"

	"smpsim/yamlfile"
)

// value is a checked value with its defaults filled in. Entries of lists and named
// parts that are wrong are missing from it.
type value struct {
	shape   *shape
	node    *yamlfile.Node // where it stands; of a default, a node without position
	text    string         // the text of a scalar
	number  int64          // of a count, size, duration, percentage or bool, in its smallest unit
	parsed  any            // a yamlfile.Distribution, an Amount or a Figure
	items   []*value       // of a list
	fields  []field        // of a mapping in the schema's order, of names and paths in the file's
	decided string         // of a choice: the key that decides it
}

// field is a named part of a value.
type field struct {
	name  string
	value *value
}

// get is a field of v, or nil if v lacks it.
func (v *value) get(name string) *value {
	for i := range v.fields {
		if v.fields[i].name == name {
			return v.fields[i].value
		}
	}
	return nil
}

// checker turns nodes into values and notes what is wrong with them.
type checker struct {
	problems *yamlfile.Problems
	env      env
	// refs: scalars that still read $path are passed over, because the mistake, or the
	// check with its value, is elsewhere.
	refs bool
	// memo holds what was checked before. Cells share nodes, so that most of a sweep is
	// checked once.
	memo map[memoKey]*value
	// defaults holds values that were left out, by their shape and text.
	defaults map[defaultKey]*value
}

func newChecker(problems *yamlfile.Problems, refs bool) *checker {
	return &checker{
		problems: problems, refs: refs,
		memo: make(map[memoKey]*value), defaults: make(map[defaultKey]*value),
	}
}

type memoKey struct {
	node  *yamlfile.Node
	shape *shape
	env   env
}

type defaultKey struct {
	shape *shape
	text  string
}

var (
	emptyMapping = &yamlfile.Node{Kind: yamlfile.Mapping}
	emptyList    = &yamlfile.Node{Kind: yamlfile.Sequence}
)

// empty is what stands for a filled key that was left out.
func (k *key) empty() *yamlfile.Node {
	if k.shape.form == formList {
		return emptyList
	}
	return emptyMapping
}

// check is the value of a node, or nil if it is wrong. what is its path.
func (c *checker) check(what string, s *shape, n *yamlfile.Node) *value {
	if n.Kind == yamlfile.Scalar {
		return c.fresh(what, s, n)
	}
	key := memoKey{n, s, c.env}
	v, known := c.memo[key]
	if !known {
		v = c.fresh(what, s, n)
		c.memo[key] = v
	}
	return v
}

func (c *checker) fresh(what string, s *shape, n *yamlfile.Node) *value {
	if c.refs && isReference(n) {
		return nil
	}
	switch s.form {
	case formMapping:
		return c.mapping(what, s, s.keys, n)
	case formChoice:
		return c.choice(what, s, n)
	case formNamed:
		return c.named(what, s, n)
	case formList:
		return c.list(what, s, n)
	case formEither:
		return c.either(what, s, n)
	case formSteps:
		return c.steps(what, s, n)
	case formTree:
		return c.tree(what, s, n)
	case formPaths:
		return c.paths(what, s, n)
	default:
		return c.scalar(what, s, n)
	}
}

// mapping checks the keys of a mapping, and fills in those left out.
func (c *checker) mapping(what string, s *shape, keys []key, n *yamlfile.Node) *value {
	pairs, ok := n.Mapping(c.problems, what)
	if !ok {
		return nil
	}
	keys = opened(keys, n)
	for _, pair := range pairs {
		if findKey(keys, pair.Key.Text) == nil {
			c.unknownKey(what, pair.Key, keyNames(keys))
			ok = false
		}
	}
	v := &value{shape: s, node: n, fields: make([]field, 0, len(keys))}
	for i := range keys {
		k := &keys[i]
		given := n.Get(k.name)
		var part *value
		switch text := k.missing(c.env); {
		case given == nil && k.required:
			c.problems.Addf(n.Pos, "%s%s is missing", prefix(what), k.name)
		case given == nil && text != "":
			part = c.byDefault(k.shape, text)
		case given == nil && k.filled:
			part = c.check(join(what, k.name), k.shape, k.empty())
		case given == nil:
			continue
		default:
			part = c.check(join(what, k.name), k.shape, given)
		}
		if part == nil {
			ok = false
			continue
		}
		v.fields = append(v.fields, field{k.name, part})
	}
	if !ok {
		return nil
	}
	return v
}

// byDefault is the value of a key that was left out.
func (c *checker) byDefault(s *shape, text string) *value {
	key := defaultKey{s, text}
	v, known := c.defaults[key]
	if !known {
		v = c.check("default", s, &yamlfile.Node{Kind: yamlfile.Scalar, Text: text})
		c.defaults[key] = v
	}
	return v
}

// opened is the keys of a mapping: those given, or those that one of its words opens.
func opened(keys []key, n *yamlfile.Node) []key {
	for i := range keys {
		if keys[i].shape.opens == nil {
			continue
		}
		if word := n.Get(keys[i].name); word != nil && keys[i].shape.opens[word.Text] != nil {
			return keys[i].shape.opens[word.Text]
		}
	}
	return keys
}

func (c *checker) unknownKey(what string, key *yamlfile.Node, allowed []string) {
	place := ""
	if what != "" {
		place = " in " + what
	}
	message := fmt.Sprintf("unknown key %q%s", key.Text, place)
	if len(allowed) == 0 {
		message += ": write {}"
	}
	c.problems.AddUnknown(key.Pos, message, key.Text, allowed)
}

func prefix(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}

func join(what, name string) string {
	if what == "" {
		return name
	}
	return what + "." + name
}
