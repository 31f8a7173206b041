package cpus

import "smpsim/des"

// Costs is what things take on a machine. A preset gives every value with its
// source; an experiment may override each by its name in [CostFields].
type Costs struct {
	Cycle          des.Time
	L1Hit          des.Time
	L2Hit          des.Time
	LLCHit         des.Time
	DRAM           des.Time
	PlainIncrement des.Time
	Atomic         des.Time
	Fence          des.Time
	Pause          des.Time
	TransferSMT    des.Time
	TransferLLC    des.Time
	TransferSocket des.Time
	TransferRemote des.Time
	BHPair         des.Time
	Syscall        des.Time
	SwitchThread   des.Time
	SwitchProcess  des.Time
	WakeIdle       des.Time
	WakeWaker      des.Time
	Tick           des.Time
	// FillPeriod is how long a busy CPU takes to bring one foreign cache line
	// into its caches: what makes an untouched working set grow cold.
	FillPeriod des.Time
	// Anchors: given, not predicted.
	UnixDgramSendmsg des.Time
	PassUnixFD       des.Time

	// Sizes of the caches, in bytes: of a core, of a core, of a group of cores.
	L1Size, L2Size, LLCSize int64
}

// CostField describes one of the [Costs].
type CostField struct {
	// Name is the field's name in presets and in machine.costs.
	Name string
	// Meaning is one line of documentation.
	Meaning string
	// Anchor marks a figure that is given where the model does not predict.
	Anchor bool
	// Time points to the value in a Costs, or is nil where Size is meant.
	Time func(*Costs) *des.Time
	// Size points to a size in bytes.
	Size func(*Costs) *int64
}

// CostFields lists every cost, in the order in which they are printed.
var CostFields = []CostField{
	{Name: "cycle", Meaning: "one clock cycle", Time: func(c *Costs) *des.Time { return &c.Cycle }},
	{Name: "l1_hit", Meaning: "load from the first-level cache", Time: func(c *Costs) *des.Time { return &c.L1Hit }},
	{Name: "l1_size", Meaning: "first-level data cache of a core", Size: func(c *Costs) *int64 { return &c.L1Size }},
	{Name: "l2_hit", Meaning: "load from the second-level cache", Time: func(c *Costs) *des.Time { return &c.L2Hit }},
	{Name: "l2_size", Meaning: "second-level cache of a core", Size: func(c *Costs) *int64 { return &c.L2Size }},
	{Name: "llc_hit", Meaning: "load from the last-level cache", Time: func(c *Costs) *des.Time { return &c.LLCHit }},
	{Name: "llc_size", Meaning: "last-level cache of a group of cores", Size: func(c *Costs) *int64 { return &c.LLCSize }},
	{Name: "dram", Meaning: "load from local memory", Time: func(c *Costs) *des.Time { return &c.DRAM }},
	{Name: "plain_increment", Meaning: "plain increment, or store, of a line in the first-level cache", Time: func(c *Costs) *des.Time { return &c.PlainIncrement }},
	{Name: "atomic", Meaning: "locked read-modify-write of a line that is owned", Time: func(c *Costs) *des.Time { return &c.Atomic }},
	{Name: "fence", Meaning: "full memory barrier", Time: func(c *Costs) *des.Time { return &c.Fence }},
	{Name: "pause", Meaning: "one spin-wait hint, the period of a polling loop", Time: func(c *Costs) *des.Time { return &c.Pause }},
	{Name: "transfer_smt", Meaning: "cache line from the other hardware thread of the core", Time: func(c *Costs) *des.Time { return &c.TransferSMT }},
	{Name: "transfer_llc", Meaning: "cache line from another core below the same last-level cache", Time: func(c *Costs) *des.Time { return &c.TransferLLC }},
	{Name: "transfer_socket", Meaning: "cache line from another last-level cache of the socket", Time: func(c *Costs) *des.Time { return &c.TransferSocket }},
	{Name: "transfer_remote", Meaning: "cache line from another socket", Time: func(c *Costs) *des.Time { return &c.TransferRemote }},
	{Name: "bh_pair", Meaning: "bottom halves off and on again", Time: func(c *Costs) *des.Time { return &c.BHPair }},
	{Name: "syscall", Meaning: "entry to and exit from a system call, together", Time: func(c *Costs) *des.Time { return &c.Syscall }},
	{Name: "switch_thread", Meaning: "context switch within an address space", Time: func(c *Costs) *des.Time { return &c.SwitchThread }},
	{Name: "switch_process", Meaning: "context switch between address spaces", Time: func(c *Costs) *des.Time { return &c.SwitchProcess }},
	{Name: "wake_idle", Meaning: "wake-up of an idle CPU until the task runs", Time: func(c *Costs) *des.Time { return &c.WakeIdle }},
	{Name: "wake_waker", Meaning: "wake-up, the waker's part", Time: func(c *Costs) *des.Time { return &c.WakeWaker }},
	{Name: "tick", Meaning: "timer tick, the handler", Time: func(c *Costs) *des.Time { return &c.Tick }},
	{Name: "fill_period", Meaning: "time in which a busy CPU brings one foreign line into its caches", Time: func(c *Costs) *des.Time { return &c.FillPeriod }},
	{Name: "unix_dgram_sendmsg", Meaning: "body of unix_dgram_sendmsg() without waiting", Anchor: true, Time: func(c *Costs) *des.Time { return &c.UnixDgramSendmsg }},
	{Name: "pass_unix_fd", Meaning: "passing one AF_UNIX descriptor, sender's side", Anchor: true, Time: func(c *Costs) *des.Time { return &c.PassUnixFD }},
}
