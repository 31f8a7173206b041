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

// device is a device of the machine, ready to interrupt.
type device struct {
	*Device
	every, length des.Dist
}

// devices reads the distributions of the machine's devices.
func (c *Cell) devices(problems *yamlfile.Problems) []device {
	var all []device
	at := c.node("machine", "interrupts")
	for i := range c.Machine.Interrupts {
		d := device{Device: &c.Machine.Interrupts[i]}
		node := at.Items[i]
		d.every = interval(d.Every, node.Get("every"), problems)
		d.length, _ = workloads.NewDist(d.Length, node.Get("length"), "length", problems)
		all = append(all, d)
	}
	return all
}

// every reads how often a handler comes.
func (c *Cell) every(t *Task, problems *yamlfile.Problems) des.Dist {
	if t.Every == nil {
		return des.Dist{}
	}
	return interval(*t.Every, c.node("tasks", t.Name, "every"), problems)
}

// interval reads the time between two interrupts, which must not always be nothing.
func interval(d yamlfile.Distribution, at *yamlfile.Node, problems *yamlfile.Problems) des.Dist {
	every, ok := workloads.NewDist(d, at, "every", problems)
	if ok && at != nil {
		if fixed, always := every.Fixed(); always && fixed <= 0 {
			problems.Addf(at.Pos, "every: interrupts that follow each other at once would leave no time for anything else")
		}
	}
	return every
}

// checkScript finds entries of a scripted policy that name nothing.
func (c *Cell) checkScript(n int, problems *yamlfile.Problems) {
	if len(c.Machine.Scheduler.Script) == 0 || n == 0 {
		return
	}
	var names []string
	for i := range c.Tasks {
		t := &c.Tasks[i]
		if t.Count == 1 {
			names = append(names, t.Name)
			continue
		}
		for k := range t.Count {
			names = append(names, fmt.Sprintf("%s[%d]", t.Name, k))
		}
	}
	for _, wrong := range cpus.CheckScript(c.Machine.Scheduler.Script, n, names) {
		at := c.node("machine", "scheduler", "script").Items[wrong.Entry]
		m := yamlfile.Mistake{Message: fmt.Sprintf("machine.scheduler.script: %q: %s", wrong.Text, wrong.What)}
		if name, _, _ := strings.Cut(wrong.Text, "@"); !slices.Contains(names, name) {
			m.Nearest = yamlfile.Nearest(name, names)
			m.Allowed = names[:min(len(names), 20)]
		}
		problems.Add(at.Pos, m)
	}
}

// contexts are the contexts of handlers by their names in files.
var contexts = map[string]cpus.Context{"hardirq": cpus.Hardirq, "softirq": cpus.Softirq}

// addDevices lets the machine's devices interrupt it.
func (r *run) addDevices() {
	for _, d := range r.job.linked.devices {
		for cpu := range r.machine.CPUs() {
			if d.CPU < 0 || d.CPU == cpu {
				r.machine.AddInterrupt(&cpus.InterruptSpec{
					Name: d.Name, Context: contexts[d.Context], CPU: cpu, Every: d.every, Length: d.length,
				})
			}
		}
	}
}

// addHandler lets instance i of a handler's program interrupt the instance of a task.
func (r *run) addHandler(k, i int, target *cpus.Task) {
	t := &r.job.cell.Tasks[k]
	limit := int(t.Loop)
	if t.Loop == Forever {
		limit = 0
	}
	r.machine.AddInterrupt(&cpus.InterruptSpec{
		Name: t.Name, Context: contexts[t.Context], Target: target,
		Every: r.job.linked.every[k], Limit: limit, Handler: r.live.NewHandler(r.job.linked.workload.Program(t.Name)),
		Index: int32(i), Numbered: t.Count > 1,
	})
}
