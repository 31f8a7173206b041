package experiment

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"

	"smpsim/des"
)

// RunOptions say how an experiment is run. None of them changes its results.
type RunOptions struct {
	// Dir is the folder for the results.
	Dir string
	// Jobs is how many runs go on at once, at least 1.
	Jobs int
	// Fresh runs again what is already there.
	Fresh bool
	// Explore says how interleavings are explored.
	Explore ExploreOptions
	// Progress is told after each run how many of how many are done.
	Progress func(done, total int)
}

// job is one run to do: a replica of a cell, perhaps with a cost changed.
type job struct {
	cell    *Cell
	replica int
	seed    uint64
	window  *window
	scale   *scaledCost
	// slackPS is the slack where it is not the cell's own.
	slackPS des.Time
	// conductor holds the run to a schedule, if there is one.
	conductor *conductor
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
// that a sweep that is interrupted has something to say about every cell. Cells that
// are equal share their records, and so what timelines show of them.
func (x *Experiment) jobs() []job {
	var all []job
	shown := x.windows()
	for replica := range x.Replicas {
		for i := range x.Cells {
			c := &x.Cells[i]
			j := job{cell: c, replica: replica, seed: ReplicaSeed(x.Seed, replica)}
			if replica == 0 {
				j.window = shown[c]
			}
			all = append(all, j)
		}
	}
	windows := map[string]*window{}
	for i := range all {
		if w := all[i].window; w != nil {
			id := all[i].id()
			windows[id] = w.union(windows[id])
		}
	}
	for i := range all {
		if all[i].replica == 0 && len(windows) > 0 {
			all[i].window = windows[all[i].id()]
		}
	}
	return all
}

// union is the shortest window that w and v, if there is one, lie in.
func (w *window) union(v *window) *window {
	if v == nil {
		return w
	}
	return &window{min(w.from, v.from), max(w.to, v.to)}
}

// execute runs the jobs, several at a time, and returns their records in order.
// Records that are there already are taken from opts.Dir, others are stored in it.
// When ctx ends, execute returns at once: what the runs under way come to is dropped.
func execute(ctx context.Context, jobs []job, opts RunOptions) ([]*Record, int, error) {
	program, err := fingerprint()
	if err != nil {
		return nil, 0, fmt.Errorf("cannot read this program's own file: %w", err)
	}
	var (
		records = make([]*Record, len(jobs))
		next    = make(chan int)
		results = make(chan result)
		over    = make(chan struct{})
		reused  int
	)
	defer close(over)
	work := func() {
		for {
			select {
			case i := <-next:
				select {
				case results <- one(i, &jobs[i], program, opts):
				case <-over:
					return
				}
			case <-over:
				return
			}
		}
	}
	for range min(opts.Jobs, len(jobs)) {
		go work()
	}
	for given, done := 0, 0; done < len(jobs); {
		offer := next
		if given == len(jobs) {
			offer = nil
		}
		select {
		case offer <- given:
			given++
		case r := <-results:
			if r.panicked != nil {
				panic(r.panicked)
			}
			if r.err != nil {
				return nil, 0, r.err
			}
			if r.content != nil {
				if err := writeWhole(recordPath(opts.Dir, r.record.ID), r.content); err != nil {
					return nil, 0, fmt.Errorf("cannot keep run %s: %w", r.record.ID, err)
				}
			}
			if r.old {
				reused++
			}
			records[r.job] = r.record
			if done++; opts.Progress != nil {
				opts.Progress(done, len(jobs))
			}
		case <-ctx.Done():
			return nil, 0, context.Cause(ctx)
		}
	}
	return records, reused, nil
}

// result is what a job came to.
type result struct {
	job     int
	record  *Record
	old     bool   // the record was there already
	content []byte // of the file to keep it in, if it is to be kept
	err     error
	// panicked is what a panic said, nil if there was none.
	panicked any
}

// one does job i. A panic in it is handed to the caller of execute, with its stack:
// nobody else could catch it.
func one(i int, j *job, program string, opts RunOptions) (r result) {
	r.job = i
	defer func() {
		if p := recover(); p != nil {
			r.panicked = fmt.Sprintf("%v\n\nin %s, replica %d, seed %d:\n%s", p, cellName(j.cell), j.replica, j.seed, debug.Stack())
		}
	}()
	if j.scale == nil && !opts.Fresh {
		r.record, r.err = loadRecord(opts.Dir, j.id(), program, j.window)
		// Failures are not taken up: they tell places in the file, which move in it.
		if r.old = r.record != nil && r.record.Failure == ""; r.old || r.err != nil {
			return r
		}
	}
	if r.record, r.err = j.simulate(); r.err != nil {
		return r
	}
	r.record.Program = program
	if j.scale == nil {
		r.content, r.err = r.record.file()
	}
	return r
}

func (j *job) id() string { return j.cell.ID(j.seed).String() }

// prepareDir makes the results' folder and shows that it can be written.
func prepareDir(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "runs"), 0o755); err != nil {
		return fmt.Errorf("cannot make the output folder %s: %w", dir, bare(err))
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
