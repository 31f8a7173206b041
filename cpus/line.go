package cpus

import "smpsim/des"

// Line is a cache line: who holds a copy, who may write, and when it can next
// move. It prices every access to a word, a lock or a counter.
//
// The protocol is that of a directory ("home") that serves one transaction of a
// line at a time:
//
//   - A CPU that holds the line exclusively reads, writes and operates on it at
//     the cost of a hit, as often as it likes.
//   - An access that misses asks the home. The request waits until the home is
//     done with those before it, then takes one transfer T between the two
//     caches: half of it for the request to reach the holder, half for the data
//     to come. Until the request reaches it, the holder goes on operating: that
//     is why several atomics happen per ownership, with no batch length put in.
//   - A writer that shares the line with others pays a transfer from the
//     farthest of them, since every copy must be gone first.
//   - CPUs that poll a line read it again after each write, one after the other;
//     those that poll by locked operations keep it moving, and a request of
//     anybody else waits for theirs.
//   - A plain store that misses waits in the store buffer: the CPU goes on, and
//     the store becomes visible when the line has arrived, and not before the
//     stores ahead of it: the buffer drains in order, as on x86. Locked operations
//     and full fences wait for it.
//
// Rejected: one transfer per atomic operation, which overstates a contended
// counter some twentyfold.
type Line struct {
	// exclusive says that owner alone holds the line once every transaction so
	// far has been served; otherwise sharers do.
	exclusive bool
	owner     int16
	sharers   CPUSet
	// arrive is when owner's copy is there, free when the home takes the next
	// request.
	arrive, free des.Time
	// held are exclusive holdings that a later transaction will end.
	held []holding
	// pollers are the CPUs whose tasks spin on the line, nil before the first.
	// hammered says that they poll by locked operations instead of loads.
	pollers  CPUSet
	polling  int
	hammered bool
	// seen is when the pollers begin to read what was last written, and span how
	// long it takes until all of them have.
	seen, span des.Time
}

// holding is a span of time in which a CPU could operate on the line.
type holding struct {
	cpu         int16
	from, until des.Time
}

// nobody owns a line that no CPU has touched.
const nobody = -1

// NewLine returns a line that is in no cache.
func (m *Machine) NewLine() *Line {
	if m.Stepped {
		return &m.stepped.line // nobody pays
	}
	return &Line{owner: nobody, sharers: m.NewCPUSet()}
}

// Read returns when a load by c, started at now, has its value.
func (l *Line) Read(c *CPU, now des.Time) des.Time {
	costs := &c.machine.Costs
	switch {
	case l.exclusive && l.owner == c.index, !l.exclusive && l.sharers.Has(int(c.index)):
		// A store of c's own that still waits for the line is forwarded.
		return now + costs.L1Hit
	case l.holds(c, now):
		return now + costs.L1Hit
	}
	start := max(now, l.free)
	done := start + c.machine.fetchCost(l.owner, c)
	if l.exclusive {
		l.hold(now, start, done)
		l.sharers.Clear()
		l.sharers.Add(int(l.owner))
		l.exclusive = false
	} else if l.owner == nobody {
		l.owner = c.index
		l.exclusive = true
		l.arrive, l.free = done, done
		return done
	}
	l.sharers.Add(int(c.index))
	l.free = done
	return done
}

// Write returns when c may go on after a plain store at now, and when the
// store is visible to others.
func (l *Line) Write(c *CPU, now des.Time) (issued, visible des.Time) {
	issued = max(now, c.room(now)) + c.machine.Costs.PlainIncrement
	ready, asked := l.awaited(c, now)
	if !asked {
		ready = l.acquire(c, now)
	}
	visible = max(issued, ready, c.drained)
	c.drained = visible
	c.buffer(visible)
	return issued, visible
}

// awaited reports whether c has asked for the line already, and when it comes: stores
// that wait for one line in the buffer become visible when it has come.
func (l *Line) awaited(c *CPU, now des.Time) (ready des.Time, asked bool) {
	for _, h := range l.held {
		if h.cpu == c.index && h.from > now {
			return h.from, true
		}
	}
	return 0, false
}

// storeBuffer is how many stores of a CPU can wait to become visible; one more waits for
// the oldest. Unsourced: 56 is remembered as that of Intel's cores from Skylake to
// Cascade Lake, was not looked up, and stands for the cores of all presets.
const storeBuffer = 56

// room returns when the store buffer has an entry.
func (c *CPU) room(now des.Time) des.Time {
	for c.stores > 0 && c.buffered[c.oldest] <= now {
		c.oldest = (c.oldest + 1) % storeBuffer
		c.stores--
	}
	if c.stores < storeBuffer {
		return now
	}
	return c.buffered[c.oldest]
}

// buffer puts a store into the buffer, which is visible at a time.
func (c *CPU) buffer(visible des.Time) {
	if c.stores == storeBuffer {
		c.oldest = (c.oldest + 1) % storeBuffer
		c.stores--
	}
	c.buffered[(c.oldest+c.stores)%storeBuffer] = visible
	c.stores++
}

// RMW returns when a locked operation by c, started at now, has its value and
// its effect.
func (l *Line) RMW(c *CPU, now des.Time) des.Time {
	return l.acquire(c, max(now, c.drained)) + c.machine.Costs.Atomic
}

