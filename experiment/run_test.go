package experiment_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"smpsim/experiment"
)

// small are overrides that make small copies of the examples that take long.
var small = map[string][]string{
	"lock_collapse.yaml": {"replicas=2", "tasks.worker.count=5", "stop.after=200us"},
	"af_unix_gc.yaml": {
		"replicas=2", "tasks.sane.messages=30", "setup.0.in_flight.sockets=1500", "kernel.af_unix.trigger=1000",
	},
	"gc_entry.yaml": {
		"replicas=2", "machine.cpus=3", "stop.after=3ms", "setup.0.in_flight.sockets=1500", "kernel.af_unix.trigger=1000",
	},
	"inflight_count.yaml": {"replicas=2", "tasks.passer.count=3", "tasks.passer.messages=40"},
}

// run runs a file into a folder.
func run(t *testing.T, file string, set []string, opts experiment.RunOptions) *experiment.Outcome {
	t.Helper()
	source, x, err := experiment.Open(file, experiment.Overrides{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	if opts.Jobs == 0 {
		opts.Jobs = 2
	}
	o, err := source.Run(context.Background(), x, opts)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// runText runs a text, as a file of a folder of its own.
func runText(t *testing.T, text string, opts experiment.RunOptions) *experiment.Outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return run(t, file, nil, opts)
}

// TestResultsDoNotDependOnProcessorsJobsOrInterruptions runs small copies of examples
// with several numbers of processors and jobs, whole and interrupted after each run.
func TestResultsDoNotDependOnProcessorsJobsOrInterruptions(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for name, set := range small {
		file := filepath.Join("../examples", name)
		runtime.GOMAXPROCS(1)
		want := run(t, file, set, experiment.RunOptions{Dir: t.TempDir(), Jobs: 1})
		for _, processors := range []int{1, 2, 8} {
			for _, jobs := range []int{1, 4} {
				runtime.GOMAXPROCS(processors)
				whole := run(t, file, set, experiment.RunOptions{Dir: t.TempDir(), Jobs: jobs})
				compare(t, name, whole, want)
				pieces := t.TempDir()
				interrupt(t, file, set, experiment.RunOptions{Dir: pieces, Jobs: jobs})
				resumed := run(t, file, set, experiment.RunOptions{Dir: pieces, Jobs: jobs})
				if resumed.Reused == 0 {
					t.Errorf("%s: nothing was reused", name)
				}
				compare(t, name, resumed, want)
			}
		}
	}
}

func compare(t *testing.T, name string, got, want *experiment.Outcome) {
	t.Helper()
	if !bytes.Equal(got.JSON, want.JSON) {
		t.Errorf("%s: other results", name)
	}
	if got.Summary != want.Summary {
		t.Errorf("%s: another summary", name)
	}
}

// interrupt begins to run a file, and ends it after the first run that it does.
func interrupt(t *testing.T, file string, set []string, opts experiment.RunOptions) {
	t.Helper()
	source, x, err := experiment.Open(file, experiment.Overrides{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	opts.Progress = func(int, int) { cancel() }
	var fault *experiment.Fault
	if _, err := source.Run(ctx, x, opts); !errors.Is(err, context.Canceled) || !errors.As(err, &fault) {
		t.Fatalf("an interrupted run ends with %v", err)
	}
	if _, err := os.Stat(filepath.Join(opts.Dir, "manifest.json")); err == nil {
		t.Error("an interrupted run has a manifest")
	}
}

// TestAFolderThatVanishesIsAFault takes the results' folder away in the middle.
func TestAFolderThatVanishesIsAFault(t *testing.T) {
	file := "../examples/lock_collapse.yaml"
	source, x, err := experiment.Open(file, experiment.Overrides{Set: small["lock_collapse.yaml"]})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "out")
	opts := experiment.RunOptions{Dir: dir, Jobs: 2, Progress: func(done, _ int) {
		if done == 2 {
			if err := os.RemoveAll(dir); err != nil {
				t.Error(err)
			}
		}
	}}
	var fault *experiment.Fault
	_, err = source.Run(context.Background(), x, opts)
	if !errors.As(err, &fault) || !strings.HasPrefix(err.Error(), "cannot keep run ") {
		t.Errorf("ended with %v", err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the folder is there again")
	}
}

// TestTheMainJobRunsAsItIsAndItsExpectationsHold runs the first example whole.
func TestTheMainJobRunsAsItIsAndItsExpectationsHold(t *testing.T) {
	o := run(t, "../examples/af_unix_gc.yaml", nil, experiment.RunOptions{Dir: t.TempDir()})
	if !o.Holds || o.Runs != 25 || len(o.Plots) != 3 {
		t.Errorf("%d runs, %d plots, holds %t\n%s", o.Runs, len(o.Plots), o.Holds, o.Summary)
	}
}

// TestExpectationsHoldInSmallCopies runs the other examples with a few runs each.
func TestExpectationsHoldInSmallCopies(t *testing.T) {
	for name, set := range small {
		if name == "af_unix_gc.yaml" {
			continue
		}
		o := run(t, filepath.Join("../examples", name), set, experiment.RunOptions{Dir: t.TempDir()})
		if !o.Holds {
			t.Errorf("%s\n%s", name, o.Summary)
		}
	}
}

// TestExamplesAreTheContract compares the examples with the files that they are copies
// of, where those lie beside this checkout.
func TestExamplesAreTheContract(t *testing.T) {
	contract, err := filepath.Glob("../../shared/contract/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range contract {
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("../examples", filepath.Base(file)))
		if err != nil {
			t.Error(err)
		} else if !bytes.Equal(got, want) {
			t.Errorf("%s is no copy", filepath.Base(file))
		}
	}
}
