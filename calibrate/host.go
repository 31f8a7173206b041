package calibrate

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"smpsim/cpus"
)

// Host is the machine that a calibration ran on, as far as it can be known.
type Host struct {
	// System is the operating system with its release, Processor the CPU's model.
	System, Processor string
	// CPUs are the numbers of those that the process may use.
	CPUs []int
	// Pinning says that threads can be kept on a CPU.
	Pinning bool
	// Topology is of the CPUs that the process may use. Where the system does not
	// tell, it is one socket of as many cores with one last-level cache.
	Topology cpus.Topology
	// Sizes of the data caches in bytes, 0 where the system does not tell.
	L1Size, L2Size, LLCSize int64
	// Notes are what the host lacks for a full calibration.
	Notes []string

	places map[int]seat
}

// String names the host in one line.
func (h *Host) String() string {
	return fmt.Sprintf("%s, %d usable CPUs, %s", h.Processor, len(h.CPUs), h.System)
}

// seat is where a CPU sits; equal numbers are the same thing.
type seat struct{ core, llc, socket int }

// Distance is how far apart two CPUs are.
type Distance int

// The distances at which a preset prices the transfer of a cache line.
const (
	SameCore Distance = iota
	SameLLC
	SameSocket
	OtherSocket
)

func (d Distance) String() string {
	return [...]string{"same core", "same last-level cache", "same socket", "other socket"}[d]
}

// distance is how far apart two of the host's CPUs are.
func (h *Host) distance(a, b int) Distance {
	p, q := h.places[a], h.places[b]
	switch {
	case p.core == q.core:
		return SameCore
	case p.llc == q.llc:
		return SameLLC
	case p.socket == q.socket:
		return SameSocket
	default:
		return OtherSocket
	}
}

// pairsAt returns up to most pairs of CPUs at that distance, spread over the host.
func (h *Host) pairsAt(d Distance, most int) [][2]int {
	var all [][2]int
	for i, a := range h.CPUs {
		for _, b := range h.CPUs[i+1:] {
			if h.distance(a, b) == d {
				all = append(all, [2]int{a, b})
			}
		}
	}
	if len(all) <= most {
		return all
	}
	some := make([][2]int, most)
	for i := range some {
		some[i] = all[i*len(all)/most]
	}
	return some
}

// neighbours returns the closest two CPUs that are not threads of one core.
func (h *Host) neighbours() (a, b int, err error) {
	for _, d := range []Distance{SameLLC, SameSocket, OtherSocket} {
		if pairs := h.pairsAt(d, 1); pairs != nil {
			return pairs[0][0], pairs[0][1], nil
		}
	}
	if len(h.CPUs) < 2 {
		return 0, 0, errOneCPU
	}
	return h.CPUs[0], h.CPUs[1], nil
}

// arrange fills in the topology and the caches from a tree like Linux's
// /sys/devices/system/cpu. What the tree lacks is noted and taken as flat.
func (h *Host) arrange(sys fs.FS) {
	h.places = map[int]seat{}
	for i, cpu := range h.CPUs {
		dir := fmt.Sprintf("cpu%d", cpu)
		// A list of CPUs is known by its first one.
		core, err1 := firstOf(sys, path.Join(dir, "topology/thread_siblings_list"))
		socket, err2 := number(sys, path.Join(dir, "topology/physical_package_id"))
		if err1 != nil || err2 != nil {
			h.flatten("the system does not tell how its CPUs are arranged: taken as one socket")
			break
		}
		s := seat{core: core, llc: socket, socket: max(socket, 0)}
		for _, c := range caches(sys, dir) {
			switch {
			case c.level == 1 && i == 0:
				h.L1Size = c.size
			case c.level == 2 && i == 0:
				h.L2Size = c.size
			}
			if c.level >= 3 {
				s.llc = c.first
				if i == 0 {
					h.LLCSize = c.size
				}
			}
		}
		h.places[cpu] = s
	}
	if h.L1Size == 0 || h.L2Size == 0 || h.LLCSize == 0 {
		h.Notes = append(h.Notes, "the system does not tell the sizes of all its caches")
	}
	if h.Topology.Sockets != 0 {
		return
	}
	if !h.regular() {
		h.flatten("its usable CPUs are not arranged evenly: taken as one socket")
	}
}

