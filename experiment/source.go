package experiment

import (
	"io"
	"os"

	"smpsim/yamlfile"
)

// Source is where an experiment came from: all that is needed to read it again.
type Source struct {
	Path      string
	Text      []byte
	Overrides Overrides
}

// Open reads an experiment file. The error is a *yamlfile.Problems with every mistake;
// a file that has none so far may have some that [Source.Check] finds.
func Open(path string, overrides Overrides) (*Source, *Experiment, error) {
	text, err := readText(path)
	if err != nil {
		// Load says what is wrong with the file, in the form of all mistakes.
		var problems yamlfile.Problems
		if yamlfile.Load(path, &problems); problems.Err() != nil {
			return nil, nil, problems.Err()
		}
		return nil, nil, err
	}
	s := &Source{Path: path, Text: text, Overrides: overrides}
	x, err := s.parse()
	return s, x, err
}

// readText reads a file, or as much of it as shows that it is too large.
func readText(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, yamlfile.MaxBytes+1))
}

// parse reads the experiment, and the other files that it names.
func (s *Source) parse() (*Experiment, error) {
	var problems yamlfile.Problems
	x := read(s.Path, yamlfile.Parse(s.Path, s.Text, &problems), s.Overrides, &problems)
	if problems.Len() > 0 {
		if x != nil {
			x.compileRest(&problems)
		}
		return nil, problems.Err()
	}
	x.identify()
	return x, nil
}

// Planned is a cell as `smpsim plan` prints it.
type Planned struct {
	ID      string   `json:"id"`
	Variant string   `json:"variant"`
	Params  []string `json:"params"`
}

// Plan lists the cells, each with the id of its first run.
func (x *Experiment) Plan() []Planned {
	plan := make([]Planned, len(x.Cells))
	for i := range x.Cells {
		c := &x.Cells[i]
		plan[i] = Planned{ID: c.ID(x.Seed).String(), Variant: c.Variant, Params: []string{}}
		for _, p := range c.Params {
			plan[i].Params = append(plan[i].Params, p.Path+"="+p.Value)
		}
	}
	return plan
}

// ValidName reports whether an experiment may be called name.
func ValidName(name string) bool {
	return len(name) <= maxName && spellings[formFolder].pattern.MatchString(name)
}
