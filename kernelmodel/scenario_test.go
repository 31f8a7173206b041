package kernelmodel_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// TestScenarios runs the scripts in testdata. A directive's lines are:
//
//	machine cpus=2 hz=0 policy=fair slice=1ms sockets=1 cores=4 llc=2 seed=1
//	lock q ticket            also: mutex m; rwlock l; seqlock s; semaphore s 1;
//	                         waitqueue q; event e; word x 0; counter c atomic;
//	                         workqueue q unbound max=1; work w on=q: STEPS
//	task a cpu=0 start=100ns nice=0 mm=1 loop=1: STEPS
//	run until=1ms            prints what happened meanwhile, and why it ended
//	dump cpus                where the CPUs' time went
//	dump runqueues           who runs, and who waits for which CPU
func TestScenarios(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			s := &script{}
			datadriven.RunTest(t, path, s.directive)
		})
	}
}

// script is a scenario in progress: the machine it has built, and what is to be
// printed.
type script struct {
	bench
	out strings.Builder
}

// directive carries out the lines of a directive and returns what they print.
func (s *script) directive(_ *testing.T, d *datadriven.TestData) string {
	s.out.Reset()
	first := d.Cmd
	for _, a := range d.CmdArgs {
		first += " " + a.String()
	}
	for _, line := range strings.Split(first+"\n"+d.Input, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			s.line(line)
		}
	}
	return s.out.String()
}

// options are the key=value words of a line; the others are its arguments.
func options(words []string) (args []string, opts map[string]string) {
	opts = map[string]string{}
	for _, w := range words {
		if key, value, ok := strings.Cut(w, "="); ok {
			opts[key] = value
		} else {
			args = append(args, w)
		}
	}
	return args, opts
}

func option(opts map[string]string, key string, otherwise int) int {
	if v, ok := opts[key]; ok {
		return number(v)
	}
	return otherwise
}

// line carries out one line of a script.
func (s *script) line(line string) {
	head, steps, _ := strings.Cut(line, ":")
	f := strings.Fields(head)
	args, opts := options(f[1:])
	name := ""
	if len(args) > 0 {
		name = args[0]
	}
	switch f[0] {
	case "machine":
		s.build(opts)
	case "task":
		s.task(name, opts, steps)
	case "run":
		outcome := s.machine.Run(span(opts["until"]))
		fmt.Fprintf(&s.out, "%v at %v\n", outcome, s.machine.Sim.Now())
		if err := s.machine.Failure(); err != nil {
			fmt.Fprintf(&s.out, "%v\n", err)
		}
	case "dump":
		s.dump(name)
	case "lock":
		s.objects[name] = kernelmodel.NewSpinlock(s.machine, name, args[1])
	case "mutex":
		s.objects[name] = kernelmodel.NewMutex(s.machine, name)
	case "rwlock":
		s.objects[name] = kernelmodel.NewRWLock(s.machine, name)
	case "seqlock":
		s.objects[name] = kernelmodel.NewSeqlock(s.machine, name)
	case "semaphore":
		s.objects[name] = kernelmodel.NewSemaphore(s.machine, name, int64(number(args[1])))
	case "waitqueue":
		s.objects[name] = kernelmodel.NewWaitQueue(s.machine, name)
	case "event":
		s.objects[name] = kernelmodel.NewEvent(s.machine, name)
	case "word":
		s.objects[name] = s.machine.NewWord(name, int64(number(args[1])))
	case "counter":
		s.objects[name] = kernelmodel.NewCounter(s.machine.NewWord(name, 0), args[1] == "atomic")
	case "workqueue":
		s.objects[name] = kernelmodel.NewWorkqueue(s.machine, kernelmodel.WorkqueueSpec{
			Name: name, PerCPU: args[1] == "percpu", MaxActive: option(opts, "max", 0),
		})
	case "work":
		p := &program{}
		s.objects[name] = s.objects[opts["on"]].(*kernelmodel.Workqueue).NewWork(name, p)
		*p = *s.program(steps)
	default:
		panic(fmt.Sprintf("unknown line %q", line))
	}
}

func (s *script) build(opts map[string]string) {
	topology := xeon
	if _, ok := opts["cores"]; ok {
		topology = cpus.Topology{
			Sockets: option(opts, "sockets", 1), Cores: option(opts, "cores", 1), Threads: option(opts, "threads", 1),
		}
		topology.CoresPerLLC = option(opts, "llc", topology.Cores)
	}
	spec := cpus.Spec{
		Topology: topology, Costs: xeonCosts, CPUs: option(opts, "cpus", 1), HZ: option(opts, "hz", 0), Policy: opts["policy"],
	}
	if slice, ok := opts["slice"]; ok {
		spec.Slice = span(slice)
	}
	s.machine = cpus.New(des.New(uint64(option(opts, "seed", 1))), spec)
	s.objects = map[string]any{}
	s.machine.SetTracer(s)
	s.ended = s.stepEnded
}

