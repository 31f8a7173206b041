package observe

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
)

// A story in testdata passes tracepoints by hand and asks what was recorded:
//
//	machine cpus=N tasks=(a,b)    a machine on which nothing runs by itself
//	trace [timeline=(FROM,TO)]    lines of "time cpu task tracepoint [name] [argument]"
//	outliers F | locks | tasks | works | metrics | timeline
//	eval                          lines of "function metric"
func TestStories(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		var s *story
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd == "machine" {
				s = newStory(t, d)
				return ""
			}
			return s.run(t, d)
		})
	})
}

type story struct {
	machine  *cpus.Machine
	recorder *Recorder
	clock    des.ID
	tasks    map[string]int32
	result   *Result
}

func newStory(t *testing.T, d *datadriven.TestData) *story {
	var n int
	var names []string
	d.ScanArgs(t, "cpus", &n)
	for _, arg := range d.CmdArgs {
		if arg.Key == "tasks" {
			names = arg.Vals
		}
	}
	s := &story{tasks: map[string]int32{"-": -1}}
	s.machine = cpus.New(des.New(1), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: n, Threads: 1, CoresPerLLC: n}, CPUs: n, Policy: "fair",
		Costs: cpus.Costs{WakeWaker: 700 * des.Nanosecond},
	})
	s.clock = s.machine.Sim.Spawn(des.StepFunc(func(*des.Sim, des.ID) {}))
	for _, name := range names {
		spec := &cpus.TaskSpec{Name: name, Kthread: strings.HasPrefix(name, "kworker")}
		if base, index, ok := strings.Cut(strings.TrimSuffix(name, "]"), "["); ok {
			spec.Name, spec.Numbered, spec.Index = base, true, int32(number(t, index))
		}
		s.tasks[name] = s.machine.NewTask(spec).ID()
	}
	s.recorder = NewRecorder(s.machine)
	return s
}

// tracepoints are the names of the kinds, and what their argument is.
var tracepoints = map[string]struct {
	kind     cpus.TraceKind
	name     bool
	argument string
}{
	"mode":             {cpus.TraceMode, false, "mode"},
	"sched_switch":     {cpus.TraceSchedSwitch, false, "task"},
	"sched_wakeup":     {cpus.TraceSchedWakeup, false, ""},
	"contention_begin": {cpus.TraceContentionBegin, true, ""},
	"contention_end":   {cpus.TraceContentionEnd, true, "time"},
	"lock_acquired":    {cpus.TraceLockAcquired, true, "time"},
	"lock_released":    {cpus.TraceLockReleased, true, "time"},
	"entry":            {cpus.TraceFuncEntry, true, ""},
	"return":           {cpus.TraceFuncReturn, true, "time"},
	"queue_work":       {cpus.TraceQueueWork, true, ""},
	"execute_start":    {cpus.TraceExecuteStart, true, "time"},
	"execute_end":      {cpus.TraceExecuteEnd, true, "time"},
	"tick_entry":       {cpus.TraceTickEntry, false, ""},
	"tick_exit":        {cpus.TraceTickExit, false, ""},
	"mark":             {cpus.TraceMark, true, "time"},
	"sample":           {cpus.TraceSample, true, "number"},
}

// event reads a line of the trace command.
func (s *story) event(t *testing.T, line string) cpus.TraceEvent {
	fields := strings.Fields(line)
	if len(fields) < 4 {
		t.Fatalf("%q: want time, cpu, task, tracepoint", line)
	}
	point, ok := tracepoints[fields[3]]
	task, known := s.tasks[fields[2]]
	if !ok || !known {
		t.Fatalf("%q: unknown tracepoint or task", line)
	}
	e := cpus.TraceEvent{At: duration(t, fields[0]), Kind: point.kind, CPU: -1, Task: task, Name: -1}
	if fields[1] != "-" {
		e.CPU = int16(number(t, fields[1]))
	}
	rest := fields[4:]
	if point.name {
		e.Name, rest = s.machine.Intern(rest[0]), rest[1:]
	}
	switch point.argument {
	case "time":
		e.Arg = -1
		if rest[0] != "-" {
			e.Arg = int64(duration(t, rest[0]))
		}
	case "number":
		e.Arg = int64(number(t, rest[0]))
	case "task":
		e.Arg = int64(s.tasks[rest[0]])
	case "mode":
		for mode := range cpus.Modes {
			if mode.String() == rest[0] {
				e.Arg = int64(mode)
			}
		}
	}
	return e
}

