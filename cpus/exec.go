package cpus

import (
	"fmt"

	"smpsim/des"
)

// Step takes t on when its event fires: the end of a phase of its op, its turn
// at a lock, the end of its sleep, or its start.
func (t *Task) Step(*des.Sim, des.ID) {
	m := t.machine
	switch t.state {
	case Running:
		m.proceed(t, m.commit(t))
	case SpinState:
		if t.cpu.top() != t {
			t.fired = true
			return
		}
		t.state = Running
		t.cpu.setMode(t.mode)
		m.proceed(t, m.commit(t))
	case Asleep:
		m.Wake(t)
	case Unstarted:
		m.place(t)
	default:
		panic(fmt.Sprintf("cpus: event for %s, which is %v", t.Name(), t.state))
	}
}

// advance takes on a task that is between two ops.
func (m *Machine) advance(t *Task) {
	for {
		t.inOp = false
		if t.cpu.attention != 0 && m.attend(t) {
			return
		}
		op := t.op
		if t.held {
			t.held = false
		} else {
			op = t.behavior.Next(t)
			if t.begun {
				// A thread has begun the op itself, and could not run ahead to its end.
				t.begun = false
				m.pend(t, t.end)
				return
			}
			if t.cpu.attention != 0 {
				// A thread has done ops since the CPU was last seen to.
				t.op, t.held = op, true
				continue
			}
		}
		t.op = op
		t.inOp = true
		t.Phase = 0
		if !m.follow(t, m.begin(t, op)) {
			return
		}
	}
}

// proceed takes on a task whose op stands at u, and after it those that follow.
func (m *Machine) proceed(t *Task, u Until) {
	if m.follow(t, u) {
		m.advance(t)
	}
}

// follow runs through the phases of t's op as far as they can be run through at
// once, and reports whether the op has ended.
func (m *Machine) follow(t *Task, u Until) bool {
	for u != Finished {
		if u < 0 || !m.runAhead(u) {
			m.pend(t, u)
			return false
		}
		u = m.commit(t)
	}
	return true
}

// pend leaves t inside its op until an event, a resume or a wake-up.
func (m *Machine) pend(t *Task, u Until) {
	switch {
	case u >= 0:
		t.end = u
		m.Sim.Schedule(t.id, u)
	case u == Spinning:
		t.state = SpinState
		t.cpu.setMode(Spin)
		if t.cpu.attention&(irqPending|softPending) != 0 {
			m.interrupt(t.cpu)
		}
	case u == Blocked:
		m.block(t)
	default:
		panic(fmt.Sprintf("cpus: operation of %s cannot go on with %d", t.Name(), u))
	}
}

// runAhead moves the clock to u if nothing else comes first. With many active
// tasks that hardly ever works, and asking costs more than it saves, so after
// a run of failures it is only asked now and then.
func (m *Machine) runAhead(u des.Time) bool {
	if m.ahead < 0 {
		m.ahead++
		return false
	}
	if m.Sim.RunAhead(u) {
		m.ahead = aheadCredit
		return true
	}
	if m.ahead--; m.ahead < 0 {
		m.ahead = -aheadPause
	}
	return false
}

// After aheadCredit failures in a row, aheadPause ops go by unasked.
const (
	aheadCredit = 8
	aheadPause  = 256
)

// attend sees to what the CPU has pending, and reports whether t has to wait
// for it. The task is between two ops.
func (m *Machine) attend(t *Task) bool {
	c := t.cpu
	if c.attention&(irqPending|softPending) != 0 && m.interrupt(c) {
		return true
	}
	if c.attention&needResched != 0 && c.depth == 0 && c.preemptible() {
		m.preempt(c)
		return true
	}
	return false
}

