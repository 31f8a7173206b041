package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestResultsAreTheSameBytesHoweverTheyAreComputed runs small copies of examples with
// several numbers of processors and jobs, and verifies the last.
func TestResultsAreTheSameBytesHoweverTheyAreComputed(t *testing.T) {
	unix := []string{"--set", "setup.0.in_flight.sockets=2000", "--set", "kernel.af_unix.trigger=1000"}
	for name, args := range map[string][]string{
		"lock_collapse":  {"--set", "tasks.worker.count=6", "--set", "stop.after=300us"},
		"af_unix_gc":     append([]string{"--set", "tasks.sane.messages=40"}, unix...),
		"gc_entry":       append([]string{"--set", "machine.cpus=4", "--set", "stop.after=3ms"}, unix...),
		"inflight_count": {"--set", "tasks.passer.count=3", "--set", "tasks.passer.messages=50"},
	} {
		file, err := filepath.Abs("../../examples/" + name + ".yaml")
		if err != nil {
			t.Fatal(err)
		}
		args = append([]string{"run", file, "--set", "replicas=2"}, args...)
		dir := t.TempDir()
		first := ""
		for _, processors := range []int{1, 2, 8} {
			for _, jobs := range []int{1, 4} {
				out := filepath.Join(dir, fmt.Sprintf("%d-%d", processors, jobs))
				c := command(t, dir, append(args, "-o", out, "--jobs", fmt.Sprint(jobs))...)
				c.Env = append(os.Environ(), fmt.Sprintf("GOMAXPROCS=%d", processors))
				// A small copy need not meet the example's expectations.
				if said, err := c.CombinedOutput(); c.ProcessState.ExitCode() != 3 && err != nil {
					t.Fatalf("%s: %v\n%s", name, err, said)
				}
				got := read(t, out, "results.json")
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("%s: GOMAXPROCS=%d --jobs %d has other results", name, processors, jobs)
				}
			}
		}
		mustRun(t, dir, "verify", "8-4")
	}
}
