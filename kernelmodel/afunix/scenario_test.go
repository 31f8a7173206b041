package afunix

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
)

// TestScenarios plays the scripts in testdata and compares who ran, who waited
// and when. A line is the time, the CPU, the task, what it did, and gc_in_progress
// where it is set. Functions are indented within those that call them.
func TestScenarios(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "run" {
				d.Fatalf(t, "command %q, want run", d.Cmd)
			}
			return playScenario(t, d)
		})
	})
}

func playScenario(t *testing.T, d *datadriven.TestData) string {
	var (
		cpu, trigger int
		gc           string
		sane         = int64(-1)
	)
	d.ScanArgs(t, "cpus", &cpu)
	d.ScanArgs(t, "gc", &gc)
	d.ScanArgs(t, "trigger", &trigger)
	d.MaybeScanArgs(t, "sane", &sane)
	p := Params{GC: Variant(gc), Trigger: int64(trigger)}
	p.Unfixed.FlagSetByWork = d.HasArg("flag-set-by-work")
	if sane >= 0 {
		p.SaneUser = &sane
	}
	m := newServer(t, cpu, 0, 1)
	n := New(m, p)
	s := &scenario{m: m, n: n, depth: map[int32]int{}}
	m.SetTracer(s)
	for _, line := range strings.Split(strings.TrimSpace(d.Input), "\n") {
		if err := s.declare(line); err != nil {
			d.Fatalf(t, "%q: %v", line, err)
		}
	}
	outcome := m.Run(des.Second)
	fmt.Fprintf(&s.out, "%v at %v", outcome, m.Sim.Now())
	if err := m.Failure(); err != nil {
		fmt.Fprintf(&s.out, ": %v", err)
	}
	st := n.Stats()
	fmt.Fprintf(&s.out, "\ngc_enter %d gc_run %d gc_spin %v in_flight %d freed %d\n", st.Entered, st.Collections, st.Spun, st.InFlight, st.Freed)
	if err := n.Check(); err != nil {
		fmt.Fprintf(&s.out, "%v\n", err)
	}
	return s.out.String()
}

// scenario is a script at work, and the tracer that writes what happens.
type scenario struct {
	m     *cpus.Machine
	n     *Net
	out   strings.Builder
	depth map[int32]int
}

// declare carries out a line of a script: "in-flight SHAPE N USER", or
// "task NAME cpu=N user=NAME: ACTION; ACTION ...".
func (s *scenario) declare(line string) error {
	head, body, _ := strings.Cut(line, ":")
	f := strings.Fields(head)
	switch {
	case len(f) == 4 && f[0] == "in-flight":
		sockets, err := strconv.Atoi(f[2])
		if err != nil {
			return err
		}
		return s.n.Setup(Graph{Shape(f[1]), sockets, f[3]})
	case len(f) == 4 && f[0] == "task":
		cpu, err := strconv.Atoi(strings.TrimPrefix(f[2], "cpu="))
		if err != nil {
			return err
		}
		me := s.n.NewProcess(strings.TrimPrefix(f[3], "user="))
		quiet, drain := s.n.Socketpair(Dgram)
		drain.Discard()
		a, b := s.n.Socketpair(Dgram)
		on(s.m, cpu, f[1], func(k *cpus.Thread) {
			for _, action := range strings.Split(body, ";") {
				s.act(k, me, strings.Fields(action), quiet, a, b)
			}
		})
		return nil
	default:
		return fmt.Errorf("want in-flight or task")
	}
}

// act is an action: "send", "send N" with N new descriptors, "receive",
// "close-one" of a new socket, "sleep NS", "flush".
func (s *scenario) act(k *cpus.Thread, me *Process, action []string, quiet, a, b *Sock) {
	number := 0
	if len(action) > 1 {
		number, _ = strconv.Atoi(action[1])
	}
	switch action[0] {
	case "send":
		var fds []*Sock
		from := quiet
		for range number {
			fds = append(fds, s.n.Socket(Dgram))
			from = a
		}
		if err := me.Sendmsg(k, from, 1, fds); err != nil {
			s.line(k.Task().CPU().Index(), k.Task().ID(), err.Error())
		}
	case "receive":
		me.Recvmsg(k, b, nil)
	case "close-one":
		me.Close(k, s.n.Socket(Dgram))
	case "sleep":
		k.Sleep(des.Time(number) * ns)
	default:
		panic("unknown action " + action[0])
	}
}

// Trace writes the events that tell who runs and who waits.
func (s *scenario) Trace(e cpus.TraceEvent) {
	name := ""
	if e.Name >= 0 {
		name = s.m.NameOf(e.Name)
	}
	ours := name == "unix_gc_lock" || strings.HasPrefix(name, "unix_gc_work") || strings.HasPrefix(name, "delayed_fput")
	cpu, arg := int(e.CPU), des.Time(e.Arg)
	switch {
	case e.Kind == cpus.TraceFuncEntry:
		s.line(cpu, e.Task, name)
		s.depth[e.Task]++
	case e.Kind == cpus.TraceFuncReturn:
		s.depth[e.Task]--
		s.line(cpu, e.Task, fmt.Sprintf("%s returns after %v", name, arg))
	case e.Kind == cpus.TraceSchedWakeup && s.m.Sim.Now() > 0:
		s.line(int(e.Arg), e.Task, "is woken")
	case e.Kind == cpus.TraceContentionBegin && ours:
		s.line(cpu, e.Task, "spins on "+name)
	case e.Kind == cpus.TraceContentionEnd && ours:
		s.line(cpu, e.Task, fmt.Sprintf("has %s after %v", name, arg))
	case e.Kind == cpus.TraceQueueWork && ours:
		s.line(cpu, e.Task, "queues "+name)
	case e.Kind == cpus.TraceExecuteStart && ours:
		s.line(cpu, e.Task, fmt.Sprintf("starts %s, queued for %v", name, arg))
	case e.Kind == cpus.TraceExecuteEnd && ours:
		s.line(cpu, e.Task, fmt.Sprintf("ends %s after %v", name, arg))
	}
}

func (s *scenario) line(cpu int, task int32, what string) {
	name := fmt.Sprint("task ", task)
	for _, t := range s.m.Tasks() {
		if t.ID() == task {
			name, _, _ = strings.Cut(t.Name(), "-")
		}
	}
	flag := ""
	if s.n.gcInProgress.Value != 0 {
		flag = " *"
	}
	fmt.Fprintf(&s.out, "%11v cpu%d %-12s %s%s%s\n", s.m.Sim.Now(), cpu, name, strings.Repeat("  ", s.depth[task]), what, flag)
}
