package cpus

import "smpsim/des"

// LineSize is the size of a cache line in bytes.
const LineSize = 64

// Footprint is a linked structure as the caches see it: objects of some
// dependent lines each, walked in a cycle. What a walk costs follows from the
// size of the structure, from who walked it last, and from how much the CPUs
// have brought into the caches since.
//
// A cyclic walk under least-recently-used replacement finds a level full of
// what it needs, or useless: a structure that does not fit has each line evicted
// just before its turn. One that fits is resident until so many foreign lines
// have come that no room is left; then it goes line by line.
type Footprint struct {
	// Lines is how many lines of an object are touched one after the other.
	Lines int64
	// objects is the size of the structure.
	objects int64
	// walked says that somebody has walked it; core and llc are whose caches it
	// is in, coreAge and llcAge how much had been brought into them then.
	walked          bool
	core, llc       int
	coreAge, llcAge int64
}

// NewFootprint returns a structure whose objects have the given number of
// dependent lines; it is in no cache.
func NewFootprint(lines int64) *Footprint { return &Footprint{Lines: lines} }

// SetObjects tells how many objects the structure has.
func (f *Footprint) SetObjects(n int64) { f.objects = n }

// cache is what has happened to a cache: the lines that walks brought in, and
// how long they took, which is not time in which other work brought in more.
type cache struct {
	walked   int64
	walkTime des.Time
}

// walk returns how long it takes c to touch n objects of f, and notes that the
// structure is now warm where c is.
func (m *Machine) walk(c *CPU, f *Footprint, n int64) des.Time {
	costs := &m.Costs
	core, llc := &m.cores[c.place.core], &m.llcs[c.place.llc]
	coreAge, llcAge := m.age(core, sameCore, c), m.age(llc, sameLLC, c)
	size := max(f.objects, n) * f.Lines * LineSize
	price := costs.DRAM
	if f.walked {
		if f.llc == c.place.llc {
			price = blend(costs.LLCHit, price, size, resident(size, costs.LLCSize, llcAge-f.llcAge))
		} else {
			price = min(price, m.transfer[m.llcDistance(f.llc, c.place.llc)])
		}
		if f.core == c.place.core {
			price = blend(costs.L2Hit, price, size, resident(size, costs.L2Size, coreAge-f.coreAge))
			price = blend(costs.L1Hit, price, size, resident(size, costs.L1Size, coreAge-f.coreAge))
		}
	}
	took := des.Time(n*f.Lines) * price
	bytes := n * f.Lines * LineSize
	for _, at := range []*cache{core, llc} {
		at.walked += bytes
		at.walkTime += took
	}
	f.walked, f.core, f.llc = true, c.place.core, c.place.llc
	f.coreAge, f.llcAge = coreAge+bytes, llcAge+bytes
	return took
}

// age returns how many bytes have come into a cache so far: those of walks, and
// a line per FillPeriod in which one of its CPUs was busy with something else.
func (m *Machine) age(at *cache, within distance, c *CPU) int64 {
	busy := c.busy()
	for d := sameCore; d <= within; d++ {
		near := m.near[d][c.index]
		for i := range m.cpus {
			if near.Has(i) {
				busy += m.cpus[i].busy()
			}
		}
	}
	return at.walked + int64(max(0, busy-at.walkTime)/m.Costs.FillPeriod)*LineSize
}

// llcDistance is how far apart two different last-level caches are.
func (m *Machine) llcDistance(a, b int) distance {
	perSocket := m.topology.Cores / m.topology.CoresPerLLC
	if a/perSocket == b/perSocket {
		return sameSocket
	}
	return remote
}

// busy returns how long the CPU has run user or kernel code.
func (c *CPU) busy() des.Time {
	d := c.accounts[User] + c.accounts[Kernel]
	if c.mode == User || c.mode == Kernel {
		d += c.machine.Sim.Now() - c.since
	}
	return d
}

// resident returns how many bytes of a structure of the given size a cache still
// holds after foreign bytes have come into it.
func resident(size, capacity, foreign int64) int64 {
	if size > capacity {
		return 0
	}
	return max(0, size-max(0, foreign-(capacity-size)))
}

// blend is the mean cost of a line, part of size bytes of which are found at
// cost hit and the others at cost miss.
func blend(hit, miss des.Time, size, part int64) des.Time {
	if size == 0 || hit >= miss {
		return miss
	}
	return miss - des.Fraction(miss-hit, des.Time(part), des.Time(size))
}
