package workloads

import (
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/yamlfile"
)

// Source is what an experiment file says of objects and programs.
type Source struct {
	// Objects is the mapping of objects; nil for none.
	Objects *yamlfile.Node
	// Tasks are all tasks of the file, those with a built-in load included.
	Tasks []TaskSource
	// Always, Finally and Never are conditions, as scalars.
	Always, Finally, Never []*yamlfile.Node
	// Syscalls are the system calls that programs can make, by name.
	Syscalls map[string]Syscall
}

// TaskSource is a kind of task.
type TaskSource struct {
	Name string
	// Pos is where the file declares it.
	Pos yamlfile.Pos
	// Count is how many instances there are, at least 1.
	Count int
	// Loop is how often the steps are done, or [Forever].
	Loop int64
	// Manual tasks are started by the steps of others.
	Manual bool
	// Steps are the program; nil for a built-in load.
	Steps []*yamlfile.Node
}

// Forever is a number of passes that does not end.
const Forever = -1

// Syscall reads the arguments of a system call in a program; it notes what is
// wrong with them and then returns nil.
type Syscall func(args *yamlfile.Node, problems *yamlfile.Problems) SyscallBinder

// SyscallBinder makes the behavior of the call for one task. It hands out the
// call's operations and then [cpus.Exit]; the Next after that begins the
// following call, as a behavior from [cpus.Machine.Func] does.
type SyscallBinder func(m *cpus.Machine) cpus.Behavior

// Workload is the compiled objects, programs and conditions of an experiment. It
// does not change, so that any number of runs can share it.
type Workload struct {
	// Objects are in the order of the file.
	Objects []*Object
	// Steps are those of all programs. An op's Label is its index here; index 0 is
	// not used, so that ops from elsewhere have no step.
	Steps []Step
	// Always, Finally and Never are the conditions of a check.
	Always, Finally, Never []Condition

	// tasks are the programs of tasks, in the order of the source; nil for a
	// built-in load. programs are all there are.
	tasks    []*Program
	programs []*Program
	words    []wordTemplate
	// lifecycles are where steps start or join a task.
	lifecycles map[string][]lifecycle
	// mayFail says that a run can end in a failure, and stack what expressions push.
	mayFail bool
	stack   int
}

// wordTemplate is a word before a run.
type wordTemplate struct {
	object, element int
	value           int64
}

// lifecycle is a step that starts or joins all instances of a task: in which
// program, and the op for instance 0, which those for the others follow.
type lifecycle struct{ program, first int }

// Condition is a condition over shared objects and the registers of tasks.
type Condition struct {
	Pos  yamlfile.Pos
	Text string
	// program holds its code, which begins at entry.
	program *Program
	entry   int
}

// Program returns the program of a task, or nil if that has a built-in load, or
// there is no such task.
func (w *Workload) Program(task string) *Program {
	for _, p := range w.tasks {
		if p != nil && p.Name == task {
			return p
		}
	}
	return nil
}

// IsWork reports whether the program is a work item's.
func (p *Program) IsWork() bool { return p.work }

// Registers returns the names of the program's registers, in the order in which
// the text first assigns them.
func (p *Program) Registers() []string { return p.registers }

// Compile checks objects, programs and conditions, and compiles them. It notes
// every mistake and returns nil if there is one.
func Compile(src *Source, problems *yamlfile.Problems) *Workload {
	var found yamlfile.Problems
	c := newCompiler(src, &found)
	c.readPrograms()
	for _, r := range c.readers {
		generate(c, r)
	}
	c.conditions()
	problems.Merge(&found)
	if found.Len() > 0 {
		return nil
	}
	return c.w
}

func quote(text string) string { return strconv.Quote(text) }

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func oneLine(text string) bool { return !strings.Contains(text, "\n") }
