package cpus

import "smpsim/des"

// Topology is how CPUs are arranged: sockets of cores of hardware threads, and
// last-level caches that some cores of a socket share.
type Topology struct {
	// Sockets, Cores (a socket) and Threads (a core) are at least 1.
	Sockets, Cores, Threads int
	// CoresPerLLC is how many cores share a last-level cache; it divides Cores.
	CoresPerLLC int
}

// CPUs returns how many CPUs the topology has.
func (t Topology) CPUs() int { return t.Sockets * t.Cores * t.Threads }

// distance is how far apart two CPUs are.
type distance int

const (
	sameCore distance = iota
	sameLLC
	sameSocket
	remote
	distances
)

// place is where a CPU sits; numbers are machine-wide.
type place struct{ core, llc, socket int }

// place numbers CPUs core first: the cores of socket 0, those of socket 1, then
// all the second threads in the same order.
func (t Topology) place(cpu int) place {
	core := cpu % (t.Sockets * t.Cores)
	return place{core: core, llc: core / t.CoresPerLLC, socket: core / t.Cores}
}

func (a place) distance(b place) distance {
	switch {
	case a.core == b.core:
		return sameCore
	case a.llc == b.llc:
		return sameLLC
	case a.socket == b.socket:
		return sameSocket
	default:
		return remote
	}
}

// Transfer returns what it takes to move a cache line from a's cache to b's.
// Within one CPU there is nothing to move.
func (m *Machine) Transfer(a, b *CPU) des.Time {
	if a == b {
		return m.Costs.L1Hit
	}
	return m.transfer[a.place.distance(b.place)]
}

// neighbours fills near: for each distance and CPU, the CPUs at that distance.
func (m *Machine) neighbours() {
	for d := range m.near {
		m.near[d] = make([]CPUSet, len(m.cpus))
		for i := range m.cpus {
			m.near[d][i] = m.NewCPUSet()
		}
	}
	for i := range m.cpus {
		for j := range m.cpus {
			if i != j {
				m.near[m.cpus[i].place.distance(m.cpus[j].place)][i].Add(j)
			}
		}
	}
	c := &m.Costs
	m.transfer = [distances]des.Time{c.TransferSMT, c.TransferLLC, c.TransferSocket, c.TransferRemote}
}
