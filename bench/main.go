package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"text/tabwriter"
	"time"
)

// engine times each case that it can run.
type engine struct {
	name string
	// prepare sets a case up and returns what runs about n more of its events and
	// says how many there were; nil if the engine cannot run it.
	prepare func(c benchCase) func(n int) int
	note    string
}

// benchCase is what is run: hold with a number of processes, or lock.
type benchCase struct {
	name      string
	lock      bool
	processes int
	events    int
}

var cases = []benchCase{
	{name: "hold-64", processes: 64, events: 3_000_000},
	{name: "hold-1000", processes: 1000, events: 3_000_000},
	{name: "hold-100000", processes: 100_000, events: 2_000_000},
	{name: "lock-64", lock: true, processes: 64, events: 1_000_000},
}

var engines = []engine{
	{name: "smpsim step", prepare: stepEngine},
	{name: "smpsim coroutine", prepare: coroutineEngine},
	{name: "smpsim program", prepare: programEngine, note: "whole machine"},
	{name: "smpsim thread", prepare: threadEngine, note: "whole machine"},
	{name: "container/heap", prepare: heapEngine},
	{name: "goroutines", prepare: goroutineEngine},
}

func main() {
	runs := flag.Int("runs", 5, "measurements of each, of which the least counts")
	only := flag.String("case", "", "the one case to run")
	child := flag.String("child", "", "internal: measure engine/case and print nanoseconds")
	flag.Parse()
	if *child != "" {
		measure(*child)
		return
	}
	if err := compare(*runs, *only); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// compare runs every engine on every case and prints a table.
func compare(runs int, only string) error {
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	header := "engine\t"
	for _, c := range cases {
		if only == "" || only == c.name {
			header += c.name + "\t\t"
		}
	}
	fmt.Fprintln(out, header)
	base := map[string]float64{}
	for _, e := range engines {
		row := e.name + "\t"
		for _, c := range cases {
			if only != "" && only != c.name {
				continue
			}
			least, err := least(e, c, runs)
			switch {
			case err != nil:
				return err
			case least == 0:
				row += "-\t\t"
				continue
			case e.name == engines[0].name:
				base[c.name] = least
			}
			row += fmt.Sprintf("%.0f ns\t%.1fx\t", least, least/base[c.name])
		}
		fmt.Fprintln(out, row+e.note+"\t")
		fmt.Fprintln(os.Stderr, "timed", e.name)
	}
	return out.Flush()
}

// least measures in processes of their own and returns the least time of an event,
// 0 if the engine cannot run the case.
func least(e engine, c benchCase, runs int) (float64, error) {
	var all []float64
	for range runs {
		self, err := os.Executable()
		if err != nil {
			return 0, err
		}
		text, err := exec.Command(self, "-child", e.name+"="+c.name).Output()
		if err != nil {
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				err = fmt.Errorf("%s, %s: %w\n%s", e.name, c.name, err, exit.Stderr)
			}
			return 0, err
		}
		ns, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			return 0, err
		}
		all = append(all, ns)
	}
	return slices.Min(all), nil
}

// measure is what a child does: it prints the CPU time of one event.
func measure(what string) {
	name, caseName, _ := strings.Cut(what, "=")
	e := engines[slices.IndexFunc(engines, func(e engine) bool { return e.name == name })]
	c := cases[slices.IndexFunc(cases, func(c benchCase) bool { return c.name == caseName })]
	run := e.prepare(c)
	if run == nil {
		fmt.Println(0)
		return
	}
	run(c.events / 4) // until queues and stacks have their size
	before := cpuTime()
	events := run(c.events)
	fmt.Println(float64(cpuTime()-before) / float64(events))
}

// cpuTime is what the process has used so far, on all cores.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