// acquire gives c the line exclusively and returns when it has it.
func (l *Line) acquire(c *CPU, now des.Time) des.Time {
	if l.exclusive && l.owner == c.index {
		return max(now, l.arrive)
	}
	if l.holds(c, now) {
		return now
	}
	start := max(now, l.free)
	if l.hammered {
		start += l.round(c)
	}
	var cost des.Time
	if l.exclusive || l.owner == nobody {
		cost = c.machine.fetchCost(l.owner, c)
	} else {
		cost = c.machine.invalidateCost(l, c)
	}
	done := start + cost
	if l.exclusive {
		l.hold(now, start, done)
	}
	l.sharers.Clear()
	l.exclusive, l.owner = true, c.index
	l.arrive = done
	// The new owner completes at least the operation it came for.
	l.free = done + c.machine.Costs.Atomic
	if l.polling > 0 && !l.hammered {
		l.reread(c, now)
	}
	return done
}

// Poll notes that a task on c spins on the line from now on, by loads or, if
// hammer, by locked operations. All pollers of a line do the same.
func (l *Line) Poll(c *CPU, hammer bool) {
	if l.pollers == nil {
		l.pollers = c.machine.NewCPUSet()
	}
	l.pollers.Add(int(c.index))
	l.polling++
	l.hammered = hammer
	if !hammer {
		// If the copy it has just seen is about to be taken, its next load misses.
		l.Read(c, c.machine.Sim.Now())
	}
}

// Unpoll notes that the task on c spins no more.
func (l *Line) Unpoll(c *CPU) {
	l.pollers.Remove(int(c.index))
	if l.polling--; l.polling == 0 {
		l.hammered = false
	}
}

// reread lets all pollers fetch the line from c, which has just written it.
func (l *Line) reread(c *CPU, now des.Time) {
	l.seen = l.free
	l.span = l.distanceSum(c)
	if l.span == 0 {
		return
	}
	l.hold(now, l.seen, l.seen+l.span/des.Time(l.polling))
	l.exclusive = false
	l.sharers.Copy(l.pollers)
	l.sharers.Add(int(c.index))
	l.free = l.seen + l.span
}

// Seen returns when c, which polls the line by loads, sees what was last
// written. The order in which pollers are served is up to when each last looked,
// so c's place in it is drawn from r.
func (l *Line) Seen(c *CPU, r *des.Stream) des.Time {
	now := c.machine.Sim.Now()
	if l.seen+l.span <= now {
		// The write hit a line whose holder had yet to hear of c's last read.
		return max(l.free, now+c.machine.Costs.L1Hit)
	}
	if l.polling < 2 {
		return l.seen + l.span
	}
	mine := c.machine.Transfer(&c.machine.cpus[l.owner], c)
	before := r.Below(uint64(l.polling))
	// The write may lie a little in the past, where a primitive stores and then looks.
	return max(now, l.seen+mine+des.Fraction(max(0, l.span-mine), des.Time(before), des.Time(l.polling-1)))
}

// round is how long a request of c waits for those of the CPUs that hammer the
// line: one of them has it, each of the others comes first.
func (l *Line) round(c *CPU) des.Time {
	k := des.Time(l.polling)
	if l.pollers.Has(int(c.index)) {
		return 0
	}
	return l.distanceSum(c) * (k - 1) / k
}

// distanceSum adds up the transfers from c to every poller.
func (l *Line) distanceSum(c *CPU) des.Time {
	m := c.machine
	sum := des.Time(0)
	for d := range distances {
		if n := l.pollers.Count(m.near[d][c.index]); n > 0 {
			sum += des.Time(n) * m.transfer[d]
		}
	}
	return sum
}

// hold notes that the present owner keeps the line until the request of a
// transaction from start to done reaches it.
func (l *Line) hold(now, start, done des.Time) {
	kept := l.held[:0]
	for _, h := range l.held {
		if h.until > now {
			kept = append(kept, h)
		}
	}
	l.held = append(kept, holding{l.owner, l.arrive, start + (done-start)/2})
}

// holds reports whether c, though not the last owner, can still operate.
func (l *Line) holds(c *CPU, now des.Time) bool {
	for _, h := range l.held {
		if h.cpu == c.index && h.from <= now && now < h.until {
			return true
		}
	}
	return false
}

// fetchCost is what it takes to bring a line to c from its holder.
func (m *Machine) fetchCost(holder int16, c *CPU) des.Time {
	if holder == nobody {
		return m.Costs.DRAM
	}
	return m.Transfer(&m.cpus[holder], c)
}

// invalidateCost is what it takes c to be rid of all other copies: the trip to
// the farthest. A sharer that has the only copy just upgrades.
func (m *Machine) invalidateCost(l *Line, c *CPU) des.Time {
	cost := des.Time(0)
	for d := remote; d > 0; d-- {
		if l.sharers.IntersectsOther(m.near[d][c.index], int(c.index)) {
			cost = max(cost, m.transfer[d])
		}
	}
	return max(cost, m.Costs.L1Hit)
}

// Word is a shared integer in memory.
type Word struct {
	Line  *Line
	Value int64
	name  string
	// polled are the tasks that spin until the word changes.
	polled   []*Task
	identity Identity
}

// NewWord returns a word on a line of its own.
func (m *Machine) NewWord(name string, value int64) *Word {
	return m.NewWordOn(m.NewLine(), name, value)
}

// NewWordOn returns a word on a line that it shares with others.
func (m *Machine) NewWordOn(l *Line, name string, value int64) *Word {
	w := &Word{Line: l, Value: value, name: name}
	if m.Stepped {
		w.identity = m.Identify(w)
	}
	return w
}

// Name returns what reports call the word.
func (w *Word) Name() string { return w.name }
