// Command smpsim simulates a multiprocessor that runs kernel code, from one
// experiment file: what a change costs, and what can go wrong.
//
// Exit codes: 0 fine, 1 a failure of the program, 2 a mistake in the input, 3 an
// expectation or a check that does not hold.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"smpsim/experiment"
	"smpsim/yamlfile"
)

func main() { os.Exit(run()) }

// errBroken says that an expectation or a check does not hold; it was reported.
var errBroken = errors.New("does not hold")

// failure is an error that is no mistake of the user's.
type failure struct{ error }

func run() (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "smpsim: internal error: %v\nThis is a bug in smpsim. Please report it with the experiment file and the lines below.\n\n%s", r, debug.Stack())
			code = 1
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return exitCode(root().ExecuteContext(ctx))
}

// exitCode prints an error and returns the code that stands for it.
func exitCode(err error) int {
	var (
		problems *yamlfile.Problems
		program  failure
	)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errBroken):
		return 3
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "smpsim: interrupted; the runs that are done were kept, the same command goes on with the rest")
		return 1
	case errors.As(err, &problems):
		fmt.Fprintln(os.Stderr, problems)
		return 2
	case errors.As(err, &program):
		fmt.Fprintln(os.Stderr, "smpsim:", err)
		return 1
	default:
		fmt.Fprintln(os.Stderr, "smpsim:", err)
		return 2
	}
}

func root() *cobra.Command {
	c := &cobra.Command{
		Use:   "smpsim",
		Short: "Simulate kernel code on many CPUs: what a change costs, and what can go wrong",
		Long: `smpsim simulates a multiprocessor that runs kernel code. One experiment file in
YAML describes the machine, the variants of the code and the load.

  smpsim init gc.yaml                  write a first experiment file
  smpsim check gc.yaml                 find every mistake in it
  smpsim run gc.yaml                   run it; results go to out/<name>
  smpsim verify out/<name>             run it again and compare

Exit codes: 0 fine, 1 a failure of the program, 2 a mistake in the input,
3 an expectation or a check that does not hold.`,
		Version:       experiment.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.SetVersionTemplate("smpsim {{.Version}}\n")
	c.AddCommand(runCommand(), checkCommand(), planCommand(), plotCommand(), verifyCommand(),
		presetsCommand(), schemaCommand(), initCommand())
	return c
}

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
