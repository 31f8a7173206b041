package workloads_test

import (
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/explore"
	"smpsim/kernelmodel/afunix"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// callers are programs that call AF_UNIX: a task per line of the text, name: [steps].
type callers struct {
	source   *workloads.Source
	calls    *workloads.UnixCalls
	workload *workloads.Workload
	problems yamlfile.Problems
}

// compileCallers compiles tasks that call sockets a, b, c, which take datagrams, and the
// streams l, s, e, d.
func compileCallers(tasks string) *callers {
	c := &callers{}
	c.calls = workloads.NewUnixCalls([]workloads.UnixSocket{
		{Name: "a", Kind: afunix.Dgram},
		{Name: "b", Kind: afunix.Dgram},
		{Name: "c", Kind: afunix.Dgram},
		{Name: "l", Kind: afunix.Stream},
		{Name: "s", Kind: afunix.Stream},
		{Name: "e", Kind: afunix.Stream},
		{Name: "d", Kind: afunix.Stream},
	})
	root := yamlfile.Parse("f.yaml", []byte(tasks), &c.problems)
	c.source = &workloads.Source{Syscalls: c.calls.Syscalls()}
	for _, pair := range root.Pairs {
		c.source.Tasks = append(c.source.Tasks, workloads.TaskSource{Name: pair.Key.Text, Pos: pair.Key.Pos, Count: 1, Loop: 1, Steps: pair.Value.Items})
	}
	c.workload = workloads.Compile(c.source, &c.problems)
	return c
}

// on links the programs to a machine with a collector, and returns it and the tasks.
func (c *callers) on(t testing.TB, m *cpus.Machine, gc afunix.Variant) (*afunix.Net, []*cpus.Task, *workloads.Linked) {
	t.Helper()
	if c.workload == nil {
		t.Fatal(c.problems.Error())
	}
	net := afunix.New(m, afunix.Params{GC: gc, Trigger: afunix.DefaultTrigger})
	linked := c.workload.Link(m)
	c.calls.Bind(net, map[string]string{"mallory": "mallory"})
	var tasks []*cpus.Task
	for _, s := range c.source.Tasks {
		tasks = append(tasks, linked.NewTask(c.workload.Program(s.Name), &cpus.TaskSpec{}))
	}
	return net, tasks, linked
}

// timed runs the tasks, each on a CPU of its own, until they have ended.
func (c *callers) timed(t testing.TB, gc afunix.Variant) *afunix.Net {
	t.Helper()
	preset, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		t.Fatal(err)
	}
	sim := des.New(1)
	t.Cleanup(sim.Close)
	m := cpus.New(sim, cpus.Spec{Topology: preset.Topology, Costs: preset.Costs, CPUs: 4})
	net, tasks, _ := c.on(t, m, gc)
	defer c.calls.Unbind(m)
	for _, task := range tasks {
		m.Start(task)
	}
	if o := m.Run(des.Second); o != cpus.Ended {
		t.Fatalf("%v: %v", o, m.Failure())
	}
	if err := net.Check(); err != nil {
		t.Fatal(err)
	}
	return net
}

// After the calls, how many sockets there are more than were made at first, and how many
// references are in flight.
func TestProgramsCallUnixSockets(t *testing.T) {
	for _, c := range []struct {
		name, tasks    string
		more, inFlight int64
	}{
		{"nothing", `t: [run: 1us]`, 0, 0},
		{"send", `t: [call: {sendmsg: {from: a, to: b, pass: [c, s]}}]`, 0, 2},
		{"send to the peer", `t: [call: {connect: {from: a, to: b}}, call: {sendmsg: {from: a, pass: [c]}}]`, 0, 1},
		{"send nowhere", `t: [call: {sendmsg: {from: a, pass: [c]}}]`, 0, 0},
		{"send what is closed", `t: [call: {close: c}, call: {sendmsg: {from: a, to: b, pass: [c]}}]`, -1, 0},
		{"receive", `t: [call: {sendmsg: {from: a, to: b, pass: [c]}}, call: {close: c}, call: {recvmsg: {on: b}}]`, -1, 0},
		{"receive and keep", `t: [call: {sendmsg: {from: a, to: b, pass: [c]}}, call: {close: c}, call: {recvmsg: {on: b, keep: true}}]`, 0, 0},
		{"peek", `t: [call: {sendmsg: {from: a, to: b, pass: [c]}}, call: {close: c}, call: {recvmsg: {on: b, peek: true}}]`, 0, 1},
		{"use what was kept", `t: [call: {sendmsg: {from: a, to: b, pass: [c]}}, call: {close: c}, call: {recvmsg: {on: b, keep: true}}, call: {close: c}]`, -1, 0},
		{"receive nothing", `t: [call: {recvmsg: {on: b, nonblock: true}}]`, 0, 0},
		{"receive from another task", `{t: [call: {recvmsg: {on: b}}], mallory: [run: 1ms, call: {sendmsg: {from: a, to: b, pass: [c]}}]}`, 0, 0},
		{"garbage", `t: [call: {sendmsg: {from: a, to: a, pass: [a]}}, call: {close: a}, call: {close: b}, sleep: 1ms]`, -2, 0},
		{"accept", `{t: [call: {listen: l}, call: {accept: {on: l, as: d}}, call: {recvmsg: {on: d}}],
			u: [run: 1ms, call: {connect: {from: s, to: l}}, call: {sendmsg: {from: s, pass: [c]}}, call: {close: c}]}`, 0, 0},
		{"accept nobody", `t: [call: {listen: l}, call: {accept: {on: l, as: d, nonblock: true}}, call: {sendmsg: {from: d, pass: [a]}}]`, 0, 0},
		{"accept over an open name", `t: [call: {listen: l}, call: {connect: {from: s, to: l}}, call: {connect: {from: e, to: l}},
			call: {accept: {on: l, as: d}}, call: {accept: {on: l, as: d}}]`, 1, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			made := int64(7)
			if strings.Contains(c.tasks, "as: d") {
				made-- // d is not made, but accepted
			}
			net := compileCallers(c.tasks).timed(t, afunix.Merged)
			if more, got := int64(net.Sockets())-made, net.Stats().InFlight; more != c.more || got != c.inFlight {
				t.Errorf("%d sockets more and %d in flight, want %d and %d", more, got, c.more, c.inFlight)
			}
		})
	}
}

