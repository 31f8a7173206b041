package kernelmodel

import (
	"strconv"

	"smpsim/cpus"
	"smpsim/des"
)

// pool is a list of work and the workers that take it, with the workqueue's
// own counts for it (the kernel's worker_pool and pool_workqueue).
//
// A pool keeps one idle worker in reserve: whoever is about to work and leaves
// none behind hires another first. Hiring costs nothing here: no figure for it
// is known, and a pool that has once had the workers it needs hires no more.
// Workers are never dismissed; the kernel keeps them for minutes.
type pool struct {
	queue *Workqueue
	// lock guards all of this, and shares its line with the list. counts is the
	// line of active, which one in the queue's name sees too.
	lock   *Spinlock
	counts *cpus.Line
	list   entryList
	// inactive is what waits until fewer than the allowed number are active.
	inactive entryList
	active   int
	// idle is the stack of idle workers: the last to go idle is woken first, its
	// caches being the warmest.
	idle    *worker
	workers int
	// running counts the workers of a managed pool that run something and are not
	// asleep in it: while there is one, no other is woken. Elsewhere it stays 0.
	running int
	managed bool
	bound   *cpus.CPUSet
	cpu     *cpus.CPU
	name    string
	index   int
}

// needMore reports whether another worker should go to work.
func (p *pool) needMore() bool { return p.list.head != nil && p.running == 0 }

// keepWorking reports whether a worker that has done something should go on.
func (p *pool) keepWorking() bool { return p.list.head != nil && p.running <= 1 }

// kick wakes an idle worker if one is needed, and returns what that costs. A
// worker that was woken already and has not looked yet is enough.
func (p *pool) kick() des.Time {
	if !p.needMore() || p.idle == nil {
		return 0
	}
	p.idle.kicked = true
	return wake(p.idle.task)
}

// hire adds an idle worker that sleeps on c.
func (p *pool) hire(c *cpus.CPU) {
	m := p.queue.machine
	w := &worker{pool: p}
	w.calls()
	w.task = m.NewTask(&cpus.TaskSpec{
		Name:     "kworker/" + p.name + ":" + strconv.Itoa(p.workers) + "-" + p.queue.spec.Name,
		Behavior: w,
		Kthread:  true,
		CPUs:     p.bound,
		OnSleep:  w.slept,
	})
	p.workers++
	p.enterIdle(w)
	m.StartAsleep(w.task, c)
}

// enterIdle and leaveIdle move a worker between the stack and work.
func (p *pool) enterIdle(w *worker) {
	w.idle = true
	w.below, w.above = p.idle, nil
	if p.idle != nil {
		p.idle.above = w
	}
	p.idle = w
}

func (p *pool) leaveIdle(w *worker) {
	w.idle = false
	if w.above == nil {
		p.idle = w.below
	} else {
		w.above.below = w.below
	}
	if w.below != nil {
		w.below.above = w.above
	}
	w.above, w.below = nil, nil
}

// insert puts a pending item on the list, or where it waits for its turn if
// enough are active, and reports which.
func (p *pool) insert(w *Work) (active bool) {
	if p.active < p.queue.spec.MaxActive && p.inactive.head == nil {
		p.active++
		p.list.pushBack(&w.entry)
		return true
	}
	p.inactive.pushBack(&w.entry)
	return false
}

// finished notes that one active item is no more, and lets the next be.
func (p *pool) finished() {
	p.active--
	if e := p.inactive.head; e != nil && p.active < p.queue.spec.MaxActive {
		p.activate(e)
	}
}

func (p *pool) activate(e *entry) {
	p.active++
	moveLinked(&p.list, e)
}

// entry is a place in a list of work: an item's, or a barrier's, which a flusher
// has put behind what it waits for.
type entry struct {
	work    *Work
	barrier *barrier
	list    *entryList
	prev    *entry
	next    *entry
	// linked says that the entry behind goes wherever this one goes.
	linked bool
}

// entryList is a list of entries.
type entryList struct{ head, tail *entry }

func (l *entryList) pushBack(e *entry) { l.insertAfter(l.tail, e) }

// insertAfter puts e behind at, or in front of all if at is nil.
func (l *entryList) insertAfter(at, e *entry) {
	e.list, e.prev = l, at
	if at == nil {
		e.next, l.head = l.head, e
	} else {
		e.next, at.next = at.next, e
	}
	if e.next == nil {
		l.tail = e
	} else {
		e.next.prev = e
	}
}

// remove takes e off its list; what is linked behind it stays.
func (e *entry) remove() {
	l := e.list
	if e.prev == nil {
		l.head = e.next
	} else {
		e.prev.next = e.next
	}
	if e.next == nil {
		l.tail = e.prev
	} else {
		e.next.prev = e.prev
	}
	e.list, e.prev, e.next, e.linked = nil, nil, nil, false
}

// moveLinked moves e, and what is linked behind it, to the end of to.
func moveLinked(to *entryList, e *entry) {
	for more := true; more; {
		next := e.next
		more = e.linked
		e.remove()
		e.linked = more
		to.pushBack(e)
		e = next
	}
}
