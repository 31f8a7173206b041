package experiment

import (
	"strings"

	"smpsim/cpus"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// unixLoad is a built-in load on AF_UNIX sockets with its parameters, ready to be
// given a body for each instance and run.
type unixLoad struct {
	task, user string
	body       func(env workloads.UnixEnv) func(k *cpus.Thread)
}

// load reads the parameters of a task's built-in load, nil if it has none.
func (c *Cell) load(t *Task, problems *yamlfile.Problems) *unixLoad {
	if t.Run == "" {
		return nil
	}
	l := &unixLoad{task: t.Name, user: t.User}
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
		l.body = workloads.UnixDgramSendmsg{Messages: repeat("messages"), Size: size(), FDs: fds(), Pace: pace}.Body
	case "scm_rights_round_trip":
		l.body = workloads.ScmRightsRoundTrip{Messages: repeat("messages"), Size: size(), FDs: fds(), Pace: pace}.Body
	case "scm_rights_flood":
		l.body = workloads.ScmRightsFlood{Messages: repeat("messages"), FDs: fds(), Pace: pace}.Body
	case "unix_receiver":
		l.body = workloads.UnixReceiver{From: t.MustParam("from").Text, Messages: repeat("messages"), Pace: pace}.Body
	case "unix_gc_close":
		l.body = workloads.UnixGCClose{Calls: repeat("calls"), Pace: pace}.Body
	default:
		problems.Addf(t.Pos, "task %s: load %s is not in this version", t.Name, t.Run)
		return nil
	}
	return l
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

// usesUnix reports whether a run needs AF_UNIX sockets.
func (c *Cell) usesUnix() bool {
	for _, step := range c.Setup {
		if step.InFlight != nil {
			return true
		}
	}
	for i := range c.Tasks {
		if run := c.Tasks[i].Run; strings.HasPrefix(run, "unix_") || strings.HasPrefix(run, "scm_") {
			return true
		}
	}
	return false
}
