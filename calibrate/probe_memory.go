package calibrate

import (
	"fmt"
	"math"
	"strconv"
	"unsafe"
)

// node is one cache line of a chase: it tells where the next load goes.
type node struct {
	next    *node
	touched uintptr
	_       [lineSize - 2*unsafe.Sizeof(uintptr(0))]byte
}

const (
	lineSize = 64
	// mostMemory bounds the largest footprint; a last-level cache of half of it or
	// more leaves memory unmeasured.
	mostMemory = 1 << 30
)

// chases returns the walks through footprints that lie well inside each cache, well
// outside of all, and between. That of the last level is midway between the second
// level's size and its own: a guest may be left with a part of it.
func chases(l1, l2, llc int64) []probe {
	inside := []struct {
		cost  string
		bytes int64
	}{{"l1_hit", l1 / 2}, {"l2_hit", l2 / 2}, {"llc_hit", int64(math.Sqrt(float64(l2) * float64(llc)))}, {"dram", min(llc*4, mostMemory)}}
	var probes []probe
	last := int64(0)
	for _, f := range inside {
		bytes := powerOfTwo(f.bytes)
		for between := last * 8; last > 0 && between < bytes; between *= 8 {
			probes = append(probes, chase("", between))
		}
		p := chase(f.cost, bytes)
		if f.cost == "dram" && bytes < 2*llc {
			p.run = func(*bench) ([]window, error) {
				return nil, fmt.Errorf("the last-level cache is more than half of the %s that are tried", size(mostMemory))
			}
		}
		probes = append(probes, p)
		last = bytes
	}
	return probes
}

// chase is a walk through one footprint. One without a cost shows where the levels
// begin and end.
func chase(cost string, bytes int64) probe {
	name := cost
	if name == "" {
		name = "chase_" + size(bytes)
	}
	share := 1
	if bytes >= 1<<20 {
		share = 3
	}
	return probe{
		name: name, cost: cost, share: share,
		meaning: "load within " + size(bytes),
		method:  "pointer chase through " + size(bytes) + ", large pages where the system gives them",
		run: func(b *bench) ([]window, error) {
			memory, free, err := pages(int(bytes))
			if err != nil {
				return nil, fmt.Errorf("no %s of memory: %w", size(bytes), err)
			}
			defer free()
			nodes := unsafe.Slice((*node)(unsafe.Pointer(&memory[0])), bytes/lineSize)
			if !thread(nodes, b.over) {
				return nil, errBudget
			}
			at := &nodes[0]
			return b.windows(func(n int) { at = follow(at, n) })
		},
	}
}

//go:noinline
func follow(at *node, n int) *node {
	for range n {
		at = at.next
	}
	return at
}

// thread links the nodes, whose number is a power of two, into one ring that visits
// each once in an order that no prefetcher guesses: that of a linear congruential
// generator of full period. It gives up, and says so, when over does.
func thread(nodes []node, over func() bool) bool {
	const multiplier, increment = 6364136223846793005, 1442695040888963407 // Knuth's MMIX
	mask := uint64(len(nodes) - 1)
	for i := range nodes {
		if i%(1<<16) == 1<<16-1 && over() {
			return false
		}
		nodes[i].next = &nodes[(uint64(i)*multiplier+increment)&mask]
	}
	return true
}

// powerOfTwo returns the largest power of two that is at most n, and at least one
// page.
func powerOfTwo(n int64) int64 {
	p := int64(4096)
	for p*2 <= n {
		p *= 2
	}
	return p
}

// size spells a number of bytes as a preset does: exactly, in the largest unit that
// leaves something before the point.
func size(bytes int64) string {
	units := []string{"B", "KiB", "MiB", "GiB"}
	unit, scale := 0, int64(1)
	for unit < len(units)-1 && bytes >= scale<<10 {
		unit, scale = unit+1, scale<<10
	}
	return strconv.FormatFloat(float64(bytes)/float64(scale), 'f', -1, 64) + units[unit]
}
