package cpus

import "smpsim/des"

// fairQueue shares the CPU by weight: earliest eligible virtual deadline first,
// after Stoica and Abdel-Wahab (1995) and the kernel's fair class since 6.6.
//
// Each task has a virtual time, which runs slower the heavier it is. The queue's is
// the weighted mean of its tasks'. A task's lag is the queue's less its own: what it
// is owed. A task that is owed something, or nothing, is eligible, and of these the
// one with the earliest virtual deadline goes first: one slice after the virtual
// time at which its request began. Who sleeps or moves keeps its lag, but owes no
// longer what the time of the others has caught up with.
//
// Where a task leaves that is ahead, the mean falls. The queue's time then stays where
// it is until the mean has caught up, so that who is eligible remains so; the kernel
// keeps such a task on the queue until it owes nothing (DELAY_DEQUEUE), to that end.
// Among equals a task that wakes waits for the end of a slice that has begun, as with
// the kernel's RUN_TO_PARITY; a heavier one with an earlier deadline does not, unlike
// there.
type fairQueue struct {
	// ready holds the eligible tasks, early the others until they are found to be.
	ready taskHeap[byDeadline]
	early taskHeap[byVirtualTime]
	// slice is the length of a request, lagMax bounds lags: both for weight 1024.
	slice, lagMax des.Time
	// now is the queue's virtual time; it never goes back.
	now des.Time
	// weight is that of all tasks that compete, the running one included, and ahead
	// the sum of each one's weight times its virtual time less now. It is below
	// weight: some task is eligible.
	weight, ahead int64
}

const (
	unitWeight = 1024
	// idleWeight is that of the class of idle tasks, the kernel's WEIGHT_IDLEPRIO.
	idleWeight = 3
)

// niceWeights are the shares of the nice levels from -20 on, the kernel's
// sched_prio_to_weight: a quarter more a level, so that one level is worth about
// ten per cent of the CPU.
var niceWeights = [40]int32{
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916,
	9548, 7620, 6100, 4904, 3906, 3121, 2501, 1991, 1586, 1277,
	1024, 820, 655, 526, 423, 335, 272, 215, 172, 137,
	110, 87, 70, 56, 45, 36, 29, 23, 18, 15,
}

// weight returns the share of a task with that spec.
func (s *TaskSpec) weight() int32 {
	if s.Class == ClassIdle {
		return idleWeight
	}
	return niceWeights[s.Nice+20]
}

// virtual converts a time to t's virtual time.
func (t *Task) virtual(d des.Time) des.Time {
	if t.policy.weight == unitWeight {
		return d
	}
	return des.Fraction(d, unitWeight, des.Time(t.policy.weight))
}

func (q *fairQueue) place(t *Task) {
	p := &t.policy
	lag, w := p.lag(), int64(p.weight)
	p.vruntime = q.now
	switch {
	case q.weight == 0: // Nobody owes it anything, nor it anybody.
	case lag >= 0:
		p.vruntime = q.now - lag
	default:
		// It raises the mean as it comes, which would take from what it owes.
		mean := q.now + des.Time(q.ahead/q.weight)
		p.vruntime = max(q.now-lag, mean+des.Fraction(-lag, des.Time(q.weight+w), des.Time(q.weight)))
	}
	p.deadline = p.vruntime + t.virtual(q.slice)
	p.over = false
	q.weight += w
	q.advance(w * int64(p.vruntime-q.now))
}

func (q *fairQueue) leave(t *Task) {
	p := &t.policy
	w, behind := int64(p.weight), q.now-p.vruntime
	most := t.virtual(q.lagMax)
	p.vruntime, p.deadline, p.home = min(max(behind, -most), most), q.now, q
	q.weight -= w
	q.advance(w * int64(behind))
	if q.weight == 0 {
		q.ahead = 0
	}
}

// lag returns what a task on no queue is owed, in its virtual time.
func (p *taskPolicy) lag() des.Time {
	switch lag := p.vruntime; {
	case lag >= 0:
		return lag
	case p.home.weight == 0:
		return 0
	default:
		return min(0, lag+p.home.now-p.deadline)
	}
}

// advance takes a change of ahead, and moves the queue's time on if the mean has
// overtaken it.
func (q *fairQueue) advance(change int64) {
	q.ahead += change
	if q.ahead >= q.weight && q.weight > 0 {
		q.now += des.Time(q.ahead / q.weight)
		q.ahead %= q.weight
	}
}

func (q *fairQueue) charge(t *Task, ran des.Time) {
	// At most so much at once that no product overflows: about an hour.
	const most = 1 << 52
	for ; ran > most; ran -= most {
		q.run(t, most)
	}
	q.run(t, ran)
}

func (q *fairQueue) run(t *Task, ran des.Time) {
	p := &t.policy
	d := t.virtual(ran)
	p.vruntime += d
	q.advance(int64(p.weight) * int64(d))
	if p.vruntime >= p.deadline {
		p.deadline = p.vruntime + t.virtual(q.slice)
		p.over = true
	}
}

// settle moves to ready who has become eligible.
func (q *fairQueue) settle() {
	for len(q.early.tasks) > 0 && q.early.tasks[0].policy.vruntime <= q.now {
		q.ready.push(q.early.remove(0))
	}
}

func (q *fairQueue) push(t *Task) {
	if t.policy.vruntime <= q.now {
		q.ready.push(t)
	} else {
		q.early.push(t)
	}
}

func (q *fairQueue) pop() *Task {
	if q.len() == 0 {
		return nil
	}
	q.settle()
	return q.ready.remove(0)
}

func (q *fairQueue) len() int { return len(q.ready.tasks) + len(q.early.tasks) }

// tick looks for another task where the running one has used up its slice.
func (q *fairQueue) tick(t *Task) bool {
	over := t.policy.over
	t.policy.over = false
	if !over {
		return false
	}
	q.settle()
	if len(q.ready.tasks) == 0 {
		return false
	}
	return t.policy.vruntime > q.now || q.ready.tasks[0].policy.deadline < t.policy.deadline
}

// preempts lets a task that wakes have the CPU if it is heavier than the running one,
// goes before that, and first of those that wait.
func (q *fairQueue) preempts(running, woken *Task) bool {
	if a, b := &woken.policy, &running.policy; a.weight <= b.weight || a.deadline >= b.deadline {
		return false
	}
	q.settle()
	return len(q.ready.tasks) > 0 && q.ready.tasks[0] == woken
}

func (q *fairQueue) steal(w wanted) *Task {
	for i, t := range q.ready.tasks {
		if w.fits(t) {
			q.ready.remove(i)
			q.leave(t)
			return t
		}
	}
	for i, t := range q.early.tasks {
		if w.fits(t) {
			q.early.remove(i)
			q.leave(t)
			return t
		}
	}
	return nil
}

func (q *fairQueue) load() int64 { return q.weight }
