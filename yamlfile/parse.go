package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"gopkg.in/yaml.v3"
)

// Limits of a file. An experiment has a few hundred nodes and six levels.
const (
	MaxBytes = 1 << 20
	MaxDepth = 64
	MaxNodes = 200_000 // with every alias counted where it is used
)

// Load reads a file. It returns nil, with at least one problem noted, if there is
// nothing to read on with.
func Load(path string, problems *Problems) *Node {
	whole := Pos{File: path}
	file, err := os.Open(path)
	if err != nil {
		problems.Addf(whole, "cannot read the file: %v", reason(err))
		return nil
	}
	defer file.Close()
	if info, err := file.Stat(); err == nil && info.IsDir() {
		problems.Addf(whole, "is a directory, not a file")
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(file, MaxBytes+1))
	if err != nil {
		problems.Addf(whole, "cannot read the file: %v", reason(err))
		return nil
	}
	return Parse(path, data, problems)
}

// reason leaves out the path, which the position says already.
func reason(err error) error {
	var pathError *fs.PathError
	if errors.As(err, &pathError) {
		return pathError.Err
	}
	return err
}

// Parse reads the text of a file; name is what positions say. The result is as
// Load's.
func Parse(name string, data []byte, problems *Problems) *Node {
	return parse(Pos{File: name, Line: 1, Column: 1}, data, problems)
}

// ParseValue reads one value given outside a file, whose text starts at a place.
// Brackets and quotes are YAML; anything else is the text itself, so that a shell's
// words need no second quoting.
func ParseValue(at Pos, text string, problems *Problems) *Node {
	trimmed := strings.TrimSpace(text)
	if trimmed == "" {
		return &Node{Kind: Null, Pos: at}
	}
	if !strings.ContainsAny(trimmed[:1], `[{"'`) {
		return &Node{Kind: Scalar, Pos: at, Text: trimmed}
	}
	return parse(at, []byte(text), problems)
}

// parse reads a text whose first character stands at a place.
func parse(at Pos, data []byte, problems *Problems) *Node {
	if len(data) > MaxBytes {
		problems.Addf(Pos{File: at.File}, "is larger than %d bytes", MaxBytes)
		return nil
	}
	if !checkCharacters(at, data, problems) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var document, second yaml.Node
	switch err := decode(dec, &document); {
	case err == io.EOF:
		problems.Addf(at, "is empty")
		return nil
	case err != nil:
		syntaxProblem(at, data, err, dec, problems)
		return nil
	}
	switch err := decode(dec, &second); {
	case err == nil:
		problems.Addf(at.plus(second.Line, second.Column), "a second document begins here: a file holds one")
	case err != io.EOF:
		syntaxProblem(at, data, err, dec, problems)
		return nil
	}
	b := builder{at: at, problems: problems}
	root := b.node(document.Content[0], 1)
	if b.tooLarge {
		return nil
	}
	if root.Kind == Null {
		problems.Addf(at, "is empty")
		return nil
	}
	return root
}

// plus is the place that a text which starts at p calls line:column.
func (p Pos) plus(line, column int) Pos {
	if line <= 1 {
		column += p.Column - 1
	}
	return Pos{p.File, p.Line + line - 1, column}
}

// decode guards against the library's own panics: it calls some inputs internal
// errors.
func decode(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the library fails on this text: %v", r)
		}
	}()
	return dec.Decode(into)
}

// builder makes our nodes of the library's.
type builder struct {
	at       Pos
	problems *Problems
	nodes    int
	open     []*yaml.Node // anchored nodes being built, to catch one that contains itself
	tooLarge bool
}

