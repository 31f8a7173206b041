package calibrate

import (
	"fmt"
	"testing"
	"testing/fstest"
	"unsafe"

	"smpsim/cpus"
)

// sysfs builds a tree like Linux's for a topology, with CPUs numbered core first.
func sysfs(t cpus.Topology) fstest.MapFS {
	files := fstest.MapFS{}
	cores := t.Sockets * t.Cores
	for cpu := range t.CPUs() {
		core := cpu % cores
		put := func(name, text string) {
			files[fmt.Sprintf("cpu%d/%s", cpu, name)] = &fstest.MapFile{Data: []byte(text + "\n")}
		}
		siblings := fmt.Sprint(core)
		for other := core + cores; other < t.CPUs(); other += cores {
			siblings += fmt.Sprintf(",%d", other)
		}
		put("topology/thread_siblings_list", siblings)
		put("topology/physical_package_id", fmt.Sprint(core/t.Cores))
		first := core / t.CoresPerLLC * t.CoresPerLLC
		for i, c := range []struct{ level, kind, size, shared string }{
			{"1", "Data", "32K", siblings},
			{"1", "Instruction", "64K", siblings},
			{"2", "Unified", "1024K", siblings},
			{"3", "Unified", "32768K", fmt.Sprintf("%d-%d", first, first+t.CoresPerLLC-1)},
		} {
			dir := fmt.Sprintf("cache/index%d/", i)
			put(dir+"level", c.level)
			put(dir+"type", c.kind)
			put(dir+"size", c.size)
			put(dir+"shared_cpu_list", c.shared)
		}
	}
	return files
}

// hostOf is a host of that topology, all of whose CPUs may be used.
func hostOf(t cpus.Topology) *Host {
	h := &Host{System: "Linux 6.18", Processor: "Test (R) CPU", Pinning: true}
	for cpu := range t.CPUs() {
		h.CPUs = append(h.CPUs, cpu)
	}
	h.arrange(sysfs(t))
	return h
}

func TestTopologyAndCachesAreRead(t *testing.T) {
	for _, want := range []cpus.Topology{
		{Sockets: 1, Cores: 1, Threads: 1, CoresPerLLC: 1},
		{Sockets: 1, Cores: 2, Threads: 1, CoresPerLLC: 2},
		{Sockets: 2, Cores: 4, Threads: 2, CoresPerLLC: 2},
	} {
		h := hostOf(want)
		if h.Topology != want || len(h.Notes) != 0 {
			t.Errorf("read %+v with notes %q, want %+v", h.Topology, h.Notes, want)
		}
		if h.L1Size != 32<<10 || h.L2Size != 1<<20 || h.LLCSize != 32<<20 {
			t.Errorf("caches of %d, %d and %d bytes", h.L1Size, h.L2Size, h.LLCSize)
		}
	}
}

func TestPairsAreFoundAtEachDistance(t *testing.T) {
	h := hostOf(cpus.Topology{Sockets: 2, Cores: 4, Threads: 2, CoresPerLLC: 2})
	for d, want := range map[Distance]int{SameCore: 8, SameLLC: 16, SameSocket: 32, OtherSocket: 64} {
		if got := len(h.pairsAt(d, 1000)); got != want {
			t.Errorf("%v: %d pairs, want %d", d, got, want)
		}
		some := h.pairsAt(d, 4)
		if len(some) != 4 || some[0] == some[3] {
			t.Errorf("%v: chose %v", d, some)
		}
	}
	if a, b, err := h.neighbours(); err != nil || h.distance(a, b) != SameLLC {
		t.Errorf("neighbours are %d and %d, %v", a, b, err)
	}
	if _, _, err := hostOf(cpus.Topology{Sockets: 1, Cores: 1, Threads: 1, CoresPerLLC: 1}).neighbours(); err != errOneCPU {
		t.Errorf("the only CPU's neighbour: %v", err)
	}
}

func TestAnArrangementThatIsNotEvenIsTakenAsFlat(t *testing.T) {
	h := &Host{CPUs: []int{0, 1, 8}} // two cores, of one of which a thread is not to be used
	h.arrange(sysfs(cpus.Topology{Sockets: 2, Cores: 4, Threads: 2, CoresPerLLC: 2}))
	if want := (cpus.Topology{Sockets: 1, Cores: 3, Threads: 1, CoresPerLLC: 3}); h.Topology != want || len(h.Notes) != 1 {
		t.Errorf("topology %+v, notes %q", h.Topology, h.Notes)
	}
	h = &Host{CPUs: []int{0, 1}}
	h.arrange(fstest.MapFS{})
	if want := (cpus.Topology{Sockets: 1, Cores: 2, Threads: 1, CoresPerLLC: 2}); h.Topology != want || len(h.Notes) != 2 || h.distance(0, 1) != SameLLC {
		t.Errorf("topology %+v, notes %q", h.Topology, h.Notes)
	}
}

func TestWhatAHostLacksIsNoted(t *testing.T) {
	h := &Host{CPUs: []int{0}}
	h.remark()
	if len(h.Notes) < 2 {
		t.Errorf("one CPU that cannot be pinned to has notes %q", h.Notes)
	}
	if h := hostOf(cpus.Topology{Sockets: 1, Cores: 2, Threads: 1, CoresPerLLC: 2}); len(h.Notes) > 0 {
		t.Errorf("a host that lacks nothing has notes %q", h.Notes)
	}
}

func TestAChaseVisitsEveryLineOnce(t *testing.T) {
	if unsafe.Sizeof(node{}) != lineSize {
		t.Errorf("a node has %d bytes", unsafe.Sizeof(node{}))
	}
	for n := 1; n <= 1<<12; n *= 2 {
		nodes := make([]node, n)
		if !thread(nodes, func() bool { return false }) {
			t.Fatal("gave up")
		}
		seen := map[*node]bool{}
		for at := &nodes[0]; !seen[at]; at = at.next {
			seen[at] = true
		}
		if len(seen) != n {
			t.Errorf("%d of %d lines are visited", len(seen), n)
		}
	}
	if thread(make([]node, 1<<17), func() bool { return true }) {
		t.Error("went on though time was over")
	}
}

func TestFootprintsLieWithinTheirCaches(t *testing.T) {
	var names []string
	for _, p := range chases(32<<10, 1<<20, 32<<20) {
		names = append(names, p.name+": "+p.meaning)
	}
	want := []string{
		"l1_hit: load within 16KiB", "chase_128KiB: load within 128KiB", "l2_hit: load within 512KiB",
		"llc_hit: load within 4MiB", "chase_32MiB: load within 32MiB", "dram: load within 128MiB",
	}
	if fmt.Sprint(names) != fmt.Sprint(want) {
		t.Errorf("footprints %q, want %q", names, want)
	}
	all := chases(32<<10, 1<<20, 1<<30)
	if _, err := all[len(all)-1].run(&bench{}); err == nil {
		t.Error("memory was measured within a last-level cache")
	}
}

func TestSizesAreSpelledExactly(t *testing.T) {
	for bytes, want := range map[int64]string{64: "64B", 32 << 10: "32KiB", 35<<20 + 768<<10: "35.75MiB", 1 << 30: "1GiB"} {
		if got := size(bytes); got != want {
			t.Errorf("%d bytes are %s, want %s", bytes, got, want)
		}
	}
}
