package kernelmodel

import (
	"slices"

	"smpsim/cpus"
	"smpsim/des"
)

// RWLock is the kernel's rwlock_t, a queued one: readers share it, and whoever
// comes while it is taken queues for an inner spinlock, so that readers and
// writers are served in the order of their coming. A reader needs one locked
// operation where no writer holds the lock or waits at the head of the queue.
//
// Waiting for it and holding it disable preemption. Operations are ReadLock,
// ReadUnlock, WriteLock and WriteUnlock. Readers in interrupts, who in the kernel
// pass waiting writers, are not modelled.
type RWLock struct {
	machine *cpus.Machine
	// lock is what the queue queues for; whoever has it polls the word. They
	// share a line.
	lock  *Spinlock
	line  *cpus.Line
	order *des.Stream
	// The word: how many readers are in, or have announced themselves; whether a
	// writer is in; whether one at the head of the queue keeps new readers out.
	readers         int
	locked, waiting bool
	poller          *cpus.Task
	holders         []rwHolder
	name            string
	id              cpus.NameID
	identity        cpus.Identity
}

// rwHolder is a task inside the lock.
type rwHolder struct {
	task  *cpus.Task
	taken des.Time
}

// NewRWLock returns a free lock.
func NewRWLock(m *cpus.Machine, name string) *RWLock {
	l := NewSpinlock(m, name+".wait_lock", "qspinlock")
	x := &RWLock{
		machine: m, name: name, id: m.Intern(name), lock: l, line: l.protocol.line(),
		order: m.Sim.Stream("rwlock/" + name),
	}
	x.identity = m.Identify(x)
	m.Identify(x) // its writers
	m.Identify(x) // its readers
	return x
}

// Name returns the lock's name.
func (l *RWLock) Name() string { return l.name }

// Holders returns how many tasks are inside, and whether it is a writer.
func (l *RWLock) Holders() (n int, writer bool) {
	return len(l.holders), l.locked && len(l.holders) > 0
}

// Stages of ReadLock.
const (
	readEntering   = iota // the locked add to the readers' count
	readRetreating        // undoing it, since a writer is in or waits
	readQueueing          // locking the queue
	readCounting          // the locked add, as head of the queue
	readPolling           // until the writer has left
	readLeaving           // unlocking the queue
)

// Stages of WriteLock.
const (
	writeEntering = iota + readLeaving + 1 // the cmpxchg of a free word
	writeQueueing                          // locking the queue
	writeTrying                            // the cmpxchg, as head of the queue
	writeClosing                           // setting the flag that keeps readers out
	writePolling                           // until all have left
	writeTaking                            // the cmpxchg of a word that has just the flag
	writeLeaving                           // unlocking the queue
)

// Begin starts one of the four operations.
func (l *RWLock) Begin(t *cpus.Task, op *cpus.Op) cpus.Until {
	now := l.machine.Sim.Now()
	switch op.Sub {
	case ReadLock, WriteLock:
		if l.holder(t) >= 0 && (l.locked || op.Sub == WriteLock) {
			return misused(t, "rwlock "+l.name+" taken again by its holder: this CPU would spin for ever")
		}
		t.PreemptDisable()
		t.BeginWait()
		t.B = int64(now)
		t.A = readEntering
		if op.Sub == WriteLock {
			t.A = writeEntering
		}
		return l.line.RMW(t.CPU(), now)
	case ReadUnlock:
		if l.locked || !l.released(t) {
			return misused(t, "rwlock "+l.name+" given back by a task that is no reader of it")
		}
		return l.line.RMW(t.CPU(), now)
	default:
		if !l.locked || !l.released(t) {
			return misused(t, "rwlock "+l.name+" given back by a task that is not its writer")
		}
		issued, _ := l.line.Write(t.CPU(), now)
		l.locked = false
		l.look()
		return issued
	}
}

// Step goes on with it.
func (l *RWLock) Step(t *cpus.Task, op *cpus.Op) cpus.Until {
	switch op.Sub {
	case ReadLock:
		return l.stepRead(t)
	case WriteLock:
		return l.stepWrite(t)
	case ReadUnlock:
		l.readers--
		l.look()
	}
	t.PreemptEnable()
	return cpus.Finished
}