func (b *builder) node(y *yaml.Node, depth int) *Node {
	n := &Node{Kind: Null, Pos: b.at.plus(y.Line, y.Column)}
	b.nodes++
	switch {
	case b.tooLarge:
		return n
	case b.nodes > MaxNodes:
		b.problems.Addf(n.Pos, "the file has more than %d values, aliases counted where they are used", MaxNodes)
		b.tooLarge = true
		return n
	case depth > MaxDepth:
		b.problems.Addf(n.Pos, "nested deeper than %d levels", MaxDepth)
		b.tooLarge = true
		return n
	}
	if y.Style&yaml.TaggedStyle != 0 {
		b.problems.Addf(n.Pos, "the tag %s means nothing here: leave it out", quote(y.Tag))
	}
	if y.Anchor != "" {
		b.open = append(b.open, y)
		defer func() { b.open = b.open[:len(b.open)-1] }()
	}
	switch y.Kind {
	case yaml.ScalarNode:
		n.Quoted = y.Style&^yaml.TaggedStyle != 0
		if y.Tag != "!!null" || n.Quoted {
			n.Kind, n.Text = Scalar, y.Value
		}
	case yaml.SequenceNode:
		n.Kind = Sequence
		b.sequence(n, y, depth)
	case yaml.MappingNode:
		n.Kind = Mapping
		b.mapping(n, y, depth)
	case yaml.AliasNode:
		for _, open := range b.open {
			if open == y.Alias {
				b.problems.Addf(n.Pos, "the alias *%s stands within its own anchor", y.Value)
				return n
			}
		}
		return b.node(y.Alias, depth)
	}
	return n
}

func (b *builder) sequence(n *Node, y *yaml.Node, depth int) {
	n.Items = make([]*Node, 0, len(y.Content))
	for i := 0; i < len(y.Content); i++ {
		item := b.node(y.Content[i], depth+1)
		if y.Style&yaml.FlowStyle != 0 && splits(item) {
			i += b.rejoin(item, func(k int) (string, bool) {
				if i+k >= len(y.Content) || y.Content[i+k].Kind != yaml.ScalarNode {
					return "", false
				}
				return y.Content[i+k].Value, true
			})
		}
		n.Items = append(n.Items, item)
	}
}

func (b *builder) mapping(n *Node, y *yaml.Node, depth int) {
	n.Pairs = make([]Pair, 0, len(y.Content)/2)
	lines := make(map[string]int, len(y.Content)/2)
	for i := 0; i+1 < len(y.Content); i += 2 {
		key, value := b.node(y.Content[i], depth+1), b.node(y.Content[i+1], depth+1)
		if y.Style&yaml.FlowStyle != 0 && splits(value) {
			i += 2 * b.rejoin(value, func(k int) (string, bool) {
				at := i + 2*k
				if at+1 >= len(y.Content) || y.Content[at].Kind != yaml.ScalarNode || !leftOut(y.Content[at+1]) {
					return "", false
				}
				return y.Content[at].Value, true
			})
		}
		switch line, again := lines[key.Text]; {
		case key.Kind != Scalar:
			b.problems.Addf(key.Pos, "a key must be a name, not %s", key.describe())
			continue
		case key.Text == "<<" && !key.Quoted:
			b.problems.Addf(key.Pos, "merge keys (<<) are not supported: write the keys out, or use variants")
			continue
		case again:
			b.problems.Addf(key.Pos, "key %s again: it stands in line %d already", quote(key.Text), line)
			continue
		}
		lines[key.Text] = key.Pos.Line
		n.Pairs = append(n.Pairs, Pair{key, value})
	}
}

// splits reports whether a value of flow style ends within a parenthesis: YAML has
// split it at a comma.
func splits(n *Node) bool {
	return n.Kind == Scalar && !n.Quoted && openParens(n.Text) > 0
}

func openParens(text string) int { return strings.Count(text, "(") - strings.Count(text, ")") }

// leftOut reports whether a value is missing altogether, as it is behind the second
// half of a split value.
func leftOut(y *yaml.Node) bool {
	return y.Kind == yaml.ScalarNode && y.Tag == "!!null" && y.Value == ""
}

// rejoin puts a value together again that YAML split at its commas, and says that it
// must be quoted. Reading goes on with the whole value, so that nothing else is
// reported for the same slip. It asks for the parts that follow, from 1, and returns
// how many it used: none if the parentheses do not close soon.
func (b *builder) rejoin(n *Node, part func(k int) (string, bool)) int {
	const mostParts = 8 // more than any function has arguments
	text, open := n.Text, openParens(n.Text)
	for k := 1; k <= mostParts; k++ {
		next, ok := part(k)
		if !ok {
			return 0
		}
		text += ", " + next
		if open += openParens(next); open > 0 {
			continue
		}
		n.Text = text
		b.problems.Addf(n.Pos, "in flow style a value with commas must be quoted: %s", quote(text))
		return k
	}
	return 0
}
