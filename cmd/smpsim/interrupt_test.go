package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// sweep takes a second or two on one CPU.
const sweep = `name: sweep
seed: 6
replicas: 40
machine: {cpus: 8}
objects: {lock: {spinlock: mcs}}
tasks:
  worker: {count: 8, bind: spread, loop: forever, do: [{lock: lock}, {run: exp(100ns)}, {unlock: lock}, {mark: section}]}
stop: {after: 10ms}
plots: [{histogram: section, file: section.png}]
`

const sweepRuns = 40

// command is a process of the program under test.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return &exec.Cmd{Path: path, Args: append([]string{"smpsim"}, args...), Dir: dir}
}

// mustRun runs the command to its end and returns its standard output.
func mustRun(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := command(t, dir, args...)
	var errors bytes.Buffer
	c.Stderr = &errors
	out, err := c.Output()
	if err != nil {
		t.Fatalf("smpsim %s: %v\n%s", strings.Join(args, " "), err, errors.String())
	}
	return string(out)
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func records(t *testing.T, dir string) int {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "runs", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return len(files)
}

// TestAnEndedSweepGoesOnWhereItStopped ends a sweep in the middle, in several ways, and
// gives the same command again.
func TestAnEndedSweepGoesOnWhereItStopped(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "sweep.yaml"), []byte(sweep), 0o644); err != nil {
		t.Fatal(err)
	}
	mustRun(t, dir, "run", "sweep.yaml", "-o", "whole")
	want := read(t, dir, "whole", "results.json")
	reused := regexp.MustCompile(`40 runs \((\d+) reused\)`)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL} {
		out := filepath.Join(dir, fmt.Sprint(int(signal)))
		stderr := endInTheMiddle(t, dir, out, signal)
		kept := records(t, out)
		if kept < 3 || kept >= sweepRuns {
			t.Errorf("%v: %d records of %d runs", signal, kept, sweepRuns)
		}
		for _, name := range []string{"manifest.json", "results.json", "summary.txt", "section.png"} {
			if _, err := os.Stat(filepath.Join(out, name)); err == nil {
				t.Errorf("%v: there is a %s", signal, name)
			}
		}
		if message := "smpsim: interrupted; the runs that are done were kept"; signal != syscall.SIGKILL && !strings.HasPrefix(stderr, message) {
			t.Errorf("%v: standard error says %q", signal, stderr)
		}
		again := mustRun(t, dir, "run", "sweep.yaml", "-o", out)
		if m := reused.FindStringSubmatch(again); m == nil || m[1] != strconv.Itoa(kept) {
			t.Errorf("%v: %d records were kept, then: %s", signal, kept, again[strings.LastIndex(again, "\n\n")+1:])
		}
		if read(t, out, "results.json") != want {
			t.Errorf("%v: other results", signal)
		}
		if got, want := read(t, out, "summary.txt"), read(t, dir, "whole", "summary.txt"); got != want {
			t.Errorf("%v: another summary:\n%s\nwant\n%s", signal, got, want)
		}
	}
}

// endInTheMiddle begins the sweep, ends it by a signal, and returns what it said.
func endInTheMiddle(t *testing.T, dir, out string, signal syscall.Signal) string {
	t.Helper()
	c := command(t, dir, "run", "sweep.yaml", "-o", out, "--jobs", "2")
	var stderr bytes.Buffer
	c.Stderr = &stderr
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(time.Minute); records(t, out) < 3; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("no three records in a minute\n%s", stderr.String())
		}
	}
	if err := c.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := c.Wait()
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("%v: ended with %v", signal, err)
	}
	if code := exit.ExitCode(); signal != syscall.SIGKILL && code != 1 {
		t.Errorf("%v: exit code %d, want 1\n%s", signal, code, stderr.String())
	}
	return stderr.String()
}
