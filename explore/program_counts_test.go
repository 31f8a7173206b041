package explore_test

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"smpsim/explore"
)

// source is an experiment file, built from the lines of its objects, its tasks (each a
// list of steps in flow style), and its finally.
type source struct {
	objects, tasks []string
	finally        string
}

func (s *source) object(format string, args ...any) {
	s.objects = append(s.objects, fmt.Sprintf(format, args...))
}

func (s *source) task(steps ...string) {
	s.tasks = append(s.tasks, fmt.Sprintf("t%d: {do: [%s]}", len(s.tasks), strings.Join(steps, ", ")))
}

func (s *source) text() string {
	text := "objects: {" + strings.Join(s.objects, ", ") + "}\ntasks:\n  " + strings.Join(s.tasks, "\n  ") + "\n"
	if s.finally != "" {
		text += "check: {finally: [" + s.finally + "]}\n"
	}
	return text
}

func repeat(n int, steps ...string) []string {
	var all []string
	for range n {
		all = append(all, steps...)
	}
	return all
}

// lost is n tasks that k times read a count and write one more.
func lost(n, k int) string {
	s := &source{finally: fmt.Sprintf("c == %d", n*k)}
	s.object("c: {word: 0}")
	for range n {
		s.task(repeat(k, "read: {r: c}", "write: {c: r + 1}")...)
	}
	return s.text()
}

// ring is n tasks each of which takes two neighbouring locks of n.
func ring(n int) string {
	s := &source{}
	for i := range n {
		s.object("m%d: {spinlock: ticket}", i)
		next := (i + 1) % n
		s.task(fmt.Sprintf("lock: m%d", i), fmt.Sprintf("lock: m%d", next), fmt.Sprintf("unlock: m%d", next), fmt.Sprintf("unlock: m%d", i))
	}
	return s.text()
}

// deep needs three steps in one order; the tasks have that many steps of their own
// around them.
func deep(pads int) string {
	s := &source{}
	s.object("x: {word: 0}, p: {word: 0}, q: {word: 0}")
	a := slices.Concat(repeat(pads, "write: {p: 1}"), []string{"write: {x: 1}"}, repeat(pads, "write: {p: 1}"),
		[]string{"write: {x: 0}"}, repeat(pads, "write: {p: 1}"))
	b := slices.Concat(repeat(pads, "write: {q: 1}"), []string{"read: {r: x}", "{if: r == 1, then: [{read: {r: x}}, {assert: r != 0}]}"},
		repeat(pads, "write: {q: 1}"))
	s.task(a...)
	s.task(b...)
	return s.text()
}

func locked(n, k int) string {
	s := &source{finally: fmt.Sprintf("c == %d", n*k)}
	s.object("l: {mutex: {}}, c: {word: 0}")
	for range n {
		s.task(repeat(k, "lock: l", "read: {r: c}", "write: {c: r + 1}", "unlock: l")...)
	}
	return s.text()
}

// reorder has n-1 tasks that set a and then b, and one that must not see them apart.
func reorder(n int) string {
	s := &source{}
	s.object("a: {word: 0}, b: {word: 0}")
	for range n - 1 {
		s.task("write: {a: 1}", "write: {b: -1}")
	}
	s.task("read: {x: a}", "set: {ok: 0}",
		"{if: x == 0, then: [{read: {y: b}}, {set: {ok: y == 0}}]}",
		"{if: ok == 0, then: [{read: {x: a}}, {if: x == 1, then: [{read: {y: b}}, {set: {ok: y == -1}}]}]}",
		"assert: ok")
	return s.text()
}

func twostage() string {
	s := &source{}
	s.object("l1: {mutex: {}}, l2: {mutex: {}}, d1: {word: 0}, d2: {word: 0}")
	s.task("lock: l1", "write: {d1: 1}", "unlock: l1", "lock: l2", "read: {r: d1}", "write: {d2: r + 1}", "unlock: l2")
	s.task("lock: l1", "read: {r: d1}", "{if: r == 0, then: [{unlock: l1}, return]}", "read: {u: d1}", "unlock: l1",
		"lock: l2", "read: {v: d2}", "unlock: l2", "assert: v == u + 1")
	return s.text()
}

