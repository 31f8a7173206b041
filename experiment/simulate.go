package experiment

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel/afunix"
	"smpsim/kernelmodel/inet"
	"smpsim/observe"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// defaultEvents is the number of events after which a run that says nothing of its
// own is taken to be one that never ends: some ten seconds of work.
const defaultEvents = 200_000_000

// run is a machine at work on a job.
type run struct {
	job      *job
	machine  *cpus.Machine
	recorder *observe.Recorder
	live     *workloads.Linked
	net      *afunix.Net
	inet     *inet.Net
	table    *afunix.Table
}

// simulate does the job.
func (j *job) simulate() (*Record, error) {
	sim := des.New(j.seed)
	defer sim.Close()
	r, err := j.build(sim)
	if err != nil {
		return nil, err
	}
	if calls := j.linked.calls; calls != nil {
		defer calls.Unbind(r.machine)
	}
	outcome := r.machine.Run(j.cell.end())
	return r.record(outcome), nil
}

// build puts the cell's machine, kernel and tasks together.
func (j *job) build(sim *des.Sim) (*run, error) {
	c := j.cell
	limit := uint64(defaultEvents)
	if c.Stop.Events > 0 {
		limit = uint64(c.Stop.Events)
	}
	sim.SetEventLimit(limit)
	costs := j.linked.preset.Costs
	if j.scale != nil {
		costs.Scale(j.scale.name, j.scale.num, j.scale.den)
	}
	m := cpus.New(sim, cpus.Spec{
		Topology: j.linked.preset.Topology, Costs: costs, CPUs: j.linked.cpus, HZ: c.Machine.HZ,
		Policy: c.Machine.Scheduler.Policy, Slice: des.Time(c.Machine.Scheduler.SlicePS), Script: c.Machine.Scheduler.Script,
	})
	r := &run{job: j, machine: m, recorder: observe.NewRecorder(m)}
	if j.window != nil {
		r.recorder.Timeline(des.Time(j.window.from), des.Time(j.window.to))
	}
	m.SetTracer(r.recorder)
	if j.conductor != nil {
		j.conductor.machine = m
		r.live = j.linked.workload.LinkWith(m, j.conductor.wrap)
	} else {
		r.live = j.linked.workload.Link(m)
	}
	r.live.WatchAlways()
	if slack := j.slack(); slack > 0 {
		sim.SetChooser(jitter{sim.Stream("slack")}, slack)
	}
	if err := r.setup(); err != nil {
		return nil, err
	}
	r.addTasks()
	r.addDevices()
	return r, nil
}

// jitter draws among the events that are due within the slack.
type jitter struct{ stream *des.Stream }

// Choose takes each with the same probability.
func (j jitter) Choose(_ *des.Sim, due []des.ID) int {
	if len(due) == 1 {
		return 0
	}
	return int(j.stream.Below(uint64(len(due))))
}

// slack is by how much events may be reordered.
func (j *job) slack() des.Time { return max(des.Time(j.cell.Machine.Scheduler.SlackPS), j.slackPS) }

// setup makes what exists before time starts.
func (r *run) setup() error {
	c := r.job.cell
	unix, internet, table := c.uses()
	if internet {
		r.inet = inet.New(r.machine, inet.Params{GetName: inet.GetName(c.Kernel.Inet.GetName), Base: des.Time(c.Kernel.Inet.BasePS)})
	}
	if table {
		if err := r.setupTable(); err != nil {
			return err
		}
	}
	if !unix {
		return nil
	}
	var err error
	if r.net, err = c.newUnix(r.machine); err == nil && r.job.linked.calls != nil {
		r.job.linked.calls.Bind(r.net, c.users())
	}
	return err
}

