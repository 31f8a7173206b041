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
	"io"
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

func run() (code int) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Fprintf(os.Stderr, "smpsim: internal error: %v\nThis is a bug in smpsim. Please report it with the experiment file and the lines below.\n\n%s", r, debug.Stack())
			code = 1
		}
	}()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	out := &output{to: os.Stdout}
	c := root()
	c.SetOut(out)
	err := c.ExecuteContext(ctx)
	if out.err != nil {
		err = &experiment.Fault{Err: fmt.Errorf("cannot write to the standard output: %w", out.err)}
	}
	return exitCode(err)
}

// output remembers the first error of writing to it.
type output struct {
	to  io.Writer
	err error
}

// Write passes p on.
func (o *output) Write(p []byte) (int, error) {
	n, err := o.to.Write(p)
	if o.err == nil {
		o.err = err
	}
	return n, err
}

// exitCode prints an error and returns the code that stands for it.
func exitCode(err error) int {
	var (
		problems *yamlfile.Problems
		fault    *experiment.Fault
	)
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errBroken):
		return 3
	case errors.Is(err, context.Canceled):
		fmt.Fprintln(os.Stderr, "smpsim: interrupted")
		return 1
	case errors.As(err, &problems):
		fmt.Fprintln(os.Stderr, problems)
		return 2
	case errors.As(err, &fault):
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
  smpsim explore gc.yaml               choose the interleavings instead
  smpsim verify out/<name>             run it again and compare

Exit codes: 0 fine, 1 a failure of the program, 2 a mistake in the input,
3 an expectation or a check that does not hold.`,
		Version:       experiment.Version,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	c.SetVersionTemplate("smpsim {{.Version}}\n")
	c.SetFlagErrorFunc(flagError)
	c.AddCommand(runCommand(), exploreCommand(), replayCommand(), checkCommand(), planCommand(), plotCommand(), verifyCommand(),
		presetsCommand(), calibrateCommand(), schemaCommand(), initCommand())
	c.SetHelpCommand(helpCommand())
	c.InitDefaultCompletionCmd("completion")
	for _, sub := range c.Commands() {
		if sub.HasSubCommands() {
			group(sub)
		}
	}
	group(c)
	return c
}
