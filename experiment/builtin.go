package experiment

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel/afunix"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// builtin is a built-in load with its parameters, ready to be given a body for each
// instance and run. One of its makers is set.
type builtin struct {
	task, user string
	unix       func(env workloads.UnixEnv) func(k *cpus.Thread)
	inet       func(x *workloads.Inet) func(k *cpus.Thread)
	table      func(env workloads.UnixTableEnv) func(k *cpus.Thread)
}

// subsystems are what the loads of one run share; nil where none needs it.
type subsystems struct {
	unix  *workloads.Unix
	inet  *workloads.Inet
	table *afunix.Table
}

// body returns the load as a thread's function.
func (l *builtin) body(s *subsystems) func(k *cpus.Thread) {
	switch {
	case l.inet != nil:
		return l.inet(s.inet)
	case l.table != nil:
		return l.table(workloads.UnixTableEnv{Table: s.table})
	default:
		return l.unix(workloads.UnixEnv{Unix: s.unix, Task: l.task, User: l.user})
	}
}

// load reads the parameters of a task's built-in load, nil if it has none.
func (c *Cell) load(t *Task, problems *yamlfile.Problems) *builtin {
	if t.Run == "" {
		return nil
	}
	l := &builtin{task: t.Name, user: t.User}
	if l.user == "" {
		l.user = t.Name
	}
	pace := c.pace(t, problems)
	repeat := func(name string) int64 {
		n := t.MustParam(name).Number
		if t.Loop != Forever && n != Forever {
			return n * max(1, t.Loop)
		}
		return 0
	}
	size := func() int64 { return t.MustParam("size").Number }
	fds := func() int { return int(t.MustParam("fds").Number) }
	switch t.Run {
	case "unix_dgram_sendmsg":
		l.unix = workloads.UnixDgramSendmsg{Messages: repeat("messages"), Size: size(), FDs: fds(), Pace: pace}.Body
	case "scm_rights_round_trip":
		l.unix = workloads.ScmRightsRoundTrip{Messages: repeat("messages"), Size: size(), FDs: fds(), Pace: pace}.Body
	case "scm_rights_flood":
		l.unix = workloads.ScmRightsFlood{Messages: repeat("messages"), FDs: fds(), Pace: pace}.Body
	case "unix_receiver":
		l.unix = workloads.UnixReceiver{From: t.MustParam("from").Text, Messages: repeat("messages"), Pace: pace}.Body
	case "unix_gc_close":
		l.unix = workloads.UnixGCClose{Calls: repeat("calls"), Pace: pace}.Body
	case "getsockname":
		l.inet = workloads.GetSockName{Calls: repeat("calls"), Socket: t.MustParam("socket").Text, Pace: pace}.Body
	case "getpeername":
		l.inet = workloads.GetPeerName{Calls: repeat("calls"), Socket: t.MustParam("socket").Text, Pace: pace}.Body
	case "connect_loop":
		l.inet = workloads.ConnectLoop{Calls: repeat("calls"), Socket: t.MustParam("socket").Text, Pace: pace}.Body
	case "receive_softirq":
		l.inet = workloads.ReceiveSoftirq{Calls: repeat("calls"), Socket: t.MustParam("socket").Text, Pace: pace}.Body
	case "unix_bind_abstract":
		l.table = workloads.UnixBindAbstract{
			Calls: repeat("calls"), Names: c.names(t.MustParam("names").Text, c.node("tasks", t.Name, "names"), problems),
			From: t.MustParam("from").Number, ThenClose: t.MustParam("then").Text == "close", Pace: pace,
		}.Body
	case "unix_connect_abstract":
		l.table = workloads.UnixConnectAbstract{
			Calls: repeat("calls"), Names: c.names(t.MustParam("names").Text, c.node("tasks", t.Name, "names"), problems),
			From: t.MustParam("from").Number, Pace: pace,
		}.Body
	case "unix_autobind":
		l.table = workloads.UnixAutobind{Calls: repeat("calls"), ThenClose: t.MustParam("then").Text == "close", Pace: pace}.Body
	default:
		panic(fmt.Sprintf("experiment: no load %s", t.Run))
	}
	return l
}

// names reads how names are made of numbers.
func (c *Cell) names(format string, at *yamlfile.Node, problems *yamlfile.Problems) afunix.Names {
	n, err := afunix.ParseNames(format)
	if err != nil {
		pos := c.pos("tasks")
		if at != nil {
			pos = at.Pos
		}
		problems.Addf(pos, "%v", err)
	}
	return n
}

// pace reads how a load spaces its calls.
func (c *Cell) pace(t *Task, problems *yamlfile.Problems) workloads.Pace {
	var p workloads.Pace
	if think, ok := t.Param("think"); ok {
		if d, ok := workloads.NewDist(think.Distribution, c.node("tasks", t.Name, "think"), "think", problems); ok {
			p.Think = d
		}
	}
	if arrival, ok := t.Param("arrival"); ok {
		if d, ok := workloads.NewDist(arrival.Distribution, c.node("tasks", t.Name, "arrival"), "arrival", problems); ok {
			p.Arrival = &d
		}
	}
	return p
}

// uses reports what a run needs: AF_UNIX sockets and their collector, internet
// sockets, the table of AF_UNIX names.
func (c *Cell) uses() (unix, inet, table bool) {
	for _, step := range c.Setup {
		unix = unix || step.InFlight != nil || len(step.Sockets) > 0
		table = table || step.Bind != nil
	}
	for i := range c.Tasks {
		switch c.Tasks[i].Run {
		case "":
		case "getsockname", "getpeername", "connect_loop", "receive_softirq":
			inet = true
		case "unix_bind_abstract", "unix_connect_abstract", "unix_autobind":
			table = true
		default:
			unix = true
		}
	}
	return unix, inet, table
}