// newUnix makes AF_UNIX sockets and their collector, with what is in flight before time
// starts.
func (c *Cell) newUnix(m *cpus.Machine) (*afunix.Net, error) {
	p := afunix.Params{GC: afunix.Variant(c.Kernel.AFUnix.GC), InflightCount: c.Kernel.AFUnix.Inflight, Trigger: c.Kernel.AFUnix.Trigger}
	if limit := c.Kernel.AFUnix.SaneLimit; limit >= 0 {
		p.SaneUser = &limit
	}
	out := func(fix string) bool { return slices.Contains(c.Kernel.AFUnix.Unfixed, fix) }
	p.Unfixed = afunix.Unfixed{
		NoRecheck: out("no-recheck"), FlagSetByWork: out("flag-set-by-work"), StaleIndex: out("stale-index"), MixedIndex: out("mixed-index"),
		PeekWithoutBarrier: out("peek-without-barrier"), ConnectWithoutBarrier: out("connect-without-barrier"),
	}
	net := afunix.New(m, p)
	for _, step := range c.Setup {
		if f := step.InFlight; f != nil {
			if err := net.Setup(afunix.Graph{Shape: afunix.Shape(f.Graph), Sockets: f.Sockets, User: f.User}); err != nil {
				return nil, err
			}
		}
	}
	return net, nil
}

