package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
	"smpsim/kernelmodel"
)

// randomModel is a small model of random functions over one object of each kind. A
// function is a list of actions, by number, some of which depend on what was read.
type randomModel struct {
	bodies  [][]int
	work    []int
	limited bool
	// skips: bit i says whether an action at i is left out where the last result was 0.
	skips uint
}

// objects are those of a random model.
type objects struct {
	x, y     *cpus.Word
	l        *kernelmodel.Spinlock
	m        *kernelmodel.Mutex
	rw       *kernelmodel.RWLock
	sem      *kernelmodel.Semaphore
	e        *kernelmodel.Event
	q        *kernelmodel.WaitQueue
	set      *kernelmodel.WaitPoint
	poll     *cpus.Poll
	w, w2    *kernelmodel.Work
	shared   cpus.Shared
	guarded  int64
	announce int64
	last     cpus.Primitive
}

// actions are what a function can do; those of works are the first.
var actions = []func(k *cpus.Thread, o *objects) int64{
	func(k *cpus.Thread, o *objects) int64 { return k.Load(o.x) },
	func(k *cpus.Thread, o *objects) int64 { k.Store(o.x, 1); return 1 },
	func(k *cpus.Thread, o *objects) int64 { return k.AddReturn(o.y, 1) & 1 },
	func(k *cpus.Thread, o *objects) int64 { return k.Cmpxchg(o.y, 0, 2) },
	func(k *cpus.Thread, o *objects) int64 { k.AddPlain(o.x, 1); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.e, kernelmodel.Signal); return 0 },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.q, kernelmodel.Wake) },
	func(k *cpus.Thread, o *objects) int64 { // what it reads is the lock's
		kernelmodel.SpinLock(k, o.l)
		was := o.guarded
		o.guarded = 1 - was
		kernelmodel.SpinUnlock(k, o.l)
		return was
	},
	func(k *cpus.Thread, o *objects) int64 { k.Updates(&o.shared); o.announce++; return o.announce & 1 },
	func(k *cpus.Thread, o *objects) int64 { k.Sees(&o.shared); return o.announce & 1 },
	func(k *cpus.Thread, o *objects) int64 { k.Run(1); k.Sleep(1); return 0 },
	func(k *cpus.Thread, o *objects) int64 { // of tasks, from here on
		k.Call(o.m, kernelmodel.Lock)
		was := k.Load(o.x)
		k.Call(o.m, kernelmodel.Unlock)
		return was
	},
	func(k *cpus.Thread, o *objects) int64 {
		if k.Call(o.l, kernelmodel.TryLock) == 0 {
			return 0
		}
		kernelmodel.SpinUnlock(k, o.l)
		return 1
	},
	func(k *cpus.Thread, o *objects) int64 {
		k.Call(o.rw, kernelmodel.ReadLock)
		k.Call(o.rw, kernelmodel.ReadUnlock)
		return 0
	},
	func(k *cpus.Thread, o *objects) int64 {
		k.Call(o.rw, kernelmodel.WriteLock)
		k.Call(o.rw, kernelmodel.WriteUnlock)
		return 0
	},
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.sem, kernelmodel.Down); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.sem, kernelmodel.Up); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.e, kernelmodel.SignalAll); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.e, kernelmodel.Await); return 0 },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.q, kernelmodel.WakeAll) },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.set, kernelmodel.Wait); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.set, kernelmodel.WaitExclusive); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.q, kernelmodel.SleepOn); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.poll, 0); return 0 },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.w, kernelmodel.WorkQueue) },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.w2, kernelmodel.WorkQueue) },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.w, kernelmodel.WorkFlush) },
	func(k *cpus.Thread, o *objects) int64 { return k.Call(o.w, kernelmodel.WorkCancel) },
	func(k *cpus.Thread, o *objects) int64 { return k.Load(o.w.Pending()) },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.last, cpus.TaskStart); return 0 },
	func(k *cpus.Thread, o *objects) int64 { k.Call(o.last, cpus.TaskJoin); return 0 },
}