func (s *script) task(name string, opts map[string]string, steps string) {
	m := s.machine
	p := s.program(steps)
	p.loops = option(opts, "loop", 1)
	spec := &cpus.TaskSpec{
		Name: name, Behavior: p, Nice: option(opts, "nice", 0), MM: int32(option(opts, "mm", 0)),
	}
	if cpu, ok := opts["cpu"]; ok {
		bound := m.NewCPUSet()
		bound.Add(number(cpu))
		spec.CPUs = &bound
	}
	t := m.NewTask(spec)
	if start, ok := opts["start"]; ok {
		m.StartAt(t, span(start))
		return
	}
	m.Start(t)
}

// stepEnded prints the steps that no tracepoint tells of.
func (s *script) stepEnded(t *cpus.Task, st *step, result int64) {
	value := ""
	if st.valued {
		value = fmt.Sprintf(" = %d", result)
	}
	switch {
	case st.op.Kind == cpus.Call && silent[st.op.Sub] && !st.valued:
	default:
		s.print(t.CPU().Index(), s.taskName(t.ID()), st.text+value)
	}
}

// silent are the calls whose end is a tracepoint.
var silent = map[uint8]bool{
	kernelmodel.Lock: true, kernelmodel.Unlock: true, kernelmodel.LockIRQ: true, kernelmodel.UnlockIRQ: true,
	kernelmodel.LockBH: true, kernelmodel.UnlockBH: true, kernelmodel.ReadLock: true, kernelmodel.ReadUnlock: true,
	kernelmodel.WriteLock: true, kernelmodel.WriteUnlock: true,
}

func (s *script) print(cpu int, task, what string) {
	fmt.Fprintf(&s.out, "%-12v cpu%-2d %-4s %s\n", s.machine.Sim.Now(), cpu, task, what)
}

// taskName returns the name of the task with that ID; its worker's queue is
// left out.
func (s *script) taskName(id int32) string {
	for _, t := range s.machine.Tasks() {
		if t.ID() == id {
			return strings.TrimSuffix(t.Name(), "-wq")
		}
	}
	return "-"
}

// Trace prints a tracepoint.
func (s *script) Trace(e cpus.TraceEvent) {
	name := ""
	if e.Name >= 0 {
		name = s.machine.NameOf(e.Name)
	}
	what, arg := "", des.Time(e.Arg)
	switch e.Kind {
	case cpus.TraceMode, cpus.TraceTickExit, cpus.TraceSample:
		return
	case cpus.TraceSchedSwitch:
		what = "on"
		if e.Arg >= 0 && int32(e.Arg) != e.Task {
			what += ", after " + s.taskName(int32(e.Arg))
		}
	case cpus.TraceSchedWakeup:
		what = fmt.Sprintf("is woken for cpu%d", e.Arg)
	case cpus.TraceContentionBegin:
		what = "waits for " + name
	case cpus.TraceContentionEnd:
		what = fmt.Sprintf("has waited %v for %s", arg, name)
	case cpus.TraceLockAcquired:
		what = fmt.Sprintf("has %s, asked %v ago", name, arg)
	case cpus.TraceLockReleased:
		what = fmt.Sprintf("gives %s back, held %v", name, arg)
	case cpus.TraceQueueWork:
		what = "queues " + name
	case cpus.TraceExecuteStart:
		what = fmt.Sprintf("begins %s, queued %v ago", name, arg)
	case cpus.TraceExecuteEnd:
		what = fmt.Sprintf("ends %s, ran %v", name, arg)
	case cpus.TraceTickEntry:
		what = "tick"
	default:
		what = fmt.Sprintf("tracepoint %d %s %d", e.Kind, name, e.Arg)
	}
	s.print(int(e.CPU), s.taskName(e.Task), what)
}

func (s *script) dump(what string) {
	m := s.machine
	for i := range m.CPUs() {
		c := m.CPU(i)
		fmt.Fprintf(&s.out, "cpu%d:", i)
		switch what {
		case "cpus":
			for mode := range cpus.Modes {
				if d := c.Account(mode); d > 0 {
					fmt.Fprintf(&s.out, " %v %v", mode, d)
				}
			}
		case "runqueues":
			if t := c.Current(); t != nil {
				fmt.Fprintf(&s.out, " %s %v;", t.Name(), t.State())
			}
			for _, t := range m.Tasks() {
				if t.State() == cpus.Runnable && t.CPU() == c && t != c.Current() {
					fmt.Fprintf(&s.out, " %s waits;", t.Name())
				}
			}
		default:
			panic("dump " + what)
		}
		s.out.WriteString("\n")
	}
}