// setupTable makes the table of AF_UNIX names, with what is bound before time starts.
func (r *run) setupTable() error {
	c := r.job.cell
	r.table = afunix.NewTable(r.machine, afunix.TableParams{
		Layout: afunix.Layout(c.Kernel.AFUnix.Table), Hash: afunix.Hash(c.Kernel.AFUnix.Hash),
	})
	for _, step := range c.Setup {
		if b := step.Bind; b != nil {
			names, err := afunix.ParseNames(b.Names)
			if err == nil {
				err = r.table.Setup(afunix.Bound{Abstract: b.Abstract, Pathname: b.Pathname, Names: names, From: b.From})
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// addTasks adds and starts the instances of every task.
func (r *run) addTasks() {
	c := r.job.cell
	shared := &subsystems{table: r.table}
	if r.net != nil {
		shared.unix = workloads.NewUnix(r.net)
	}
	if r.inet != nil {
		shared.inet = workloads.NewInet(r.inet)
	}
	made := map[string][]*cpus.Task{}
	for k := range c.Tasks {
		t := &c.Tasks[k]
		if t.Context != "task" && t.Run == "" {
			continue
		}
		program := r.job.linked.workload.Program(t.Name)
		for i := range t.Count {
			spec := cpus.TaskSpec{
				Name: t.Name, Index: int32(i), Numbered: t.Count > 1, Kthread: t.Kthread,
				Background: t.Background, Nice: t.Nice, Class: classes[t.Class], MM: int32(k + 1), CPUs: t.cpuSet(r.machine, i),
			}
			if d := r.job.conductor; d != nil {
				own := r.machine.NewCPUSet()
				own.Add(d.first[program] + i)
				spec.CPUs = &own
			}
			if spec.Class == cpus.ClassFIFO || spec.Class == cpus.ClassRR {
				spec.RTPriority = t.Priority
			}
			var task *cpus.Task
			if program != nil {
				task = r.live.NewTask(program, &spec)
			} else {
				task = r.machine.NewThread(&spec, r.job.linked.loads[k].body(shared))
				r.live.AddTask(t.Name, i, task)
			}
			made[t.Name] = append(made[t.Name], task)
			switch {
			case t.Manual:
			case t.StartPS > 0:
				r.machine.StartAt(task, des.Time(t.StartPS))
			default:
				r.machine.Start(task)
			}
		}
	}
	for k := range c.Tasks {
		if t := &c.Tasks[k]; t.Context != "task" && t.Run == "" {
			for i := range t.Count {
				targets := made[t.Interrupts]
				r.addHandler(k, i, targets[i%len(targets)])
			}
		}
	}
}

// classes are the scheduling classes by their names in files.
var classes = map[string]cpus.Class{
	"fair": cpus.ClassFair, "rt": cpus.ClassFIFO, "rr": cpus.ClassRR, "idle": cpus.ClassIdle,
}

// record closes the books.
func (r *run) record(outcome cpus.Outcome) *Record {
	j := r.job
	if r.table != nil {
		r.table.SampleChains()
	}
	observed := r.recorder.Result()
	rec := &Record{ID: j.id(), Observed: observed, Events: r.machine.Sim.Fired(), Ended: outcome.String()}
	rec.Failure = r.failure(outcome)
	if r.net != nil {
		s := r.net.Stats()
		observed.SetCount("gc_enter", "count", float64(s.Entered))
		observed.SetCount("gc_run", "count", float64(s.Collections))
		observed.SetCount("gc_spin", "ns", s.Spun.Nanoseconds())
		observed.SetCount("in_flight_at_end", "count", float64(s.InFlight))
		if err := r.net.Check(); err != nil && rec.Failure == "" && outcome == cpus.Ended {
			rec.Failure = "kernel BUG at the end: " + err.Error()
		}
	}
	if r.inet != nil {
		observed.SetCount("torn", "count", float64(r.inet.Stats().Torn))
	}
	for i := range observed.Locks {
		observed.Locks[i].Type = j.cell.lockType(observed.Locks[i].Name)
	}
	return rec
}

// failure says what is wrong with how the run ended, if anything is.
func (r *run) failure(outcome cpus.Outcome) string {
	switch outcome {
	case cpus.Failed:
		return r.story(r.machine.Failure())
	case cpus.Deadlock:
		return fmt.Sprintf("deadlock at %v: nothing can happen any more, and these have not ended:%s", r.machine.Sim.Now(), r.unfinished())
	case cpus.EventLimit:
		return fmt.Sprintf("stopped at the limit of %d events, at %v of virtual time (stop: {events: …} sets the limit, stop: {after: …} ends a run):%s",
			r.machine.Sim.Fired(), r.machine.Sim.Now(), r.unfinished())
	}
	if outcome != cpus.Ended {
		return ""
	}
	w := r.job.linked.workload
	if broken := r.judge("finally", w.Finally, true); broken != "" {
		return broken
	}
	return r.judge("never", w.Never, false)
}

// story tells a failure: of a program with the steps that led to it, of a kernel model
// with the steps that tasks are in.
func (r *run) story(err error) string {
	var f *workloads.Failure
	if !errors.As(err, &f) {
		return err.Error() + r.unfinished()
	}
	told := *f
	told.Pos = place(f.Pos)
	if len(f.Past) == 0 {
		return told.Error()
	}
	steps := strings.ReplaceAll(strings.TrimSuffix(f.Story(), "\n"), "\n", "\n  ")
	return fmt.Sprintf("%v\nthe last %d steps before it:\n  %s", &told, len(f.Past), steps)
}

// place is a position as results show it: they do not depend on which folder the file
// is in.
func place(pos yamlfile.Pos) yamlfile.Pos {
	pos.File = filepath.Base(pos.File)
	return pos
}

// judge returns the first of the conditions that is not as wanted.
func (r *run) judge(check string, conditions []workloads.Condition, want bool) string {
	for i := range conditions {
		c := &conditions[i]
		holds, err := r.live.Holds(c)
		switch {
		case err != nil:
			return err.Error()
		case holds != want:
			return fmt.Sprintf("%v: check.%s: %q is %t at the end", place(c.Pos), check, c.Text, holds)
		}
	}
	return ""
}

// mostUnfinished bounds the list of tasks in a failure.
const mostUnfinished = 10

// unfinished lists where the tasks are that have not ended.
func (r *run) unfinished() string {
	var b strings.Builder
	n := 0
	for _, t := range r.machine.Tasks() {
		if s := t.State(); s == cpus.Dead || s == cpus.Unstarted || t.Kthread() {
			continue
		}
		if n++; n > mostUnfinished {
			continue
		}
		fmt.Fprintf(&b, "\n  %s, %v", t.Name(), t.State())
		if t.CPU() != nil {
			fmt.Fprintf(&b, " on CPU %d", t.CPU().Index())
		}
		op := t.Op()
		switch {
		case op == nil:
		case op.Label > 0:
			step := &r.job.linked.workload.Steps[op.Label]
			fmt.Fprintf(&b, ", in %q at %v", step.Text, place(step.Pos))
		case op.Prim != nil:
			fmt.Fprintf(&b, ", in a call on %s", op.Prim.Name())
		}
	}
	if n > mostUnfinished {
		fmt.Fprintf(&b, "\n  and %d more", n-mostUnfinished)
	}
	return b.String()
}

// lockType is the kind of a lock of the file or of a kernel model.
func (c *Cell) lockType(name string) string {
	for i := range c.Objects {
		if c.Objects[i].Name == name {
			return c.Objects[i].Type
		}
	}
	return spinlock
}