func lazy() string {
	s := &source{}
	s.object("l: {mutex: {}}, d: {word: 0}")
	s.task("lock: l", "read: {r: d}", "write: {d: r + 1}", "unlock: l")
	s.task("lock: l", "read: {r: d}", "write: {d: r + 2}", "unlock: l")
	s.task("lock: l", "read: {r: d}", "assert: r < 3", "unlock: l")
	return s.text()
}

func lostWakeup() string {
	s := &source{}
	s.object("q: {waitqueue: {}}, x: {word: 0}")
	s.task("read: {r: x}", "{if: r == 0, then: [{sleep_on: q}]}")
	s.task("write: {x: 1}", "wake: q")
	return s.text()
}

// TestProgramsHaveExactlyTheKnownInterleavings compares with counts that were computed
// elsewhere: all and failing interleavings when an assertion ends an execution, the
// probability of a failure when each step is drawn evenly, classes, and all and failing
// interleavings by preemptions.
func TestProgramsHaveExactlyTheKnownInterleavings(t *testing.T) {
	collector := readFile(t, "../examples/explore_double_entry.yaml")
	for _, c := range []struct {
		name          string
		p             *explore.Program
		all, failing  int
		risk          string
		classes       int
		byPreemptions string
	}{
		{"lost 2x1", program(t, lost(2, 1)), 6, 4, "1/2", 4, "2/0 2/2 2/2"},
		{"lost 2x2", program(t, lost(2, 2)), 70, 64, "13/16", 34, "2/0 6/4 18/16 18/18 18/18 6/6"},
		{"lost 3x1", program(t, lost(3, 1)), 90, 84, "5/6", 36, "6/0 18/18 36/36 30/30"},
		{"ABBA 2", program(t, ring(2)), 6, 2, "1/2", 3, "2/0 4/2"},
		{"ABBA ring 3", program(t, ring(3)), 168, 6, "1/3", 7, "6/0 51/3 72/3 21/0 18/0"},
		{"collector, trusted", collector.program(t, "trusted"), 776, 30, "15/128", 30, "2/0 16/0 14/4 58/6 142/14 186/6"},
		{"collector, re-checked", collector.program(t, "re-checked"), 22, 0, "0", 4, "2/0 6/0 8/0 4/0 2/0"},
		{"depth-3", program(t, deep(0)), 4, 1, "1/8", 4, "2/0 1/0 1/1"},
		{"locked 2x3", program(t, locked(2, 3)), 20, 0, "0", 20, "2/0 4/0 8/0 4/0 2/0"},
		{"locked 3x1", program(t, locked(3, 1)), 6, 0, "0", 6, "6/0"},
		{"reorder 3", program(t, reorder(3)), 162, 8, "4/81", 56, "6/0 18/2 50/2 64/4 24/0"},
		{"twostage 1+1", program(t, twostage()), 72, 1, "1/64", 3, "2/0 4/1 13/0"},
		{"lazy01", program(t, lazy()), 6, 2, "1/3", 6, "6/2"},
		{"lost wake-up", program(t, lostWakeup()), 5, 1, "1/8", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ended := walkAll(c.p, true)
			if ended.all != c.all || ended.failing != c.failing {
				t.Errorf("%d interleavings, %d failing; want %d, %d", ended.all, ended.failing, c.all, c.failing)
			}
			if want, _ := new(big.Rat).SetString(c.risk); ended.risk.Cmp(want) != 0 {
				t.Errorf("risk %v, want %v", ended.risk, want)
			}
			var by []string
			for _, n := range ended.preempted {
				by = append(by, fmt.Sprintf("%d/%d", n[0], n[1]))
			}
			if got := strings.Join(by, " "); !strings.HasPrefix(got+" ", c.byPreemptions) {
				t.Errorf("by preemptions %s, want %s", got, c.byPreemptions)
			}
			whole := walkAll(c.p, false)
			if c.classes > 0 && len(whole.classes) != c.classes {
				t.Errorf("%d classes, want %d", len(whole.classes), c.classes)
			}
			if whole.broken != "" {
				t.Error(whole.broken)
			}
		})
	}
}

