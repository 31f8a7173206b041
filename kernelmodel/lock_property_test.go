package kernelmodel_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// lockKind is a lock that one task holds at a time, and its steps.
type lockKind struct {
	name          string
	make          func(b *bench) any
	lock, unlock  string
	trylock, fifo bool
}

var lockKinds = []lockKind{
	{"qspinlock", spin("qspinlock"), "lock q", "unlock q", true, false},
	{"ticket", spin("ticket"), "lock q", "unlock q", true, true},
	{"mcs", spin("mcs"), "lock q", "unlock q", true, true},
	{"test-and-set", spin("test-and-set"), "lock q", "unlock q", true, false},
	{"spinlock-irq", spin("qspinlock"), "lock_irq q", "unlock_irq q", false, false},
	{"spinlock-bh", spin("ticket"), "lock_bh q", "unlock_bh q", false, true},
	{"mutex", func(b *bench) any { return kernelmodel.NewMutex(b.machine, "q") }, "lock q", "unlock q", true, false},
	{"semaphore", func(b *bench) any { return kernelmodel.NewSemaphore(b.machine, "q", 1) }, "down q", "up q", false, true},
	{"rwlock", func(b *bench) any { return kernelmodel.NewRWLock(b.machine, "q") }, "write_lock q", "write_unlock q", false, false},
	{"seqlock", func(b *bench) any { return kernelmodel.NewSeqlock(b.machine, "q") }, "write_lock q", "write_unlock q", false, false},
}

func spin(kind string) func(b *bench) any {
	return func(b *bench) any { return kernelmodel.NewSpinlock(b.machine, "q", kind) }
}

// occupancy watches a critical section: the step before an unlock is its end.
type occupancy struct {
	t            *rapid.T
	kind         *lockKind
	inside, seen int
}

func (o *occupancy) watch(task *cpus.Task, s *step, result int64) {
	switch {
	case s.text == o.kind.lock, strings.HasPrefix(s.text, "trylock") && result == 1:
		o.inside++
		o.seen++
	case strings.HasSuffix(s.text, " 7ns"):
		o.inside--
	}
	if o.inside > 1 {
		o.t.Fatalf("%s entered at %v while another was inside", task.Name(), task.Machine().Sim.Now())
	}
}

// overtaking is a tracer that notes who waits for the lock, and fails if
// somebody gets it who began to wait after another.
type overtaking struct {
	t       *rapid.T
	name    string
	machine *cpus.Machine
	waiting []int32
}

func (o *overtaking) Trace(e cpus.TraceEvent) {
	if e.Kind == cpus.TraceContentionBegin && o.machine.NameOf(e.Name) == o.name {
		o.waiting = append(o.waiting, e.Task)
	}
	if e.Kind == cpus.TraceContentionEnd && o.machine.NameOf(e.Name) == o.name {
		if o.waiting[0] != e.Task {
			o.t.Fatalf("task %d overtook task %d at %v", e.Task, o.waiting[0], e.At)
		}
		o.waiting = slices.Delete(o.waiting, 0, 1)
	}
}

func TestLocksAdmitOneTaskAtATimeAndAllInTheEnd(t *testing.T) {
	for _, kind := range lockKinds {
		t.Run(kind.name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				w := drawWorld(t)
				var tracer overtaking
				w.build = func(b *bench) {
					b.objects["q"] = kind.make(b)
					b.objects["c"] = kernelmodel.NewCounter(b.machine.NewWord("c", 0), false)
					tracer = overtaking{t: t, name: "q", machine: b.machine}
				}
				w.drawTasks(t, func(t *rapid.T) string {
					section := join(drawRun(t), kind.lock, "add c 1", "run 7ns", kind.unlock, drawRun(t))
					if kind.trylock && rapid.Bool().Draw(t, "try") {
						section = join(section, "trylock q", "?add c 1", "?run 7ns", "?"+kind.unlock)
					}
					return section
				})
				o := &occupancy{t: t, kind: &kind}
				var ts cpus.Tracer
				if kind.fifo {
					ts = &tracer
				}
				b, outcome := w.run(o.watch, ts)
				if outcome != cpus.Ended {
					t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
				}
				if count := b.objects["c"].(*kernelmodel.Counter).Word().Value; count != int64(o.seen) {
					t.Fatalf("a plain count under the lock is %d after %d sections", count, o.seen)
				}
				checkAccounts(t, b.machine)
			})
		})
	}
}

func TestSameSeedGivesTheSameTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(lockKinds).Draw(t, "kind")
		w := drawWorld(t)
		w.build = func(b *bench) { b.objects["q"] = kind.make(b) }
		w.drawTasks(t, func(t *rapid.T) string {
			return join(drawRun(t), kind.lock, drawRun(t), kind.unlock)
		})
		var first, second digest
		w.run(nil, &first)
		w.run(nil, &second)
		if first != second {
			t.Fatal("two runs of one world have different traces")
		}
	})
}

