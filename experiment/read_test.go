package experiment_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/experiment"
)

func examples(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	return files
}

func TestEveryExampleReadsWithoutMistakes(t *testing.T) {
	for _, file := range examples(t) {
		_, e, err := experiment.Open(file, experiment.Overrides{})
		if err != nil {
			t.Errorf("%s:\n%v", file, err)
			continue
		}
		if len(e.Cells) == 0 {
			t.Errorf("%s: no cells", file)
		}
	}
}

// TestMistakesAreAllReportedWhereTheyStand runs testdata/mistakes: a file's text, with
// --set lines before it, and every mistake that is expected in it. The last line says
// whether an editor with the JSON Schema refuses the text as well.
func TestMistakesAreAllReportedWhereTheyStand(t *testing.T) {
	verdict := compileSchema(t)
	datadriven.Walk(t, "testdata/mistakes", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text, set := splitSet(d.Input)
			e, err := experiment.Parse("f.yaml", []byte(text), experiment.Overrides{Set: set})
			if err == nil {
				return fmt.Sprintf("%d cells\nschema %s\n", len(e.Cells), verdict(text))
			}
			return fmt.Sprintf("%v\nschema %s\n", err, verdict(text))
		})
	})
}

// TestFilesResolveIntoCells runs testdata/cells: a file's text, and a line for every
// cell with its parameters and the values asked for.
func TestFilesResolveIntoCells(t *testing.T) {
	datadriven.Walk(t, "testdata/cells", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			text, set := splitSet(d.Input)
			name := "f.yaml"
			if d.HasArg("file") {
				d.ScanArgs(t, "file", &name)
				data, err := os.ReadFile(filepath.Join("../examples", name))
				if err != nil {
					t.Fatal(err)
				}
				text = string(data)
			}
			e, err := experiment.Parse(name, []byte(text), experiment.Overrides{Set: set})
			if err != nil {
				return err.Error() + "\n"
			}
			switch d.Cmd {
			case "cells":
				return listCells(e)
			case "figures":
				return listFigures(e)
			case "canonical":
				return string(e.Cells[0].Canonical())
			}
			t.Fatalf("command %q, expected cells, figures or canonical", d.Cmd)
			return ""
		})
	})
}

// splitSet takes the --set lines off the front of a text.
func splitSet(input string) (text string, set []string) {
	for strings.HasPrefix(input, "--set ") {
		line, rest, _ := strings.Cut(input, "\n")
		set = append(set, strings.TrimPrefix(line, "--set "))
		input = rest
	}
	return input, set
}

func listCells(e *experiment.Experiment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q seed=%d replicas=%d\n", e.Name, e.Title, e.Seed, e.Replicas)
	for i := range e.Cells {
		c := &e.Cells[i]
		fmt.Fprintf(&b, "%s", c.Variant)
		for _, p := range c.Params {
			fmt.Fprintf(&b, " %s=%s", p.Path, p.Value)
		}
		fmt.Fprintf(&b, ": cpus=%d gc=%s", c.Machine.CPUs, c.Kernel.AFUnix.GC)
		for _, o := range c.Objects {
			fmt.Fprintf(&b, " %s:%s", o.Name, o.Type)
		}
		for _, task := range c.Tasks {
			fmt.Fprintf(&b, " %s:%s%d steps x%d loop=%d", task.Name, task.Run, len(task.Do), task.Count, task.Loop)
			for _, p := range task.Params {
				switch {
				case p.Distribution.Kind != "":
					fmt.Fprintf(&b, " %s=%s", p.Name, p.Distribution)
				case p.Number != 0:
					fmt.Fprintf(&b, " %s=%d", p.Name, p.Number)
				default:
					fmt.Fprintf(&b, " %s=%s", p.Name, p.Text)
				}
			}
		}
		if c.Stop.AfterPS > 0 {
			fmt.Fprintf(&b, " after=%dps", c.Stop.AfterPS)
		}
		if c.Explore != nil {
			fmt.Fprintf(&b, " explore=%s/%s", c.Explore.Strategy, c.Explore.Memory)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func listFigures(e *experiment.Experiment) string {
	var b strings.Builder
	for _, p := range e.Plots {
		fmt.Fprintf(&b, "%s %s%s x=%s by=%s variant=%s where=%v window=%d %s\n",
			p.Kind, p.Samples, p.Figure, p.X, p.By, p.Variant, p.Where, p.WindowPS, p.File)
	}
	for _, c := range e.Compare {
		fmt.Fprintf(&b, "compare %s variant=%s where=%v minus=%s published=%+v\n", c.Figure, c.Variant, c.Where, c.Minus, c.Published)
	}
	amount := func(a *experiment.Amount) string {
		if a == nil {
			return "-"
		}
		return fmt.Sprintf("%+v", *a)
	}
	count := func(n *int64) string {
		if n == nil {
			return "-"
		}
		return fmt.Sprint(*n)
	}
	for _, x := range e.Expect {
		if found := x.Exploration; found != nil {
			fmt.Fprintf(&b, "expect of %s where=%v: finds=%q traces=%s interleavings=%s failing=%s final=%s\n",
				x.Variant, x.Where, found.Finds, count(found.Traces), count(found.Interleavings), count(found.Failing), count(found.FinalStates))
			continue
		}
		fmt.Fprintf(&b, "expect %s variant=%s where=%v over=%s is=%s within=%d at_least=%s at_most=%s\n",
			x.Figure, x.Variant, x.Where, x.Over, amount(x.Is), x.WithinPPM, amount(x.AtLeast), amount(x.AtMost))
	}
	return b.String()
}

func TestWhatIsNoFileIsSaidOfThePath(t *testing.T) {
	dir := t.TempDir()
	for path, want := range map[string]string{
		dir:                             dir + ": is a directory, not a file",
		filepath.Join(dir, "none.yaml"): filepath.Join(dir, "none.yaml") + ": cannot read the file: no such file or directory",
	} {
		if _, _, err := experiment.Open(path, experiment.Overrides{}); err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
	}
}

func TestTheSeedCanBeOverridden(t *testing.T) {
	seed := uint64(99)
	e, err := experiment.Parse("f.yaml", []byte("name: a\nseed: 5\ntasks: {t: {do: [run: 1ns]}}\n"), experiment.Overrides{Seed: &seed})
	if err != nil || e.Seed != 99 {
		t.Errorf("seed %v, %v", e, err)
	}
}

func BenchmarkRead(b *testing.B) {
	for _, file := range examples(b) {
		b.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := experiment.Open(file, experiment.Overrides{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
