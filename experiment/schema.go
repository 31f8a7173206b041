package experiment

// fileKeys are the parts of a file that describe the experiment as a whole. Variants
// and the sweep cannot change them.
var fileKeys = []key{
	{name: "name", required: true, shape: folderShape, doc: "Names the experiment and its output folder: letters, digits, dashes."},
	{name: "title", shape: textShape, doc: "The title of tables and pictures; the name if left out."},
	{name: "about", shape: textShape, doc: "What the experiment is for."},
	{name: "seed", shape: count(0, unbounded), def: "1", doc: "Everything random follows from it."},
	{name: "replicas", shape: count(1, 10_000), def: "1", doc: "How often each cell runs, each time with another seed."},
	{name: "measure", shape: few(metricNameShape), doc: "Metrics to keep samples of; everything cheap is always kept."},
	{name: "variants", shape: named(labelShape, pathsShape), doc: "Named patches over dotted paths; a patch replaces the value at its path."},
	{name: "sweep", shape: pathsShape, doc: "A grid over dotted paths, each with a list of values, or $path for another path's value."},
	{name: "plots", shape: few(plotShape), doc: "Pictures to draw."},
	{name: "compare", shape: few(compareShape), doc: "Published figures to print beside the predicted ones; never a failure."},
	{name: "expect", shape: few(expectShape), doc: "What must hold."},
}

// cellKeys are the parts that a cell consists of.
var cellKeys = []key{
	{name: "machine", filled: true, shape: machineShape, doc: "The machine."},
	{name: "kernel", filled: true, shape: kernelShape, doc: "Parameters of the kernel models."},
	{name: "objects", filled: true, shape: named(nameShape, objectShape), doc: "Kernel objects that programs use."},
	{name: "setup", filled: true, shape: few(setupShape), doc: "What exists before time starts, at no cost."},
	{name: "tasks", required: true, shape: named(nameShape, taskShape), doc: "The load."},
	{name: "stop", filled: true, shape: stopShape, doc: "When a run ends, if not when every task that is no kthread has ended."},
	{name: "check", filled: true, shape: checkShape, doc: "What must always, finally or never hold."},
	{name: "explore", shape: exploreShape, doc: "Choose the interleaving instead of timing it."},
}

var cellShape = mapping(cellKeys...)

var machineShape = mapping(
	key{name: "preset", shape: textShape, def: "xeon-server", doc: "A preset's name, or a file that smpsim calibrate wrote."},
	key{name: "cpus", shape: either(words("all"), count(1, 4096)), def: "all", doc: "How many CPUs of the preset are used."},
	key{name: "hz", shape: count(0, 10_000), def: "250", doc: "Timer ticks a second on each CPU; 0 for none."},
	key{name: "interrupts", doc: "Devices that interrupt the CPUs of a timed run.", shape: few(mapping(
		key{name: "name", required: true, shape: nameShape, doc: "What traces call it."},
		key{name: "context", shape: words("hardirq", "softirq"), def: "hardirq", doc: "What it may come between."},
		key{name: "cpu", shape: either(words("all"), count(0, 4095)), def: "all", doc: "The CPU it interrupts; all is every one, each by itself."},
		key{name: "every", required: true, shape: distributionShape, doc: "How long from one to the next."},
		key{name: "length", required: true, shape: distributionShape, doc: "How long the handler takes."},
	))},
	key{name: "costs", filled: true, shape: &shape{form: formTree, item: costShape}, doc: "Costs that replace those of the preset."},
	key{name: "scheduler", filled: true, doc: "How a CPU chooses the next task.", shape: mapping(
		key{name: "policy", shape: words("fair", "fifo", "round-robin", "random", "scripted"), def: "fair", doc: "The scheduling policy."},
		key{name: "slice", shape: either(words("auto"), duration(1, 1e12)), def: "auto", doc: "How long a task runs before another gets its turn; auto is the policy's own figure."},
		key{name: "slack", shape: duration(0, 1e12), def: "0ns", doc: "Events that lie within it of the earliest may be reordered."},
		key{name: "script", shape: list(1, textShape), doc: "Of a scripted policy: the tasks to run, in order: task, task[i] or task@cpu."},
	)},
)

// unfixed names fixes of the collector by the state before them.
var unfixed = []string{
	"no-recheck", "flag-set-by-work", "stale-index", "mixed-index", "peek-without-barrier", "connect-without-barrier",
}

