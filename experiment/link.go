package experiment

import (
	"errors"
	"os"
	"slices"

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
	// calls are the system calls of programs, nil if there are no sockets for any.
	calls *workloads.UnixCalls
	// devices are those of the machine, every the intervals of handlers, by task.
	devices []device
	every   []des.Dist
	// loads are the built-in loads of the cell's tasks, by task; nil for programs.
	loads []*builtin
	cpus  int
}

// linker makes cells ready, and reads each preset once.
type linker struct {
	problems yamlfile.Problems
	presets  map[presetKey]*cpus.Preset
}

// presetKey is a built-in preset, or a file.
type presetKey struct {
	name string
	file bool
}

// link makes all cells ready, and gives each job its cell's.
func (x *Experiment) link(jobs []job, problems *yamlfile.Problems) {
	k := linker{presets: map[presetKey]*cpus.Preset{}}
	ready := map[*Cell]*linked{}
	for i := range x.Cells {
		c := &x.Cells[i]
		ready[c] = k.link(c)
	}
	problems.Merge(&k.problems)
	for i := range jobs {
		jobs[i].linked = ready[jobs[i].cell]
	}
}

func (k *linker) link(c *Cell) *linked {
	l := &linked{preset: k.preset(c)}
	if l.preset != nil {
		have := l.preset.Topology.CPUs()
		l.cpus = c.Machine.CPUs
		if l.cpus == 0 {
			l.cpus = have
		}
		if l.cpus > have {
			k.problems.Addf(c.pos("machine", "cpus"), "%d CPUs: preset %s has %d", l.cpus, l.preset.Name, have)
		}
	}
	c.unsupported(&k.problems)
	src := &workloads.Source{Objects: c.node("objects")}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		src.Tasks = append(src.Tasks, t.source())
		l.loads = append(l.loads, c.load(t, &k.problems))
		l.every = append(l.every, c.every(t, &k.problems))
		for _, cpu := range t.Bind.CPUs {
			if cpu >= l.cpus && l.cpus > 0 {
				k.problems.Addf(c.pos("tasks", t.Name, "bind"), "tasks.%s.bind: there is no CPU %d, the machine has CPUs 0 to %d", t.Name, cpu, l.cpus-1)
			}
		}
	}
	calls := c.unixCalls()
	src.Syscalls = calls.Syscalls()
	if unix, _, _ := c.uses(); unix {
		l.calls = calls
	}
	l.devices = c.devices(&k.problems)
	c.checkScript(l.cpus, &k.problems)
	src.Always, src.Finally, src.Never = c.Check.Always, c.Check.Finally, c.Check.Never
	l.workload = workloads.Compile(src, &k.problems)
	return l
}

// preset finds the machine's costs, with the cell's own in place of some.
func (k *linker) preset(c *Cell) *cpus.Preset {
	name := c.Machine.Preset
	file := isFile(name)
	if file {
		name = beside(c.node("machine", "preset"), name)
	}
	key := presetKey{name, file}
	p := k.presets[key]
	if p == nil {
		p = k.read(c, key)
		k.presets[key] = p
	}
	if p == nil || len(c.Machine.Costs) == 0 {
		return p
	}
	own := *p
	own.Entries = slices.Clone(p.Entries)
	for _, cost := range c.Machine.Costs {
		own.Override(cost.Path, cost.Value, &k.problems)
	}
	own.Check(&k.problems)
	return &own
}

// read reads a preset, nil if it has a mistake.
func (k *linker) read(c *Cell, key presetKey) *cpus.Preset {
	at := c.pos("machine", "preset")
	if key.file {
		switch info, err := os.Stat(key.name); {
		case err != nil:
			k.problems.Addf(at, "machine.preset: cannot read %s: %v", key.name, bare(err))
			return nil
		case info.IsDir():
			k.problems.Addf(at, "machine.preset: %s is a directory, not a file", key.name)
			return nil
		}
		return cpus.ReadPreset(key.name, &k.problems)
	}
	p, err := cpus.LoadPreset(key.name)
	var mistake *yamlfile.Mistake
	switch {
	case errors.As(err, &mistake):
		k.problems.Add(at, *mistake)
	case err != nil:
		k.problems.Addf(at, "machine.preset: %v", err)
	}
	return p
}

// compileRest checks the programs of cells that have mistakes elsewhere, so that all are
// reported at once. What is wrong in a place that has a mistake already follows from that.
func (x *Experiment) compileRest(problems *yamlfile.Problems) {
	known := map[yamlfile.Pos]bool{}
	for _, p := range problems.List() {
		known[p.Pos] = true
	}
	var own yamlfile.Problems
	for i := range x.Cells[:min(len(x.Cells), mostCompiled)] {
		c := &x.Cells[i]
		src := &workloads.Source{
			Objects: c.resolved.node.Get("objects"),
			Always:  c.Check.Always, Finally: c.Check.Finally, Never: c.Check.Never,
			Syscalls: c.unixCalls().Syscalls(),
		}
		tasks := c.resolved.node.Get("tasks")
		if tasks == nil {
			continue
		}
		for _, pair := range tasks.Pairs {
			t := workloads.TaskSource{Name: pair.Key.Text, Count: 1, Loop: 1, Pos: pair.Key.Pos}
			if do := pair.Value.Get("do"); do != nil {
				t.Steps = do.Items
			}
			for k := range c.Tasks {
				if c.Tasks[k].Name == t.Name {
					t = c.Tasks[k].source()
				}
			}
			src.Tasks = append(src.Tasks, t)
		}
		workloads.Compile(src, &own)
	}
	for _, p := range own.List() {
		if !known[p.Pos] {
			problems.Add(p.Pos, p.Mistake)
		}
	}
}

// mostCompiled bounds the cells whose programs are checked although something else is
// wrong: cells differ little.
const mostCompiled = 100

// source is the task as package workloads takes it.
func (t *Task) source() workloads.TaskSource {
	src := workloads.TaskSource{Name: t.Name, Pos: t.Pos, Count: t.Count, Loop: t.Loop, Manual: t.Manual, Steps: t.Do}
	if t.Context != "task" {
		src.Loop = 1 // its rounds are interrupts
	}
	return src
}

// unsupported reports what the language has and this version does not run.
func (c *Cell) unsupported(problems *yamlfile.Problems) {
	if c.Check.Races && c.Explore == nil {
		problems.Addf(c.pos("check", "races"), "check.races: a timed run has one order of steps and does not look for data races; smpsim explore does")
	}
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Context != "task" && t.Every == nil && t.Run == "" {
			problems.Addf(t.Pos, "task %s: a timed run has to know how often a handler comes: say every", t.Name)
		}
	}
	for i, step := range c.Setup {
		if step.Bind != nil {
			c.names(step.Bind.Names, c.node("setup").Items[i].Get("bind").Get("names"), problems)
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