func (l *RWLock) stepRead(t *cpus.Task) cpus.Until {
	now := l.machine.Sim.Now()
	switch t.A {
	case readEntering:
		l.readers++
		if !l.locked && !l.waiting {
			return l.acquired(t, false)
		}
		l.machine.Trace(cpus.TraceContentionBegin, t, l.id, 0)
		t.A = readRetreating
		return l.line.RMW(t.CPU(), now)
	case readRetreating:
		l.readers--
		l.look()
		t.A = readQueueing
		return l.lock.Begin(t, &lockCall)
	case readQueueing:
		if u := l.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		t.A = readCounting
		return l.line.RMW(t.CPU(), now)
	case readCounting:
		l.readers++
		if l.locked {
			return l.poll(t, readPolling)
		}
		return l.leaveQueue(t, readLeaving)
	case readPolling:
		l.line.Unpoll(t.CPU())
		return l.leaveQueue(t, readLeaving)
	default: // readLeaving
		l.lock.Step(t, &unlockCall)
		return l.acquired(t, true)
	}
}

func (l *RWLock) stepWrite(t *cpus.Task) cpus.Until {
	now := l.machine.Sim.Now()
	switch t.A {
	case writeEntering:
		if l.free() && !l.waiting {
			l.locked = true
			return l.acquired(t, false)
		}
		l.machine.Trace(cpus.TraceContentionBegin, t, l.id, 0)
		t.A = writeQueueing
		return l.lock.Begin(t, &lockCall)
	case writeQueueing:
		if u := l.lock.Step(t, &lockCall); u != cpus.Finished {
			return u
		}
		t.A = writeClosing
		if l.free() {
			t.A = writeTrying
		}
		return l.line.RMW(t.CPU(), now)
	case writeTrying:
		if !l.free() {
			t.A = writeClosing
			return l.line.RMW(t.CPU(), now)
		}
		l.locked = true
		return l.leaveQueue(t, writeLeaving)
	case writeClosing:
		l.waiting = true
		if !l.free() {
			return l.poll(t, writePolling)
		}
		t.A = writeTaking
		return l.line.RMW(t.CPU(), now)
	case writePolling:
		l.line.Unpoll(t.CPU())
		t.A = writeTaking
		return l.line.RMW(t.CPU(), now)
	case writeTaking:
		if !l.free() {
			// A reader announced itself in between, and will withdraw.
			return l.poll(t, writePolling)
		}
		l.locked, l.waiting = true, false
		return l.leaveQueue(t, writeLeaving)
	default: // writeLeaving
		l.lock.Step(t, &unlockCall)
		return l.acquired(t, true)
	}
}

// free reports whether nobody is in.
func (l *RWLock) free() bool { return l.readers == 0 && !l.locked }

// poll has the head of the queue wait until the word lets it in.
func (l *RWLock) poll(t *cpus.Task, stage int64) cpus.Until {
	t.A = stage
	l.poller = t
	l.line.Poll(t.CPU(), false)
	return cpus.Spinning
}

// look lets the head of the queue, if it polls, see a word that lets it in.
func (l *RWLock) look() {
	p := l.poller
	if p == nil || l.locked || p.A == writePolling && l.readers > 0 {
		return
	}
	l.poller = nil
	l.machine.Resume(p, l.line.Seen(p.CPU(), l.order))
}

func (l *RWLock) leaveQueue(t *cpus.Task, stage int64) cpus.Until {
	t.A = stage
	return l.lock.Begin(t, &unlockCall)
}

// acquired notes that t is in; B is when it asked.
func (l *RWLock) acquired(t *cpus.Task, waited bool) cpus.Until {
	now := l.machine.Sim.Now()
	l.holders = append(l.holders, rwHolder{t, now})
	if waited {
		l.machine.Trace(cpus.TraceContentionEnd, t, l.id, int64(now)-t.B)
	}
	l.machine.Trace(cpus.TraceLockAcquired, t, l.id, int64(now)-t.B)
	return cpus.Finished
}

// released notes that t goes, and reports whether it was in.
func (l *RWLock) released(t *cpus.Task) bool {
	i := l.holder(t)
	if i < 0 {
		return false
	}
	held := l.machine.Sim.Now() - l.holders[i].taken
	l.machine.Trace(cpus.TraceLockReleased, t, l.id, int64(held))
	l.holders = slices.Delete(l.holders, i, i+1)
	return true
}

func (l *RWLock) holder(t *cpus.Task) int {
	return slices.IndexFunc(l.holders, func(h rwHolder) bool { return h.task == t })
}
