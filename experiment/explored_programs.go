package experiment

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel/afunix"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// programs are the programs of a cell, or what is left of them, ready to be explored:
// by themselves, or together with the kernel model that they call.
type programs struct {
	cell *Cell
	spec explore.ProgramSpec
	// counts are how many instances of each task there are.
	counts []int
	// calls are the system calls of the programs, nil where they make none.
	calls *workloads.UnixCalls
}

// explored compiles tasks for an exploration, nil if there is a mistake in them.
func (c *Cell) explored(tasks []workloads.TaskSource, about []explore.ProgramTask, objects *yamlfile.Node, problems *yamlfile.Problems) *programs {
	p := &programs{cell: c, spec: explore.ProgramSpec{Tasks: about, TSO: c.Explore.Memory == "tso"}}
	src := &workloads.Source{
		Objects: objects, Tasks: tasks,
		Always: c.Check.Always, Finally: c.Check.Finally, Never: c.Check.Never,
	}
	calls := c.unixCalls()
	src.Syscalls = calls.Syscalls()
	for i := range tasks {
		p.counts = append(p.counts, tasks[i].Count)
		for _, step := range tasks[i].Steps {
			if hasKey(step, "call") {
				p.calls = calls
			}
		}
	}
	if hasKey(objects, "call") {
		p.calls = calls
	}
	if p.spec.Workload = workloads.Compile(src, problems); p.spec.Workload == nil {
		return nil
	}
	if p.calls != nil {
		return p.ofModel(problems)
	}
	if _, err := explore.NewProgram(p.spec); err != nil {
		problems.Addf(c.pos("explore"), "explore: %v", err)
		return nil
	}
	return p
}

// makesCalls reports whether a program of the cell makes a system call.
func (c *Cell) makesCalls() bool {
	return hasKey(c.node("tasks"), "call") || hasKey(c.node("objects"), "call")
}

// ofModel refuses what programs that call a kernel model cannot have.
func (p *programs) ofModel(problems *yamlfile.Problems) *programs {
	c, before := p.cell, problems.Len()
	if p.spec.TSO {
		problems.Addf(c.pos("explore", "memory"), "explore.memory: tso is for programs that make no system calls: kernel models are explored under sc")
	}
	if c.Explore.Strategy == statesStrategy {
		problems.Addf(c.pos("explore", "strategy"), "explore.strategy: state-hash is for programs that make no system calls: a kernel model cannot tell its state")
	}
	for i := range c.Tasks {
		if t := &c.Tasks[i]; t.Context != "task" {
			problems.Addf(t.Pos, "task %s: handlers are for programs that make no system calls", t.Name)
		}
	}
	if problems.Len() > before {
		return nil
	}
	return p
}

// unixCalls are the system calls on the sockets that the cell declares.
func (c *Cell) unixCalls() *workloads.UnixCalls {
	var sockets []workloads.UnixSocket
	for _, step := range c.Setup {
		for _, s := range step.Sockets {
			kind := afunix.Dgram
			if s.Type == "stream" {
				kind = afunix.Stream
			}
			sockets = append(sockets, workloads.UnixSocket{Name: s.Name, Kind: kind})
		}
	}
	return workloads.NewUnixCalls(sockets)
}

// users are the users of tasks, by name.
func (c *Cell) users() map[string]string {
	users := map[string]string{}
	for i := range c.Tasks {
		users[c.Tasks[i].Name] = c.Tasks[i].User
	}
	return users
}

// newSystem returns a system of the programs; that it can be made was found before.
func (p *programs) newSystem() explore.System {
	if p.calls != nil {
		return explore.NewModel(explore.ModelSpec{Build: p.build})
	}
	s, err := explore.NewProgram(p.spec)
	if err != nil {
		panic(fmt.Sprintf("experiment: a program that could be made once: %v", err))
	}
	return s
}

// build makes the programs and the kernel model on a machine without costs.
func (p *programs) build(m *cpus.Machine) explore.Modelled {
	net, err := p.cell.newUnix(m)
	if err != nil {
		panic(fmt.Sprintf("experiment: %v", err))
	}
	p.calls.Bind(net, p.cell.users())
	built := explore.Modelled{Check: net.Check, Workload: p.spec.Workload, Linked: p.spec.Workload.Link(m)}
	for i, about := range p.spec.Tasks {
		for range p.counts[i] {
			t := built.Linked.NewTask(p.spec.Workload.Program(about.Name), &cpus.TaskSpec{Kthread: about.Kthread})
			built.Tasks = append(built.Tasks, t)
			if about.Manual {
				built.Manual = append(built.Manual, t)
			}
		}
	}
	return built
}

// hasKey reports whether a key stands anywhere in a node.
func hasKey(n *yamlfile.Node, key string) bool {
	if n == nil {
		return false
	}
	for _, pair := range n.Pairs {
		if pair.Key.Text == key || hasKey(pair.Value, key) {
			return true
		}
	}
	for _, item := range n.Items {
		if hasKey(item, key) {
			return true
		}
	}
	return false
}
