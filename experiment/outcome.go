package experiment

import (
	"context"
	"errors"
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

// Fault is an error that no mistake in the input has caused: a disk that is full, or a
// run that was interrupted.
type Fault struct{ Err error }

// Error says what went wrong.
func (f *Fault) Error() string { return f.Err.Error() }

// Unwrap returns the error itself.
func (f *Fault) Unwrap() error { return f.Err }

// prepare makes everything ready that mistakes of the user can be found in.
func (s *Source) prepare(x *Experiment, dir string) ([]job, error) {
	jobs := x.jobs()
	if err := x.link(jobs); err != nil {
		return nil, err
	}
	return jobs, prepareDir(dir)
}

// measure does the jobs and sums up what was measured.
func measure(ctx context.Context, x *Experiment, jobs []job, opts RunOptions) (*found, error) {
	records, reused, err := execute(ctx, jobs, opts)
	if err != nil {
		return nil, err
	}
	f := &found{jobs: jobs, reused: reused, table: newTable(x, jobs, records)}
	f.results = &Results{
		Schema: Schema, Experiment: x.Name,
		Runs: f.table.runResults(jobs, records), Cells: f.table.cellResults(),
		Comparisons: f.table.compare(), Expectations: f.table.expect(),
	}
	f.json, err = f.results.JSON()
	return f, err
}

// Run runs the experiment and writes results.json, summary.txt, manifest.json and the
// plots to the folder. A file appears whole or not at all; the manifest comes last.
// The error is a *yamlfile.Problems for mistakes in the file, and a *Fault for what is
// none of the user's; another one is about the folder.
func (s *Source) Run(ctx context.Context, x *Experiment, opts RunOptions) (*Outcome, error) {
	began := time.Now()
	jobs, err := s.prepare(x, opts.Dir)
	if err != nil {
		return nil, err
	}
	o, err := s.write(ctx, x, jobs, opts, began)
	if err != nil {
		return nil, &Fault{err}
	}
	return o, nil
}

// write does the jobs and writes all files.
func (s *Source) write(ctx context.Context, x *Experiment, jobs []job, opts RunOptions, began time.Time) (*Outcome, error) {
	f, err := measure(ctx, x, jobs, opts)
	if err != nil {
		return nil, err
	}
	sensitivity, err := f.table.sensitivity(ctx, opts)
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
func (s *Source) Check(x *Experiment) error { return x.link(x.jobs()) }