// workActions is how many of the actions are for works.
const workActions = 11

func newRandomModel(r *rand.Rand) *randomModel {
	m := &randomModel{limited: r.IntN(3) == 0, skips: uint(r.Uint32())}
	for range 3 {
		var body []int
		for range 1 + r.IntN(3) {
			body = append(body, r.IntN(len(actions)))
		}
		m.bodies = append(m.bodies, body)
	}
	// The last, which others start, does not join itself.
	last := m.bodies[2]
	for i := range last {
		last[i] %= len(actions) - 2
	}
	for range 1 + r.IntN(2) {
		m.work = append(m.work, r.IntN(workActions))
	}
	return m
}

func (m *randomModel) build(machine *cpus.Machine) explore.Modelled {
	o := &objects{
		x: machine.NewWord("x", 0), y: machine.NewWord("y", 0), shared: cpus.Shared{Name: "shared"},
		l: kernelmodel.NewSpinlock(machine, "l", "ticket"), m: kernelmodel.NewMutex(machine, "m"),
		rw: kernelmodel.NewRWLock(machine, "rw"), sem: kernelmodel.NewSemaphore(machine, "sem", 1),
		e: kernelmodel.NewEvent(machine, "e"), q: kernelmodel.NewWaitQueue(machine, "q"),
	}
	isSet := kernelmodel.ConditionFunc(func(*cpus.Task) bool { return o.x.Value != 0 })
	o.set, o.poll = o.q.Until(isSet, o.x), machine.NewPoll("poll", []*cpus.Word{o.x}, isSet)
	most := 0
	if m.limited {
		most = 1
	}
	queue := kernelmodel.NewWorkqueue(machine, kernelmodel.WorkqueueSpec{Name: "wq", MaxActive: most})
	does := func(list []int) func(k *cpus.Thread) {
		return func(k *cpus.Thread) {
			result := int64(1)
			for i, action := range list {
				if result != 0 || m.skips>>i&1 == 0 {
					result = actions[action](k, o)
				}
			}
		}
	}
	o.w, o.w2 = queue.NewWork("w", machine.Func(does(m.work))), queue.NewWork("w2", machine.Func(does(m.work[:1])))
	built := functions(machine, does(m.bodies[0]), does(m.bodies[1]), does(m.bodies[2]))
	built.Manual = built.Tasks[2:]
	o.last = built.Tasks[2].Lifecycle()
	built.Finally = counts(o.x, 1)
	built.Final = func(buf []byte) []byte { return fmt.Append(buf, o.guarded, o.announce) }
	return built
}

// TestReductionOfRandomModelsLosesNothing compares, on models in Go of any operations,
// optimal reduction with all interleavings: classes, ends and what is found. It holds
// only if steps say rightly what they touch.
func TestReductionOfRandomModelsLosesNothing(t *testing.T) {
	const models, most = 1500, 200
	walked := 0
	for seed := range uint64(models) {
		m := newRandomModel(rand.New(rand.NewPCG(seed, 3)))
		whole := explored(t, goModel(m.build), explore.Options{Strategy: explore.DFS(), Classes: true, Executions: most})
		if !whole.Complete {
			continue
		}
		walked++
		reduced, err := explore.Explore(goModel(m.build), explore.Options{Strategy: explore.DPOR(), CheckDeterminism: seed%8 == 0})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if reduced.Executions != *whole.Traces || reduced.Blocked != 0 || *reduced.FinalStates != *whole.FinalStates {
			t.Errorf("seed %d: %d executions, %d blocked, %d ends; there are %d classes, %d ends: %+v", seed,
				reduced.Executions, reduced.Blocked, *reduced.FinalStates, *whole.Traces, *whole.FinalStates, m)
		}
		if got, want := whats(foundIn(reduced)), whats(foundIn(whole)); !slices.Equal(got, want) {
			t.Errorf("seed %d: finds %q, want %q: %+v", seed, got, want, m)
		}
	}
	t.Logf("%d of %d models had at most %d interleavings", walked, models, most)
}