// flatten gives every CPU a core of its own in one socket.
func (h *Host) flatten(note string) {
	h.Notes = append(h.Notes, note)
	h.places = map[int]seat{}
	for _, cpu := range h.CPUs {
		h.places[cpu] = seat{core: cpu}
	}
	n := len(h.CPUs)
	h.Topology = cpus.Topology{Sockets: 1, Cores: n, Threads: 1, CoresPerLLC: n}
}

// remark notes what keeps parts of the calibration from being made.
func (h *Host) remark() {
	if len(h.CPUs) < 2 {
		h.Notes = append(h.Notes, "one usable CPU: what takes two cannot be measured")
	}
	if !h.Pinning {
		h.Notes = append(h.Notes, "threads cannot be kept on their CPUs: what takes two cannot be measured, the rest may be disturbed")
	}
	if _, known := preemptions(); !known {
		h.Notes = append(h.Notes, "the system does not tell when a thread was preempted: all windows count as undisturbed")
	}
}

// regular sets the topology if all cores, caches and sockets have equally many parts.
func (h *Host) regular() bool {
	threads, cores, llcs := map[int]int{}, map[int]int{}, map[int]int{}
	for _, cpu := range h.CPUs {
		s := h.places[cpu]
		threads[s.core]++
		if threads[s.core] == 1 {
			cores[s.socket]++
			llcs[s.llc]++
		}
	}
	perCore, ok1 := same(threads)
	perSocket, ok2 := same(cores)
	perLLC, ok3 := same(llcs)
	if !ok1 || !ok2 || !ok3 || perSocket%perLLC != 0 {
		return false
	}
	h.Topology = cpus.Topology{Sockets: len(cores), Cores: perSocket, Threads: perCore, CoresPerLLC: perLLC}
	return true
}

// same returns the value that all keys have, if they have one.
func same(counts map[int]int) (value int, ok bool) {
	for _, n := range counts {
		if value != 0 && n != value {
			return 0, false
		}
		value = n
	}
	return value, value != 0
}

// cache is one data cache of a CPU.
type cache struct {
	level, first int
	size         int64
}

// caches lists the data caches of a CPU's directory, as far as they can be read.
func caches(sys fs.FS, dir string) []cache {
	var found []cache
	dirs, _ := fs.Glob(sys, path.Join(dir, "cache/index*"))
	for _, d := range dirs {
		kind, _ := text(sys, path.Join(d, "type"))
		level, err1 := number(sys, path.Join(d, "level"))
		first, err2 := firstOf(sys, path.Join(d, "shared_cpu_list"))
		size, err3 := text(sys, path.Join(d, "size"))
		if kind == "Instruction" || err1 != nil || err2 != nil || err3 != nil {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(size, "K"), 10, 64)
		if err != nil {
			continue
		}
		found = append(found, cache{level: level, first: first, size: kib << 10})
	}
	slices.SortFunc(found, func(a, b cache) int { return a.level - b.level })
	return found
}

func text(sys fs.FS, name string) (string, error) {
	data, err := fs.ReadFile(sys, name)
	return strings.TrimSpace(string(data)), err
}

func number(sys fs.FS, name string) (int, error) {
	s, err := text(sys, name)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(s)
}

// firstOf reads the first number of a list such as 0-3,8-11.
func firstOf(sys fs.FS, name string) (int, error) {
	s, err := text(sys, name)
	if err != nil {
		return 0, err
	}
	if i := strings.IndexAny(s, "-,"); i >= 0 {
		s = s[:i]
	}
	return strconv.Atoi(s)
}
