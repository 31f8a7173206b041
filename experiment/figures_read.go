package experiment

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/yamlfile"
)

// figures reads what refers to variants and swept paths: plots, comparisons,
// expectations.
type figures struct {
	e        *Experiment
	problems *yamlfile.Problems
	swept    map[string]*sweptPath
}

// sweptPath is what conditions may ask of a swept path, and axes show of it.
type sweptPath struct {
	values []string // those in the file, which hold even where --set leaves fewer, and those of cells
	known  map[string]bool
	word   string // the first value that is no number, or empty
}

func (s *sweptPath) add(value string) {
	if s.known[value] {
		return
	}
	s.known[value] = true
	s.values = append(s.values, value)
	_, notNumber := yamlfile.ParseNumber(value)
	_, notTime := yamlfile.ParseDuration(value)
	if s.word == "" && notNumber != nil && notTime != nil {
		s.word = value
	}
}

func (r *reader) readFigures(e *Experiment) {
	f := &figures{e: e, problems: r.problems, swept: r.sweptPaths(e)}
	for _, v := range r.itemsOf("plots") {
		e.Plots = append(e.Plots, f.plot(v))
	}
	f.pictures()
	for _, v := range r.itemsOf("compare") {
		e.Compare = append(e.Compare, f.compare(v))
	}
	for _, v := range r.itemsOf("expect") {
		e.Expect = append(e.Expect, f.expectation(v))
	}
}

func (r *reader) itemsOf(key string) []*value {
	if v := r.file.get(key); v != nil {
		return v.items
	}
	return nil
}

func (r *reader) sweptPaths(e *Experiment) map[string]*sweptPath {
	swept := make(map[string]*sweptPath)
	for _, a := range e.Axes {
		swept[a.Path] = &sweptPath{known: make(map[string]bool)}
	}
	if sweep := r.file.get("sweep"); sweep != nil {
		for _, pair := range sweep.node.Pairs {
			s := swept[pair.Key.Text]
			for _, item := range pair.Value.Items {
				if s != nil {
					s.add(item.Flow())
				}
			}
		}
	}
	for i := range e.Cells {
		for _, p := range e.Cells[i].Params {
			swept[p.Path].add(p.Value)
		}
	}
	return swept
}

func (f *figures) plot(v *value) Plot {
	p := Plot{
		Kind: PlotKind(v.decided), Pos: v.node.Pos, File: v.textOf("file"),
		X: v.textOf("x"), By: v.textOf("by"), Variant: f.variant(v, "variant"), Where: f.where(v),
		FromPS: v.numberOf("from", 0), WindowPS: v.numberOf("window", 0),
	}
	if by := v.get("by"); by != nil {
		f.isSwept(by, byVariant)
	}
	switch p.Kind {
	case HistogramPlot:
		p.Samples = v.textOf("histogram")
	case LinePlot:
		p.Figure = v.get("line").parsed.(Figure)
		f.axis(v.get("x"))
	case TimelinePlot:
		f.single(v, p)
	}
	return p
}

// pictures must have names of their own, whatever the case.
func (f *figures) pictures() {
	lines := make(map[string]int)
	for _, p := range f.e.Plots {
		name := strings.ToLower(p.File)
		if line, again := lines[name]; again {
			f.problems.Addf(p.Pos, "plots: the picture %s is drawn in line %d already", p.File, line)
			continue
		}
		lines[name] = p.Pos.Line
	}
}

// axis wants a swept path whose values are numbers in every cell.
func (f *figures) axis(x *value) {
	if !f.isSwept(x) {
		return
	}
	if word := f.swept[x.text].word; word != "" {
		f.problems.Addf(x.node.Pos, "x: %s is swept over %q, which is no number", x.text, word)
	}
}

// single wants what the plot selects to be one cell, because a timeline shows one run.
func (f *figures) single(v *value, p Plot) {
	matching := 0
	for i := range f.e.Cells {
		if f.e.Cells[i].Matches(p.Variant, p.Where) {
			matching++
		}
	}
	if matching > 1 {
		f.problems.Addf(v.node.Pos, "a timeline shows one run, and %d cells match: name the variant, and where", matching)
	}
}

func (f *figures) compare(v *value) Compare {
	c := Compare{
		Figure: Figure{v.decided, v.textOf(v.decided)}, Pos: v.node.Pos,
		Variant: f.variant(v, "variant"), Where: f.where(v),
		Published: *v.amountOf("published"), Minus: f.variant(v, "minus"),
	}
	f.pair(v, "minus", c.Variant)
	if c.Published.PS == 0 && c.Published.Number == 0 {
		f.problems.Addf(v.get("published").node.Pos, "compare: published: nothing has a ratio to 0")
	}
	return c
}

