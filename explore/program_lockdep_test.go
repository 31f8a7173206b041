package explore_test

import (
	"fmt"
	"slices"
	"testing"

	"smpsim/explore"
)

const lockObjects = "objects: {a: {spinlock: ticket}, b: {spinlock: ticket}, c: {mutex: {}}, x: {word: 0}, w: {work: [lock: c, unlock: c]}}\ntasks:\n"

// do does the steps of an order, all of which must be possible, and returns what is
// found.
func do(t *testing.T, p *explore.Program, order ...explore.Agent) []string {
	t.Helper()
	var found []string
	for _, a := range order {
		if !slices.Contains(p.Enabled(nil), a) {
			t.Fatalf("%s is not enabled", p.AgentName(a))
		}
		p.Do(a)
		for f := p.Finding(); f != nil; f = p.Finding() {
			found = append(found, fmt.Sprintf("%s: %s", f.Kind, f.What))
		}
	}
	return found
}

func lockdepFindings(l *explore.Lockdep) []string {
	var found []string
	for _, f := range l.Findings() {
		found = append(found, fmt.Sprintf("%s: %s", f.Kind, f.What))
	}
	return found
}

// TestLockOrderAddsUpOverExecutionsAndSystems: each of two executions, of two systems,
// takes the locks one way round; together they show the inversion.
func TestLockOrderAddsUpOverExecutionsAndSystems(t *testing.T) {
	text := lockObjects + `
  t:
    do:
      - read: {r: x}
      - if: r == 0
        then: [lock: a, lock: b, unlock: b, unlock: a]
        else: [lock: b, lock: a, unlock: a, unlock: b]
  u: {do: [write: {x: 1}]}
`
	p, q := program(t, text), program(t, text)
	if found := do(t, p, 0, 1, 0, 0, 0, 0); found != nil {
		t.Errorf("one way round: %v", found)
	}
	if found := do(t, q, 1, 0, 0, 0, 0, 0); found != nil {
		t.Errorf("the other way round: %v", found)
	}
	if found := append(lockdepFindings(p.Lockdep()), lockdepFindings(q.Lockdep())...); found != nil {
		t.Errorf("each for itself: %v", found)
	}
	want := []string{"lock-order: taken one while holding the other: a, then b, then a"}
	p.Lockdep().Merge(q.Lockdep())
	if found := lockdepFindings(p.Lockdep()); !slices.Equal(found, want) {
		t.Errorf("merged: %v", found)
	}
	q.Reset()
	do(t, q, 0, 1, 0, 0, 0, 0)
	if found := lockdepFindings(q.Lockdep()); !slices.Equal(found, want) {
		t.Errorf("of two executions: %v", found)
	}
}

// TestLockdepSeesInterruptsThroughOtherLocks: a handler wants a, whose holder elsewhere
// wants b, which is held with interrupts on.
func TestLockdepSeesInterruptsThroughOtherLocks(t *testing.T) {
	p := program(t, lockObjects+`
  t: {do: [lock: b, unlock: b, write: {x: 1}]}
  h: {context: hardirq, interrupts: t, do: [lock: a, unlock: a]}
  u: {do: [irq_off, lock: a, lock: b, unlock: b, unlock: a, irq_on]}
`)
	if found := do(t, p, 0, 0, 1, 1, 1, 2, 2, 2, 2, 2, 2); found != nil {
		t.Errorf("in the execution: %v", found)
	}
	want := []string{"irq-safety: b is taken while a is held; a is taken in a hardirq handler, and b elsewhere with interrupts on"}
	if found := lockdepFindings(p.Lockdep()); !slices.Equal(found, want) {
		t.Errorf("finds %v", found)
	}
}

// TestFlushingUnderALockThatTheItemTakesIsAnInversion, as the kernel sees it.
func TestFlushingUnderALockThatTheItemTakesIsAnInversion(t *testing.T) {
	w := walkAll(program(t, lockObjects+"  t: {do: [queue: w, lock: c, flush: w, unlock: c]}\n"), false)
	if !w.kinds[explore.Deadlock] || !w.kinds[explore.LockOrder] {
		t.Errorf("finds %v", w.whats)
	}
	w = walkAll(program(t, lockObjects+"  t: {do: [queue: w, lock: c, unlock: c, flush: w]}\n"), false)
	if len(w.kinds) > 0 {
		t.Errorf("flushed without the lock, finds %v", w.whats)
	}
}

// TestTriesMakeNoOrder: who tries does not wait.
func TestTriesMakeNoOrder(t *testing.T) {
	w := walkAll(program(t, lockObjects+`
  t: {do: [lock: a, trylock: {r: b}, {if: r == 1, then: [unlock: b]}, unlock: a]}
  u: {do: [lock: b, lock: a, unlock: a, unlock: b]}
`), false)
	if len(w.kinds) > 0 {
		t.Errorf("finds %v", w.whats)
	}
}

// TestALockHeldAtTheEndIsReported: the task has ended, the execution has not failed.
func TestALockHeldAtTheEndIsReported(t *testing.T) {
	w := walkAll(program(t, lockObjects+"  t: {do: [lock: a, write: {x: 1}]}\n"), false)
	if want := "lock-held: a is held by t, which has ended"; !w.whats[want] || len(w.whats) != 1 {
		t.Errorf("finds %v", w.whats)
	}
}

// TestExplorationsReportWhatOnlySeveralExecutionsShow: no execution takes the locks both
// ways round, or in a handler as well as outside.
func TestExplorationsReportWhatOnlySeveralExecutionsShow(t *testing.T) {
	for text, want := range map[string]string{
		`
  t:
    do:
      - read: {r: x}
      - if: r == 0
        then: [lock: a, lock: b, unlock: b, unlock: a]
        else: [lock: b, lock: a, unlock: a, unlock: b]
  u: {do: [write: {x: 1}]}
`: "lock-order taken one while holding the other: a, then b, then a (seen over all executions)",
		`
  t: {do: [atomic: {r: test_and_set(x)}, {if: r == 0, then: [lock: a, unlock: a]}]}
  h: {context: hardirq, interrupts: t, do: [atomic: {r: test_and_set(x)}, {if: r == 0, then: [lock: a, unlock: a]}]}
`: "irq-safety a is taken in a hardirq handler, and elsewhere with interrupts on (seen over all executions)",
	} {
		f := parseFile(t, "f.yaml", lockObjects+text)
		for _, s := range []explore.Strategy{explore.DFS(), explore.DPOR(), explore.States(), explore.Random(1), explore.Bounded(2)} {
			for _, jobs := range []int{1, 3} {
				r := explored(t, func() explore.System { return f.program(t, "") }, explore.Options{Strategy: s, Jobs: jobs, Executions: 5000, CheckDeterminism: true})
				var got []string
				for _, f := range r.Findings {
					got = append(got, string(f.Kind)+" "+f.What)
					if len(f.Schedule) > 0 {
						t.Errorf("%s: %s has a schedule, which cannot lead to it", s, f.What)
					}
				}
				if !slices.Equal(got, []string{want}) {
					t.Errorf("%s, %d jobs: finds %v", s, jobs, got)
				}
			}
		}
		// With only the first execution done nothing is found, however many there could be.
		r := explored(t, func() explore.System { return f.program(t, "") }, explore.Options{Strategy: explore.DFS(), Jobs: 3, Executions: 1})
		if len(r.Findings) > 0 || r.Executions != 1 {
			t.Errorf("in %d executions: %v", r.Executions, r.Findings)
		}
	}
}
