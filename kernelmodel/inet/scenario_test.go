package inet

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/cpus"
	"smpsim/des"
)

// TestScenarios plays the scripts in testdata and compares who ran, who waited and when.
// A line is the time, the CPU, the task, what it did, and an asterisk while somebody owns
// the socket. Functions are indented within those that call them.
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
	var getname string
	d.ScanArgs(t, "getname", &getname)
	lines := strings.Split(strings.TrimSpace(d.Input), "\n")
	m := newServer(t, len(lines), 0, 1)
	n := New(m, Params{GetName: GetName(getname), Base: base})
	s := &scenario{m: m, u: n.Socket(), quiet: d.HasArg("quiet"), depth: map[int32]int{}}
	if d.HasArg("connected") {
		s.u.Establish(here, there)
	}
	if d.HasArg("connect-fails") {
		s.u.FailNextConnect()
	}
	m.SetTracer(s)
	for cpu, line := range lines {
		name, body, ok := strings.Cut(line, ":")
		if !ok {
			d.Fatalf(t, "%q: want NAME: ACTION; ACTION ...", line)
		}
		on(m, cpu, name, func(k *cpus.Thread) {
			for _, action := range strings.Split(body, ";") {
				s.act(k, strings.Fields(action))
			}
		})
	}
	outcome := m.Run(des.Second)
	fmt.Fprintf(&s.out, "%v at %v", outcome, m.Sim.Now())
	if err := m.Failure(); err != nil {
		fmt.Fprintf(&s.out, ": %v", err)
	}
	st := n.Stats()
	fmt.Fprintf(&s.out, "\nname %v torn %d received %d backlogged %d dropped %d\n", s.u.OwnName(), st.Torn, st.Received, st.Backlogged, st.Dropped)
	return s.out.String()
}

// scenario is a script at work, and the tracer that writes what happens.
type scenario struct {
	m     *cpus.Machine
	u     *Sock
	out   strings.Builder
	depth map[int32]int
	// quiet leaves out functions.
	quiet bool
}

// act is an action: "connect", "disconnect", "bind", "getsockname", "getpeername",
// "receive", "own NS" to own the socket for that long, "sleep NS", "run NS".
func (s *scenario) act(k *cpus.Thread, action []string) {
	number := des.Time(0)
	if len(action) > 1 {
		n, err := strconv.Atoi(action[1])
		if err != nil {
			panic(err)
		}
		number = des.Time(n) * ns
	}
	said := ""
	switch action[0] {
	case "connect":
		err := s.u.Connect(k, eth)
		said = answer(s.u.OwnName(), err)
	case "disconnect":
		s.u.Disconnect(k)
	case "bind":
		said = answer(here, s.u.Bind(k, here))
	case "getsockname":
		said = answer(s.u.GetSockName(k), nil)
	case "getpeername":
		said = answer(s.u.GetPeerName(k))
	case "receive":
		s.u.Receive(k)
	case "own":
		s.u.lockSock(k)
		k.Run(number)
		s.u.releaseSock(k)
	case "sleep":
		k.Sleep(number)
	case "run":
		k.RunUser(number)
	default:
		panic("unknown action " + action[0])
	}
	if said != "" {
		s.line(k.Task().CPU().Index(), k.Task().ID(), action[0]+" says "+said)
	}
}

// Trace writes the events that tell who runs and who waits.
func (s *scenario) Trace(e cpus.TraceEvent) {
	name := ""
	if e.Name >= 0 {
		name = s.m.NameOf(e.Name)
	}
	cpu, arg := int(e.CPU), des.Time(e.Arg)
	switch {
	case e.Kind == cpus.TraceFuncEntry && !s.quiet:
		s.line(cpu, e.Task, name)
		s.depth[e.Task]++
	case e.Kind == cpus.TraceFuncReturn && !s.quiet:
		s.depth[e.Task]--
		s.line(cpu, e.Task, fmt.Sprintf("%s returns after %v", name, arg))
	case e.Kind == cpus.TraceSchedWakeup && s.m.Sim.Now() > 0:
		s.line(cpu, e.Task, "is woken")
	case e.Kind == cpus.TraceContentionBegin && name == "slock-AF_INET":
		s.line(cpu, e.Task, "spins on "+name)
	case e.Kind == cpus.TraceContentionEnd && name == "slock-AF_INET":
		s.line(cpu, e.Task, fmt.Sprintf("has %s after %v", name, arg))
	}
}

func (s *scenario) line(cpu int, task int32, what string) {
	name := fmt.Sprint("task ", task)
	for _, t := range s.m.Tasks() {
		if t.ID() == task {
			name = t.Name()
		}
	}
	owned := ""
	if s.u.Owned() {
		owned = " *"
	}
	fmt.Fprintf(&s.out, "%11v cpu%d %-9s %s%s%s\n", s.m.Sim.Now(), cpu, name, strings.Repeat("  ", s.depth[task]), what, owned)
}
