package cpus_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/yamlfile"
)

// TestScenarios runs the stories in testdata/scenarios on machines with the costs
// of script_test.go. Their commands:
//
//	machine cpus=2 hz=1000 policy=fifo slice=5ms phase=200us script=(a,b@1)
//	task NAME bind=(0,1) nice=5 class=rt prio=10 mm=1 kthread start=3us
//	interrupt NAME context=softirq cpu=1 target=TASK every=3us limit=2 length=1us
//	compute 5us; sleep 1ms; lock; unlock; mutex_lock; mutex_unlock; await; open;
//	irq_off; irq_on; preempt_off; preempt_on; bh_off; bh_on
//	run until=1ms events=100
//
// An interrupt with steps has a handler with that program. A run prints who came on
// which CPU and when, the ticks and interrupts, the outcome, and the accounts. With phase, the ticks of every CPU come that long after a period.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata/scenarios", func(t *testing.T, path string) {
		var s *scenario
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "machine":
				s = newScenario(t, d)
			case "task":
				s.task(t, d)
			case "interrupt":
				s.interrupt(t, d)
			case "run":
				return s.run(t, d)
			default:
				t.Fatalf("%s: command %q, expected machine, task, interrupt or run", d.Pos, d.Cmd)
			}
			return ""
		})
	})
}

type scenario struct {
	m           *cpus.Machine
	spin, mutex *gate
	event       *gate
	out         strings.Builder
	names       map[int32]string
}

func newScenario(t *testing.T, d *datadriven.TestData) *scenario {
	spec := cpus.Spec{Topology: eightCPUs, Costs: roundCosts, CPUs: 1, Policy: "fifo"}
	phase := des.Time(-1)
	for _, arg := range d.CmdArgs {
		value := strings.Join(arg.Vals, ",")
		switch arg.Key {
		case "cpus":
			spec.CPUs = number(t, d, value)
		case "hz":
			spec.HZ = number(t, d, value)
		case "policy":
			spec.Policy = value
		case "slice":
			spec.Slice = duration(t, d, value)
		case "script":
			spec.Script = arg.Vals
		case "phase":
			phase = duration(t, d, value)
		default:
			t.Fatalf("%s: machine has no %q", d.Pos, arg.Key)
		}
	}
	s := &scenario{m: cpus.New(des.New(1), spec), names: map[int32]string{}}
	if phase >= 0 {
		s.m.SetTickPhase(phase)
	}
	s.m.SetTracer(s)
	s.spin = &gate{m: s.m, look: 100 * ns, handoff: 300 * ns}
	s.mutex = &gate{m: s.m, sleeps: true, look: 100 * ns}
	s.event = &gate{m: s.m, sleeps: true}
	return s
}

func (s *scenario) task(t *testing.T, d *datadriven.TestData) {
	spec := &cpus.TaskSpec{Name: d.CmdArgs[0].Key}
	start := des.Time(0)
	for _, arg := range d.CmdArgs[1:] {
		switch arg.Key {
		case "bind":
			set := s.m.NewCPUSet()
			for _, v := range arg.Vals {
				set.Add(number(t, d, v))
			}
			spec.CPUs = &set
		case "nice":
			spec.Nice = number(t, d, arg.Vals[0])
		case "class":
			spec.Class = cpus.Class(slices.Index(cpus.Classes, arg.Vals[0]))
		case "prio":
			spec.RTPriority = number(t, d, arg.Vals[0])
		case "mm":
			spec.MM = int32(number(t, d, arg.Vals[0]))
		case "kthread":
			spec.Kthread = true
		case "start":
			start = duration(t, d, arg.Vals[0])
		default:
			t.Fatalf("%s: task has no %q", d.Pos, arg.Key)
		}
	}
	b := s.program(t, d)
	b.ended = func() { fmt.Fprintf(&s.out, "%-12v %s ends\n", s.m.Sim.Now(), spec.Name) }
	spec.Behavior = b
	task := s.m.NewTask(spec)
	s.names[task.ID()] = spec.Name
	s.m.StartAt(task, start)
}

