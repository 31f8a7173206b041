package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// RunOptions say how an experiment is run. None of them changes its results.
type RunOptions struct {
	// Dir is the folder for the results.
	Dir string
	// Jobs is how many runs go on at once, at least 1.
	Jobs int
	// Fresh runs again what is already there.
	Fresh bool
	// Progress is told after each run how many of how many are done. It is called
	// from several goroutines, one at a time.
	Progress func(done, total int)
}

// job is one run to do: a replica of a cell, perhaps with a cost changed.
type job struct {
	source  *Source
	cell    *Cell
	replica int
	seed    uint64
	window  *window
	scale   *scaledCost
	// linked is the cell compiled, shared by its jobs.
	linked *linked
}

// window is the part of a run whose timeline is drawn, in ps.
type window struct{ from, to int64 }

// scaledCost is a cost of the preset multiplied by num/den, for the sensitivity
// analysis.
type scaledCost struct {
	name     string
	num, den int64
}

// jobs returns all runs: every cell at its first replica, then at its second, so
// that a sweep that is interrupted has something to say about every cell.
func (s *Source) jobs(x *Experiment) []job {
	var all []job
	for replica := range x.Replicas {
		for i := range x.Cells {
			c := &x.Cells[i]
			j := job{source: s, cell: c, replica: replica, seed: ReplicaSeed(x.Seed, replica)}
			if replica == 0 {
				j.window = x.window(c)
			}
			all = append(all, j)
		}
	}
	return all
}

// execute runs the jobs, several at a time, and returns their records in order.
// Records that are there already are taken from dir, others are stored in it.
func execute(ctx context.Context, jobs []job, opts RunOptions) ([]*Record, int, error) {
	program, err := fingerprint()
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read this program's own file: %w", err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		records = make([]*Record, len(jobs))
		next    = make(chan int)
		mu      sync.Mutex
		done    int
		reused  int
		workers sync.WaitGroup
	)
	work := func() {
		for i := range next {
			r, old, err := one(&jobs[i], program, opts)
			if err != nil {
				cancel(err)
				return
			}
			mu.Lock()
			records[i] = r
			done++
			if old {
				reused++
			}
			if opts.Progress != nil {
				opts.Progress(done, len(jobs))
			}
			mu.Unlock()
		}
	}
	for range min(opts.Jobs, len(jobs)) {
		workers.Go(work)
	}
feed:
	for i := range jobs {
		select {
		case next <- i:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	workers.Wait()
	return records, reused, context.Cause(ctx)
}

// one does one job and reports whether its record was there already.
func one(j *job, program string, opts RunOptions) (*Record, bool, error) {
	if j.scale == nil && !opts.Fresh {
		r, err := loadRecord(opts.Dir, j.id(), program, j.window)
		if r != nil || err != nil {
			return r, true, err
		}
	}
	r, err := j.simulate()
	if err != nil {
		return nil, false, err
	}
	r.Program = program
	if j.scale == nil {
		err = r.store(opts.Dir)
	}
	return r, false, err
}

func (j *job) id() string { return j.cell.ID(j.seed).String() }

// prepareDir makes the results' folder and shows that it can be written.
func prepareDir(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return fmt.Errorf("cannot make the output folder: %w", bare(err))
	}
	probe, err := os.CreateTemp(dir, ".probe*")
	if err != nil {
		return fmt.Errorf("cannot write to the output folder %s: %w", dir, bare(err))
	}
	probe.Close()
	return os.Remove(probe.Name())
}

// bare drops the call from an error of the file system, which names a temporary file.
func bare(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