// TestProgramsHaveExactlyThePublishedClasses compares with the numbers of equivalence
// classes that papers on reduction give, as far as a plain walk can go.
func TestProgramsHaveExactlyThePublishedClasses(t *testing.T) {
	tasks := func(objects string, tasks ...[]string) string {
		s := &source{}
		s.object("%s", objects)
		for _, steps := range tasks {
			s.task(steps...)
		}
		return s.text()
	}
	times := func(n int, steps ...string) [][]string {
		var all [][]string
		for range n {
			all = append(all, steps)
		}
		return all
	}
	increment := `atomic: {r: "fetch_add(x, 1)"}`
	lastzero := func(n int) string {
		list := [][]string{{
			fmt.Sprintf("set: {i: %d}", n), "set: {v: 1}",
			`{while: v != 0, do: [{read: {v: "a[i]"}}, {if: v != 0, then: [{set: {i: i - 1}}]}]}`,
		}}
		for j := 1; j <= n; j++ {
			list = append(list, []string{fmt.Sprintf(`read: {v: "a[%d]"}`, j-1), fmt.Sprintf(`write: {"a[%d]": v + 1}`, j)})
		}
		return tasks("a: {word: ["+strings.TrimSuffix(strings.Repeat("0, ", n+1), ", ")+"]}", list...)
	}
	cas := func(n int) string {
		var list [][]string
		for i := range n {
			list = append(list, []string{fmt.Sprintf(`atomic: {r: "cmpxchg(x, 0, %d)"}`, i+1)})
		}
		return tasks("x: {word: 0}", list...)
	}
	for _, c := range []struct {
		name, text string
		classes    int
	}{
		{"lastzero 2", lastzero(2), 5},
		{"lastzero 3", lastzero(3), 12},
		{"readers 4", tasks("x: {word: 0}", append(times(4, "read: {r: x}"), []string{"write: {x: 1}"})...), 16},
		{"ainc 3", tasks("x: {word: 0}", times(3, increment)...), 6},
		{"binc 3", tasks("x: {word: 0}, y: {word: 0}", times(3, increment, `atomic: {r: "fetch_add(y, 1)"}`)...), 36},
		{"inc 3", lost(3, 1), 36},
		{"wrw 3", tasks("x: {word: 0}", append(times(3, "read: {r: x}", "write: {x: 1}"), []string{"write: {x: 1}"})...), 300},
		{"cas 4", cas(4), 4},
		{"POPL'14", tasks("x: {word: 0}, y: {word: 0}, z: {word: 0}", []string{"write: {x: 1}"}, []string{"write: {y: 1}"},
			[]string{"read: {r: y}", "{if: r == 0, then: [{write: {z: 1}}]}"},
			[]string{"read: {r: z}", "{if: r == 1, then: [{read: {r: y}}, {if: r == 0, then: [{write: {x: 2}}]}]}"}), 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			if w := walkAll(program(t, c.text), false); len(w.classes) != c.classes || w.broken != "" {
				t.Errorf("%d classes of %d interleavings, want %d; %s", len(w.classes), w.all, c.classes, w.broken)
			}
		})
	}
}

// TestIncrementsCommuteWhereTheyReturnNothing: with rmw_commute, adds to an atomic
// counter are one class, and those that return a value are not.
func TestIncrementsCommuteWhereTheyReturnNothing(t *testing.T) {
	for _, c := range []struct {
		step    string
		classes int
	}{{"add: c", 1}, {`atomic: {r: "fetch_add(c, 1)"}`, 6}} {
		s := &source{}
		s.object("c: {counter: atomic}")
		for range 3 {
			s.task(c.step)
		}
		w := newWalk(program(t, s.text()), false)
		w.commute = true
		w.start()
		if len(w.classes) != c.classes {
			t.Errorf("%s: %d classes, want %d", c.step, len(w.classes), c.classes)
		}
	}
}
