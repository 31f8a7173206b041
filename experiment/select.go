package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"smpsim/yamlfile"
)

// Selection is the part of an experiment that a command is about.
type Selection struct {
	Variant string   // empty for all
	Where   []string // path=value, of swept paths
}

// Select leaves only the cells of a selection, and what the file expects of them.
func (x *Experiment) Select(s Selection) error {
	if s.Variant != "" && !slices.Contains(x.Variants, s.Variant) {
		return &yamlfile.Mistake{
			Message: fmt.Sprintf("%s has no variant %q", x.File, s.Variant),
			Nearest: yamlfile.Nearest(s.Variant, x.Variants), Allowed: x.Variants,
		}
	}
	var where []Condition
	for _, text := range s.Where {
		path, value, ok := strings.Cut(text, "=")
		if !ok {
			return fmt.Errorf("%q: want path=value", text)
		}
		where = append(where, Condition{path, value})
	}
	cells := slices.DeleteFunc(slices.Clone(x.Cells), func(c Cell) bool { return !c.Matches(s.Variant, where) })
	if len(cells) == 0 {
		return fmt.Errorf("%s has no cell where %s (smpsim plan %s lists them)", x.File, strings.Join(s.Where, ", "), x.File)
	}
	x.Cells = cells
	x.Expect = slices.DeleteFunc(slices.Clone(x.Expect), func(e Expectation) bool {
		return !slices.ContainsFunc(x.Cells, func(c Cell) bool { return c.Matches(e.Variant, e.Where) })
	})
	return nil
}

// Explores reports whether the file says how to explore all its cells.
func (x *Experiment) Explores() bool {
	return !slices.ContainsFunc(x.Cells, func(c Cell) bool { return c.Explore == nil })
}

// Explore does the explorations of the experiment alone. With a folder in the options
// it writes what Run does there. Errors are as those of Run.
func (s *Source) Explore(ctx context.Context, x *Experiment, opts RunOptions) (*Outcome, error) {
	began := time.Now()
	var problems yamlfile.Problems
	p := prepared{explorations: x.linkExplorations(&problems)}
	err := problems.Err()
	if err == nil && opts.Dir != "" {
		err = prepareDir(opts.Dir)
	}
	if err != nil {
		return nil, err
	}
	x.Expect = slices.DeleteFunc(slices.Clone(x.Expect), func(e Expectation) bool { return e.Exploration == nil })
	var o *Outcome
	if opts.Dir != "" {
		o, err = s.write(ctx, x, p, opts, began)
	} else {
		o, err = s.only(ctx, x, p, opts)
	}
	if err != nil {
		return nil, &Fault{err}
	}
	return o, nil
}

// only does the explorations and writes nothing.
func (s *Source) only(ctx context.Context, x *Experiment, p prepared, opts RunOptions) (*Outcome, error) {
	f, err := measure(ctx, x, p, opts)
	if err != nil {
		return nil, err
	}
	return &Outcome{JSON: f.json, Explored: len(f.explored), Holds: f.holds(), Summary: f.summary(s.Path, "")}, nil
}
