package kernelmodel

import (
	"strconv"

	"smpsim/cpus"
)

// WorkqueueSpec describes a workqueue.
type WorkqueueSpec struct {
	// Name is what reports call it, and the end of its workers' names.
	Name string
	// PerCPU gives each CPU a pool of its own, with workers that are bound to it
	// and concurrency-managed; otherwise there is one pool for each last-level
	// cache, with workers that the scheduler may place anywhere.
	PerCPU bool
	// MaxActive is how many items a pool runs at once; 0 means the kernel's
	// default, 256.
	MaxActive int
}

// Workqueue runs work items in worker threads. It has its pools to itself,
// where the kernel's workqueues of equal attributes share theirs.
//
// An item is queued to the pool of the CPU that queues it, or stays with the
// pool that is just running it. It runs in one worker at a time: pending and
// running at once is possible, twice pending or twice running is not.
type Workqueue struct {
	machine *cpus.Machine
	spec    WorkqueueSpec
	pools   []*pool
	// local is the pool of each CPU.
	local    []*pool
	barriers []*barrier
	free     *barrier
	identity cpus.Identity
}

// defaultMaxActive is the kernel's WQ_DFL_ACTIVE.
const defaultMaxActive = 256

// NewWorkqueue returns a workqueue with its pools and a worker in each, asleep.
func NewWorkqueue(m *cpus.Machine, spec WorkqueueSpec) *Workqueue {
	if spec.MaxActive == 0 {
		spec.MaxActive = defaultMaxActive
	}
	q := &Workqueue{machine: m, spec: spec}
	q.identity = m.Identify(q)
	if m.Stepped {
		return q // an explorer runs the items itself
	}
	q.local = make([]*pool, m.CPUs())
	byCache := map[int]*pool{}
	for i := range q.local {
		c := m.CPU(i)
		p := byCache[c.LLC()]
		if p == nil || spec.PerCPU {
			p = newPool(q, c)
			byCache[c.LLC()] = p
		}
		q.local[i] = p
	}
	return q
}

// Name returns the workqueue's name.
func (q *Workqueue) Name() string { return q.spec.Name }

// NewWork returns an idle item of q. Each run takes the operations of b until
// it returns Exit; the next call of Next begins the next run, as a behavior
// from [cpus.Machine.Func] does.
func (q *Workqueue) NewWork(name string, b cpus.Behavior) *Work {
	m := q.machine
	w := &Work{queue: q, name: name, id: m.Intern(name), body: b, pending: m.NewWord(name+".pending", 0)}
	w.entry.work = w
	w.runs = m.Identify(w)
	return w
}

// newPool adds a pool whose first CPU is c.
func newPool(q *Workqueue, c *cpus.CPU) *pool {
	p := &pool{queue: q, cpu: c, index: len(q.pools), managed: q.spec.PerCPU, counts: q.machine.NewLine()}
	p.name = "u" + strconv.Itoa(p.index)
	if p.managed {
		p.name = strconv.Itoa(c.Index())
		bound := q.machine.NewCPUSet()
		bound.Add(c.Index())
		p.bound = &bound
	}
	p.lock = NewSpinlock(q.machine, q.spec.Name+".pool"+strconv.Itoa(p.index), "qspinlock")
	q.pools = append(q.pools, p)
	p.hire(c)
	return p
}
