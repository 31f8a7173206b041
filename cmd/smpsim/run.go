package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"smpsim/experiment"
)

// manyRuns is the number of runs beyond which --yes is asked for.
const manyRuns = 10_000

func runCommand() *cobra.Command {
	var (
		in     input
		out    string
		jobs   int
		fresh  bool
		yes    bool
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "run FILE",
		Short: "Run an experiment: results, summary and plots",
		Long: `Run every variant of the experiment at every point of its sweep, each as often as
the file's replicas say, and write results.json, summary.txt, manifest.json and the
plots to out/<name>. Runs that are already there are not run again, so that an
interrupted command goes on where it stopped. Exit code 3 says that an expectation of
the file does not hold.`,
		Args: one,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkJobs(jobs); err != nil {
				return err
			}
			source, x, err := in.read(args[0])
			if err != nil {
				return err
			}
			if n := len(x.Cells) * x.Replicas; n > manyRuns && !yes {
				return fmt.Errorf("%s: %d runs; give --yes if you mean it (smpsim plan shows them)", args[0], n)
			}
			dir := out
			if dir == "" {
				dir = filepath.Join("out", x.Name)
			}
			progress, finish := progressBar(cmd.ErrOrStderr(), x.Name)
			watch, finishWatch := watchExploration(cmd.ErrOrStderr(), 0)
			outcome, err := source.Run(cmd.Context(), x, experiment.RunOptions{
				Dir: dir, Jobs: jobs, Fresh: fresh, Progress: progress,
				Explore: experiment.ExploreOptions{Watch: watch},
			})
			finish()
			finishWatch()
			switch {
			case errors.Is(err, context.Canceled):
				return &experiment.Fault{Err: errors.New("interrupted; the runs that are done were kept, the same command goes on with the rest")}
			case err != nil:
				return err
			}
			return show(cmd.OutOrStdout(), outcome, dir, asJSON)
		},
	}
	in.flags(c)
	c.Flags().StringVarP(&out, "output", "o", "", "folder for the results (default out/<name>)")
	jobsFlag(c, &jobs)
	c.Flags().BoolVar(&fresh, "fresh", false, "run again what the folder already holds")
	c.Flags().BoolVar(&yes, "yes", false, "run even more than 10,000 runs")
	c.Flags().BoolVar(&asJSON, "json", false, "print results.json instead of the summary")
	return c
}

// show prints what was found.
func show(w io.Writer, o *experiment.Outcome, dir string, asJSON bool) error {
	if asJSON {
		fmt.Fprintf(w, "%s", o.JSON)
	} else {
		text := ""
		if o.Runs > 0 {
			text = fmt.Sprintf(" (%d reused)", o.Reused)
		}
		if dir != "" {
			text += fmt.Sprintf("; results, summary and %s in %s", counted(len(o.Plots), "plot"), dir)
		}
		fmt.Fprintf(w, "%s\n%s%s\n", o.Summary, done(o.Runs, o.Explored), text)
	}
	if !o.Holds {
		return errBroken
	}
	return nil
}

// done says how much was done.
func done(runs, explored int) string {
	var parts []string
	if explored > 0 {
		parts = append(parts, counted(explored, "exploration"))
	}
	if runs > 0 || explored == 0 {
		parts = append(parts, counted(runs, "run"))
	}
	return strings.Join(parts, ", ")
}

// isTerminal reports whether somebody looks at what is written.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// progressBar draws a bar on a terminal and nothing elsewhere.
func progressBar(w io.Writer, name string) (update func(done, total int), finish func()) {
	if !isTerminal(w) {
		return nil, func() {}
	}
	p := mpb.New(mpb.WithOutput(w), mpb.WithWidth(48))
	bar := p.AddBar(0,
		mpb.PrependDecorators(decor.Name(name+" "), decor.CountersNoUnit("%d/%d runs")),
		mpb.AppendDecorators(decor.Percentage(), decor.OnComplete(decor.AverageETA(decor.ET_STYLE_GO, decor.WCSyncSpace), "")),
		mpb.BarRemoveOnComplete(),
	)
	return func(done, total int) {
			bar.SetTotal(int64(total), false)
			bar.SetCurrent(int64(done))
		}, func() {
			bar.Abort(true)
			p.Wait()
		}
}
