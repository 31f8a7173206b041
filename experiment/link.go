package experiment

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// linked is a cell made ready to run: its machine's costs and its compiled
// programs. Any number of runs share it.
type linked struct {
	preset   *cpus.Preset
	workload *workloads.Workload
	// loads are the built-in loads of the cell's tasks, by task; nil for programs.
	loads []*unixLoad
	cpus  int
}

// link makes all cells ready, and gives each job its cell's.
func (x *Experiment) link(jobs []job) error {
	var problems yamlfile.Problems
	ready := map[*Cell]*linked{}
	for i := range x.Cells {
		c := &x.Cells[i]
		ready[c] = c.link(&problems)
	}
	if err := problems.Err(); err != nil {
		return err
	}
	for i := range jobs {
		jobs[i].linked = ready[jobs[i].cell]
	}
	return nil
}

func (c *Cell) link(problems *yamlfile.Problems) *linked {
	l := &linked{preset: c.preset(problems)}
	if l.preset != nil {
		have := l.preset.Topology.CPUs()
		l.cpus = c.Machine.CPUs
		if l.cpus == 0 {
			l.cpus = have
		}
		if l.cpus > have {
			problems.Addf(c.pos("machine", "cpus"), "%d CPUs: preset %s has %d", l.cpus, l.preset.Name, have)
		}
	}
	c.unsupported(problems)
	src := &workloads.Source{Objects: c.node("objects")}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		src.Tasks = append(src.Tasks, workloads.TaskSource{
			Name: t.Name, Count: t.Count, Loop: t.Loop, Manual: t.Manual, Steps: t.Do,
		})
		l.loads = append(l.loads, c.load(t, problems))
		for _, cpu := range t.Bind.CPUs {
			if cpu >= l.cpus && l.cpus > 0 {
				problems.Addf(t.Pos, "task %s is bound to CPU %d: the machine has CPUs 0 to %d", t.Name, cpu, l.cpus-1)
			}
		}
	}
	src.Always, src.Finally, src.Never = c.Check.Always, c.Check.Finally, c.Check.Never
	l.workload = workloads.Compile(src, problems)
	return l
}

// preset finds the machine's costs: a preset's, or a file's beside the experiment,
// with the cell's own in place of some.
func (c *Cell) preset(problems *yamlfile.Problems) *cpus.Preset {
	var p *cpus.Preset
	name := c.Machine.Preset
	switch {
	case slices.Contains(cpus.Presets(), name):
		var err error
		if p, err = cpus.LoadPreset(name); err != nil {
			problems.Addf(c.pos("machine", "preset"), "preset %s: %v", name, err)
			return nil
		}
	case isFile(name):
		if p = cpus.ReadPreset(beside(c.node("machine", "preset"), name), problems); p == nil {
			return nil
		}
	default:
		problems.AddUnknown(c.pos("machine", "preset"), fmt.Sprintf("no preset %q, and no path of a file", name), name, cpus.Presets())
		return nil
	}
	for _, cost := range c.Machine.Costs {
		p.Override(cost.Path, cost.Value, problems)
	}
	if len(c.Machine.Costs) > 0 {
		p.Check(problems)
	}
	return p
}

// unsupported reports what the language has and this version does not run.
func (c *Cell) unsupported(problems *yamlfile.Problems) {
	if c.Explore != nil {
		problems.Addf(c.pos("explore"), "explore: this version runs timed experiments only")
	}
	if p := c.Machine.Scheduler.Policy; !slices.Contains(cpus.Policies, p) {
		problems.Addf(c.pos("machine", "scheduler", "policy"), "scheduler policy %s is not in this version, which has %s", p, strings.Join(cpus.Policies, ", "))
	}
	if c.Machine.Scheduler.SlackPS > 0 {
		problems.Addf(c.pos("machine", "scheduler", "slack"), "slack is not in this version")
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Context != "task" {
			problems.Addf(t.Pos, "task %s: context %s is for exploration, which is not in this version", t.Name, t.Context)
		}
		if t.Class != "fair" {
			problems.Addf(t.Pos, "task %s: scheduling class %s is not in this version, which has fair", t.Name, t.Class)
		}
	}
	for _, step := range c.Setup {
		if step.Bind != nil {
			problems.Addf(c.pos("setup"), "setup of bound sockets is not in this version")
		}
	}
}

// node returns where a part of the cell stands in the file, nil if it is left out.
func (c *Cell) node(path ...string) *yamlfile.Node {
	v := c.resolved
	for _, name := range path {
		if v = v.get(name); v == nil {
			return nil
		}
	}
	return v.node
}

// pos is the position of a part of the cell, or of the nearest part around it.
func (c *Cell) pos(path ...string) yamlfile.Pos {
	for n := len(path); n > 0; n-- {
		if node := c.node(path[:n]...); node != nil {
			return node.Pos
		}
	}
	return yamlfile.Pos{}
}

// cpuSet returns where instance i of the task may run, nil for everywhere.
func (t *Task) cpuSet(m *cpus.Machine, i int) *cpus.CPUSet {
	set := m.NewCPUSet()
	switch t.Bind.Kind {
	case Spread:
		set.Add(i % m.CPUs())
	case Listed:
		for _, cpu := range t.Bind.CPUs {
			set.Add(cpu)
		}
	default:
		return nil
	}
	return &set
}

// end is when the run is over at the latest.
func (c *Cell) end() des.Time {
	if c.Stop.AfterPS > 0 {
		return des.Time(c.Stop.AfterPS)
	}
	return des.Forever
}