var kernelShape = mapping(
	key{name: "af_unix", filled: true, doc: "AF_UNIX sockets and their collector.", shape: mapping(
		key{name: "gc", shape: words("inline", "worker", "worker-async", "merged", "scc"), def: "inline", doc: "Which collector, and who runs and awaits it."},
		key{name: "trigger", shape: count(0, largest), def: "16000", doc: "A sender starts the collector above this many references in flight."},
		key{name: "inflight_count", shape: words("atomic", "plain"), def: "atomic", doc: "How a socket counts its references in flight."},
		key{name: "sane_limit", shape: either(words("auto"), count(0, largest)), def: "auto", doc: "A user with fewer references in flight does not wait; auto is the variant's own figure."},
		key{name: "unfixed", shape: list(0, words(unfixed...)), doc: "Documented fixes to take out, so that an exploration can find what they mended."},
		key{name: "table", shape: words("global", "shared-half", "abstract-half"), def: "shared-half", doc: "The hash table: pathname sockets hang in its abstract half, or in one of their own; global is one lock for all."},
		key{name: "hash", shape: words("checksum", "uniform"), def: "checksum", doc: "The kernel's 16-bit checksum of a name, or an ideal hash."},
	)},
	key{name: "inet", filled: true, doc: "Internet sockets.", shape: mapping(
		key{name: "getname", shape: words("unlocked", "lock_sock", "lock_sock_fast", "read_once", "seqcount"), def: "lock_sock", doc: "How getsockname() reads the address."},
		key{name: "base", shape: duration(0, 1e12), def: "144.23ns", doc: "An anchor: getsockname() without the lock."},
	)},
)

// spinlock is the key of an object that is one.
const spinlock = "spinlock"

// locks are the spinlocks that a program may declare.
var locks = words("test-and-set", "ticket", "mcs", "qspinlock")

var lineKey = key{name: "line", shape: nameShape, doc: "Objects that name the same line share a cache line."}

var integer = count(-1<<53, 1<<53)

var objectShape = choice(
	alternative{doc: "A spinlock.", keys: []key{{name: spinlock, shape: locks, doc: "A spinlock, and how it is built."}}},
	alternative{doc: "A mutex.", keys: []key{{name: "mutex", shape: flagShape, doc: "A sleeping lock."}}},
	alternative{doc: "A reader-writer lock.", keys: []key{{name: "rwlock", shape: flagShape, doc: "A reader-writer spinlock."}}},
	alternative{doc: "A seqlock.", keys: []key{{name: "seqlock", shape: flagShape, doc: "A sequence lock: writers exclude each other, readers retry."}}},
	alternative{doc: "A word, or an array of words.", keys: []key{
		{name: "word", shape: either(integer, list(1, integer)), doc: "A shared word and its first value, or an array of them."}, lineKey,
	}},
	alternative{doc: "A counter.", keys: []key{
		{name: "counter", shape: words("plain", "atomic"), doc: "A counter: a plain add is a read and a write."},
		{name: "value", shape: integer, def: "0", doc: "Its first value."},
		lineKey,
	}},
	alternative{doc: "A wait queue.", keys: []key{{name: "waitqueue", shape: flagShape, doc: "Tasks that wait for a condition."}}},
	alternative{doc: "An event.", keys: []key{{name: "event", shape: flagShape, doc: "A completion: each signal lets one task past, now or later."}}},
	alternative{doc: "A work item.", keys: []key{
		{name: "work", shape: stepsShape, doc: "A work item and its steps."},
		{name: "on", shape: nameShape, doc: "The workqueue that runs it; the system's unbound one if left out."},
	}},
	alternative{doc: "A workqueue.", keys: []key{
		{name: "workqueue", shape: words("unbound", "percpu"), doc: "A workqueue, and where its workers run."},
		{name: "max_active", shape: count(1, 2048), def: "256", doc: "How many of its items may run at once, on each CPU."},
	}},
	alternative{doc: "A semaphore.", keys: []key{{name: "semaphore", shape: count(0, largest), doc: "A semaphore and its first count."}}},
)

var setupShape = choice(
	alternative{doc: "References in flight.", keys: []key{{name: "in_flight", doc: "AF_UNIX sockets passed over SCM_RIGHTS and not received.", shape: mapping(
		key{name: "sockets", required: true, shape: count(0, 16<<20), doc: "How many."},
		key{name: "user", shape: nameShape, def: "root", doc: "Who passed them."},
		key{name: "graph", shape: words("open", "closed", "pairs", "ring", "self", "garbage"), def: "open", doc: "How they refer to each other, and whether the sender has closed its own."},
	)}}},
	alternative{doc: "Sockets that programs name.", keys: []key{{
		name: "sockets", shape: named(nameShape, words("dgram", "stream")),
		doc: "AF_UNIX sockets by name, for the system calls of programs; the tasks of the file together hold a descriptor of each.",
	}}},
	alternative{doc: "Bound sockets.", keys: []key{{name: "bind", doc: "AF_UNIX sockets bound to names.", shape: mapping(
		key{name: "abstract", shape: count(0, 16<<20), def: "0", doc: "How many have an abstract name."},
		key{name: "pathname", shape: count(0, 16<<20), def: "0", doc: "How many have a path."},
		key{name: "names", shape: textShape, def: "%x", doc: "The printf format of a name, given its number, or random."},
		key{name: "from", shape: count(0, unbounded), def: "0", doc: "The first number."},
	)}}},
)

