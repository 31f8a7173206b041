package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/google/uuid"

	"smpsim/yamlfile"
)

// namespace keeps our run ids apart from other UUIDs of version 5.
var namespace = uuid.NewSHA1(uuid.NameSpaceURL, []byte("smpsim/cell/v1"))

// ID is the id of the cell's run with a seed: a UUID of version 5 of its canonical
// form and the seed. Renaming things, or adding plots or replicas, does not change it.
func (c *Cell) ID(seed uint64) uuid.UUID {
	return uuid.NewSHA1(namespace, fmt.Appendf(c.Canonical(), "seed=%d\n", seed))
}

// ReplicaSeed is the seed of a replica, counted from 0: the experiment's own for the
// first, well mixed ones for others. Variants share it, so that they meet equal load.
// The mixing is SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
func ReplicaSeed(seed uint64, replica int) uint64 {
	if replica == 0 {
		return seed
	}
	z := seed + uint64(replica)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Canonical is everything in the cell that influences results, as JSON on one line:
// keys in the schema's order, defaults filled in, quantities in their smallest unit,
// tasks and objects in the file's order, the metrics that are kept, and the digests of
// the other files that were read. Names of the experiment and its variants, seeds, plots,
// comparisons and expectations are left out.
func (c *Cell) Canonical() []byte {
	var b bytes.Buffer
	b.WriteString(`{"format":"smpsim/cell/v1"`)
	for _, f := range c.resolved.fields {
		writeName(&b, ',', f.name)
		f.value.canonical(&b)
	}
	writeName(&b, ',', "measure")
	writeTexts(&b, c.measure)
	if len(c.inputs) > 0 {
		writeName(&b, ',', "inputs")
		comma := byte('{')
		for _, in := range c.inputs {
			b.WriteByte(comma)
			writeName(&b, 0, in.name)
			writeText(&b, in.digest)
			comma = ','
		}
		b.WriteByte('}')
	}
	b.WriteString("}\n")
	return b.Bytes()
}

func (v *value) canonical(b *bytes.Buffer) {
	switch v.shape.form {
	case formMapping, formChoice, formNamed, formTree:
		b.WriteByte('{')
		comma := byte(0)
		for _, f := range v.fields {
			writeName(b, comma, f.name)
			f.value.canonical(b)
			comma = ','
		}
		b.WriteByte('}')
	case formList:
		b.WriteByte('[')
		for i, item := range v.items {
			if i > 0 {
				b.WriteByte(',')
			}
			item.canonical(b)
		}
		b.WriteByte(']')
	case formSteps:
		canonicalNode(b, v.node)
	case formBool:
		b.WriteString(strconv.FormatBool(v.number == 1))
	case formCount, formDuration, formSize:
		b.WriteString(strconv.FormatInt(v.number, 10))
	case formDistribution:
		writeText(b, v.distribution().String())
	default:
		writeText(b, v.text)
	}
}

// canonicalNode writes steps, which are not compiled here: as they stand, but without
// layout and quotes.
func canonicalNode(b *bytes.Buffer, n *yamlfile.Node) {
	switch n.Kind {
	case yamlfile.Scalar:
		writeText(b, n.Text)
	case yamlfile.Sequence:
		b.WriteByte('[')
		for i, item := range n.Items {
			if i > 0 {
				b.WriteByte(',')
			}
			canonicalNode(b, item)
		}
		b.WriteByte(']')
	case yamlfile.Mapping:
		b.WriteByte('{')
		comma := byte(0)
		for _, pair := range n.Pairs {
			writeName(b, comma, pair.Key.Text)
			canonicalNode(b, pair.Value)
			comma = ','
		}
		b.WriteByte('}')
	default:
		b.WriteString("null")
	}
}

func writeName(b *bytes.Buffer, comma byte, name string) {
	if comma != 0 {
		b.WriteByte(comma)
	}
	writeText(b, name)
	b.WriteByte(':')
}

func writeTexts(b *bytes.Buffer, texts []string) {
	b.WriteByte('[')
	for i, text := range texts {
		if i > 0 {
			b.WriteByte(',')
		}
		writeText(b, text)
	}
	b.WriteByte(']')
}

func writeText(b *bytes.Buffer, text string) {
	encoder := json.NewEncoder(b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(text); err != nil {
		panic(fmt.Sprintf("experiment: a text of %d bytes has no JSON form: %v", len(text), err))
	}
	b.Truncate(b.Len() - 1) // the line feed that Encode adds
}
