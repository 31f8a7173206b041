package explore_test

import (
	"testing"

	"smpsim/explore"
)

// TestProgramsRaceWhereNothingOrdersThem has two plain accesses to d, ordered by each of
// the ways there are, or not.
func TestProgramsRaceWhereNothingOrdersThem(t *testing.T) {
	const objects = "objects: {d: {word: 0}, f: {word: 0}, c: {counter: plain}, l: {spinlock: ticket}, m: {mutex: {}}, rw: {rwlock: {}}, " +
		"s: {seqlock: {}}, sem: {semaphore: 0}, e: {event: {}}, q: {waitqueue: {}}, w: {work: [write_plain: {d: 1}]}}\ntasks:\n"
	for _, c := range []struct {
		name, a, b string
		races      bool
	}{
		{"two plain writes", "write_plain: {d: 1}", "write_plain: {d: 2}", true},
		{"a plain and a marked write", "write_plain: {d: 1}", "write: {d: 2}", true},
		{"a plain read and a marked write", "read_plain: {r: d}", "write: {d: 2}", true},
		{"a plain write and a marked read", "write_plain: {d: 1}", "read: {r: d}", true},
		{"two plain reads", "read_plain: {r: d}", "read_plain: {r: d}", false},
		{"marked accesses", "write: {d: 1}", "read: {r: d}", false},
		{"plain adds", "add: c", "add: c", true},
		{"a plain read and an atomic operation", "read_plain: {r: d}", `atomic: {r: "xchg(d, 1)"}`, true},

		{"one lock", "lock: l, write_plain: {d: 1}, unlock: l", "lock: l, write_plain: {d: 2}, unlock: l", false},
		{"a lock on one side", "lock: l, write_plain: {d: 1}, unlock: l", "write_plain: {d: 2}", true},
		{"two locks", "lock: l, write_plain: {d: 1}, unlock: l", "lock: m, write_plain: {d: 2}, unlock: m", true},
		{"a try that succeeds", "lock: l, write_plain: {d: 1}, unlock: l", "trylock: {r: l}, {if: r == 1, then: [{write_plain: {d: 2}}, {unlock: l}]}", false},
		{"a try, whether or not it succeeds", "lock: l, write_plain: {d: 1}, unlock: l", "trylock: {r: l}, write_plain: {d: 2}", true},
		{"readers and a writer", "read_lock: rw, read_plain: {r: d}, read_unlock: rw", "write_lock: rw, write_plain: {d: 2}, write_unlock: rw", false},
		{"readers that write", "read_lock: rw, write_plain: {d: 1}, read_unlock: rw", "read_lock: rw, write_plain: {d: 2}, read_unlock: rw", true},
		{"writers of a seqlock", "write_lock: s, write_plain: {d: 1}, write_unlock: s", "write_lock: s, write_plain: {d: 2}, write_unlock: s", false},
		{"a semaphore", "write_plain: {d: 1}, up: sem", "down: sem, write_plain: {d: 2}", false},
		{"an event", "write_plain: {d: 1}, signal: e", "await: e, write_plain: {d: 2}", false},

		{"release and acquire", "write_plain: {d: 1}, release: {f: 1}", "acquire: {r: f}, {if: r == 1, then: [{write_plain: {d: 2}}]}", false},
		{"release and a read", "write_plain: {d: 1}, release: {f: 1}", "read: {r: f}, {if: r == 1, then: [{write_plain: {d: 2}}]}", true},
		{"a write and acquire", "write_plain: {d: 1}, write: {f: 1}", "acquire: {r: f}, {if: r == 1, then: [{write_plain: {d: 2}}]}", true},
		{"operations that return a value", `write_plain: {d: 1}, atomic: {r: "xchg(f, 1)"}`, `atomic: {r: "xchg(f, 0)"}, {if: r == 1, then: [{write_plain: {d: 2}}]}`, false},
		{"full barriers", "write_plain: {d: 1}, fence: mb, write: {f: 1}", "read: {r: f}, fence: mb, {if: r == 1, then: [{write_plain: {d: 2}}]}", false},
		{"wmb and rmb", "write_plain: {d: 1}, fence: wmb, write: {f: 1}", "read: {r: f}, fence: rmb, {if: r == 1, then: [{write_plain: {d: 2}}]}", true},
		{"polling", "write_plain: {d: 1}, write: {f: 1}", "{spin_until: f == 1}, write_plain: {d: 2}", true},

		{"queue before its run", "write_plain: {d: 2}, queue: w", "write: {f: 1}", false},
		{"queue, and then", "queue: w, write_plain: {d: 2}", "write: {f: 1}", true},
		{"a run before a flush", "queue: w, flush: w, write_plain: {d: 2}", "write: {f: 1}", false},
		{"a run before another's flush", "queue: w", "flush: w, write_plain: {d: 2}", true},
		{"a run before a cancel", "queue: w, cancel: w, write_plain: {d: 2}", "write: {f: 1}", false},
		{"a wake-up", "write_plain: {d: 1}, wake: q", "sleep_on: q, write_plain: {d: 2}", false},
		{"a condition that holds without sleep", "write_plain: {d: 1}, write: {f: 1}, wake: q", "wait: {queue: q, until: f == 1}, write_plain: {d: 2}", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, memory := range []string{"sc", "tso"} {
				text := objects + "  a: {do: [" + c.a + "]}\n  b: {do: [" + c.b + "]}\nexplore: {memory: " + memory + "}\n"
				if got := races(t, text); got != c.races {
					t.Errorf("%s: races: %t", memory, got)
				}
			}
		})
	}
}

