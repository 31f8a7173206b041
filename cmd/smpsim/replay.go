package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"smpsim/experiment"
)

func replayCommand() *cobra.Command {
	var (
		in       input
		cells    selection
		schedule string
		timed    bool
		picture  string
		times    int
	)
	c := &cobra.Command{
		Use:   "replay FILE",
		Short: "Do a schedule that was found again, step by step",
		Long: `Replay a schedule on the file's programs and print the transcript: a column a task,
switches marked, the source of each step, the values read. --schedule takes a token, or
the name of a schedule file, which an exploration writes with -o. A schedule file names
tasks and steps, so that it survives edits of the experiment file; where it does not
fit any more, the transcript says at which step it diverged, and the exit code is 3.

With --timed the schedule is replayed on the timed machine instead: each step in its
place, and with its cost. --png draws the transcript, or the timeline of the CPUs.`,
		Args: one,
		RunE: func(cmd *cobra.Command, args []string) error {
			if schedule == "" || times < 1 {
				return errors.New("replay needs --schedule, and --times of at least 1")
			}
			source, x, err := cells.explored(&in, args[0])
			if err != nil {
				return err
			}
			if len(x.Cells) != 1 {
				return fmt.Errorf("%s has %d cells: choose one with --variant and --where (smpsim plan %s lists them)", args[0], len(x.Cells), args[0])
			}
			what := experiment.ReplaySpec{Token: schedule, Times: times}
			if text, err := os.ReadFile(schedule); err == nil {
				what = experiment.ReplaySpec{File: schedule, Text: text, Times: times}
			} else if strings.ContainsAny(schedule, `/\`) {
				return fmt.Errorf("schedule %s: cannot read the file", schedule)
			}
			r, err := source.Replay(x, what, timed)
			if err != nil {
				return err
			}
			fmt.Fprint(cmd.OutOrStdout(), r.Text)
			if picture != "" {
				if err := experiment.WritePicture(picture, r.Picture); err != nil {
					return &experiment.Fault{Err: err}
				}
			}
			if r.Diverged {
				return errBroken
			}
			return nil
		},
	}
	in.flags(c)
	cells.flags(c)
	c.Flags().StringVar(&schedule, "schedule", "", "the schedule: a `token`, or a file that an exploration wrote")
	c.Flags().BoolVar(&timed, "timed", false, "replay it on the timed machine")
	c.Flags().StringVar(&picture, "png", "", "draw it to this `file`")
	c.Flags().IntVar(&times, "times", 1, "replay it so often, and compare the transcripts")
	return c
}
