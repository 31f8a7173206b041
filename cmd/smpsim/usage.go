package main

import (
	"errors"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"smpsim/experiment"
	"smpsim/yamlfile"
)

// input are the flags of commands that read an experiment file.
type input struct {
	set     []string
	seed    uint64
	command *cobra.Command
}

func (in *input) flags(c *cobra.Command) {
	in.command = c
	c.Flags().StringArrayVar(&in.set, "set", nil, "override `path=value` in the file, such as machine.cpus=4; may be repeated")
	c.Flags().Uint64Var(&in.seed, "seed", 0, "use another seed than the file's")
}

// read reads the file named on the command line.
func (in *input) read(path string) (*experiment.Source, *experiment.Experiment, error) {
	overrides := experiment.Overrides{Set: in.set}
	if in.command.Flags().Changed("seed") {
		overrides.Seed = &in.seed
	}
	return experiment.Open(path, overrides)
}

// group lets a command that only holds others say which it has.
func group(c *cobra.Command) {
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) > 0 {
			return unknownCommand(c, args[0])
		}
		return nil
	}
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
}

func unknownCommand(c *cobra.Command, name string) error {
	var names []string
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	return &yamlfile.Mistake{
		Message: fmt.Sprintf("unknown command %q", name), Nearest: yamlfile.Nearest(name, names), Allowed: names,
	}
}

func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about any command",
		RunE: func(c *cobra.Command, args []string) error {
			about, rest, err := c.Root().Find(args)
			if err == nil && len(rest) > 0 {
				err = unknownCommand(about, rest[0])
			}
			if err != nil {
				return err
			}
			return about.Help()
		},
	}
}

// flagError puts what the command line's library says of a flag into our words.
func flagError(c *cobra.Command, err error) error {
	var (
		unknown *pflag.NotExistError
		invalid *pflag.InvalidValueError
	)
	switch {
	case errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "":
		var names []string
		c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		name := "--" + unknown.GetSpecifiedName()
		return &yamlfile.Mistake{
			Message: fmt.Sprintf("%sunknown flag %s", prefix(c), name), Nearest: yamlfile.Nearest(name, names), Allowed: names,
		}
	case errors.As(err, &invalid):
		expected := "a whole number"
		if invalid.GetFlag().Value.Type() == "bool" {
			expected = "true or false"
		}
		return fmt.Errorf("%s--%s: found %q, expected %s", prefix(c), invalid.GetFlag().Name, invalid.GetValue(), expected)
	default:
		return fmt.Errorf("%s%w", prefix(c), err)
	}
}

// prefix names a command at the start of a message.
func prefix(c *cobra.Command) string {
	if !c.HasParent() {
		return ""
	}
	return c.Name() + ": "
}

// one wants a single argument, which the command's use names.
func one(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("found %s; usage: %s", counted(len(args), "argument"), c.UseLine())
	}
	return nil
}

// counted is "1 run" or "2 runs".
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// jobsFlag adds the flag for the number of runs at once.
func jobsFlag(c *cobra.Command, jobs *int) {
	c.Flags().IntVarP(jobs, "jobs", "j", runtime.GOMAXPROCS(0), "runs at once")
}

func checkJobs(jobs int) error {
	if jobs < 1 {
		return fmt.Errorf("--jobs %d: expected at least 1", jobs)
	}
	return nil
}
