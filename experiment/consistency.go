package experiment

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/explore"
	"smpsim/yamlfile"
)

// consistency notes what no single value shows: names that must exist, and parts of a
// cell that contradict each other.
type consistency struct {
	cell     *Cell // without what is wrong in itself
	resolved *value
	tree     *yamlfile.Node // with it
	problems *yamlfile.Problems
}

func (k consistency) check() {
	for i := range k.cell.Tasks {
		t := &k.cell.Tasks[i]
		v := k.resolved.get("tasks").get(t.Name)
		k.names(t)
		k.places(t, v)
		k.handler(t, v)
		k.class(t, v)
		k.load(t, v)
		k.ends(t, v)
	}
	for _, o := range k.resolved.get("objects").fields {
		k.workqueue(o.name, o.value.get("on"))
	}
	k.script()
	k.devices()
	k.strategy()
	k.waitedFor()
}

// task is a task of the cell. A task that is wrong in itself is nil, and named.
func (k consistency) task(name string) (t *Task, named bool) {
	for i := range k.cell.Tasks {
		if k.cell.Tasks[i].Name == name {
			return &k.cell.Tasks[i], true
		}
	}
	return nil, k.tree.Get("tasks").Get(name) != nil
}

func (k consistency) taskNames() []string {
	var names []string
	for _, pair := range k.tree.Get("tasks").Pairs {
		names = append(names, pair.Key.Text)
	}
	return names
}

// names: expressions use the names of tasks and of objects side by side.
func (k consistency) names(t *Task) {
	for _, o := range k.cell.Objects {
		if o.Name == t.Name {
			k.problems.Addf(t.Pos, "tasks.%s: an object has this name already, in line %d", t.Name, o.Pos.Line)
		}
	}
}

func (k consistency) places(t *Task, v *value) {
	cpus := k.cell.Machine.CPUs
	for i, cpu := range t.Bind.CPUs {
		if cpus > 0 && cpu >= cpus {
			k.problems.Addf(v.get("bind").items[i].node.Pos, "tasks.%s.bind: there is no CPU %d, the machine has CPUs 0 to %d", t.Name, cpu, cpus-1)
		}
	}
}

func (k consistency) handler(t *Task, v *value) {
	switch {
	case t.Context == "task" && t.Interrupts == "":
		return
	case t.Context == "task":
		k.problems.Addf(v.get("interrupts").node.Pos, "tasks.%s: only a handler interrupts: say context: hardirq or softirq", t.Name)
		return
	case t.Interrupts == "" && t.Run == "":
		k.problems.Addf(v.get("context").node.Pos, "tasks.%s: a handler needs interrupts, the task that it interrupts", t.Name)
		return
	case t.Interrupts == "":
		return
	}
	other, named := k.task(t.Interrupts)
	at := v.get("interrupts").node.Pos
	switch {
	case !named:
		k.problems.AddUnknown(at, fmt.Sprintf("tasks.%s.interrupts: there is no task %q", t.Name, t.Interrupts), t.Interrupts, k.taskNames())
	case other != nil && other.Context != "task":
		k.problems.Addf(at, "tasks.%s.interrupts: %s is a handler itself", t.Name, t.Interrupts)
	}
}

// load: the ways to space calls exclude each other, and a sender must exist.
func (k consistency) load(t *Task, v *value) {
	think, thinks := t.Param("think")
	if arrival := v.get("arrival"); arrival != nil && thinks && think.Distribution.String() != "0ns" {
		k.problems.Addf(arrival.node.Pos, "tasks.%s: think (from the last return) and arrival (by the clock) exclude each other", t.Name)
	}
	from := v.get("from")
	if from == nil || from.shape.form != formName {
		return
	}
	if _, named := k.task(from.text); !named {
		k.problems.AddUnknown(from.node.Pos, fmt.Sprintf("tasks.%s.from: there is no task %q", t.Name, from.text), from.text, k.taskNames())
	}
}

// ends: a run must end. An exploration has limits of its own.
func (k consistency) ends(t *Task, v *value) {
	if t.Background || k.cell.Stop.AfterPS > 0 || k.cell.Stop.Events > 0 || k.cell.Explore != nil {
		return
	}
	for _, key := range []string{"loop", "messages", "calls"} {
		if f := v.get(key); f != nil && f.text == "forever" {
			k.problems.Addf(f.node.Pos, "tasks.%s.%s: a run would never end: give stop.after, or mark the task kthread", t.Name, key)
		}
	}
}

