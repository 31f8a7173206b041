package main

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"smpsim/experiment"
)

func plotCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "plot DIR",
		Short: "Draw the plots of a results folder again, without running anything",
		Args:  one,
		RunE: func(cmd *cobra.Command, args []string) error {
			files, err := experiment.Replot(args[0])
			for _, f := range files {
				fmt.Fprintln(cmd.OutOrStdout(), filepath.Join(args[0], f))
			}
			return err
		},
	}
}

func verifyCommand() *cobra.Command {
	var jobs int
	c := &cobra.Command{
		Use:   "verify DIR",
		Short: "Run the experiment of a results folder again and compare the results",
		Long: `Run the experiment that manifest.json holds again, from nothing, and compare the
results with results.json, byte for byte. Exit code 3 says that they differ, and the
output names the first difference.`,
		Args: one,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkJobs(jobs); err != nil {
				return err
			}
			progress, finish := progressBar(cmd.ErrOrStderr(), "verify")
			v, err := experiment.Verify(cmd.Context(), args[0], experiment.RunOptions{Jobs: jobs, Progress: progress})
			finish()
			if err != nil {
				return err
			}
			if v.Difference != "" {
				fmt.Fprintf(cmd.OutOrStdout(), "%s: differs: %s\n", args[0], v.Difference)
				return errBroken
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s: %s, equal byte for byte, %s\n", args[0], done(v.Runs, v.Explored), v.Digest)
			return nil
		},
	}
	jobsFlag(c, &jobs)
	return c
}

//go:embed init.yaml
var firstExperiment string

func initCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "init FILE",
		Short: "Write a first experiment file to start from",
		Args:  one,
		RunE: func(cmd *cobra.Command, args []string) error {
			name := strings.TrimSuffix(filepath.Base(args[0]), filepath.Ext(args[0]))
			if !experiment.ValidName(name) {
				return fmt.Errorf("%s: an experiment is named after its file, by letters, digits and dashes; found %q", args[0], name)
			}
			f, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
			if errors.Is(err, fs.ErrExist) {
				return fmt.Errorf("%s exists; it was left as it is", args[0])
			}
			if err != nil {
				return err
			}
			_, err = f.WriteString(strings.ReplaceAll(firstExperiment, "NAME", name))
			if closed := f.Close(); err == nil {
				err = closed
			}
			if err != nil {
				os.Remove(args[0])
				return &experiment.Fault{Err: err}
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written; smpsim run %s runs it\n", args[0], args[0])
			return nil
		},
	}
}
