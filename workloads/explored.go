package workloads

import (
	"fmt"
	"slices"

	"smpsim/cpus"
	"smpsim/yamlfile"
)

// Explored is a workload without a machine, whose interleavings are chosen rather
// than timed. Its programs run through the same interpreter as in a timed run, over
// words and registers in flat memory; what an operation does, and who goes on
// when, is for the explorer to say.
type Explored struct {
	// Faults are what programs and conditions did wrong since the explorer took
	// them away. The program went on: an assertion as if it had held, a bug as if
	// the result were 0.
	Faults []Fault

	linked Linked
	// words is the memory of words; registers are linked's.
	words []int64
	// task carries operands and results for whoever runs just now.
	task cpus.Task
}

// Fault is something that a program does wrong.
type Fault struct {
	Kind FailureKind
	Pos  yamlfile.Pos
	// Step is the step it happens in, and What says what is wrong.
	Step, What string
}

// Instance is an instance of a program, of a task or a work item.
type Instance struct {
	// Ops are the operations of the program; Next counts them from first on.
	Ops []ExploredOp

	explored *Explored
	group    group
	proc     proc
	first    int32
	// behind is, of each operation, where the program goes on.
	behind []int
}

// ExploredOp is an operation of an instance and what it works on.
type ExploredOp struct {
	Kind cpus.Kind
	// Sub is the operation of an object, of a call; 0 for a loop that polls.
	Sub   uint8
	Label int32
	// Word is the number of the word, and Object that of the object in
	// [Workload.Objects]; -1 for none.
	Word, Object int
	// Task and Index are whom an operation starts or joins; an empty name is nobody.
	Task  string
	Index int
	// Until is where the condition begins that is waited for, or -1; Named is what it
	// looks at.
	Until int
	Named Named
}

// Named is what a condition looks at.
type Named struct {
	// Words are numbers of words.
	Words []int
	// Tasks are those whose registers it names.
	Tasks []string
}

// Explore makes a workload ready to be explored. System calls are beyond it.
func (w *Workload) Explore() (*Explored, error) {
	x := &Explored{linked: Linked{workload: w, stack: make([]int64, w.stack)}}
	l := &x.linked
	l.explored = x
	l.groups = make([]group, len(w.programs))
	total := 0
	for i, p := range w.programs {
		l.groups[i] = group{linked: l, program: p, code: p.code, base: total}
		total += p.Count * p.slots
		if call := slices.IndexFunc(p.code, func(in instr) bool { return in.do == doCall }); call >= 0 {
			return nil, fmt.Errorf("%v: %s: a system call cannot be explored as part of a program", p.where[call].pos, p.where[call].text)
		}
	}
	for _, p := range w.tasks {
		l.tasks = append(l.tasks, l.group(p))
	}
	l.registers = make([]int64, total)
	x.words = make([]int64, len(w.words))
	return x, nil
}

// Sizes returns how many words and how many registers the memory holds.
func (x *Explored) Sizes() (words, registers int) { return len(x.words), len(x.linked.registers) }

// UseMemory makes programs work on words and registers that the explorer keeps, and
// sets them to what they are before anything has run.
func (x *Explored) UseMemory(words, registers []int64) {
	x.UseWords(words)
	x.linked.registers = registers
	clear(registers)
	for i, t := range x.linked.workload.words {
		words[i] = t.value
	}
}

// UseWords makes conditions look at other words, as a CPU sees them whose own
// stores are still on their way.
func (x *Explored) UseWords(words []int64) { x.words = words }

// WordObject returns the number of the object that a word belongs to: a work item has
// one, its PENDING bit.
func (x *Explored) WordObject(word int) int { return x.linked.workload.words[word].object }

// WordName returns what a word is called.
func (x *Explored) WordName(word int) string {
	t := x.linked.workload.words[word]
	o := x.linked.workload.Objects[t.object]
	switch {
	case o.array:
		return fmt.Sprintf("%s[%d]", o.Name, t.element)
	case o.Kind == WorkItem:
		return "pending(" + o.Name + ")"
	default:
		return o.Name
	}
}

// Registers returns where the named registers of an instance of a task's program
// are, among all registers, and their names.
func (x *Explored) Registers(p *Program, index int) (first int, names []string) {
	return x.linked.group(p).base + index*p.slots, p.registers
}

// Holds evaluates a condition of the workload. One that cannot be evaluated leaves
// a fault.
func (x *Explored) Holds(c *Condition) bool {
	_, value := x.linked.group(c.program).execute(nil, nil, c.entry)
	return value != 0
}

// Named returns what a condition of the workload looks at.
func (x *Explored) Named(c *Condition) Named {
	return x.linked.group(c.program).named(c.entry)
}

// note keeps what went wrong, and says whether the program can go on.
func (x *Explored) note(kind FailureKind, where place, what string) bool {
	x.Faults = append(x.Faults, Fault{Kind: kind, Pos: where.pos, Step: where.text, What: what})
	return kind != Endless
}

// named returns what the condition at entry looks at: its code has no other
// instructions in between.
func (g *group) named(entry int) Named {
	var n Named
	for _, in := range g.code[entry:] {
		switch in.do {
		case doWord:
			n.Words = append(n.Words, int(in.arg))
		case doElement:
			for i := range int(in.imm) {
				n.Words = append(n.Words, int(in.arg)+i)
			}
		case doForeign:
			n.Tasks = append(n.Tasks, g.linked.tasks[in.arg].program.Name)
		case doEnd:
			return n
		}
	}
	return n
}

// Units returns how many units a semaphore has at first.
func (o *Object) Units() int64 { return o.values[0] }

// Workqueue returns the number of the workqueue that a work item is on, or -1 for the
// system's.
func (o *Object) Workqueue() int { return o.queue }

// MaxActive returns how many items of a workqueue may run at once, and whether that
// holds for each CPU.
func (o *Object) MaxActive() (n int, perCPU bool) { return o.maxActive, o.perCPU }

// Places returns all places of programs and conditions that a [Fault] can be in, each
// once.
func (x *Explored) Places() []Step {
	var places []Step
	type key struct {
		pos  yamlfile.Pos
		text string
	}
	known := make(map[key]bool)
	for _, p := range x.linked.workload.programs {
		for _, w := range p.where {
			if k := (key{w.pos, w.text}); !known[k] {
				known[k] = true
				places = append(places, Step{Pos: w.pos, Text: w.text, Program: p.Name, Index: w.step})
			}
		}
	}
	return places
}
