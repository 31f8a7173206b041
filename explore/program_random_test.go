package explore_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"smpsim/explore"
)

// randomProgram is the text of a small file with any of the operations there are.
type randomProgram struct {
	*rand.Rand
	tso bool
	// timed leaves out what the timed machine ends a run at or does not know.
	timed bool
}

func (r *randomProgram) of(choices ...string) string { return choices[r.IntN(len(choices))] }

// step is a random step. Those that may sleep are not for handlers, and work items
// neither start nor wait for one another, so that most programs come to an end.
func (r *randomProgram) step(deep bool, task string) string {
	word := r.of("x", "y")
	if deep && r.IntN(6) == 0 {
		body := r.step(false, task)
		return r.of("{if: r == 1, then: ["+body+"]}", "{if: r == 0, then: ["+body+"], else: ["+r.step(false, task)+"]}",
			"{loop: 2, do: ["+body+"]}", "{if: r == 1, then: [return]}", "{lock: l}, "+body+", {unlock: l}",
			"{lock: m}, "+body+", {unlock: m}", "{lock_irq: l}, "+body+", {unlock_irq: l}", "{lock_bh: l}, "+body+", {unlock_bh: l}",
			"{read_lock: rw}, "+body+", {read_unlock: rw}", "{write_lock: rw}, "+body+", {write_unlock: rw}",
			"{write_lock: s}, "+body+", {write_unlock: s}", `{read_begin: {k: s}}, `+body+`, {read_retry: {r: "s, k"}}`,
			"irq_off, "+body+", irq_on", "bh_off, "+body+", bh_on")
	}
	if r.IntN(2) == 0 {
		return r.of("{read: {r: "+word+"}}", "{write: {"+word+": r + 1}}", "{write: {"+word+": 1}}", "{read_plain: {r: "+word+"}}",
			"{write_plain: {"+word+": 2}}", "{acquire: {r: "+word+"}}", "{release: {"+word+": 1}}", `{read: {r: "a[r]"}}`, `{write: {"a[1]": r}}`)
	}
	if task == "h" {
		return r.of("{add: d}", "{fence: mb}", "{trylock: {r: l}}", "{lock: l}, {unlock: l}", "{signal: e}", "{queue: w}", "{wake: q}", "{up: sem}")
	}
	if strings.HasPrefix(task, "w") {
		return r.of("{add: d}", "{fence: mb}", "{lock: l}, {unlock: l}", "{lock: m}, {unlock: m}", "{signal: e}", "{wake: q}")
	}
	return r.of("{add: c}", "{add: d}", "{sub: d}", "{fence: mb}", "{fence: wmb}", `{atomic: {r: "cmpxchg(`+word+`, 0, 1)"}}`,
		`{atomic: {r: "fetch_add(`+word+`, 1)"}}`, `{atomic: {r: "inc_not_zero(`+word+`)"}}`, `{atomic: {r: "test_and_set(`+word+`)"}}`,
		"{trylock: {r: l}}", "{lock: l}", "{unlock: l}", "{down: sem}", "{up: sem}", "{signal: e}", "{await: e}",
		`{spin_until: "x == 1 || y == 1"}`, `{wait: {queue: q, until: "x == 1"}}`, "{sleep_on: q}", "{wake: q}", "{wake_all: q}",
		"{queue: w}", "{queue: w2}", "{flush: w}", "{flush: w2}", "{cancel: w}", "{read: {r: pending(w)}}", "{start: t2}", "{join: t2}",
		`{spin_until: "t0.r == 1"}`, "{assert: r == 0}", "{sleep: 1us}", "{mark: m0}", "{join: t1}")
}

