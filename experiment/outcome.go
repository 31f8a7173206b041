package experiment

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"smpsim/yamlfile"
)

// Outcome is what a run of an experiment came to.
type Outcome struct {
	JSON    []byte // results.json
	Summary string // summary.txt
	Plots   []string
	Runs    int
	Reused  int
	// Explored is how many explorations there were.
	Explored int
	// Holds says that every expectation and every check holds.
	Holds bool
}

// found is what an experiment has come to: its runs, its explorations, and what
// follows from them.
type found struct {
	experiment *Experiment
	table      *table // nil if nothing was timed
	jobs       []job
	reused     int
	explored   []exploredCell
	dir        string // where the results go, empty for nowhere
	results    *Results
	json       []byte
}

// prepared is an experiment in which no mistake was found.
type prepared struct {
	jobs         []job
	explorations []*exploration
}

// Fault is an error that no mistake in the input has caused: a disk that is full, or a
// run that was interrupted.
type Fault struct{ Err error }

// Error says what went wrong.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

// prepare makes everything ready that mistakes of the user can be found in.
func (x *Experiment) prepare() (p prepared, err error) {
	var problems yamlfile.Problems
	if x.times() {
		p.jobs = x.jobs()
		x.link(p.jobs, &problems)
	}
	p.explorations = x.linkExplorations(&problems)
	return p, problems.Err()
}

// measure does the jobs and explorations and sums up what they came to.
func measure(ctx context.Context, x *Experiment, p prepared, opts RunOptions) (*found, error) {
	f := &found{experiment: x, jobs: p.jobs, dir: opts.Dir, results: &Results{Schema: Schema, Experiment: x.Name}}
	if len(p.jobs) > 0 {
		records, reused, err := execute(ctx, p.jobs, opts)
		if err != nil {
			return nil, err
		}
		f.reused, f.table = reused, newTable(x, p.jobs, records)
		f.results.Runs, f.results.Cells = f.table.runResults(p.jobs, records), f.table.cellResults()
		f.results.Comparisons, f.results.Expectations = f.table.compare(), f.table.expect()
	}
	var err error
	if f.explored, err = exploreAll(ctx, p.explorations, opts); err != nil {
		return nil, err
	}
	f.results.Explored = x.exploredResults(f.explored)
	f.results.Expectations = append(f.results.Expectations, x.expectExplored(f.explored)...)
	f.json, err = f.results.JSON()
	return f, err
}

// Run runs the experiment and writes results.json, summary.txt, manifest.json and the
// plots to the folder. A file appears whole or not at all; the manifest comes last.
// The error is a *yamlfile.Problems for mistakes in the file, and a *Fault for what is
// none of the user's; another one is about the folder.
func (s *Source) Run(ctx context.Context, x *Experiment, opts RunOptions) (*Outcome, error) {
	began := time.Now()
	p, err := x.prepare()
	if err == nil {
		err = prepareDir(opts.Dir)
	}
	if err != nil {
		return nil, err
	}
	o, err := s.write(ctx, x, p, opts, began)
	if err != nil {
		return nil, &Fault{err}
	}
	return o, nil
}

// write does the work and writes all files.
func (s *Source) write(ctx context.Context, x *Experiment, p prepared, opts RunOptions, began time.Time) (*Outcome, error) {
	f, err := measure(ctx, x, p, opts)
	if err != nil {
		return nil, err
	}
	sensitivity := ""
	if f.table != nil {
		if sensitivity, err = f.table.sensitivity(ctx, opts); err != nil {
			return nil, err
		}
	}
	o := &Outcome{JSON: f.json, Runs: len(f.jobs), Reused: f.reused, Explored: len(f.explored), Holds: f.holds()}
	o.Summary = f.summary(s.Path, sensitivity)
	// A manifest stands for whole results: none may stand beside half of new ones.
	if err := os.Remove(filepath.Join(opts.Dir, "manifest.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if f.table != nil {
		if o.Plots, err = f.table.draw(opts.Dir); err != nil {
			return nil, err
		}
	}
	pictures, err := f.drawFindings(opts.Dir)
	if err != nil {
		return nil, err
	}
	o.Plots = append(o.Plots, pictures...)
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
	for i := 0; f.table != nil && i < len(f.table.records); i++ {
		for _, r := range f.table.records[i] {
			if r.Failure != "" {
				return false
			}
		}
	}
	return f.experiment.asExpected(f.explored)
}

// Check compiles everything that a run would need, without running it. The error is
// a *yamlfile.Problems with every mistake.
func (s *Source) Check(x *Experiment) error {
	_, err := x.prepare()
	return err
}