func (s *story) run(t *testing.T, d *datadriven.TestData) string {
	if d.Cmd == "trace" {
		for _, arg := range d.CmdArgs {
			s.recorder.Timeline(duration(t, arg.Vals[0]), duration(t, arg.Vals[1]))
		}
		for line := range strings.Lines(d.Input) {
			e := s.event(t, line)
			s.machine.Sim.Schedule(s.clock, e.At)
			s.machine.Sim.Run(e.At)
			s.recorder.Trace(e)
		}
		s.result = s.recorder.Result()
		return ""
	}
	var b strings.Builder
	switch d.Cmd {
	case "outliers":
		for _, f := range s.result.Functions {
			if f.Name == d.CmdArgs[0].Key {
				writeOutliers(&b, f.Slowest)
			}
		}
	case "locks":
		for _, l := range s.result.Locks {
			fmt.Fprintf(&b, "%s: acquired %d, contended %d for %v, at most %v, released %d after %v, at most %v\n",
				l.Name, l.Acquired, l.Contended, l.Wait, l.WaitMost, l.Released, l.Held, l.HeldMost)
		}
	case "tasks":
		for _, task := range s.result.Tasks {
			fmt.Fprintf(&b, "%s of %s: runs %d, wakeups %d%s\n",
				task.Name, task.Group, task.Runs, task.Wakeups, accounts(task.Times))
		}
		fmt.Fprintf(&b, "switches %d, wakeups %d, ticks %d\n", s.result.Switches, s.result.Wakeups, s.result.Ticks)
	case "works":
		for _, w := range s.result.Works {
			fmt.Fprintf(&b, "%s: queued %d, ran %d\n", w.Name, w.Queued, w.Ran)
		}
	case "metrics":
		for _, m := range s.result.Metrics {
			fmt.Fprintf(&b, "%s %v: ", m.Name, m.Kind)
			if m.Kind == Distribution {
				fmt.Fprintf(&b, "%d, mean %v, min %v, max %v of %d %s\n",
					m.Count, m.Samples.Mean, m.Samples.Min, m.Samples.Max, m.Samples.Count, m.Unit)
				continue
			}
			fmt.Fprintf(&b, "%v %s\n", m.Value, m.Unit)
		}
	case "timeline":
		writeTimeline(&b, s.result.Timeline)
	case "eval":
		for line := range strings.Lines(d.Input) {
			f := strings.Fields(line)
			value, unit, ok := s.result.Eval(f[0], f[1])
			fmt.Fprintf(&b, "%s(%s) = %v %s %v\n", f[0], f[1], value, unit, ok)
		}
	default:
		t.Fatalf("unknown command %q", d.Cmd)
	}
	return b.String()
}

func accounts(a Accounts) string {
	var b strings.Builder
	for mode, d := range a {
		if d > 0 {
			fmt.Fprintf(&b, ", %v %v", cpus.Mode(mode), d)
		}
	}
	return b.String()
}

func writeOutliers(b *strings.Builder, outliers []Outlier) {
	for _, o := range outliers {
		fmt.Fprintf(b, "%s number %d: %v from %v to %v on CPU %d by %s\n",
			o.Function, o.Ordinal, o.End-o.Start, o.Start, o.End, o.CPU, o.Task)
		for _, i := range o.Incidents {
			fmt.Fprintf(b, "  %v %q: %d, %v, at most %v\n", i.Cause, i.Name, i.Count, i.Total, i.Most)
		}
	}
}

func writeTimeline(b *strings.Builder, l *Timeline) {
	for _, s := range l.Slices {
		fmt.Fprintf(b, "CPU %d %v to %v %v %s\n", s.CPU, s.Start, s.End, s.Mode, s.Task)
	}
	for _, s := range l.Locks {
		state := "holds"
		if s.Waiting {
			state = "waits for"
		}
		fmt.Fprintf(b, "CPU %d %v to %v %s %s %s\n", s.CPU, s.Start, s.End, s.Task, state, s.Lock)
	}
	for _, x := range l.Executions {
		fmt.Fprintf(b, "CPU %d %v to %v %s runs %s\n", x.CPU, x.Start, x.End, x.Task, x.Item)
	}
	for _, p := range l.Points {
		fmt.Fprintf(b, "CPU %d %v %v %s %s\n", p.CPU, p.At, p.Kind, p.Task, p.Name)
	}
	writeOutliers(b, l.Slowest)
	fmt.Fprintf(b, "dropped %d\n", l.Dropped)
}

func number(t *testing.T, s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// duration reads what des.Time prints, whole numbers of a unit.
func duration(t *testing.T, s string) des.Time {
	for _, u := range []struct {
		name string
		size des.Time
	}{{"ps", 1}, {"ns", des.Nanosecond}, {"us", des.Microsecond}, {"ms", des.Millisecond}, {"s", des.Second}} {
		if digits, ok := strings.CutSuffix(s, u.name); ok {
			return des.Time(number(t, digits)) * u.size
		}
	}
	t.Fatalf("%q is no time", s)
	return 0
}
