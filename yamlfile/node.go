// Package yamlfile reads a YAML file as nodes that know where they stand, and
// gathers every mistake with what was found, what was allowed and the nearest name.
//
// Invariants:
//   - No input panics, hangs or takes memory out of proportion: size, depth and
//     number of nodes are limited, aliases included.
//   - Reading goes on after a mistake, so that one run reports them all.
//   - A scalar is kept as the text that was written; quotes do not change its
//     meaning. Numbers are decimal and exact, and no float takes part in them.
//
// How it is used:
//
//	var problems yamlfile.Problems
//	root := yamlfile.Load("file.yaml", &problems)
//	for _, pair := range root.Mapping(&problems, "") {
//		count, ok := pair.Value.Int(&problems, pair.Key.Text, 1, 100)
//		...
//	}
//	return problems.Err()
//
// Read node.go, problems.go and get.go for the use; parse.go and syntax.go for
// how a tree is made; quantity.go and distribution.go for what values look like.
package yamlfile

import (
	"fmt"
	"strconv"
	"strings"
)

// Pos is a place in a file. Line and Column count from 1, columns in characters;
// Line 0 means the file as a whole.
type Pos struct {
	File         string
	Line, Column int
}

// String is file:line:column, or the file alone.
func (p Pos) String() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// Kind is the form of a node. The zero value is invalid.
type Kind uint8

const (
	Null     Kind = iota + 1 // a value that was left out, or written null or ~
	Scalar                   // a single text
	Sequence                 // a list
	Mapping                  // keys with values, in the file's order
)

// Node is one value of a file. Nodes are not changed once read; a patched tree
// shares the nodes that stayed the same.
type Node struct {
	Kind Kind
	Pos  Pos

	Text   string // of a Scalar: what it says, without quotes
	Quoted bool   // of a Scalar: it stood in quotes or in a block
	Origin string // of a Scalar: the reference that stood for it, or empty

	Items []*Node // of a Sequence
	Pairs []Pair  // of a Mapping; keys are distinct scalars
}

// Pair is a key of a mapping with its value.
type Pair struct {
	Key, Value *Node
}

// Get is the value of a key, or nil if n is no mapping or has no such key.
func (n *Node) Get(key string) *Node {
	if n == nil {
		return nil
	}
	for i := range n.Pairs {
		if n.Pairs[i].Key.Text == key {
			return n.Pairs[i].Value
		}
	}
	return nil
}

// Flow renders the node on one line, as YAML's flow style would.
func (n *Node) Flow() string {
	var b strings.Builder
	n.flow(&b)
	return b.String()
}

func (n *Node) flow(b *strings.Builder) {
	switch n.Kind {
	case Null:
		b.WriteString("null")
	case Scalar:
		if n.Text == "" || strings.ContainsAny(n.Text, ",[]{}\"'#\n\t") || strings.Contains(n.Text, ": ") {
			b.WriteString(strconv.Quote(n.Text))
			return
		}
		b.WriteString(n.Text)
	case Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteString(", ")
			}
			item.flow(b)
		}
		b.WriteByte(']')
	case Mapping:
		b.WriteByte('{')
		for i, pair := range n.Pairs {
			if i > 0 {
				b.WriteString(", ")
			}
			pair.Key.flow(b)
			b.WriteString(": ")
			pair.Value.flow(b)
		}
		b.WriteByte('}')
	}
}

// describe says what was found, for a message.
func (n *Node) describe() string {
	switch n.Kind {
	case Scalar:
		if n.Origin != "" {
			return fmt.Sprintf("%s (from %s)", quote(n.Text), n.Origin)
		}
		return quote(n.Text)
	case Sequence:
		return "a list"
	case Mapping:
		return "a mapping"
	default:
		return "nothing"
	}
}

// quote puts text in quotes and cuts it where it would fill the screen.
func quote(text string) string {
	const most = 60
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "..."
	}
	return strconv.Quote(text)
}
