package kernelmodel

import (
	"slices"

	"smpsim/cpus"
)

// What an explorer asks of objects and tells them. On a stepped machine it performs
// their operations itself, without their protocols; what it tells them is what their
// other methods then report, but for who is listed on a wait queue.

// steppedWorker stands for whoever runs an item on a stepped machine.
var steppedWorker worker

// Identity returns the lock's identity on a stepped machine.
func (l *Spinlock) Identity() cpus.Identity { return l.identity }

// Hold makes t the holder; nil for nobody.
func (l *Spinlock) Hold(t *cpus.Task) { l.holder = t }

// Identity returns the mutex's identity on a stepped machine.
func (l *Mutex) Identity() cpus.Identity { return l.identity }

// Hold makes t the owner; nil for nobody.
func (l *Mutex) Hold(t *cpus.Task) { l.owner = t }

// Identity returns the lock's identity on a stepped machine, the first of three: those
// of its writers and of its readers follow.
func (l *RWLock) Identity() cpus.Identity { return l.identity }

// Enter notes that t is in, as a writer or a reader.
func (l *RWLock) Enter(t *cpus.Task, writer bool) {
	l.holders = append(l.holders, rwHolder{task: t})
	l.locked = writer
}

// Leave notes that t has left.
func (l *RWLock) Leave(t *cpus.Task) {
	i := l.holder(t)
	l.holders = slices.Delete(l.holders, i, i+1)
	l.locked = false
}

// Identity returns the lock's identity on a stepped machine.
func (s *Seqlock) Identity() cpus.Identity { return s.lock.identity }

// Hold makes t the writer; nil for nobody.
func (s *Seqlock) Hold(t *cpus.Task) { s.lock.holder = t }

// Identity returns the semaphore's identity on a stepped machine.
func (s *Semaphore) Identity() cpus.Identity { return s.identity }

// SetCount says how many units are left.
func (s *Semaphore) SetCount(n int64) { s.count = n }

// Identity returns the event's identity on a stepped machine.
func (e *Event) Identity() cpus.Identity { return e.identity }

// Signals returns how many signals are not used up, and whether everybody passes.
func (e *Event) Signals() (n int64, all bool) { return e.done, e.all }

// SetSignals says so.
func (e *Event) SetSignals(n int64, all bool) { e.done, e.all = n, all }

// Identity returns the queue's identity on a stepped machine.
func (q *WaitQueue) Identity() cpus.Identity { return q.identity }

// Queue returns the queue on which tasks wait at p.
func (p *WaitPoint) Queue() *WaitQueue { return p.queue }

// Words returns all that p's condition looks at.
func (p *WaitPoint) Words() []*cpus.Word { return p.words }

// Holds reports whether p's condition holds for t.
func (p *WaitPoint) Holds(t *cpus.Task) bool { return p.cond.Holds(t) }

// Runs returns the identity of the item's runs on a stepped machine; that of the item
// is its PENDING bit's.
func (w *Work) Runs() cpus.Identity { return w.runs }

// Workqueue returns the queue that w is on.
func (w *Work) Workqueue() *Workqueue { return w.queue }

// Body returns what w runs.
func (w *Work) Body() cpus.Behavior { return w.body }

// SetRunning says whether w runs.
func (w *Work) SetRunning(runs bool) {
	w.worker = nil
	if runs {
		w.worker = &steppedWorker
	}
}

// Identity returns the workqueue's identity on a stepped machine.
func (q *Workqueue) Identity() cpus.Identity { return q.identity }

// Limit returns how many items may run at once, and whether that holds for each CPU.
func (q *Workqueue) Limit() (n int, perCPU bool) { return q.spec.MaxActive, q.spec.PerCPU }
