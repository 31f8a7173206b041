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

// whats lists what was found, by an execution or by all together, but for kinds that are
// not the same in all interleavings of a class.
func whats(found map[string]bool) []string {
	all := map[string]bool{}
	for what := range found {
		all[strings.TrimSuffix(what, " (seen over all executions)")] = true
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(s string) bool {
		return strings.HasPrefix(s, string(explore.DataRace)) || strings.HasPrefix(s, string(explore.LostWakeup))
	})
}

// TestStrategiesAgreeWithAPlainWalkOnRandomPrograms compares, on programs of any
// operations, every strategy that promises to find everything with a walk over all
// interleavings.
func TestStrategiesAgreeWithAPlainWalkOnRandomPrograms(t *testing.T) {
	for _, tso := range []bool{false, true} {
		t.Run(map[bool]string{false: "sc", true: "tso"}[tso], func(t *testing.T) {
			const most = 150
			n, seed := explore.RandomPrograms(250)
			for walked := 0; walked < n; seed++ {
				r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 1)), tso: tso}
				text := r.text()
				f := parseFile(t, "f.yaml", text)
				w := newWalk(f.program(t, ""), false)
				w.most = most
				if w.start(); w.full {
					continue
				}
				walked++
				for _, f := range w.p.Lockdep().Findings() {
					w.found(f)
				}
				if w.broken != "" {
					t.Errorf("program %d: %s\n%s", seed, w.broken, text)
				}
				for _, s := range []explore.Strategy{explore.DFS(), explore.DPOR(), explore.States()} {
					if bad := differs(f.spec(t, ""), s, w); bad != "" {
						t.Errorf("program %d: %s: %s\n%s", seed, s, bad, text)
					}
				}
			}
		})
	}
}

// TestStrategiesAgreeWhereStepsMeetRarely, as random programs have shown.
func TestStrategiesAgreeWhereStepsMeetRarely(t *testing.T) {
	const objects = "objects: {x: {word: 0}, y: {word: 0}, l: {spinlock: ticket}, m: {mutex: {}}, e: {event: {}}, w: {work: [read: {r: x}]}}\n"
	for _, c := range []struct{ claim, text string }{
		{"a poll of registers that its own end changes, through a join", `
tasks:
  t0: {do: [trylock: {r: l}, join: t2, write: {x: r}]}
  t2: {do: [spin_until: "t0.r == 1"]}`},
		{"another's drain ends a task under a handler that has stored", `
tasks:
  t0: {do: [acquire: {r: y}, join: t1, start: t2]}
  t1: {do: [write: {x: 1}]}
  t2: {do: [write: {y: 1}], start: manual}
  h: {do: [lock: m, signal: e, unlock: m], context: softirq, interrupts: t0}
explore: {memory: tso}`},
		{"a task comes to a sleep while a handler has bottom halves off", `
tasks:
  t0: {do: [join: t1, flush: w]}
  t1: {do: [write: {x: 1}]}
  h: {do: [bh_off, fence: mb, bh_on], context: hardirq, interrupts: t0}`},
		{"a handler leaves bottom halves off", `
tasks:
  t0: {do: [join: t1, flush: w, write: {x: 1}, flush: w]}
  t1: {do: [write: {x: 1}]}
  h: {do: [bh_off], context: hardirq, interrupts: t0}`},
		{"a try that may fail beside a handler", `
tasks:
  t0: {do: [write: {y: 1}, atomic: {r: "inc_not_zero(x)"}]}
  t1: {do: [read: {r: x}]}
  h: {do: [write: {x: 1}], context: hardirq, interrupts: t0}
explore: {memory: tso}`},
		{"a poll of two words, of which one comes to its value twice", `
tasks:
  t0: {do: [write: {x: 2}]}
  t1: {do: [write: {y: 1}, write: {y: 2}, write: {y: 1}]}
  t2: {do: [write: {x: 1}, spin_until: "x == 1 || y == 1"]}`},
	} {
		f := parseFile(t, "f.yaml", objects+c.text)
		w := walkAll(f.program(t, ""), false)
		if w.broken != "" {
			t.Errorf("%s: %s", c.claim, w.broken)
		}
		for _, s := range []explore.Strategy{explore.DFS(), explore.DPOR(), explore.States()} {
			if bad := differs(f.spec(t, ""), s, w); bad != "" {
				t.Errorf("%s: %s: %s", c.claim, s, bad)
			}
		}
	}
}

