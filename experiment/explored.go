package experiment

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"smpsim/explore"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// exploration is a cell made ready to be explored.
type exploration struct {
	title string
	seed  uint64
	*programs
	// classes says that the file asks for their number, which some strategies count on
	// demand alone.
	classes bool
}

// drawn is how many executions are drawn where the file does not say.
const drawn = 100_000

// explores reports whether the file has cells to explore.
func (x *Experiment) explores() bool {
	for i := range x.Cells {
		if x.Cells[i].Explore != nil {
			return true
		}
	}
	return false
}

// times reports whether it has something to time: a file that explores does only if it
// asks for a figure.
func (x *Experiment) times() bool {
	return !x.explores() || len(x.wanted()) > 0 || len(x.Measure) > 0 || len(x.Plots) > 0
}

// linkExplorations makes the cells ready that are to be explored.
func (x *Experiment) linkExplorations(problems *yamlfile.Problems) []*exploration {
	var all []*exploration
	for i := range x.Cells {
		c := &x.Cells[i]
		if c.Explore == nil {
			continue
		}
		if e := c.exploration(x, problems); e != nil {
			all = append(all, e)
		}
	}
	return all
}

// exploration makes the cell ready, nil if there is a mistake in it.
func (c *Cell) exploration(x *Experiment, problems *yamlfile.Problems) *exploration {
	e := &exploration{title: cmp.Or(x.Title, x.Name), seed: x.Seed}
	for i := range x.Expect {
		w := x.Expect[i].Exploration
		e.classes = e.classes || w != nil && w.Traces != nil && c.Matches(x.Expect[i].Variant, x.Expect[i].Where)
	}
	var sources []workloads.TaskSource
	var about []explore.ProgramTask
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Run != "" {
			problems.Addf(t.Pos, "task %s: the load %s is timed, not explored: programs (do:) are, and system calls in them", t.Name, t.Run)
			return nil
		}
		sources = append(sources, t.source())
		about = append(about, t.explored())
	}
	if e.programs = c.explored(sources, about, c.node("objects"), problems); e.programs == nil {
		return nil
	}
	return e
}

// explored is the rest of the task as package explore takes it.
func (t *Task) explored() explore.ProgramTask {
	p := explore.ProgramTask{Name: t.Name, Kthread: t.Kthread, Manual: t.Manual, Interrupts: t.Interrupts}
	switch t.Context {
	case "softirq":
		p.Context = explore.InSoftIRQ
	case "hardirq":
		p.Context = explore.InHardIRQ
	}
	if p.Context != explore.InTask {
		p.Arrivals = t.Loop
	}
	return p
}

// options are those of package explore for the cell.
func (e *exploration) options() explore.Options {
	x := e.cell.Explore
	o := explore.Options{
		Strategy: e.strategy(), Jobs: 1, Executions: x.Executions, Steps: int(x.Steps), Memory: x.Remember,
		EndAtFinding: x.EndAfterFinding, Commute: x.RMWCommute,
		Races:  e.cell.Check.Races && x.Strategy != statesStrategy,
		Cycles: e.goesRound() && x.Strategy != statesStrategy && e.calls == nil,
	}
	switch x.Strategy {
	case dporStrategy, statesStrategy, replayStrategy, "round-robin":
	case "dfs", boundedStrategy:
		o.Classes = e.classes
	default:
		o.Classes = e.classes
		if o.Executions == 0 {
			o.Executions = drawn
		}
	}
	return o
}

func (e *exploration) strategy() explore.Strategy {
	x := e.cell.Explore
	switch x.Strategy {
	case "dfs":
		return explore.DFS()
	case boundedStrategy:
		return explore.Bounded(x.Preemptions)
	case statesStrategy:
		return explore.States()
	case "random":
		return explore.Random(e.seed)
	case pctStrategy:
		return explore.PCT(e.seed, x.Depth)
	case "surw":
		return explore.SURW(e.seed)
	case "pos":
		return explore.POS(e.seed)
	case "round-robin":
		return explore.RoundRobin()
	case replayStrategy:
		s, err := explore.ParseSchedule(x.Schedule)
		if err != nil {
			panic(fmt.Sprintf("experiment: a schedule that was read: %v", err))
		}
		return explore.Replay(s)
	default:
		return explore.DPOR()
	}
}

// goesRound reports whether a program can come back to a state: it has a while, or is
// repeated for ever.
func (e *exploration) goesRound() bool {
	for i := range e.cell.Tasks {
		t := &e.cell.Tasks[i]
		if t.Loop == Forever && t.Context == "task" {
			return true
		}
		for _, step := range t.Do {
			if hasKey(step, "while") {
				return true
			}
		}
	}
	return hasKey(e.cell.node("objects"), "while")
}

// ExploreOptions say how an experiment is explored, beside what its file says.
type ExploreOptions struct {
	// Time, if above 0, is how long one exploration may take. What is found within it
	// depends on the machine, so that results are not complete.
	Time time.Duration
	// UntilFound ends an exploration at its first finding.
	UntilFound bool
	// CheckDeterminism does every execution twice and compares.
	CheckDeterminism bool
	// Watch is told how many executions, or states, an exploration has come to.
	Watch func(cell string, done int64)
}

// exploredCell is what the exploration of a cell came to.
type exploredCell struct {
	*exploration
	result *explore.Result
	// shrunk are the findings in a simpler form, as far as they were shrunk.
	shrunk []shrunkFinding
}

// exploreAll explores the cells, several at a time, and returns what they came to in
// order. When ctx ends it returns its cause.
func exploreAll(ctx context.Context, all []*exploration, opts RunOptions) ([]exploredCell, error) {
	jobs := opts.Jobs
	cells := make([]exploredCell, len(all))
	errs := make([]error, len(all))
	each := max(1, jobs/max(1, len(all)))
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(jobs, len(all)) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(all) && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				cells[i], errs[i] = all[i].explore(ctx, each, opts.Explore)
			}
		})
	}
	group.Wait()
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", cellName(all[i].cell), err)
		}
	}
	return cells, nil
}

// explore does the exploration.
func (e *exploration) explore(ctx context.Context, jobs int, opts ExploreOptions) (exploredCell, error) {
	o := e.options()
	o.Jobs, o.UntilFound, o.CheckDeterminism = jobs, opts.UntilFound, opts.CheckDeterminism
	name := cellName(e.cell)
	began := time.Now()
	o.Watch = func(done int64) bool {
		if opts.Watch != nil {
			opts.Watch(name, done)
		}
		return ctx.Err() == nil && (opts.Time == 0 || time.Since(began) < opts.Time)
	}
	if opts.Time > 0 && e.cell.Explore.Executions == 0 {
		o.Executions = 0 // time alone is the limit of a strategy that draws
	}
	r, err := explore.Explore(e.newSystem, o)
	if err != nil {
		return exploredCell{}, err
	}
	c := exploredCell{exploration: e, result: r}
	if ctx.Err() == nil {
		c.shrunk, err = e.shrinkAll(r.Findings)
	}
	return c, err
}