func (f *figures) expectation(v *value) Expectation {
	if v.decided == "explore" {
		return f.exploration(v)
	}
	e := Expectation{
		Pos: v.node.Pos, Variant: f.variant(v, "variant"), Where: f.where(v),
		Figure: Figure{v.decided, v.textOf(v.decided)}, Over: f.variant(v, "over"),
		Is: v.amountOf("is"), WithinPPM: v.numberOf("within", 0),
		AtLeast: v.amountOf("at_least"), AtMost: v.amountOf("at_most"),
	}
	f.pair(v, "over", e.Variant)
	switch within := v.get("within"); {
	case e.Is == nil && e.AtLeast == nil && e.AtMost == nil:
		f.problems.Add(v.node.Pos, yamlfile.Mistake{Message: "expect: nothing is expected", Allowed: []string{"is", "at_least", "at_most"}})
	case within != nil && e.Is == nil:
		f.problems.Addf(within.node.Pos, "expect: within goes with is")
	}
	return e
}

func (f *figures) exploration(v *value) Expectation {
	x := &ExpectedExploration{
		Traces: v.countOf("traces"), Interleavings: v.countOf("interleavings"),
		Failing: v.countOf("failing"), FinalStates: v.countOf("final_states"),
	}
	if finds := v.get("finds"); finds != nil {
		x.Finds = append([]string{}, finds.texts()...)
	}
	e := Expectation{Pos: v.node.Pos, Variant: f.variant(v, "explore"), Where: f.where(v), Exploration: x}
	if x.Finds == nil && x.Traces == nil && x.Interleavings == nil && x.Failing == nil && x.FinalStates == nil {
		f.problems.Add(v.node.Pos, yamlfile.Mistake{
			Message: "expect: nothing is expected", Allowed: []string{"finds", "traces", "interleavings", "failing", "final_states"},
		})
	}
	for i := range f.e.Cells {
		if c := &f.e.Cells[i]; c.Explore == nil && c.Matches(e.Variant, e.Where) {
			f.problems.Addf(v.get("explore").node.Pos, "expect: %s does not explore: the file has no explore section", e.Variant)
			break
		}
	}
	return e
}

func (v *value) amountOf(name string) *Amount {
	if f := v.get(name); f != nil {
		amount := f.parsed.(Amount)
		return &amount
	}
	return nil
}

func (v *value) countOf(name string) *int64 {
	if f := v.get(name); f != nil {
		return &f.number
	}
	return nil
}

// pair wants a variant to be named beside the one that is subtracted or divides.
func (f *figures) pair(v *value, key, variant string) {
	if other := v.get(key); other != nil && variant == "" && len(f.e.Variants) > 1 {
		f.problems.Addf(other.node.Pos, "%s: name the variant that it is taken from as well", key)
	}
}

// variant is the variant that a key names, or empty if the key is left out.
func (f *figures) variant(v *value, key string) string {
	named := v.get(key)
	if named == nil {
		return ""
	}
	if !slices.Contains(f.e.Variants, named.text) {
		f.problems.AddUnknown(named.node.Pos, fmt.Sprintf("%s: there is no variant %q", key, named.text), named.text, f.e.Variants)
	}
	return named.text
}

// where is the conditions on swept paths.
func (f *figures) where(v *value) []Condition {
	where := v.get("where")
	if where == nil {
		return nil
	}
	var conditions []Condition
	for _, pair := range where.node.Pairs {
		if !f.isSwept(&value{node: pair.Key, text: pair.Key.Text}) {
			continue
		}
		text := pair.Value.Flow()
		if s := f.swept[pair.Key.Text]; !s.known[text] {
			f.problems.AddUnknown(pair.Value.Pos, fmt.Sprintf("where: %s is not swept over %s", pair.Key.Text, text), text, s.values)
		}
		conditions = append(conditions, Condition{Path: pair.Key.Text, Value: text})
	}
	return conditions
}

// isSwept wants a value to be a swept path, or one of the words that may stand for one.
func (f *figures) isSwept(v *value, words ...string) bool {
	for _, a := range f.e.Axes {
		words = append(words, a.Path)
	}
	if slices.Contains(words, v.text) {
		return true
	}
	f.problems.AddUnknown(v.node.Pos, fmt.Sprintf("%q is not swept", v.text), v.text, words)
	return false
}