var foreverOr = either(words("forever"), count(1, largest))

// taskKeys are the keys of every task.
var taskKeys = []key{
	{name: "count", shape: count(1, 100_000), def: "1", doc: "How many tasks of this kind."},
	{name: "loop", shape: foreverOr, def: "1", doc: "How often it does what it does."},
	{name: "bind", shape: either(words("free", "spread"), list(1, count(0, 4095))), def: "free", doc: "Where it may run: anywhere, instance i on CPU i, or on a list of CPUs."},
	{name: "nice", shape: count(-20, 19), def: "0", doc: "Its nice value."},
	{name: "class", shape: words("fair", "rt", "rr", "idle"), def: "fair", doc: "Its scheduling class: rt is SCHED_FIFO, rr is SCHED_RR, idle is SCHED_IDLE."},
	{name: "priority", shape: count(1, 99), doc: "Of class rt or rr: its real-time priority, 1 if left out; more is more urgent."},
	{name: "start", shape: either(words("manual"), duration(0, longest)), def: "0ns", doc: "When it starts, or manual if another task starts it."},
	{name: "user", shape: nameShape, def: "root", doc: "The user it belongs to."},
	{name: "kthread", shape: boolShape, def: "false", doc: "A kernel thread may block for ever, and a run does not wait for its end."},
	{name: "context", shape: words("task", "softirq", "hardirq"), def: "task", doc: "Where it runs: a task of its own, or a handler that interrupts another."},
	{name: "interrupts", shape: nameShape, doc: "Of a handler: the task that it interrupts."},
	{name: "every", shape: distributionShape, doc: "Of a handler in a timed run: how long from one interrupt to the next."},
}

var taskShape = choice(
	alternative{doc: "A built-in load.", keys: append([]key{loadKey()}, taskKeys...)},
	alternative{doc: "A program.", keys: append([]key{{name: "do", shape: stepsShape, doc: "The steps of a program."}}, taskKeys...)},
)

var stopShape = mapping(
	key{name: "after", shape: duration(1, longest), doc: "The run ends at this time."},
	key{name: "events", shape: count(1, unbounded), doc: "The run ends, as unfinished, after this many events."},
)

var checkShape = mapping(
	key{name: "always", filled: true, shape: few(conditionShape), doc: "Must hold after every step."},
	key{name: "finally", filled: true, shape: few(conditionShape), doc: "Must hold when all tasks have ended."},
	key{name: "never", filled: true, shape: few(conditionShape), doc: "Must not hold when all tasks have ended."},
	key{name: "races", shape: words("report", "ignore"), def: "ignore", defExplored: "report", doc: "Whether data races are reported; they are when the file explores."},
)

var exploreShape = mapping(
	key{name: "strategy", shape: words(strategies...), def: dporStrategy, doc: "How interleavings are chosen."},
	key{name: "memory", shape: words("sc", "tso"), def: "sc", doc: "The memory model: sequential consistency, or a store buffer for each CPU."},
	key{name: "after_finding", shape: words("continue", "end"), def: "continue", doc: "Whether an execution goes on after a failed assertion."},
	key{name: "rmw_commute", shape: boolShape, def: "false", doc: "Whether increments of one word count as independent."},
	key{name: "executions", shape: count(1, unbounded), doc: "At most this many executions; of a strategy that draws, how many: 100k if left out."},
	key{name: "steps", shape: count(1, largest), def: "10k", doc: "At most this many steps an execution."},
	key{name: "remember", shape: sizeShape, def: "2Gi", doc: "At most this much is kept of what was visited, in bytes."},
	key{name: "preemptions", shape: count(0, 1<<20), doc: "Of bounded: at most this many switches away from a task that could have gone on; 2 if left out."},
	key{name: "depth", shape: count(1, 1<<10), doc: "Of pct: the depth of the bugs looked for; 3 if left out."},
	key{name: "schedule", shape: textShape, doc: "Of replay: the schedule, as a finding gives it."},
)

// Strategies by the names that files give them.
const (
	dporStrategy    = "dpor"
	boundedStrategy = "bounded"
	pctStrategy     = "pct"
	replayStrategy  = "replay"
	statesStrategy  = "state-hash"
)

// strategies are all there are.
var strategies = []string{
	dporStrategy, "dfs", boundedStrategy, statesStrategy, "random", pctStrategy, "surw", "pos", replayStrategy, "round-robin",
}