// begin starts an op at the present instant.
func (m *Machine) begin(t *Task, op *Op) Until {
	c := t.cpu
	mode := t.mode
	if op.User && mode == Kernel {
		mode = User
	}
	if c.mode != mode {
		c.setMode(mode)
	}
	now := m.Sim.Now()
	switch op.Kind {
	case Compute:
		return now + t.length(op)
	case Load, LoadPlain, LoadAcquire:
		return op.Word.Line.Read(c, now)
	case Store, StorePlain, StoreRelease:
		issued, _ := op.Word.Line.Write(c, now)
		return issued
	case AddPlain:
		return op.Word.Line.readForUpdate(c, now)
	case AddReturn, FetchAdd, Xchg, Cmpxchg, IncNotZero, TestAndSet:
		return op.Word.Line.RMW(c, now)
	case Call:
		return op.Prim.Begin(t, op)
	case Walk:
		return now + m.walk(c, op.Foot, t.A)
	case Sleep:
		m.Sim.Schedule(t.id, now+t.length(op))
		return Blocked
	case FenceFull:
		return max(now, c.drained) + m.Costs.Fence
	case FenceWrite, FenceRead:
		return now
	case IRQOff, IRQOn, PreemptOff, PreemptOn:
		return now + m.Costs.Cycle
	case BHOff, BHOn:
		return now + m.Costs.BHPair/2
	case Exit:
		m.exit(t)
		return Blocked
	default:
		panic(fmt.Sprintf("cpus: %s has no operation of kind %d", t.Name(), op.Kind))
	}
}

// commit ends the present phase of t's op: its effect happens now.
func (m *Machine) commit(t *Task) Until {
	op := t.op
	w := op.Word
	switch op.Kind {
	case Compute, Walk, Sleep, FenceFull, FenceWrite, FenceRead:
	case Load, LoadPlain, LoadAcquire:
		t.Result = w.Value
	case Store, StorePlain, StoreRelease:
		m.SetWord(w, t.A)
	case AddPlain:
		if t.Phase == 0 {
			t.Phase, t.Data = 1, w.Value
			issued, _ := w.Line.Write(t.cpu, m.Sim.Now())
			return issued
		}
		m.SetWord(w, t.Data+t.A)
	case Call:
		return op.Prim.Step(t, op)
	case IRQOff:
		t.cpu.IRQDisable()
	case IRQOn:
		t.cpu.IRQEnable()
	case BHOff:
		t.cpu.BHDisable()
	case BHOn:
		t.cpu.BHEnable()
	case PreemptOff:
		t.PreemptDisable()
	case PreemptOn:
		t.PreemptEnable()
	default:
		m.modify(t, op)
	}
	return Finished
}

// modify performs a locked read-modify-write.
func (m *Machine) modify(t *Task, op *Op) {
	w := op.Word
	old := w.Value
	value, result, writes := Modify(op.Kind, old, t.A, t.B)
	t.Result = result
	if writes {
		m.SetWord(w, value)
	}
}

// Modify is what a read-modify-write of the given kind, with operands a and b,
// makes of a word that holds old: its new value, the value returned, and whether
// it writes at all.
func Modify(kind Kind, old, a, b int64) (value, result int64, writes bool) {
	switch kind {
	case AddReturn:
		return old + a, old + a, true
	case FetchAdd:
		return old + a, old, true
	case Xchg:
		return a, old, true
	case Cmpxchg:
		return b, old, old == a
	case IncNotZero:
		if old == 0 {
			return 0, 0, false
		}
		return old + 1, 1, true
	case TestAndSet:
		return 1, old, true
	default:
		panic(fmt.Sprintf("cpus: %d is no read-modify-write", kind))
	}
}

// SetWord stores to a word and lets those who poll it look again. The line is
// the caller's to pay for: a primitive's, which keeps part of its state in words.
func (m *Machine) SetWord(w *Word, value int64) {
	w.Value = value
	if len(w.polled) > 0 {
		m.repoll(w)
	}
	if m.OnStore != nil {
		m.OnStore()
	}
}

// length is how long a computation or a sleep lasts.
func (t *Task) length(op *Op) des.Time {
	if op.Dist != nil {
		return op.Dist.Sample(&t.stream)
	}
	return op.Dur
}

// readForUpdate is a load that a store to the same line follows: a line that
// is at hand costs nothing yet, since the pair together is one plain increment.
func (l *Line) readForUpdate(c *CPU, now des.Time) des.Time {
	done := l.Read(c, now)
	if done == now+c.machine.Costs.L1Hit {
		return now
	}
	return done
}
