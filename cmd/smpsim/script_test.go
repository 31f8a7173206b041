package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts compare with")

// TestMain lets this test binary be the program under test: run under the name smpsim,
// it is.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"smpsim": main})
}

// TestScripts runs testdata/script: command lines with their exit codes and what they
// print and write.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		UpdateScripts:       *update,
		Setup: func(env *testscript.Env) error {
			preset, err := filepath.Abs("../../cpus/presets/xeon-server.yaml")
			env.Setenv("PRESET", preset)
			return err
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"exits": exits, "replace": replace},
	})
}

// exits runs smpsim and wants an exit code: exits 2 run file.yaml
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits code arguments...")
	}
	got := 0
	if err := ts.Exec("smpsim", args[1:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v", err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// replace replaces a text that a file must have, once: replace file old new
func replace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: replace file old new")
	}
	content := ts.ReadFile(args[0])
	before, after, found := strings.Cut(content, args[1])
	if !found {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(before+args[2]+after), 0o644))
}