// TestHandlersAndLivesOrder: what interrupts that are off, start and join order.
func TestHandlersAndLivesOrder(t *testing.T) {
	for _, c := range []struct {
		name, tasks string
		races       bool
	}{
		{"a handler and its task", "t: {do: [write_plain: {d: 1}]}, h: {do: [write_plain: {d: 2}], context: hardirq, interrupts: t}", true},
		{"interrupts off", "t: {do: [irq_off, write_plain: {d: 1}, irq_on]}, h: {do: [write_plain: {d: 2}], context: hardirq, interrupts: t}", false},
		{"bottom halves off", "t: {do: [bh_off, write_plain: {d: 1}, bh_on]}, h: {do: [write_plain: {d: 2}], context: softirq, interrupts: t}", false},
		{"locks with interrupts off", "t: {do: [lock_irq: l, write_plain: {d: 1}, unlock_irq: l]}, h: {do: [lock: l, write_plain: {d: 2}, unlock: l], context: hardirq, interrupts: t}", false},
		{"interrupts off on another CPU", "t: {do: [irq_off, write_plain: {d: 1}, irq_on]}, u: {do: [write: {f: 1}]}, h: {do: [write_plain: {d: 2}], context: hardirq, interrupts: u}", true},
		{"start", "t: {do: [write_plain: {d: 1}, start: u]}, u: {do: [write_plain: {d: 2}], start: manual}", false},
		{"start, and then", "t: {do: [start: u, write_plain: {d: 1}]}, u: {do: [write_plain: {d: 2}], start: manual}", true},
		{"join", "t: {do: [join: u, write_plain: {d: 1}]}, u: {do: [write_plain: {d: 2}]}", false},
		{"join through a third", "t: {do: [join: u, write_plain: {d: 1}]}, u: {do: [join: v]}, v: {do: [write_plain: {d: 2}]}", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, memory := range []string{"sc", "tso"} {
				text := "objects: {d: {word: 0}, f: {word: 0}, l: {spinlock: ticket}}\ntasks: {" + c.tasks + "}\nexplore: {memory: " + memory + "}\n"
				want := c.races
				if memory == "tso" && c.name == "a handler and its task" {
					want = false // the stores of their common buffer are the task's
				}
				if got := races(t, text); got != want {
					t.Errorf("%s: races: %t", memory, got)
				}
			}
		})
	}
}

func races(t *testing.T, text string) bool {
	t.Helper()
	r, err := explore.Explore(func() explore.System { return program(t, text) },
		explore.Options{Strategy: explore.DPOR(), Races: true, CheckDeterminism: true})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete {
		t.Fatal(r.Limits)
	}
	for _, f := range r.Findings {
		if f.Kind == explore.DataRace {
			return true
		}
	}
	return false
}
