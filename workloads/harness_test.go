package workloads

import (
	"fmt"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/yamlfile"
)

// parsed reads the text of an experiment file as a source: its objects, its
// tasks with do, run, count, loop and start, and its check.
func parsed(text string, problems *yamlfile.Problems) *Source {
	root := yamlfile.Parse("f.yaml", []byte(text), problems)
	if root == nil {
		return nil
	}
	src := &Source{Objects: root.Get("objects")}
	if tasks := root.Get("tasks"); tasks != nil {
		for _, pair := range tasks.Pairs {
			src.Tasks = append(src.Tasks, taskSource(pair, problems))
		}
	}
	if check := root.Get("check"); check != nil {
		for _, part := range []struct {
			name string
			list *[]*yamlfile.Node
		}{{"always", &src.Always}, {"finally", &src.Finally}, {"never", &src.Never}} {
			if n := check.Get(part.name); n != nil {
				*part.list = n.Items
			}
		}
	}
	return src
}

func taskSource(pair yamlfile.Pair, problems *yamlfile.Problems) TaskSource {
	t := TaskSource{Name: pair.Key.Text, Pos: pair.Key.Pos, Count: 1, Loop: 1}
	if do := pair.Value.Get("do"); do != nil {
		if items, ok := do.Sequence(problems, "do"); ok {
			t.Steps = items
		}
	}
	if count := pair.Value.Get("count"); count != nil {
		n, _ := count.Int(problems, "count", 1, 100_000)
		t.Count = int(n)
	}
	if loop := pair.Value.Get("loop"); loop != nil {
		if loop.Text == "forever" {
			t.Loop = Forever
		} else {
			t.Loop, _ = loop.Int(problems, "loop", 1, 1<<40)
		}
	}
	if start := pair.Value.Get("start"); start != nil {
		t.Manual = start.Text == "manual"
	}
	return t
}

// compiled compiles the text of a file that has no mistakes.
func compiled(t testing.TB, text string) (*Source, *Workload) {
	t.Helper()
	var problems yamlfile.Problems
	src := parsed(text, &problems)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	w := Compile(src, &problems)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return src, w
}

// testCosts are round figures, so that golden traces can be read.
var testCosts = cpus.Costs{
	Cycle: des.Nanosecond, L1Hit: des.Nanosecond, L2Hit: 4 * des.Nanosecond, LLCHit: 20 * des.Nanosecond,
	DRAM: 100 * des.Nanosecond, PlainIncrement: des.Nanosecond, Atomic: 5 * des.Nanosecond, Fence: 10 * des.Nanosecond,
	Pause: 40 * des.Nanosecond, TransferSMT: 10 * des.Nanosecond, TransferLLC: 50 * des.Nanosecond,
	TransferSocket: 70 * des.Nanosecond, TransferRemote: 150 * des.Nanosecond, BHPair: 10 * des.Nanosecond,
	Syscall: 60 * des.Nanosecond, SwitchThread: des.Microsecond, SwitchProcess: 2 * des.Microsecond,
	WakeIdle: 2 * des.Microsecond, WakeWaker: des.Microsecond, Tick: 3 * des.Microsecond, FillPeriod: 10 * des.Nanosecond,
	L1Size: 32 << 10, L2Size: 1 << 20, LLCSize: 32 << 20,
}

// newMachine returns a machine of one socket without a tick.
func newMachine(seed uint64, n int) *cpus.Machine {
	return cpus.New(des.New(seed), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: n, Threads: 1, CoresPerLLC: n},
		Costs:    testCosts, CPUs: n, Policy: "fifo",
	})
}

// launch makes all tasks of a source and starts those that start by themselves.
func launch(src *Source, w *Workload, m *cpus.Machine) *Linked {
	l := w.Link(m)
	for i := range src.Tasks {
		s := &src.Tasks[i]
		p := w.Program(s.Name)
		if p == nil {
			continue
		}
		spec := &cpus.TaskSpec{}
		for range s.Count {
			if t := l.NewTask(p, spec); !s.Manual {
				m.Start(t)
			}
		}
	}
	return l
}

// describe says how a run ended and what its words and registers hold.
func describe(src *Source, l *Linked, outcome string) string {
	var b strings.Builder
	fmt.Fprintln(&b, outcome)
	if err := l.machine.Failure(); err != nil {
		fmt.Fprintf(&b, "%v\n", err)
	}
	for _, w := range l.Words() {
		fmt.Fprintf(&b, "%s = %d\n", w.Name, w.Value)
	}
	for i := range src.Tasks {
		p := l.workload.Program(src.Tasks[i].Name)
		if p == nil {
			continue
		}
		for k := range p.Count {
			name := p.Name
			if p.Count > 1 {
				name = fmt.Sprintf("%s[%d]", p.Name, k)
			}
			for r, value := range l.Registers(p, k) {
				fmt.Fprintf(&b, "%s.%s = %d\n", name, p.Registers()[r], value)
			}
		}
	}
	for _, c := range []struct {
		name  string
		list  []Condition
		wrong bool
	}{{"finally", l.workload.Finally, false}, {"never", l.workload.Never, true}} {
		for i := range c.list {
			holds, err := l.Holds(&c.list[i])
			if err != nil {
				fmt.Fprintf(&b, "%v\n", err)
			}
			if holds == c.wrong {
				fmt.Fprintf(&b, "%v: %s: %s fails\n", c.list[i].Pos, c.name, c.list[i].Text)
			}
		}
	}
	return b.String()
}