func (r *randomProgram) steps(task string, most int) string {
	list := []string{"{set: {r: 0, k: 0}}"}
	for range 1 + r.IntN(most) {
		step := r.step(true, task)
		if task == "t1" {
			step = strings.ReplaceAll(step, "{join: t1}", "{add: d}")
		}
		if task == "t2" {
			step = strings.ReplaceAll(strings.ReplaceAll(step, "{join: t2}", "{add: d}"), "{start: t2}", "{add: c}")
		}
		list = append(list, step)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

func (r *randomProgram) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, `objects:
  x: {word: 0}
  y: {word: 0}
  a: {word: [0, 0]}
  c: {counter: plain}
  d: {counter: atomic}
  l: {spinlock: ticket}
  m: {mutex: {}}
  rw: {rwlock: {}}
  s: {seqlock: {}}
  sem: {semaphore: 1}
  e: {event: {}}
  q: {waitqueue: {}}
  wq: {workqueue: %s, max_active: 1}
  w: {work: %s%s}
  w2: {work: %s%s}
`, r.of("unbound", "percpu"), r.steps("w", 2), r.of("", ", on: wq"), r.steps("w2", 1), r.of("", ", on: wq"))
	b.WriteString("tasks:\n")
	fmt.Fprintf(&b, "  t0: {do: %s}\n  t1: {do: %s}\n", r.steps("t0", 3), r.steps("t1", 3))
	kthread := r.of("", ", kthread: true")
	if r.timed {
		kthread = "" // a timed run ends without it
	}
	fmt.Fprintf(&b, "  t2: {do: %s, start: manual%s}\n", r.steps("t2", 2), kthread)
	if r.IntN(3) == 0 && !r.timed {
		fmt.Fprintf(&b, "  h: {do: %s, context: %s, interrupts: %s}\n", r.steps("h", 2), r.of("softirq", "hardirq"), r.of("t0", "t1"))
	}
	if r.timed {
		b.WriteString("  late: {do: [sleep: 1ms]}\n") // a timed run does not wait for work items
	}
	b.WriteString("check:\n  finally: [x == y]\n")
	if r.IntN(4) == 0 {
		fmt.Fprintf(&b, "  always: ['%s']\n", r.of("x == y", "x + y < 2", "t0.r == t1.r", "t0.r == y", "pending(w) == 0"))
	}
	if r.tso {
		b.WriteString("explore: {memory: tso}\n")
	}
	return b.String()
}

// whats lists what was found, but for kinds that are not the same in all interleavings
// of a class.
func whats(found map[string]bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(found)), func(s string) bool {
		return strings.HasPrefix(s, string(explore.DataRace)) || strings.HasPrefix(s, string(explore.LostWakeup))
	})
}

// TestReductionOfRandomProgramsLosesNothing compares, on programs of any operations,
// optimal reduction with a walk over all interleavings: what they find, how they end,
// and that each class is explored once. It holds only if steps say rightly what they
// touch.
func TestReductionOfRandomProgramsLosesNothing(t *testing.T) {
	const programs, most = 400, 150
	walked := 0
	for seed := range uint64(programs) {
		r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 1)), tso: seed%4 == 0}
		text := r.text()
		f := parseFile(t, "f.yaml", text)
		w := newWalk(f.program(t, ""), false)
		w.most = most
		if w.start(); w.full {
			continue
		}
		walked++
		if w.broken != "" {
			t.Errorf("seed %d: %s\n%s", seed, w.broken, text)
		}
		if states := visitStates(f.program(t, "")); states.finds() != w.finds() || !maps.Equal(states.finals, w.finals) {
			t.Errorf("seed %d: visiting states finds %s, %d final states; the walk %s, %d\n%s",
				seed, states.finds(), len(states.finals), w.finds(), len(w.finals), text)
		}
		spec := f.spec(t, "")
		got, err := explore.Explore(func() explore.System {
			p, err := explore.NewProgram(spec)
			if err != nil {
				t.Fatal(err)
			}
			return p
		}, explore.Options{Strategy: explore.DPOR(), Classes: true})
		if err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, text)
			continue
		}
		found := map[string]bool{}
		for _, f := range got.Findings {
			found[fmt.Sprintf("%s: %s", f.Kind, f.What)] = true
		}
		if got.Executions != int64(len(w.classes)) || *got.FinalStates != int64(len(w.finals)) {
			t.Errorf("seed %d: %d executions, %d blocked, %d final states; the walk has %d classes of %d, %d final states\n%s",
				seed, got.Executions, got.Blocked, *got.FinalStates, len(w.classes), w.all, len(w.finals), text)
		}
		if got, want := whats(found), whats(w.whats); !slices.Equal(got, want) {
			t.Errorf("seed %d: finds\n  %s\nthe walk finds\n  %s\n%s", seed, strings.Join(got, "\n  "), strings.Join(want, "\n  "), text)
		}
	}
	t.Logf("%d of %d programs had at most %d interleavings", walked, programs, most)
}
