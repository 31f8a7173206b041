package experiment_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"smpsim/experiment"
	"smpsim/yamlfile"
)

// sweepOf makes a file that sweeps two paths over a and b values.
func sweepOf(a, b int) string {
	numbers := func(n int) string {
		texts := make([]string, n)
		for i := range texts {
			texts[i] = fmt.Sprint(i + 1)
		}
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("name: a\nsweep:\n  tasks.t.count: [%s]\n  tasks.u.count: [%s]\n"+
		"tasks:\n  t: {run: getsockname}\n  u: {run: getsockname}\n", numbers(a), numbers(b))
}

func TestAsManyCellsAsTheLimitAreRead(t *testing.T) {
	start := time.Now()
	e, err := experiment.Parse("f.yaml", []byte(sweepOf(experiment.MaxCells/100, 100)), experiment.Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if len(e.Cells) != experiment.MaxCells {
		t.Errorf("%d cells", len(e.Cells))
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	if memory.HeapAlloc > 1<<30 {
		t.Errorf("%d bytes", memory.HeapAlloc)
	}
	t.Logf("%d cells in %v, %d MB", len(e.Cells), time.Since(start), memory.HeapAlloc>>20)
	runtime.KeepAlive(e)
}

// TestHostileFilesEndWithMistakes feeds files that take naive readers hours, which is
// past the test's own limit of time: many cells, many names, long chains, all of them
// with mistakes.
func TestHostileFilesEndWithMistakes(t *testing.T) {
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	for name, text := range map[string]string{
		"a million cells":        sweepOf(1001, 1000),
		"misspelt names":         "name: a\ntasks:\n" + lines(900, "  task_number_%d: {do: [run: 1ns]}\n") + "variants:\n  v:\n" + lines(1000, "    tasks.tusk_number_%d.count: 2\n"),
		"many patches":           "name: a\nvariants:\n  v:\n" + lines(30000, "    tasks.t%d.count: 2\n") + "tasks: {t: {do: [x]}}\n",
		"too many tasks":         "name: a\ntasks:\n" + lines(30000, "  t%d: {do: [x]}\n"),
		"too many variants":      "name: a\nvariants:\n" + lines(30000, "  v%d: {machine.cpus: 2}\n") + "tasks: {t: {do: [x]}}\n",
		"large variants":         "name: a\nvariants:\n" + lines(900, "  v%d: {machine.cpus: 0}\n") + "tasks:\n" + lines(900, "  t%d: {do: [x], count: 0}\n"),
		"unknown keys":           "name: a\n" + lines(50000, "nome%d: 1\n"),
		"long chain of aliases":  "name: a\ntasks:\n" + lines(900, "  t%d: {do: [x], count: $tasks.t1.count}\n"),
		"references in a circle": "name: a\ntasks:\n" + lines(900, "  t%d: {do: [x], nice: $tasks.t1.nice}\n"),
		"many values":            "name: a\nsweep:\n  machine.hz: [" + strings.Repeat("1, ", 100_000) + "1]\ntasks: {t: {do: [x]}}\n",
		"one long axis":          sweepOf(experiment.MaxCells, 1) + "plots:\n" + lines(900, "  - {line: mean(x), x: tasks.t.count, file: a%d.png, where: {tasks.t.count: 7}, variant: v}\n"),
		"many axes":              "name: a\nsweep:\n" + lines(5000, "  tasks.t%d.count: [1, 2]\n") + "tasks: {t: {do: [x]}}\n",
		"many plots":             "name: a\nplots:\n" + lines(10000, "  - {histogram: x, file: a%d.png, variant: v}\n") + "tasks: {t: {do: [x]}}\n",
		"a large cell often": "name: a\nsweep:\n  machine.hz: [" + strings.Repeat("1, ", 1) + strings.TrimSuffix(lines(9000, "%d, "), ", ") + "]\ntasks:\n" +
			lines(20, "  t%d: {do: ["+strings.Repeat("lock: l, ", 1000)+"x]}\n"),
	} {
		if len(text) > yamlfile.MaxBytes {
			t.Errorf("%s: %d bytes are more than a file may have", name, len(text))
		}
		start := time.Now()
		e, err := experiment.Parse("f.yaml", []byte(text), experiment.Overrides{})
		took := time.Since(start)
		t.Logf("%-25s %8v %.100v", name, took.Round(time.Millisecond), err)
		if err == nil && !strings.Contains(name, "chain") {
			t.Errorf("%s: read as %d cells", name, len(e.Cells))
		}
	}
}

// FuzzRead: whatever the file and the option say, reading ends, with cells or mistakes.
func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "machine.cpus=4")
		f.Add(string(text), "tasks.t={do: [x]}")
	}
	stories, err := filepath.Glob("testdata/*/*.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, story := range stories {
		text, err := os.ReadFile(story)
		if err != nil {
			f.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n\n") {
			input, _, _ := strings.Cut(part, "\n----")
			_, input, _ = strings.Cut(input, "\nread\n")
			f.Add(input, "setup.0.in_flight.sockets=$machine.hz")
		}
	}
	f.Fuzz(func(t *testing.T, text, set string) {
		if gridSize(text) > 1000 {
			return // TestAsManyCellsAsTheLimitAreRead has these; here they only take time
		}
		e, err := experiment.Parse("f.yaml", []byte(text), experiment.Overrides{Set: []string{set}})
		if err != nil {
			if err.Error() == "" {
				t.Fatal("a mistake that says nothing")
			}
			return
		}
		if len(e.Cells) == 0 || e.Name == "" || e.Replicas < 1 {
			t.Fatalf("read without mistakes, but %d cells of %q, %d replicas", len(e.Cells), e.Name, e.Replicas)
		}
		for i := range e.Cells[:min(len(e.Cells), 10)] {
			if c := &e.Cells[i]; len(c.Canonical()) == 0 || len(c.Params) != len(e.Axes) {
				t.Fatal("a cell that is not whole")
			}
		}
	})
}

// gridSize is how many points the sweep of a text has, as far as it can be read.
func gridSize(text string) int {
	var problems yamlfile.Problems
	size := 1
	if sweep := yamlfile.Parse("f.yaml", []byte(text), &problems).Get("sweep"); sweep != nil {
		for _, pair := range sweep.Pairs {
			size = min(size*max(len(pair.Value.Items), 1), 1<<30)
		}
	}
	return size
}
