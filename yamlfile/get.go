package yamlfile

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// The getters below note a mistake and return false where the node is not what was
// asked for. what names the value in messages, such as machine.cpus.

// Mapping is the node's pairs.
func (n *Node) Mapping(problems *Problems, what string) ([]Pair, bool) {
	if n.Kind != Mapping {
		n.unlike(problems, what, "a mapping")
		return nil, false
	}
	return n.Pairs, true
}

// Sequence is the node's items.
func (n *Node) Sequence(problems *Problems, what string) ([]*Node, bool) {
	if n.Kind != Sequence {
		n.unlike(problems, what, "a list")
		return nil, false
	}
	return n.Items, true
}

// Str is the text of a scalar.
func (n *Node) Str(problems *Problems, what string) (string, bool) {
	if n.Kind != Scalar {
		n.unlike(problems, what, "a text")
		return "", false
	}
	return n.Text, true
}

// OneOf is the text of a scalar that is one of the allowed words.
func (n *Node) OneOf(problems *Problems, what string, allowed []string) (string, bool) {
	if n.Kind != Scalar {
		n.unlike(problems, what, "a word")
		return "", false
	}
	if !slices.Contains(allowed, n.Text) {
		problems.AddUnknown(n.Pos, label(what)+n.describe()+" is not allowed here", n.Text, allowed)
		return "", false
	}
	return n.Text, true
}

// Bool is true or false; YAML's older words for them are refused.
func (n *Node) Bool(problems *Problems, what string) (bool, bool) {
	text, ok := n.OneOf(problems, what, []string{"true", "false"})
	return text == "true", ok
}

// Int is a count from low to high.
func (n *Node) Int(problems *Problems, what string, low, high int64) (int64, bool) {
	return ranged(n, problems, what, "a whole number", ParseCount, low, high, func(v int64) string { return fmt.Sprint(v) })
}

// Duration is a time from low to high picoseconds.
func (n *Node) Duration(problems *Problems, what string, low, high int64) (int64, bool) {
	return ranged(n, problems, what, "a duration", ParseDuration, low, high, FormatDuration)
}

// Bytes is a size from low to high bytes.
func (n *Node) Bytes(problems *Problems, what string, low, high int64) (int64, bool) {
	return ranged(n, problems, what, "a size", ParseBytes, low, high, func(v int64) string { return fmt.Sprintf("%dB", v) })
}

// Frequency is a frequency above zero, in hertz.
func (n *Node) Frequency(problems *Problems, what string) (int64, bool) {
	return ranged(n, problems, what, "a frequency", ParseFrequency, 1, math.MaxInt64,
		func(v int64) string { return fmt.Sprintf("%dHz", v) })
}

// Percent is a percentage that is not negative, in millionths of the whole.
func (n *Node) Percent(problems *Problems, what string) (int64, bool) {
	return ranged(n, problems, what, "a percentage", ParsePercent, 0, math.MaxInt64,
		func(v int64) string { return fmt.Sprintf("%d%%", v/1e4) })
}

// Number is a number with or without a fraction.
func (n *Node) Number(problems *Problems, what string) (float64, bool) {
	return parsed(n, problems, what, "a number", ParseNumber)
}

// Distribution is a duration or a distribution of durations.
func (n *Node) Distribution(problems *Problems, what string) (Distribution, bool) {
	return parsed(n, problems, what, "a duration or a distribution", ParseDistribution)
}

// parsed reads a scalar with one of the Parse functions.
func parsed[T any](n *Node, problems *Problems, what, noun string, parse func(string) (T, error)) (T, bool) {
	var zero T
	if n.Kind != Scalar {
		n.unlike(problems, what, noun)
		return zero, false
	}
	value, err := parse(n.Text)
	if err != nil {
		n.Wrong(problems, what, err)
		return zero, false
	}
	return value, true
}

func ranged(n *Node, problems *Problems, what, noun string, parse func(string) (int64, error),
	low, high int64, spell func(int64) string,
) (int64, bool) {
	value, ok := parsed(n, problems, what, noun, parse)
	if !ok {
		return 0, false
	}
	message := ""
	switch {
	case value < 0 && low >= 0:
		message = "is negative"
	case value < low:
		message = "is below " + spell(low)
	case value > high:
		message = "is above " + spell(high)
	default:
		return value, true
	}
	allowed := "at least " + spell(low)
	if high != math.MaxInt64 {
		allowed = spell(low) + " to " + spell(high)
	}
	problems.Add(n.Pos, Mistake{Message: fmt.Sprintf("%s%s %s", label(what), n.describe(), message), Allowed: []string{allowed}})
	return 0, false
}

// Wrong notes that a scalar could not be parsed; err should be a *Mistake.
func (n *Node) Wrong(problems *Problems, what string, err error) {
	m := Mistake{Message: err.Error()}
	var mistake *Mistake
	if errors.As(err, &mistake) {
		m = *mistake
	}
	m.Message = label(what) + m.Message
	if n.Origin != "" {
		m.Message += fmt.Sprintf(" (from %s)", n.Origin)
	}
	problems.Add(n.Pos, m)
}

// unlike notes that the node has another form than it should.
func (n *Node) unlike(problems *Problems, what, wanted string) {
	if n.Kind == Null {
		problems.Addf(n.Pos, "%shas no value, expected %s", label(what), wanted)
		return
	}
	problems.Addf(n.Pos, "%sexpected %s, found %s", label(what), wanted, n.describe())
}

func label(what string) string {
	if what == "" {
		return ""
	}
	return what + ": "
}
