package calibrate

// probe is one measurement that takes one thread or a fixed pair of CPUs.
type probe struct {
	// name is unique; cost is the cost of a preset that it gives, or empty.
	name, cost string
	// meaning says what the number is, for those that give no cost.
	meaning string
	// method says in a line how it is measured.
	method string
	// share is its part of the time budget, against those of the others.
	share int
	run   func(b *bench) ([]window, error)
}

// plan is everything that a calibration measures.
type plan struct {
	// probes run in this order; later ones may use what earlier ones found.
	probes []probe
	// hop samples the transfer of a line between two CPUs. It is called several
	// times for each pair, far apart in time.
	hop func(b *bench, a, c int) ([]window, error)
}

// Names of probes whose numbers others take off theirs.
const (
	nullSyscallName = "syscall"
	futexWakeNobody = "futex_wake_nobody"
	futexWaitOver   = "futex_wait_over"
	pipePair        = "pipe_pair"
	sendmsgPlain    = "unix_dgram_sendmsg"
)

// hostPlan measures a host whose caches have the given sizes.
func hostPlan(l1, l2, llc int64) plan {
	probes := []probe{
		{name: "cycle", cost: "cycle", share: 1, run: cycle, method: "additions of which each needs the one before"},
		{name: "plain_increment", cost: "plain_increment", share: 1, run: plainIncrement, method: "increments of one word in memory"},
		{name: "atomic", cost: "atomic", share: 1, run: atomicAdd, method: "atomic additions to one word"},
		{name: "cas", meaning: "compare-and-swap that succeeds", share: 1, run: compareAndSwap, method: "compare-and-swaps of one word"},
		{name: "fence", cost: "fence", share: 1, run: fence, method: "full barriers in a row"},
		{name: "pause", cost: "pause", share: 1, run: pause, method: "spin-wait hints in a row"},
		{name: "tas_pair", meaning: "lock and unlock of a free test-and-set lock", share: 1, run: lockPair, method: "exchange, then a plain store that releases"},
		{name: "mutex_pair", meaning: "lock and unlock of a free sync.Mutex", share: 1, run: mutexPair, method: "Lock and Unlock of Go's sync.Mutex"},
	}
	probes = append(probes, chases(l1, l2, llc)...)
	probes = append(probes, probe{
		name: "load_modified", meaning: "load of a line that a neighbouring CPU has modified", share: 2, run: loadModified,
		method: "one thread writes to 64 lines, then another follows pointers through them",
	})
	return plan{probes: append(probes, kernelProbes...), hop: hop}
}

// kernelProbes ask the operating system. They need Linux.
var kernelProbes = []probe{
	{name: nullSyscallName, cost: "syscall", share: 2, run: nullSyscall, method: "getppid"},
	{name: futexWakeNobody, meaning: "futex wake without a waiter", share: 1, run: wakeNobody, method: "FUTEX_WAKE of a word nobody waits for"},
	{name: futexWaitOver, meaning: "futex wait that need not wait", share: 1, run: waitOver, method: "FUTEX_WAIT for a value that is not there"},
	{name: pipePair, meaning: "write and read of a byte that need not wait", share: 1, run: pipeAlone, method: "one thread writes into a pipe and reads"},
	{
		name: "switch_thread", cost: "switch_thread", share: 2, run: switchThread,
		method: "two threads on one CPU take turns by futex; one way, less a wake without a waiter and a wait that need not wait",
	},
	{name: "pipe_same_cpu", meaning: "one way of two threads on one CPU by pipe", share: 2, run: pipeSameCPU, method: "two threads on one CPU take turns by pipe; one way"},
	{
		name: "switch_process", cost: "switch_process", share: 2, run: switchProcess,
		method: "a byte to cat on the same CPU and back; one way, less a write and a read that need not wait",
	},
	{
		name: "wake_idle", cost: "wake_idle", share: 4, run: wakeIdle,
		method: "from before FUTEX_WAKE on one CPU until the thread that slept on another runs, less a system call",
	},
	{
		name: "wake_waker", cost: "wake_waker", share: 4, run: wakeWaker,
		method: "FUTEX_WAKE of a thread that sleeps on another CPU, less one without a waiter",
	},
	{name: "futex_cross_cpu", meaning: "one way of two threads on two CPUs by futex", share: 3, run: futexCrossCPU, method: "two threads on two CPUs take turns by futex; one way"},
	{name: "pipe_cross_cpu", meaning: "one way of two threads on two CPUs by pipe", share: 3, run: pipeCrossCPU, method: "two threads on two CPUs take turns by pipe; one way"},
	{name: "getsockname", meaning: "getsockname of a TCP socket, less a system call", share: 2, run: getsockname, method: "getsockname less getppid"},
	{
		name: sendmsgPlain, cost: "unix_dgram_sendmsg", share: 2, run: sendmsg,
		method: "sendmsg of one byte over an AF_UNIX datagram pair, less getppid",
	},
	{
		name: "pass_unix_fd", cost: "pass_unix_fd", share: 2, run: passUnixFD,
		method: "sendmsg with one AF_UNIX descriptor, less sendmsg with none",
	},
}

// transferCosts are the costs that a transfer at each [Distance] gives.
var transferCosts = [...]string{SameCore: "transfer_smt", SameLLC: "transfer_llc", SameSocket: "transfer_socket", OtherSocket: "transfer_remote"}

// hopMethod says how transfers are measured.
const hopMethod = "two threads take turns on one line by loads and stores; one way"
