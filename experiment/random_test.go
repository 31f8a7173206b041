package experiment

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/des"
)

const randomObjects = `name: random
objects:
  mutex: {mutex: {}}
  rw: {rwlock: {}}
  seq: {seqlock: {}}
  sem: {semaphore: 1}
  w: {word: [0, 0, 0]}
  c: {counter: plain, line: shared}
  d: {counter: atomic, line: shared}
  q: {waitqueue: {}}
  e: {event: {}}
  item: {work: [{lock: mutex}, {add: d}, {run: exp(300ns)}, {unlock: mutex}, {wake: q}]}
`

// pairs are steps that come around others, as a lock and its unlock do.
var pairs = [][2]string{
	{"lock: spin", "unlock: spin"},
	{"lock: mutex", "unlock: mutex"},
	{"read_lock: rw", "read_unlock: rw"},
	{"write_lock: rw", "write_unlock: rw"},
	{"write_lock: seq", "write_unlock: seq"},
	{"down: sem", "up: sem"},
}

// plain are steps that stand alone.
var plain = []string{
	"run: exp(500ns)", "run: 2us", "sleep: 3us", "read: {r: 'w[0]'}", "write: {'w[1]': r + 1}", "add: c", "sub: d", "fence: mb",
	"atomic: {r: 'cmpxchg(w[2], 0, 1)'}", "queue: item", "flush: item", "cancel: item", "wake_all: q", "signal: e",
	"mark: here", "read_begin: {s: seq}", "wait: {queue: q, until: 'w[1] > 0'}", "await: e", "spin_until: 'w[1] > 0'",
	"trylock: {r: spin}", "assert: r < 5",
	"irq_off\n    - run: 1us\n    - add: d\n    - irq_on", "bh_off\n    - run: 1us\n    - bh_on",
}

// steps draws steps that may fail, block and race, but whose pairs match.
func steps(t *rapid.T, depth int) []string {
	var list []string
	for range rapid.IntRange(0, 4).Draw(t, "steps") {
		if depth > 0 && rapid.IntRange(0, 2).Draw(t, "pair") == 0 {
			pair := rapid.SampledFrom(pairs).Draw(t, "around")
			list = append(list, pair[0])
			list = append(list, steps(t, depth-1)...)
			list = append(list, pair[1])
			continue
		}
		list = append(list, rapid.SampledFrom(plain).Draw(t, "step"))
	}
	return list
}

// randomFile draws an experiment.
func randomFile(t *rapid.T) string {
	var b strings.Builder
	b.WriteString(randomObjects)
	fmt.Fprintf(&b, "  spin: {spinlock: %s}\n", rapid.SampledFrom([]string{"test-and-set", "ticket", "mcs", "qspinlock"}).Draw(t, "lock"))
	fmt.Fprintf(&b, "machine: {cpus: %d, hz: %d, scheduler: {policy: %s}}\n", rapid.IntRange(1, 5).Draw(t, "cpus"),
		rapid.SampledFrom([]int{0, 250, 10_000}).Draw(t, "hz"), rapid.SampledFrom([]string{"fair", "fifo", "round-robin"}).Draw(t, "policy"))
	b.WriteString("stop: {after: 2ms, events: 2000}\ntasks:\n")
	for i := range rapid.IntRange(1, 3).Draw(t, "tasks") {
		fmt.Fprintf(&b, "  t%d:\n    count: %d\n    loop: %d\n    nice: %d\n    bind: %s\n    do:\n    - set: {r: self}\n", i,
			rapid.IntRange(1, 3).Draw(t, "count"), rapid.IntRange(1, 4).Draw(t, "loop"), rapid.IntRange(-3, 3).Draw(t, "nice"),
			rapid.SampledFrom([]string{"free", "spread", "[0]"}).Draw(t, "bind"))
		for _, step := range steps(t, 2) {
			fmt.Fprintf(&b, "    - %s\n", step)
		}
	}
	return b.String()
}

// TestWhateverAProgramDoesItsRunEnds: no program that is accepted makes the simulator
// panic; run again it does the same, and the time of all CPUs is accounted for.
func TestWhateverAProgramDoesItsRunEnds(t *testing.T) {
	ended := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		text := randomFile(t)
		x, err := Parse("f.yaml", []byte(text), Overrides{})
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		jobs := x.jobs()
		if err := linkAll(x, jobs); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		var first []byte
		for range 2 {
			r, err := jobs[0].simulate()
			if err != nil {
				t.Fatal(err)
			}
			content, err := r.file()
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = content
				ended[r.Ended]++
			}
			if !bytes.Equal(content, first) {
				t.Fatalf("another record:\n%s\n%s\n%s", first, content, text)
			}
			var total des.Time
			for _, c := range r.Observed.CPUs {
				for _, d := range c {
					total += d
				}
			}
			if want := r.Observed.Elapsed * des.Time(len(r.Observed.CPUs)); total != want {
				t.Fatalf("the CPUs account for %v of %v\n%s", total, want, text)
			}
		}
	})
	t.Log(ended)
}