// workqueue: the one that a work item is on must exist.
func (k consistency) workqueue(item string, on *value) {
	if on == nil {
		return
	}
	var queues []string
	for _, pair := range k.tree.Get("objects").Pairs {
		if pair.Value.Get("workqueue") != nil {
			queues = append(queues, pair.Key.Text)
		}
	}
	if !slices.Contains(queues, on.text) {
		k.problems.AddUnknown(on.node.Pos, fmt.Sprintf("objects.%s.on: there is no workqueue %q", item, on.text), on.text, queues)
	}
}

func (k consistency) script() {
	scheduler := k.resolved.get("machine").get("scheduler")
	script, policy := scheduler.get("script"), scheduler.get("policy")
	switch {
	case policy.text == "scripted" && script == nil:
		k.problems.Addf(policy.node.Pos, "machine.scheduler: policy scripted needs a script, the tasks to run in order")
	case policy.text != "scripted" && script != nil:
		k.problems.Addf(script.node.Pos, "machine.scheduler: policy %s takes no script", policy.text)
	}
}

// strategy: parameters of a strategy go with it.
func (k consistency) strategy() {
	x := k.resolved.get("explore")
	if x == nil {
		return
	}
	chosen := x.textOf("strategy")
	for _, p := range []struct{ key, of string }{
		{"preemptions", boundedStrategy}, {"depth", pctStrategy}, {"schedule", replayStrategy},
	} {
		// A strategy from the command line leaves the file's parameters without effect.
		if v := x.get(p.key); v != nil && chosen != p.of && (overridden(v) || !overridden(x.get("strategy"))) {
			k.problems.Addf(v.node.Pos, "explore.%s goes with strategy %s, not with %s", p.key, p.of, chosen)
		}
	}
	if at := x.node.Get("schedule"); at != nil {
		if _, err := explore.ParseSchedule(at.Text); err != nil {
			k.problems.Addf(at.Pos, "explore.%v", err)
		}
	} else if chosen == replayStrategy {
		k.problems.Addf(x.get("strategy").node.Pos, "explore: strategy replay needs a schedule")
	}
	races := k.resolved.get("check").node.Get("races")
	if chosen == statesStrategy && races != nil && races.Text == "report" {
		k.problems.Addf(races.Pos, "check.races: strategy state-hash cannot report them: whether two accesses race depends on how a state was reached")
	}
}

// devices: the CPU that is interrupted must exist.
func (k consistency) devices() {
	for i, d := range k.cell.Machine.Interrupts {
		if n := k.cell.Machine.CPUs; n > 0 && d.CPU >= n {
			at := k.resolved.get("machine").get("interrupts").items[i].get("cpu")
			k.problems.Addf(at.node.Pos, "machine.interrupts.%d.cpu: there is no CPU %d, the machine has CPUs 0 to %d", i, d.CPU, n-1)
		}
	}
}

// class: a real-time priority goes with a real-time class.
func (k consistency) class(t *Task, v *value) {
	if p := v.get("priority"); p != nil && t.Class != "rt" && t.Class != "rr" {
		k.problems.Addf(p.node.Pos, "tasks.%s.priority goes with class rt or rr, not with %s", t.Name, t.Class)
	}
	if e := v.get("every"); e != nil && t.Context == "task" {
		k.problems.Addf(e.node.Pos, "tasks.%s.every goes with a handler: say context: hardirq or softirq", t.Name)
	}
}

// overridden reports whether a value is not the file's own.
func overridden(v *value) bool { return strings.HasPrefix(v.node.Pos.File, "--set ") }

// waitedFor: a run ends with the last task that is no background, so there must be one.
func (k consistency) waitedFor() {
	if k.cell.Stop.AfterPS > 0 || k.cell.Explore != nil {
		return
	}
	for i := range k.cell.Tasks {
		if !k.cell.Tasks[i].Background {
			return
		}
	}
	if len(k.cell.Tasks) == 0 || len(k.cell.Tasks) < len(k.taskNames()) {
		return // others are wrong in themselves
	}
	k.problems.Addf(k.resolved.get("tasks").node.Pos, "tasks: all go on in the background, so the run would end at once: give stop.after")
}
