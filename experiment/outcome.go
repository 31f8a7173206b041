package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Outcome is what a run of an experiment came to.
type Outcome struct {
	JSON    []byte // results.json
	Summary string // summary.txt
	Plots   []string
	Runs    int
	Reused  int
	// Holds says that every expectation and every check holds.
	Holds bool
}

// found is the runs of an experiment and what follows from them.
type found struct {
	table   *table
	jobs    []job
	reused  int
	results *Results
	json    []byte
}

// find runs the experiment and sums up what was measured.
func (s *Source) find(ctx context.Context, x *Experiment, opts RunOptions) (*found, error) {
	f := &found{jobs: s.jobs(x)}
	if err := s.link(x, f.jobs); err != nil {
		return nil, err
	}
	if err := prepareDir(opts.Dir); err != nil {
		return nil, err
	}
	records, reused, err := execute(ctx, f.jobs, opts)
	if err != nil {
		return nil, err
	}
	f.reused = reused
	f.table = newTable(x, f.jobs, records)
	f.results = &Results{
		Schema: Schema, Experiment: x.Name,
		Cells: f.table.cellResults(), Comparisons: f.table.compare(), Expectations: f.table.expect(),
	}
	for _, r := range records {
		f.results.Runs = append(f.results.Runs, json.RawMessage(r.Result))
	}
	f.json, err = f.results.JSON()
	return f, err
}

// Run runs the experiment and writes results.json, summary.txt, manifest.json and the
// plots to the folder. A file appears whole or not at all; the manifest comes last.
func (s *Source) Run(ctx context.Context, x *Experiment, opts RunOptions) (*Outcome, error) {
	began := time.Now()
	f, err := s.find(ctx, x, opts)
	if err != nil {
		return nil, err
	}
	sensitivity, err := f.table.sensitivity(ctx, s, opts)
	if err != nil {
		return nil, err
	}
	o := &Outcome{JSON: f.json, Runs: len(f.jobs), Reused: f.reused, Holds: f.holds()}
	o.Summary = f.summary(sensitivity)
	// A manifest stands for whole results: none may stand beside half of new ones.
	if err := os.Remove(filepath.Join(opts.Dir, "manifest.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if o.Plots, err = f.table.draw(opts.Dir); err != nil {
		return nil, err
	}
	if err := writeWhole(filepath.Join(opts.Dir, "results.json"), o.JSON); err != nil {
		return nil, err
	}
	if err := writeWhole(filepath.Join(opts.Dir, "summary.txt"), []byte(o.Summary)); err != nil {
		return nil, err
	}
	program, err := fingerprint()
	if err != nil {
		return nil, err
	}
	content, err := s.manifest(program, f.results.Digest, len(f.jobs), o.Plots, time.Since(began))
	if err != nil {
		return nil, err
	}
	return o, writeWhole(filepath.Join(opts.Dir, "manifest.json"), append(content, '\n'))
}

// holds reports whether all expectations hold and no run broke.
func (f *found) holds() bool {
	for _, e := range f.results.Expectations {
		if !e.OK {
			return false
		}
	}
	for _, records := range f.table.records {
		for _, r := range records {
			if r.Failure != "" {
				return false
			}
		}
	}
	return true
}

// Check compiles everything that a run would need, without running it. The error is
// a *yamlfile.Problems with every mistake.
func (s *Source) Check(x *Experiment) error {
	if len(x.Cells) == 0 {
		return fmt.Errorf("%s: no cells", s.Path)
	}
	return s.link(x, s.jobs(x))
}
