package cpus

import (
	"fmt"

	"smpsim/des"
)

// Thread is a task whose behavior is a Go function, for kernel models: straight
// code that reads like the algorithm. Each method below is one op: the function
// goes on when the op has ended, at the clock's new time. What the function does
// between two ops happens at one instant.
type Thread struct {
	machine *Machine
	task    *Task
	body    func(k *Thread)
	co      *des.Coroutine
	next    *Op
	op      Op
	// strand is what co is on a stepped machine.
	strand *strand
}

// NewThread adds a task that runs body. The spec's Behavior is ignored.
func (m *Machine) NewThread(spec *TaskSpec, body func(k *Thread)) *Task {
	s := *spec
	s.Behavior = m.Func(body)
	return m.NewTask(&s)
}

// Func returns body as a behavior. When the function has returned, Next gives
// Exit; the call after that starts the function again, for whichever task makes
// it, so that a worker can run it as often as it is queued.
func (m *Machine) Func(body func(k *Thread)) *Thread { return &Thread{machine: m, body: body} }

// Next resumes the function until it yields its next op.
func (k *Thread) Next(t *Task) *Op {
	if k.machine.Stepped {
		return k.nextStepped(t)
	}
	if k.co == nil {
		k.task = t
		k.co = k.machine.Sim.NewCoroutine(func(*des.Coroutine) { k.body(k) })
	}
	if !k.co.Resume() {
		k.co = nil
		k.op = Op{Kind: Exit}
		return &k.op
	}
	return k.next
}

// Do performs op, with the task's operands as they are, and returns its result.
func (k *Thread) Do(op *Op) int64 {
	t, m := k.task, k.machine
	if m.Stepped {
		return k.yieldStepped(op)
	}
	k.next = op
	if t.cpu.attention == 0 {
		// Begin in place: where nothing else comes before the op's end, the two
		// switches of a yield are saved.
		t.op, t.inOp, t.Phase = op, true, 0
		u := m.begin(t, op)
		for u >= 0 && m.Sim.RunAhead(u) {
			u = m.commit(t)
		}
		if u == Finished {
			t.inOp = false
			return t.Result
		}
		t.begun, t.end = true, u
	}
	k.co.Yield()
	return t.Result
}

// Task returns the task that runs the function.
func (k *Thread) Task() *Task { return k.task }

// Machine returns the machine it runs on.
func (k *Thread) Machine() *Machine { return k.machine }

// Now returns the time.
func (k *Thread) Now() des.Time { return k.machine.Sim.Now() }

// Stream returns the task's own random stream.
func (k *Thread) Stream() *des.Stream { return &k.task.stream }

// Run computes for d in the kernel.
func (k *Thread) Run(d des.Time) {
	k.op = Op{Kind: Compute, Dur: d}
	k.Do(&k.op)
}

// RunUser computes for d in user space.
func (k *Thread) RunUser(d des.Time) {
	k.op = Op{Kind: Compute, Dur: d, User: true}
	k.Do(&k.op)
}

// Sleep leaves the CPU for d.
func (k *Thread) Sleep(d des.Time) {
	k.op = Op{Kind: Sleep, Dur: d}
	k.Do(&k.op)
}

// Load reads w with a marked access, as READ_ONCE does.
func (k *Thread) Load(w *Word) int64 { return k.word(Load, w, 0, 0) }

// LoadPlain reads w with an unmarked access.
func (k *Thread) LoadPlain(w *Word) int64 { return k.word(LoadPlain, w, 0, 0) }

// Store writes v to w with a marked access, as WRITE_ONCE does.
func (k *Thread) Store(w *Word, v int64) { k.word(Store, w, v, 0) }

// StorePlain writes v to w with an unmarked access.
func (k *Thread) StorePlain(w *Word, v int64) { k.word(StorePlain, w, v, 0) }

// AddPlain adds v to w by a load and a store.
func (k *Thread) AddPlain(w *Word, v int64) { k.word(AddPlain, w, v, 0) }

// AddReturn atomically adds v to w and returns the new value.
func (k *Thread) AddReturn(w *Word, v int64) int64 { return k.word(AddReturn, w, v, 0) }

// Cmpxchg atomically replaces old by v in w, and returns what it found.
func (k *Thread) Cmpxchg(w *Word, old, v int64) int64 { return k.word(Cmpxchg, w, old, v) }

// TestAndSet atomically sets w to 1 and returns what it found.
func (k *Thread) TestAndSet(w *Word) int64 { return k.word(TestAndSet, w, 0, 0) }

func (k *Thread) word(kind Kind, w *Word, a, b int64) int64 {
	k.task.A, k.task.B = a, b
	k.op = Op{Kind: kind, Word: w}
	return k.Do(&k.op)
}

// Walk touches n objects of f one after the other.
func (k *Thread) Walk(f *Footprint, n int64) {
	k.task.A = n
	k.op = Op{Kind: Walk, Foot: f}
	k.Do(&k.op)
}

// Call performs operation sub of p and returns its result.
func (k *Thread) Call(p Primitive, sub uint8) int64 {
	k.op = Op{Kind: Call, Prim: p, Sub: sub}
	return k.Do(&k.op)
}

// Enter notes the entry to a function and returns the time of it, for Return.
func (k *Thread) Enter(fn NameID) des.Time {
	k.machine.Trace(TraceFuncEntry, k.task, fn, 0)
	return k.Now()
}

// Return notes the return from a function that was entered at the given time.
func (k *Thread) Return(fn NameID, entered des.Time) {
	k.machine.Trace(TraceFuncReturn, k.task, fn, int64(k.Now()-entered))
}

// BugOn stops the run with a report if an invariant is broken, as BUG_ON() does.
func (k *Thread) BugOn(broken bool, format string, args ...any) {
	if !broken {
		return
	}
	k.machine.Fail(&Bug{Task: k.task.Name(), At: k.Now(), What: fmt.Sprintf(format, args...)})
	if k.machine.Stepped {
		k.yieldStepped(&k.op) // is not performed
	}
	// The run is over: the task blocks here for good, and is unwound when the simulation is closed.
	k.task.begun, k.task.end = true, Blocked
	k.next = &k.op
	k.co.Yield()
}

// Bug is a broken invariant of a kernel model.
type Bug struct {
	Task string
	At   des.Time
	What string
}

func (b *Bug) Error() string {
	return fmt.Sprintf("kernel BUG: %s (task %s, at %v)", b.What, b.Task, b.At)
}