// Ticks and their length change who comes when, but not what the tasks have done
// in the end.
func TestTicksChangeNothingButTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kind := rapid.SampledFrom(lockKinds).Draw(t, "kind")
		w := drawWorld(t)
		w.build = func(b *bench) {
			b.objects["q"] = kind.make(b)
			b.objects["c"] = kernelmodel.NewCounter(b.machine.NewWord("c", 0), false)
		}
		w.drawTasks(t, func(t *rapid.T) string {
			return join(drawRun(t), kind.lock, "add c 1", drawRun(t), kind.unlock)
		})
		var counts []int64
		for _, hz := range []int{0, 100, 50000} {
			w.spec.HZ = hz
			b, outcome := w.run(nil, nil)
			if outcome != cpus.Ended {
				t.Fatalf("%v with HZ=%d", outcome, hz)
			}
			counts = append(counts, b.objects["c"].(*kernelmodel.Counter).Word().Value)
		}
		if counts[0] != counts[1] || counts[0] != counts[2] {
			t.Fatalf("counts without, with few and with many ticks: %v", counts)
		}
	})
}

// sharing watches an rwlock: the run of 7 ns ends a writer's section, that of 6
// ns a reader's.
type sharing struct {
	t                         *rapid.T
	readers, writers, sharers int
}

func (s *sharing) watch(task *cpus.Task, st *step, _ int64) {
	switch {
	case st.text == "read_lock q":
		s.readers++
	case st.text == "write_lock q":
		s.writers++
	case strings.HasSuffix(st.text, " 6ns"):
		s.readers--
	case strings.HasSuffix(st.text, " 7ns"):
		s.writers--
	}
	s.sharers = max(s.sharers, s.readers)
	if s.writers > 1 || s.writers == 1 && s.readers > 0 {
		s.t.Fatalf("%d writers and %d readers inside at %v", s.writers, s.readers, task.Machine().Sim.Now())
	}
}

func TestRWLockAdmitsReadersTogetherAndWritersAlone(t *testing.T) {
	shared := false
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.build = func(b *bench) { b.objects["q"] = kernelmodel.NewRWLock(b.machine, "q") }
		w.drawTasks(t, func(t *rapid.T) string {
			if rapid.Bool().Draw(t, "writer") {
				return join(drawRun(t), "write_lock q", drawRun(t), "run 7ns", "write_unlock q")
			}
			return join(drawRun(t), "read_lock q", drawRun(t), "run 6ns", "read_unlock q")
		})
		s := &sharing{t: t}
		b, outcome := w.run(s.watch, nil)
		if outcome != cpus.Ended {
			t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
		}
		shared = shared || s.sharers > 1
		checkAccounts(t, b.machine)
	})
	if !shared {
		t.Fatal("no two readers were ever inside together")
	}
}

// torn watches readers of two words that a writer changes one after the other.
type torn struct {
	t     *rapid.T
	first map[string]int64
	last  map[string]int64
}

func (r *torn) watch(task *cpus.Task, st *step, result int64) {
	switch st.text {
	case "read x":
		r.first[task.Name()] = result
	case "read y":
		r.last[task.Name()] = result
	case "read_retry q":
		if result == 0 && r.first[task.Name()] != r.last[task.Name()] {
			r.t.Fatalf("%s read %d and %d as one state", task.Name(), r.first[task.Name()], r.last[task.Name()])
		}
	}
}

func TestSeqlockReadersSeeOneState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := drawWorld(t)
		w.build = func(b *bench) {
			b.objects["q"] = kernelmodel.NewSeqlock(b.machine, "q")
			b.objects["x"] = b.machine.NewWord("x", 0)
			b.objects["y"] = b.machine.NewWord("y", 0)
		}
		w.drawTasks(t, func(t *rapid.T) string {
			if rapid.Bool().Draw(t, "writer") {
				return join(drawRun(t), "write_lock q", "add_return x 1", drawRun(t), "add_return y 1", "write_unlock q", drawRun(t))
			}
			return join(drawRun(t), "read_begin q", "read x", drawRun(t), "read y", "read_retry q", "?back 5")
		})
		r := &torn{t: t, first: map[string]int64{}, last: map[string]int64{}}
		b, outcome := w.run(r.watch, nil)
		if outcome != cpus.Ended {
			t.Fatalf("%v at %v: %v", outcome, b.machine.Sim.Now(), b.machine.Failure())
		}
		checkAccounts(t, b.machine)
	})
}
