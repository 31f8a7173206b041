package kernelmodel_test

import (
	"smpsim/cpus"
	"smpsim/des"
)

// xeon is the reference machine: two sockets of 24 cores of two threads, one
// last-level cache a socket.
var xeon = cpus.Topology{Sockets: 2, Cores: 24, Threads: 2, CoresPerLLC: 24}

// xeonCosts are the figures of the preset xeon-server, so that golden files do
// not change with it.
var xeonCosts = cpus.Costs{
	Cycle:          333 * des.Picosecond,
	L1Hit:          1100 * des.Picosecond,
	L2Hit:          4600 * des.Picosecond,
	LLCHit:         17 * des.Nanosecond,
	DRAM:           90 * des.Nanosecond,
	PlainIncrement: 280 * des.Picosecond,
	Atomic:         5500 * des.Picosecond,
	Fence:          21900 * des.Picosecond,
	Pause:          18 * des.Nanosecond,
	TransferSMT:    7600 * des.Picosecond,
	TransferLLC:    47 * des.Nanosecond,
	TransferSocket: 47 * des.Nanosecond,
	TransferRemote: 134 * des.Nanosecond,
	BHPair:         3 * des.Nanosecond,
	Syscall:        70 * des.Nanosecond,
	SwitchThread:   1070 * des.Nanosecond,
	SwitchProcess:  2410 * des.Nanosecond,
	WakeIdle:       3 * des.Microsecond,
	WakeWaker:      700 * des.Nanosecond,
	Tick:           2 * des.Microsecond,
	FillPeriod:     64 * des.Nanosecond,
	L1Size:         32 << 10,
	L2Size:         1 << 20,
	LLCSize:        36608 << 10,
}