func (s *scenario) interrupt(t *testing.T, d *datadriven.TestData) {
	spec := &cpus.InterruptSpec{Name: d.CmdArgs[0].Key, Context: cpus.Hardirq}
	for _, arg := range d.CmdArgs[1:] {
		switch arg.Key {
		case "context":
			if arg.Vals[0] == "softirq" {
				spec.Context = cpus.Softirq
			}
		case "cpu":
			spec.CPU = number(t, d, arg.Vals[0])
		case "target":
			for _, task := range s.m.Tasks() {
				if task.Name() == arg.Vals[0] {
					spec.Target = task
				}
			}
		case "every":
			spec.Every = des.Const(duration(t, d, arg.Vals[0]))
		case "limit":
			spec.Limit = number(t, d, arg.Vals[0])
		case "length":
			spec.Length = des.Const(duration(t, d, arg.Vals[0]))
		default:
			t.Fatalf("%s: interrupt has no %q", d.Pos, arg.Key)
		}
	}
	if b := s.program(t, d); len(b.steps) > 0 {
		spec.Handler = &again{script: b}
	}
	s.m.AddInterrupt(spec)
}

// program reads steps.
func (s *scenario) program(t *testing.T, d *datadriven.TestData) *script {
	b := &script{}
	for _, text := range strings.FieldsFunc(d.Input, func(r rune) bool { return r == ';' || r == '\n' }) {
		b.steps = append(b.steps, s.step(t, d, strings.Fields(text)))
	}
	return b
}

func (s *scenario) step(t *testing.T, d *datadriven.TestData, words []string) step {
	switch words[0] {
	case "compute":
		return compute(duration(t, d, words[1]))
	case "sleep":
		return sleep(duration(t, d, words[1]))
	case "lock":
		return s.spin.do(gateLock)
	case "unlock":
		return s.spin.do(gateUnlock)
	case "mutex_lock":
		return s.mutex.do(gateLock)
	case "mutex_unlock":
		return s.mutex.do(gateUnlock)
	case "await":
		return s.event.do(gateWait)
	case "open":
		return s.event.do(gateOpen)
	}
	kinds := map[string]cpus.Kind{
		"irq_off": cpus.IRQOff, "irq_on": cpus.IRQOn, "preempt_off": cpus.PreemptOff,
		"preempt_on": cpus.PreemptOn, "bh_off": cpus.BHOff, "bh_on": cpus.BHOn,
	}
	kind, ok := kinds[words[0]]
	if !ok {
		t.Fatalf("%s: no step %q", d.Pos, words[0])
	}
	return plain(kind)
}

func (s *scenario) run(t *testing.T, d *datadriven.TestData) string {
	until := des.Forever
	for _, arg := range d.CmdArgs {
		switch arg.Key {
		case "until":
			until = duration(t, d, arg.Vals[0])
		case "events":
			s.m.Sim.SetEventLimit(uint64(number(t, d, arg.Vals[0])))
		default:
			t.Fatalf("%s: run has no %q", d.Pos, arg.Key)
		}
	}
	s.out.Reset()
	outcome := s.m.Run(until)
	fmt.Fprintf(&s.out, "%-12v %v\n", s.m.Sim.Now(), outcome)
	if outcome == cpus.Failed {
		fmt.Fprintf(&s.out, "%v\n", s.m.Failure())
	}
	for i := range s.m.CPUs() {
		fmt.Fprintf(&s.out, "CPU %d:", i)
		for mode := range cpus.Modes {
			if at := s.m.CPU(i).Account(mode); at > 0 {
				fmt.Fprintf(&s.out, " %v %v", mode, at)
			}
		}
		s.out.WriteByte('\n')
	}
	return s.out.String()
}

func (s *scenario) Trace(e cpus.TraceEvent) {
	what := ""
	switch e.Kind {
	case cpus.TraceSchedSwitch:
		what = "runs " + s.names[e.Task]
	case cpus.TraceTickEntry:
		what = "takes a tick"
	case cpus.TraceIRQEntry:
		what = "takes " + cpus.Context(e.Arg).String() + " " + s.m.NameOf(e.Name)
	case cpus.TraceIRQExit:
		what = "leaves " + s.m.NameOf(e.Name)
	case cpus.TraceMode:
		if cpus.Mode(e.Arg) != cpus.Idle && cpus.Mode(e.Arg) != cpus.Spin {
			return
		}
		what = cpus.Mode(e.Arg).String()
	default:
		return
	}
	fmt.Fprintf(&s.out, "%-12v CPU %d %s\n", e.At, e.CPU, what)
}

func duration(t *testing.T, d *datadriven.TestData, text string) des.Time {
	ps, err := yamlfile.ParseDuration(text)
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	return des.Time(ps)
}

func number(t *testing.T, d *datadriven.TestData, text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", d.Pos, err)
	}
	return n
}