// TestChecksOfSeveralWordsMakeTheirWritesDepend: the check is judged between the writes,
// so that their order shows, though they touch nothing in common.
func TestChecksOfSeveralWordsMakeTheirWritesDepend(t *testing.T) {
	const text = `
objects: {x: {word: 0}, y: {word: 0}, z: {word: 0}}
tasks:
  t0: {do: [write: {x: 1}]}
  t1: {do: [write: {y: 1}]}
  t2: {do: [write: {z: 1}]}
`
	for _, c := range []struct {
		always  string
		classes int64
		finds   []string
	}{
		{"", 1, nil},
		{"check: {always: ['x >= y']}", 2, []string{"check x >= y"}},
		{"check: {always: ['x >= y', 'y >= z']}", 4, []string{"check x >= y", "check y >= z"}},
		{"check: {always: ['x >= y && y >= z']}", 6, []string{"check x >= y && y >= z"}},
		{"check: {always: ['x + y + z < 4']}", 6, nil},
		{"check: {always: ['x < 2', 'y < 2', 'z < 2']}", 1, nil},
	} {
		for _, memory := range []string{"sc", "tso"} {
			f := parseFile(t, "f.yaml", text+c.always+"\nexplore: {memory: "+memory+"}\n")
			r := explored(t, func() explore.System { return f.program(t, "") }, explore.Options{Strategy: explore.DPOR(), CheckDeterminism: true})
			var got []string
			for _, found := range r.Findings {
				got = append(got, string(found.Kind)+" "+found.What)
			}
			slices.Sort(got)
			if r.Executions != c.classes || r.Blocked != 0 || !slices.Equal(got, c.finds) {
				t.Errorf("%s, %s: %d classes, %d blocked, finds %q; want %d, %q", c.always, memory, r.Executions, r.Blocked, got, c.classes, c.finds)
			}
			if bad := differs(f.spec(t, ""), explore.DPOR(), walkAll(f.program(t, ""), false)); bad != "" {
				t.Errorf("%s, %s: %s", c.always, memory, bad)
			}
		}
	}
}

// differs says where a strategy differs from the walk: in what it finds, how executions
// end, and how many interleavings and classes there are, each of which optimal
// reduction explores once. For that, steps must say rightly what they touch.
func differs(spec explore.ProgramSpec, s explore.Strategy, w *walk) (bad string) {
	defer func() {
		if p := recover(); p != nil {
			bad = fmt.Sprint(p)
		}
	}()
	got, err := explore.Explore(func() explore.System {
		p, err := explore.NewProgram(spec)
		if err != nil {
			panic(err)
		}
		return p
	}, explore.Options{Strategy: s, Classes: s != explore.States(), CheckDeterminism: true})
	if err != nil {
		return err.Error()
	}
	switch {
	case !got.Complete || *got.FinalStates != int64(len(w.finals)):
		return fmt.Sprintf("complete %t, %d final states; the walk has %d", got.Complete, *got.FinalStates, len(w.finals))
	case got.Traces != nil && *got.Traces != int64(len(w.classes)):
		return fmt.Sprintf("%d classes; the walk has %d", *got.Traces, len(w.classes))
	case got.Interleavings != nil && (*got.Interleavings != int64(w.all) || *got.Failing != int64(w.failing)):
		return fmt.Sprintf("%d interleavings, %d failing; the walk has %d, %d", *got.Interleavings, *got.Failing, w.all, w.failing)
	case s == explore.DPOR() && (got.Executions != int64(len(w.classes)) || got.Blocked > 0):
		return fmt.Sprintf("%d executions, %d blocked; the walk has %d classes", got.Executions, got.Blocked, len(w.classes))
	}
	if got, want := whats(foundIn(got)), whats(w.whats); !slices.Equal(got, want) {
		return fmt.Sprintf("finds\n  %s\nthe walk finds\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return ""
}