// The user of a task pays for what it has in flight.
func TestCallsAreOfTheTasksUser(t *testing.T) {
	net := compileCallers(`{t: [call: {sendmsg: {from: a, to: b, pass: [c]}}], mallory: [call: {sendmsg: {from: a, to: b, pass: [c, c]}}]}`).timed(t, afunix.SCC)
	if root, mallory := net.User("root").InFlight(), net.User("mallory").InFlight(); root != 1 || mallory != 2 {
		t.Errorf("root has %d in flight, mallory %d; want 1 and 2", root, mallory)
	}
}

func TestMistakesInUnixCallsAreReported(t *testing.T) {
	c := compileCallers(`t:
- call: {sendmsg: {from: aa, to: b, pass: [x]}}
- call: {sendmsg: {to: b}}
- call: {sendmsg: {from: s, to: b}}
- call: {sendmsg: {from: a, to: s, size: 1}}
- call: {recvmsg: {on: a, peek: yes}}
- call: {recvmsg: a}
- call: {listen: a}
- call: {listen: [l]}
- call: {connect: {from: a, to: l}}
- call: {accept: {on: l, as: l}}
- call: {accept: {on: a, as: b}}
- call: {accept: {on: l}}
- call: {close: z}
`)
	want := `f.yaml:2:26: sendmsg: from: no socket is called "aa"; did you mean "a"?; allowed: a, b, c, l, s, e, d
f.yaml:2:44: sendmsg: pass: no socket is called "x"; allowed: a, b, c, l, s, e, d
f.yaml:3:19: sendmsg: from is missing
f.yaml:4:33: sendmsg: to: s is a stream and sends to whom it is connected: leave it out
f.yaml:5:33: sendmsg: to: s is a stream, and a sends datagrams
f.yaml:5:36: sendmsg: unknown key "size"; allowed: from, to, pass
f.yaml:6:33: recvmsg: peek: "yes" is not allowed here; allowed: true, false
f.yaml:7:19: recvmsg: expected a mapping, found "a"
f.yaml:8:18: listen: only a stream listens, and a is none
f.yaml:9:18: listen: expected a text, found a list
f.yaml:10:33: connect: a and l are of different kinds
f.yaml:11:30: accept: as must be another name than on
f.yaml:12:23: accept: on must be a stream, and a is not
f.yaml:12:30: accept: as must be a stream, and b is not
f.yaml:13:18: accept: as is missing
f.yaml:14:17: close: no socket is called "z"; allowed: a, b, c, l, s, e, d`
	if got := c.problems.Error(); c.workload != nil || got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Programs that call AF_UNIX are explored as part of a model.
func TestProgramsThatCallUnixSocketsAreExplored(t *testing.T) {
	c := compileCallers(`{t: [call: {sendmsg: {from: a, to: a, pass: [a]}}, call: {close: a}],
		u: [call: {listen: l}, call: {accept: {on: l, as: d, nonblock: true}}, call: {close: d}], v: [call: {connect: {from: s, to: l}}, call: {close: b}]}`)
	for _, gc := range afunix.Variants {
		r, err := explore.Explore(func() explore.System {
			return explore.NewModel(explore.ModelSpec{Build: func(m *cpus.Machine) explore.Modelled {
				net, tasks, linked := c.on(t, m, gc)
				return explore.Modelled{Tasks: tasks, Check: net.Check, Workload: c.workload, Linked: linked}
			}})
		}, explore.Options{Strategy: explore.DPOR(), Jobs: 2, Races: true, CheckDeterminism: true})
		if err != nil {
			t.Fatal(err)
		}
		if !r.Complete || r.Executions < 10 || len(r.Findings) > 0 {
			t.Errorf("%s: %d classes, complete %t %v, found %v", gc, r.Executions, r.Complete, r.Limits, r.Findings)
		}
	}
}
