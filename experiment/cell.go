package experiment

import (
	"fmt"

	"smpsim/yamlfile"
)

// Durations in these types are picoseconds. Pos is where something stands in the
// file, for mistakes that are found later.

// Forever is a number of repetitions that never ends.
const Forever = -1

// Machine is the simulated machine.
type Machine struct {
	Preset string // a preset's name, or a file
	CPUs   int    // 0 for all that the preset has
	HZ     int    // timer ticks a second on each CPU; 0 for none
	// Interrupts are devices that interrupt CPUs.
	Interrupts []Device
	Costs      []Cost // in file order; a path occurs once
	Scheduler  Scheduler
}

// Device interrupts a CPU now and then.
type Device struct {
	Name          string
	Context       string // hardirq or softirq
	CPU           int    // -1 for every CPU
	Every, Length yamlfile.Distribution
}

// Cost replaces a cost of the preset.
type Cost struct {
	Path  string // dotted, such as transfer.other_socket
	Value *yamlfile.Node
}

// Scheduler is how a CPU chooses the next task.
type Scheduler struct {
	Policy  string // fair, fifo, round-robin, random or scripted
	SlicePS int64  // 0 for the policy's own
	SlackPS int64
	Script  []string // of policy scripted: the tasks to run, in order
}

// Kernel holds the parameters of the kernel models.
type Kernel struct {
	AFUnix AFUnix
	Inet   Inet
}

// AFUnix are the parameters of AF_UNIX sockets and their collector.
type AFUnix struct {
	GC        string // inline, worker, worker-async, merged or scc
	Trigger   int64
	Inflight  string   // atomic or plain
	Unfixed   []string // fixes that are taken out
	SaneLimit int64    // references in flight below which a user does not wait; -1 for the variant's own
	Table     string   // global, shared-half or abstract-half
	Hash      string   // checksum or uniform
}

// Inet are the parameters of internet sockets.
type Inet struct {
	GetName string // unlocked, lock_sock, lock_sock_fast, read_once or seqcount
	BasePS  int64  // an anchor: getsockname() without the lock
}

// Object is a kernel object that programs use, as far as an experiment asks: what
// else the file says of it is read by package workloads.
type Object struct {
	Name string
	Type string // its kind, such as word; of a spinlock how it is built, such as ticket
	Pos  yamlfile.Pos
}

// SetupStep is something that exists before time starts. One field is set.
type SetupStep struct {
	InFlight *InFlight
	Sockets  []Socket
	Bind     *Bound
}

// Socket is an AF_UNIX socket that programs name.
type Socket struct {
	Name string
	Type string // dgram or stream
	Pos  yamlfile.Pos
}

// InFlight are sockets passed over SCM_RIGHTS and not received.
type InFlight struct {
	Sockets int
	User    string
	Graph   string // open, closed, pairs, ring, self or garbage
}

// Bound are sockets bound to names.
type Bound struct {
	Abstract, Pathname int
	Names              string // printf format of an abstract name, given its number
	From               int64  // the first number
}

// Task is a kind of task; Count of them run.
type Task struct {
	Name string
	Pos  yamlfile.Pos

	Run    string           // a built-in load, or empty
	Params []LoadParam      // of the load, defaults included; those left out without default are absent
	Do     []*yamlfile.Node // the steps of a program, if it is no load

	Count      int
	Loop       int64 // how often it does what it does, or Forever
	Bind       Bind
	Nice       int
	Class      string // fair, rt, rr or idle
	Priority   int    // of class rt and rr
	Manual     bool   // another task starts it
	StartPS    int64
	User       string
	Kthread    bool
	Context    string                 // task, softirq or hardirq
	Interrupts string                 // of a handler: the task it interrupts
	Every      *yamlfile.Distribution // of a handler in a timed run; nil if the file has none

	// Background: a run does not wait for its end. So are kernel threads, handlers, and
	// loads such as connect_loop that go on for as long as others do.
	Background bool
}

// BindKind says where instances of a task may run.
type BindKind string

const (
	Free   BindKind = "free"   // anywhere
	Spread BindKind = "spread" // instance i on CPU i modulo the number of CPUs
	Listed BindKind = "list"   // on the CPUs listed
)

// Bind is where instances of a task may run.
type Bind struct {
	Kind BindKind
	CPUs []int // Listed
}

// LoadParam is a parameter of a built-in load.
type LoadParam struct {
	Name         string
	Text         string                // a word, a name or a text
	Number       int64                 // a count or a size; Forever where the text is forever
	Distribution yamlfile.Distribution // of think and arrival
}

// Param is a parameter of the task's load. Those with a default are always there.
func (t *Task) Param(name string) (LoadParam, bool) {
	for i := range t.Params {
		if t.Params[i].Name == name {
			return t.Params[i], true
		}
	}
	return LoadParam{}, false
}

// MustParam is a parameter that the load has a default for, or requires.
func (t *Task) MustParam(name string) LoadParam {
	p, ok := t.Param(name)
	if !ok {
		panic(fmt.Sprintf("experiment: load %s of task %s has no parameter %s", t.Run, t.Name, name))
	}
	return p
}

// Stop is when a run ends, if not when every task has ended that is no background.
type Stop struct {
	AfterPS int64 // 0 for no such end
	Events  int64 // 0 for no limit
}

// Check is what must hold.
type Check struct {
	Always, Finally, Never []*yamlfile.Node // expressions, as scalars
	Races                  bool             // report data races
}

// Explore is how interleavings are chosen and how far.
type Explore struct {
	Strategy        string // one of strategies
	Memory          string // sc or tso
	EndAfterFinding bool
	RMWCommute      bool
	Executions      int64  // 0 for no limit
	Steps           int64  // of one execution
	Remember        int64  // bytes kept of what was visited
	Preemptions     int    // of bounded
	Depth           int    // of pct
	Schedule        string // of replay, as a token
}
