package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"smpsim/cpus"
	"smpsim/experiment"
)

func checkCommand() *cobra.Command {
	var in input
	c := &cobra.Command{
		Use:   "check FILE...",
		Short: "Find every mistake in experiment files, without running them",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var failed error
			for _, path := range args {
				source, x, err := in.read(path)
				if err == nil {
					err = source.Check(x)
				}
				if err != nil {
					if failed != nil {
						exitCode(failed)
					}
					failed = err
					continue
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s: fine: %d cells, %d replicas\n", path, len(x.Cells), x.Replicas)
			}
			return failed
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
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			_, x, err := in.read(args[0])
			if err != nil {
				return err
			}
			plan := x.Plan()
			if asJSON {
				content, err := json.MarshalIndent(plan, "", " ")
				if err != nil {
					return failure{err}
				}
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n", content)
				return nil
			}
			w := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 0, 2, ' ', 0)
			for _, p := range plan {
				fmt.Fprintf(w, "%s\t%s\t%s\n", p.ID[:8], p.Variant, strings.Join(p.Params, "  "))
			}
			w.Flush()
			fmt.Fprintf(cmd.OutOrStdout(), "\n%d cells x %d replicas = %d runs\n", len(x.Cells), x.Replicas, len(x.Cells)*x.Replicas)
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
			if _, err := cmd.OutOrStdout().Write(experiment.JSONSchema()); err != nil {
				return failure{err}
			}
			return nil
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
						return failure{err}
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
