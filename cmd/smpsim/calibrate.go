package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"smpsim/calibrate"
	"smpsim/cpus"
	"smpsim/experiment"
)

func calibrateCommand() *cobra.Command {
	var (
		out    string
		base   string
		budget time.Duration
	)
	c := &cobra.Command{
		Use:   "calibrate",
		Short: "Measure the costs of this host and write them as a preset",
		Long: `Measure what this host takes for increments, locked operations, transfers of a line
between CPUs, cache and memory accesses, system calls, context switches, wake-ups,
sendmsg() and getsockname(), and write a preset that machine.preset can name. Each
value has its method and spread beside it; what cannot be measured here stands in from
another preset, by name and with the reason.`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if budget <= 0 || budget > time.Hour {
				return fmt.Errorf("--budget %v: want up to 1h", budget)
			}
			preset, err := cpus.LoadPreset(base)
			if err != nil {
				return err
			}
			progress := func(done, total int, name string) {
				fmt.Fprintf(cmd.ErrOrStderr(), "\r\x1b[K%d/%d %s", done, total, name)
			}
			if !isTerminal(cmd.ErrOrStderr()) {
				progress = nil
			}
			report, err := calibrate.Measure(cmd.Context(), calibrate.Options{Base: preset, Budget: budget, Progress: progress})
			if progress != nil {
				fmt.Fprint(cmd.ErrOrStderr(), "\r\x1b[K")
			}
			if err != nil {
				return &experiment.Fault{Err: err}
			}
			fmt.Fprint(cmd.OutOrStdout(), report.Table())
			if out == "" {
				return nil
			}
			if err := writePreset(out, report); err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written; machine: {preset: %s} uses it\n", out, out)
			return nil
		},
	}
	c.Flags().StringVarP(&out, "output", "o", "", "write the preset to this `file`")
	c.Flags().StringVar(&base, "base", "xeon-server", "the preset whose costs stand in for what cannot be measured")
	c.Flags().DurationVar(&budget, "budget", calibrate.DefaultBudget, "about how long it may take")
	return c
}

// writePreset writes the file whole or not at all.
func writePreset(path string, report *calibrate.Report) error {
	var text bytes.Buffer
	if err := report.WriteYAML(&text); err != nil {
		return &experiment.Fault{Err: err}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return fmt.Errorf("%s: cannot write there: %w", path, err)
	}
	_, err = f.Write(text.Bytes())
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		os.Remove(f.Name())
		return &experiment.Fault{Err: err}
	}
	return nil
}
