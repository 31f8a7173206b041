package experiment

import (
	"fmt"
	"regexp"
	"strings"

	"smpsim/yamlfile"
)

// spelling is a form whose values are matched by a pattern.
type spelling struct {
	pattern *regexp.Regexp
	noun    string
	allowed string
}

var spellings = map[form]spelling{
	formName:       {regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`), "a name", "letters, digits and underscores, not a digit first"},
	formLabel:      {regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*$`), "a variant's name", "letters, digits, dots, dashes, plus signs and underscores"},
	formFolder:     {regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9-]*$`), "a name for an experiment", "letters, digits and dashes, not a dash first"},
	formMetricName: {regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.]*$`), "a metric", "letters, digits, underscores and dots"},
	formPath:       {regexp.MustCompile(`^[A-Za-z0-9_]+(\.[A-Za-z0-9_]+)*$`), "a dotted path", "names separated by dots"},
	formPicture:    {regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.+-]*\.png$`), "a name for a picture", "a plain file name that ends in .png"},
}

// scalar checks a single text.
func (c *checker) scalar(what string, s *shape, n *yamlfile.Node) *value {
	v := &value{shape: s, node: n, text: n.Text}
	ok := true
	switch s.form {
	case formText:
		v.text, ok = n.Str(c.problems, what)
	case formCondition:
		if v.text, ok = n.Str(c.problems, what); ok && strings.TrimSpace(n.Text) == "" {
			c.problems.Addf(n.Pos, "%s: expected a condition, found an empty text", what)
			ok = false
		}
	case formWord:
		v.text, ok = n.OneOf(c.problems, what, s.words)
	case formBool:
		var yes bool
		if yes, ok = n.Bool(c.problems, what); yes {
			v.number = 1
		}
	case formCount:
		v.number, ok = n.Int(c.problems, what, s.low, s.high)
	case formDuration:
		v.number, ok = n.Duration(c.problems, what, s.low, s.high)
	case formPercent:
		v.number, ok = n.Percent(c.problems, what)
	case formDistribution:
		v.parsed, ok = n.Distribution(c.problems, what)
	case formSize:
		if v.number, ok = n.Int(&yamlfile.Problems{}, what, s.low, s.high); !ok {
			v.number, ok = n.Bytes(c.problems, what, s.low, s.high)
		}
	case formAmount:
		v.parsed, ok = c.amount(what, n)
	case formCost:
		ok = c.cost(what, n)
	case formMetric:
		v.parsed, ok = c.metric(what, n)
	default:
		ok = c.spelled(what, s, n)
	}
	if !ok {
		return nil
	}
	return v
}

func (c *checker) spelled(what string, s *shape, n *yamlfile.Node) bool {
	spelling, known := spellings[s.form]
	if !known {
		panic(fmt.Sprintf("experiment: form %d of %s, expected one of a scalar", s.form, what))
	}
	text, ok := n.Str(c.problems, what)
	switch {
	case !ok:
		return false
	case len(text) > maxName && s.form != formPath:
		c.problems.Addf(n.Pos, "%slonger than %d characters", prefix(what), maxName)
		return false
	case !spelling.pattern.MatchString(text):
		c.problems.Add(n.Pos, yamlfile.Mistake{
			Message: fmt.Sprintf("%s%q is not %s", prefix(what), text, spelling.noun), Allowed: []string{spelling.allowed},
		})
		return false
	}
	return true
}

// amount reads a number or, with a unit of time, a duration.
func (c *checker) amount(what string, n *yamlfile.Node) (Amount, bool) {
	if n.Kind == yamlfile.Scalar {
		if ps, err := yamlfile.ParseDuration(n.Text); err == nil {
			return Amount{Text: n.Text, Time: true, PS: ps}, true
		}
	}
	text, ok := n.Str(c.problems, what)
	if !ok {
		return Amount{}, false
	}
	number, err := yamlfile.ParseNumber(text)
	if err != nil {
		c.problems.Add(n.Pos, yamlfile.Mistake{
			Message: fmt.Sprintf("%s: %q is neither a number nor a duration", what, text),
			Allowed: []string{"a number such as 1056.3 or 32Ki", "a duration such as 250ns"},
		})
		return Amount{}, false
	}
	return Amount{Text: text, Number: number}, true
}

// cost wants a quantity of some kind.
func (c *checker) cost(what string, n *yamlfile.Node) bool {
	text, ok := n.Str(c.problems, what)
	if !ok {
		return false
	}
	parsers := []func(string) (int64, error){
		yamlfile.ParseDuration, yamlfile.ParseCount, yamlfile.ParseBytes, yamlfile.ParseFrequency,
	}
	for _, parse := range parsers {
		if number, err := parse(text); err == nil && number >= 0 {
			return true
		}
	}
	c.problems.Add(n.Pos, yamlfile.Mistake{
		Message: fmt.Sprintf("%s: %q is not a cost", what, text), Allowed: []string{"a duration", "a count", "a size", "a frequency"},
	})
	return false
}

// metric reads a function of a metric, such as mean(x).
func (c *checker) metric(what string, n *yamlfile.Node) (Figure, bool) {
	text, ok := n.Str(c.problems, what)
	if !ok {
		return Figure{}, false
	}
	function, rest, call := strings.Cut(text, "(")
	arg, closed := strings.CutSuffix(strings.TrimSpace(rest), ")")
	if !call || !closed {
		c.problems.Add(n.Pos, yamlfile.Mistake{
			Message: fmt.Sprintf("%s: %q is not a function of a metric, such as mean(x)", what, text), Allowed: metricFuncNames(),
		})
		return Figure{}, false
	}
	m := Figure{Func: strings.TrimSpace(function), Arg: strings.TrimSpace(arg)}
	for _, alternative := range metricAlternatives() {
		if alternative.name() != m.Func {
			continue
		}
		argument := *n
		argument.Text = m.Arg
		return m, c.scalar(what, alternative.keys[0].shape, &argument) != nil
	}
	c.problems.AddUnknown(n.Pos, fmt.Sprintf("%s: %q is not a function of a metric", what, m.Func), m.Func, metricFuncNames())
	return Figure{}, false
}

func metricFuncNames() []string {
	names := make([]string, 0, len(metricFuncs))
	for _, f := range metricFuncs {
		names = append(names, f.name)
	}
	return names
}

// describe names what a shape allows, for messages.
func (s *shape) describe() string {
	switch s.form {
	case formWord:
		return strings.Join(s.words, ", ")
	case formCount:
		if s.high >= largest {
			return fmt.Sprintf("a whole number from %d", s.low)
		}
		return fmt.Sprintf("a whole number from %d to %d", s.low, s.high)
	case formDuration:
		if s.high >= longest {
			return "a duration such as 250ns"
		}
		return "a duration up to " + yamlfile.FormatDuration(s.high)
	case formList:
		return "a list of " + s.item.plural()
	default:
		panic(fmt.Sprintf("experiment: form %d has no description", s.form))
	}
}

func (s *shape) plural() string {
	switch s.form {
	case formWord:
		return s.describe()
	case formCount:
		return "whole numbers"
	default:
		panic(fmt.Sprintf("experiment: lists of form %d have no description", s.form))
	}
}
