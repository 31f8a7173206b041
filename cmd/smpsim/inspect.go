package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"smpsim/cpus"
	"smpsim/experiment"
	"smpsim/yamlfile"
)

func checkCommand() *cobra.Command {
	var in input
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find every mistake in experiment files, without running them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var mistakes yamlfile.Problems
			for _, path := range args {
				source, x, err := in.read(path)
				if err == nil {
					err = source.Check(x)
				}
				var own *yamlfile.Problems
				switch {
				case errors.As(err, &own):
					mistakes.Merge(own)
				case err != nil:
					return err
				default:
					fmt.Fprintf(cmd.OutOrStdout(), "%s: fine: %s, %s\n", path, counted(len(x.Cells), "cell"), counted(x.Replicas, "replica"))
				}
			}
			return mistakes.Err()
		},
	}
	in.flags(c)
	return c
}

func planCommand() *cobra.Command {
	var (
		in     input
		asJSON bool
	)
	c := &cobra.Command{
		Use:   "plan FILE",
		Short: "Print the cells and runs of an experiment",
		Args:  one,
		RunE: func(cmd *cobra.Command, args []string) error {
			source, x, err := in.read(args[0])
			if err == nil {
				err = source.Check(x)
			}
			if err != nil {
				return err
			}
			plan := x.Plan()
			if asJSON {
				content, err := json.MarshalIndent(plan, "", " ")
				if err != nil {
					return &experiment.Fault{Err: err}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", content)
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range plan {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.ID[:8], p.Variant, strings.Join(p.Params, "  "))
			}
			w.Flush()
			fmt.Fprintf(cmd.OutOrStdout(), "\n%s x %s = %s\n",
				counted(len(x.Cells), "cell"), counted(x.Replicas, "replica"), counted(len(x.Cells)*x.Replicas, "run"))
			return nil
		},
	}
	in.flags(c)
	c.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return c
}

func schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of experiment files, for editors",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(experiment.JSONSchema())
			return err
		},
	}
}

func presetsCommand() *cobra.Command {
	var show string
	c := &cobra.Command{
		Use:   "presets",
		Short: "List the machines, or one machine's costs with their sources",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			defer w.Flush()
			if show == "" {
				for _, name := range cpus.Presets() {
					p, err := cpus.LoadPreset(name)
					if err != nil {
						return &experiment.Fault{Err: err}
					}
					fmt.Fprintf(w, "%s\t%d CPUs\t%s\n", name, p.Topology.CPUs(), p.Title)
				}
				return nil
			}
			p, err := cpus.LoadPreset(show)
			if err != nil {
				return fmt.Errorf("--show: %w", err)
			}
			t := p.Topology
			fmt.Fprintf(w, "%s: %s\n%d sockets, %d cores a socket, %d threads a core, %d cores a last-level cache\n\n",
				p.Name, p.Title, t.Sockets, t.Cores, t.Threads, t.CoresPerLLC)
			fmt.Fprintln(w, "cost\tvalue\tkind\tmeaning\tsource")
			for _, e := range p.Entries {
				kind := e.Kind
				if e.Anchor {
					kind += ", anchor"
				}
				fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\n", e.Name, strings.TrimSpace(e.Value+" "+e.Unit), kind, e.Meaning, e.Source)
			}
			return nil
		},
	}
	c.Flags().StringVar(&show, "show", "", "print the costs of the preset `NAME`")
	return c
}
