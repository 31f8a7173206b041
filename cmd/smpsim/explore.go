package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"smpsim/des"
	"smpsim/experiment"
)

// selection are the flags that choose cells of an experiment.
type selection struct{ experiment.Selection }

func (s *selection) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.Variant, "variant", "", "this variant alone")
	c.Flags().StringArrayVar(&s.Where, "where", nil, "cells with this `path=value` of the sweep alone; may be repeated")
}

// explored reads an experiment to be explored: the cells selected, with the defaults
// of exploration where the file has no explore section.
func (s *selection) explored(in *input, path string) (*experiment.Source, *experiment.Experiment, error) {
	source, x, err := in.read(path)
	if err == nil && !x.Explores() {
		in.set = append(in.set, "explore.strategy=dpor")
		source, x, err = in.read(path)
	}
	if err == nil {
		err = x.Select(s.Selection)
	}
	return source, x, err
}

func exploreCommand() *cobra.Command {
	var (
		in        input
		cells     selection
		strategy  string
		memory    string
		schedules int64
		opts      experiment.RunOptions
		asJSON    bool
		timed     bool
		most      time.Duration
	)
	c := &cobra.Command{
		Use:   "explore FILE",
		Short: "Choose the interleavings: find what can go wrong, or prove that it cannot",
		Long: `Explore the interleavings of the file's programs, as its explore section and the flags
say: failed assertions and checks, data races, deadlocks, livelocks, lost wake-ups,
locks taken in the wrong order. Each finding comes with the simplest way to it that
was found, step by step, and with the command that does it again. What was not
visited because of a limit is said.

Strategies: dpor (one execution of each class; the default), dfs (all interleavings),
bounded (at most so many preemptions), state-hash (each state once), random, pct,
surw, pos (drawn at random), round-robin.

Exit code 3 says that something was found which the file does not expect.`,
		Args: one,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkJobs(opts.Jobs); err != nil {
				return err
			}
			if opts.Explore.Time < 0 || cmd.Flags().Changed("schedules") && schedules < 1 {
				return errors.New("--time and --schedules must be above 0")
			}
			if strategy != "" {
				in.set = append(in.set, "explore.strategy="+strategy)
			}
			if memory != "" {
				in.set = append(in.set, "explore.memory="+memory)
			}
			if schedules > 0 {
				in.set = append(in.set, "explore.executions="+strconv.FormatInt(schedules, 10))
			}
			source, x, err := cells.explored(&in, args[0])
			if err != nil {
				return err
			}
			if timed {
				return searchTimed(cmd, source, x, int(schedules), most, opts.Jobs)
			}
			watch, finish := watchExploration(cmd.ErrOrStderr(), schedules)
			opts.Explore.Watch = watch
			outcome, err := source.Explore(cmd.Context(), x, opts)
			finish()
			switch {
			case errors.Is(err, context.Canceled):
				return &experiment.Fault{Err: errors.New("interrupted; an exploration keeps nothing")}
			case err != nil:
				return err
			}
			return show(cmd.OutOrStdout(), outcome, opts.Dir, asJSON)
		},
	}
	in.flags(c)
	cells.flags(c)
	c.Flags().StringVar(&strategy, "strategy", "", "another strategy than the file's")
	c.Flags().StringVar(&memory, "memory", "", "another memory model than the file's: sc or tso")
	c.Flags().Int64Var(&schedules, "schedules", 0, "at most this many executions of each cell")
	c.Flags().DurationVar(&opts.Explore.Time, "time", 0, "at most this long for each cell, such as 30s; what is found then depends on the machine")
	c.Flags().BoolVar(&opts.Explore.UntilFound, "until-found", false, "end each exploration at its first finding")
	c.Flags().BoolVar(&opts.Explore.CheckDeterminism, "check-determinism", false, "do every execution twice and compare")
	c.Flags().StringVarP(&opts.Dir, "output", "o", "", "also write results, schedules and pictures to this folder")
	c.Flags().BoolVar(&timed, "timed", false, "run the timed machine instead: how often does it fail, and at which slack of its timing?")
	c.Flags().DurationVar(&most, "most-slack", 100*time.Microsecond, "of --timed: the largest slack that is tried")
	jobsFlag(c, &opts.Jobs)
	c.Flags().BoolVar(&asJSON, "json", false, "print results.json instead of the summary")
	return c
}

// timedRuns is how many runs --timed gives each slack if --schedules says nothing.
const timedRuns = 1000

// searchTimed tells how likely findings are on the machine of the file.
func searchTimed(cmd *cobra.Command, source *experiment.Source, x *experiment.Experiment, runs int, most time.Duration, jobs int) error {
	if runs == 0 {
		runs = timedRuns
	}
	if most < 0 || most > time.Second {
		return fmt.Errorf("--most-slack %v: want 0 to 1s", most)
	}
	all, err := source.SearchTimed(cmd.Context(), x, experiment.TimedSearch{
		Runs: runs, Most: des.Time(most.Nanoseconds()) * des.Nanosecond, Jobs: jobs,
	})
	if err != nil {
		return err
	}
	found := false
	for i := range all {
		if i > 0 {
			fmt.Fprintln(cmd.OutOrStdout())
		}
		fmt.Fprint(cmd.OutOrStdout(), all[i].Summary(source.Path))
		found = found || all[i].Smallest != des.Forever
	}
	if found {
		return errBroken
	}
	return nil
}

// watchExploration shows on a terminal how far explorations are: executions, how many
// a second, and how long it still takes where there is a limit.
func watchExploration(w io.Writer, limit int64) (watch func(cell string, done int64), finish func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	var (
		mu    sync.Mutex
		shown time.Time
		began = map[string]time.Time{}
		line  bool
	)
	watch = func(cell string, done int64) {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if began[cell].IsZero() {
			began[cell] = now
		}
		passed := now.Sub(began[cell]).Seconds()
		if now.Sub(shown) < 200*time.Millisecond || passed == 0 {
			return
		}
		shown, line = now, true
		rate := float64(done) / passed
		fmt.Fprintf(w, "\r\x1b[K%s: %d executions, %.3g a second", cell, done, rate)
		if limit > 0 && rate > 0 {
			fmt.Fprintf(w, ", %v left", time.Duration(float64(limit-done)/rate*1e9).Round(time.Second))
		}
	}
	return watch, func() {
		mu.Lock()
		defer mu.Unlock()
		if line {
			fmt.Fprint(w, "\r\x1b[K")
		}
	}
}
