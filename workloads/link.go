package workloads

import (
	"fmt"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// Linked is a workload on a machine: live objects and the state of all
// instances of its programs. It serves one run; making another is quick.
type Linked struct {
	// Report is told of failures. One that it answers true is passed over: an
	// assertion as if it had held, a bug as if the result were 0. If it is nil, or
	// answers false, the run ends.
	Report func(*Failure) bool

	workload *Workload
	machine  *cpus.Machine
	wrap     Wrap
	words    []*cpus.Word
	objects  []cpus.Primitive
	// groups are the programs with their ops bound, tasks those of the tasks.
	groups []group
	tasks  []*group
	// registers are those of all instances.
	registers []int64
	stack     []int64
	past      *past
	// unchecked is why the last condition of a check has no value, if it has none.
	unchecked *Failure
	// always are the conditions that are judged after every step.
	always []Condition
	// explored is set where there is no machine.
	explored *Explored
}

// group is a program and its instances.
type group struct {
	linked  *Linked
	program *Program
	code    []instr
	ops     []cpus.Op
	procs   []proc
	marks   []cpus.NameID
	past    *past // nil if no steps are kept
	// calls are the behaviors of system calls, by call and instance.
	calls [][]cpus.Behavior
	// base is the first register of instance 0.
	base int
	made int
}

// Link makes the objects and binds the programs to them. The machine must not
// have run.
func (w *Workload) Link(m *cpus.Machine) *Linked { return w.LinkWith(m, nil) }

// Wrap puts a behavior around that of instance index of a program, of a task or of a
// work item.
type Wrap func(p *Program, index int, b cpus.Behavior) cpus.Behavior

// LinkWith is Link with something put around every behavior, if wrap is not nil.
func (w *Workload) LinkWith(m *cpus.Machine, wrap Wrap) *Linked {
	l := &Linked{workload: w, machine: m, wrap: wrap, stack: make([]int64, w.stack)}
	l.groups = make([]group, len(w.programs))
	total := 0
	for i, p := range w.programs {
		l.groups[i] = group{linked: l, program: p, code: p.code, base: total}
		total += p.Count * p.slots
	}
	l.registers = make([]int64, total)
	l.makeObjects()
	for i := range l.groups {
		l.groups[i].bind()
	}
	for _, p := range w.tasks {
		l.tasks = append(l.tasks, l.group(p))
	}
	if w.mayFail {
		l.remember()
	}
	return l
}

// remember keeps the last steps from now on.
func (l *Linked) remember() {
	l.past = new(past)
	for i := range l.groups {
		l.groups[i].past = l.past
	}
}

// group returns the program's group, nil for none.
func (l *Linked) group(p *Program) *group {
	for i := range l.groups {
		if l.groups[i].program == p {
			return &l.groups[i]
		}
	}
	return nil
}

// makeObjects makes the live objects: words first, then workqueues, then items.
func (l *Linked) makeObjects() {
	m, w := l.machine, l.workload
	l.words = make([]*cpus.Word, len(w.words))
	l.objects = make([]cpus.Primitive, len(w.Objects))
	lines := make(map[string]*cpus.Line)
	queues := make([]*kernelmodel.Workqueue, len(w.Objects))
	for i, o := range w.Objects {
		switch o.Kind {
		case Spinlock:
			l.objects[i] = kernelmodel.NewSpinlock(m, o.Name, o.lock)
		case Mutex:
			l.objects[i] = kernelmodel.NewMutex(m, o.Name)
		case RWLock:
			l.objects[i] = kernelmodel.NewRWLock(m, o.Name)
		case Seqlock:
			l.objects[i] = kernelmodel.NewSeqlock(m, o.Name)
		case WaitQueue:
			l.objects[i] = kernelmodel.NewWaitQueue(m, o.Name)
		case Event:
			l.objects[i] = kernelmodel.NewEvent(m, o.Name)
		case Semaphore:
			l.objects[i] = kernelmodel.NewSemaphore(m, o.Name, o.values[0])
		case Workqueue:
			queues[i] = kernelmodel.NewWorkqueue(m, kernelmodel.WorkqueueSpec{Name: o.Name, PerCPU: o.perCPU, MaxActive: o.maxActive})
		case Word, Counter:
			l.makeWords(o, lines)
		}
	}
	l.makeWork(queues)
}

// makeWords makes the words of an object. Each has a line of its own, elements of
// an array too, if the object does not name one.
func (l *Linked) makeWords(o *Object, lines map[string]*cpus.Line) {
	line := lines[o.line]
	if line == nil && o.line != "" {
		line = l.machine.NewLine()
		lines[o.line] = line
	}
	for i, value := range o.values {
		name := o.Name
		if o.array {
			name = fmt.Sprintf("%s[%d]", o.Name, i)
		}
		if line != nil {
			l.words[o.first+i] = l.machine.NewWordOn(line, name, value)
		} else {
			l.words[o.first+i] = l.machine.NewWord(name, value)
		}
	}
}

// makeWork makes the work items. Those that name no workqueue are on the system's
// unbound one.
func (l *Linked) makeWork(queues []*kernelmodel.Workqueue) {
	var system *kernelmodel.Workqueue
	for i, o := range l.workload.Objects {
		if o.Kind != WorkItem {
			continue
		}
		queue := system
		if o.queue >= 0 {
			queue = queues[o.queue]
		} else if system == nil {
			system = kernelmodel.NewWorkqueue(l.machine, kernelmodel.WorkqueueSpec{Name: "events_unbound"})
			queue = system
		}
		item := queue.NewWork(o.Name, l.group(o.program).newBehavior())
		l.objects[i] = item
		l.words[o.first] = item.Pending()
	}
}

// bind makes the ops of a program work on live objects.
func (g *group) bind() {
	l, p := g.linked, g.program
	m := l.machine
	waits := make([]cpus.Primitive, len(p.waits))
	for i := range p.waits {
		waits[i] = g.newWait(&p.waits[i])
	}
	g.ops = make([]cpus.Op, len(p.ops))
	for i := range p.ops {
		t, op := &p.ops[i], &g.ops[i]
		*op = t.op
		switch t.bind {
		case bindWord:
			op.Word = l.words[t.target]
		case bindObject:
			op.Prim = l.objects[t.target]
		case bindWait:
			op.Prim = waits[t.target]
		case bindPause:
			op.Dur = m.Costs.Pause
		}
	}
	for _, mark := range p.marks {
		g.marks = append(g.marks, m.Intern(mark.name))
	}
	for _, call := range p.calls {
		instances := make([]cpus.Behavior, p.Count)
		for i := range instances {
			instances[i] = call.bind(m)
		}
		g.calls = append(g.calls, instances)
	}
}

// newWait makes a place where instances of the program wait for a condition.
func (g *group) newWait(t *waitTemplate) cpus.Primitive {
	words := make([]*cpus.Word, len(t.words))
	for i, word := range t.words {
		words[i] = g.linked.words[word]
	}
	cond := &waitCondition{group: g, entry: t.entry}
	if t.queue < 0 {
		return g.linked.machine.NewPoll(t.text, words, cond)
	}
	return g.linked.objects[t.queue].(*kernelmodel.WaitQueue).Until(cond, words...)
}

// newBehavior returns the next instance, with what is put around it.
func (g *group) newBehavior() cpus.Behavior {
	index := g.made
	p := g.newProc()
	if g.linked.wrap != nil {
		return g.linked.wrap(g.program, index, p)
	}
	return p
}

// newProc returns the next instance.
func (g *group) newProc() *proc {
	if g.procs == nil {
		g.procs = make([]proc, g.program.Count)
	}
	if g.made == len(g.procs) {
		panic(fmt.Sprintf("workloads: program %s has %d instances, one more was asked for", g.program.Name, g.made))
	}
	p := &g.procs[g.made]
	*p = proc{group: g, base: int32(g.base + g.made*g.program.slots)}
	g.made++
	return p
}

// NewTask adds the next instance of a program to the machine, as a task like
// spec. Of spec it sets what the program decides: name, behavior and index. A
// spec can serve all instances. It panics beyond the program's Count.
func (l *Linked) NewTask(p *Program, spec *cpus.TaskSpec) *cpus.Task {
	g := l.group(p)
	index := g.made
	spec.Name, spec.Index, spec.Numbered = p.Name, int32(index), p.Count > 1
	spec.Behavior = g.newBehavior()
	t := l.machine.NewTask(spec)
	l.AddTask(p.Name, index, t)
	return t
}

// NewHandler returns the behavior of the next instance of a program that a handler runs.
func (l *Linked) NewHandler(p *Program) cpus.Behavior { return l.group(p).newBehavior() }

// AddTask tells which task is instance index of the one that the source calls
// name, so that steps can start and join it. Tasks from NewTask are known already.
func (l *Linked) AddTask(name string, index int, t *cpus.Task) {
	for _, s := range l.workload.lifecycles[name] {
		l.groups[s.program].ops[s.first+index].Prim = t.Lifecycle()
	}
}

// Reset puts the programs and the words back to where Link left them. It does
// not touch locks and other objects that keep a state, nor the machine's tasks.
func (l *Linked) Reset() {
	clear(l.registers)
	for i := range l.groups {
		for k := range l.groups[i].procs {
			l.groups[i].procs[k].pc = 0
		}
	}
	for i, t := range l.workload.words {
		l.words[i].Value = t.value
	}
}

// WordValue is a word and what it holds.
type WordValue struct {
	Name  string
	Value int64
}

// Words returns all words and counters, elements of arrays one by one, with what
// they hold now, in the order of the file.
func (l *Linked) Words() []WordValue {
	values := make([]WordValue, 0, len(l.words))
	for i, w := range l.words {
		if l.workload.Objects[l.workload.words[i].object].isWords() {
			values = append(values, WordValue{w.Name(), w.Value})
		}
	}
	return values
}

// Registers returns what the named registers of an instance of a task's program
// hold, in the order of [Program.Registers]. It is a view that the run changes.
func (l *Linked) Registers(p *Program, instance int) []int64 {
	first := l.group(p).base + instance*p.slots
	return l.registers[first : first+len(p.registers)]
}
