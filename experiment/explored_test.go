package experiment

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"smpsim/des"
	"smpsim/explore"
	"smpsim/yamlfile"
)

// exploredFile explores a file as smpsim explore does, every execution twice.
func exploredFile(t *testing.T, path string, set ...string) *found {
	t.Helper()
	_, x, err := Open(path, Overrides{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	var problems yamlfile.Problems
	p := prepared{explorations: x.linkExplorations(&problems)}
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	f, err := measure(context.Background(), x, p, RunOptions{Jobs: 2, Explore: ExploreOptions{CheckDeterminism: true}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// simulated is the record of the first run of a text.
func simulated(t *testing.T, text string, set ...string) *Record {
	t.Helper()
	x, err := Parse("f.yaml", []byte(text), Overrides{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	jobs := x.jobs()
	if err := linkAll(x, jobs); err != nil {
		t.Fatal(err)
	}
	r, err := jobs[0].simulate()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func writeFile(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f.yaml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTheExamplesOfExplorationFindWhatTheyExpect(t *testing.T) {
	files, err := filepath.Glob("../examples/explore_*.yaml")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d examples, %v", len(files), err)
	}
	for _, path := range files {
		found := exploredFile(t, path)
		r := found.results
		if !found.holds() {
			t.Errorf("%s:\n%s", path, found.summary(path, ""))
		}
		if len(r.Explored) == 0 || len(r.Expectations) == 0 {
			t.Errorf("%s: %d explorations, %d expectations", path, len(r.Explored), len(r.Expectations))
		}
		for _, e := range r.Explored {
			if e.Blocked != 0 || !e.Complete {
				t.Errorf("%s, %s: %d blocked, complete %t", path, e.Variant, e.Blocked, e.Complete)
			}
		}
	}
}

func TestResultsOfAnExplorationDoNotDependOnJobs(t *testing.T) {
	source, x, err := Open("../examples/explore_double_entry.yaml", Overrides{Set: []string{"explore.strategy=dfs"}})
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for _, jobs := range []int{1, 4, 16} {
		o, err := source.Explore(context.Background(), x, RunOptions{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if want == "" {
			want = string(o.JSON)
		}
		if string(o.JSON) != want {
			t.Errorf("with %d jobs:\n%s\nwith one:\n%s", jobs, o.JSON, want)
		}
	}
}

func TestNothingFoundWithinALimitIsNoProof(t *testing.T) {
	path := writeFile(t, `
name: a
objects: {x: {word: 0}}
tasks: {t: {count: 3, do: [write: {x: 1}, write: {x: 2}]}}
explore: {strategy: dfs, executions: 5}
expect: [{explore: base, finds: nothing}]
`)
	found := exploredFile(t, path)
	r := found.results
	if found.holds() || r.Explored[0].Complete || len(r.Explored[0].Limits) == 0 {
		t.Errorf("holds %t, %+v", found.holds(), r.Explored[0])
	}
	if got := found.summary(path, ""); !strings.Contains(got, "nothing, within the limit: 5 executions") {
		t.Errorf("the summary does not state the limit:\n%s", got)
	}
}

func TestAFindingThatNobodyExpectsDoesNotHold(t *testing.T) {
	path := writeFile(t, `
name: a
objects: {c: {counter: plain}}
tasks: {t: {count: 2, do: [add: c]}}
check: {finally: [c == 2], races: ignore}
explore: {}
`)
	if found := exploredFile(t, path); found.holds() {
		t.Errorf("a lost update holds:\n%s", found.summary(path, ""))
	}
}

func TestShrinkingNamesWhatAFindingDoesWithout(t *testing.T) {
	path := writeFile(t, `
name: a
objects: {x: {word: 0}, y: {word: 0}, l: {spinlock: ticket}}
tasks:
  writer: {do: [write: {y: 1}, write: {x: 1}, write: {x: 0}, write: {y: 2}]}
  reader: {loop: 3, do: [lock: l, read: {r: x}, unlock: l, assert: r == 0]}
  bystander: {count: 2, do: [lock: l, write: {y: 3}, unlock: l]}
check: {races: ignore}
explore: {strategy: dfs}
`)
	f := exploredFile(t, path).results.Explored[0].Findings[0]
	if f.Kind != "assert" || f.Simplest == nil || f.Simplest.Preemptions != 1 || !f.Simplest.Fewest {
		t.Fatalf("%+v, simplest %+v", f, f.Simplest)
	}
	got := strings.Join(f.Simplest.Without, "; ")
	for _, want := range []string{"one bystander; task bystander", "all rounds of reader but the first", "{write: {y: 1}} in line 5", "{lock: l} in line 6"} {
		if !strings.Contains(got, want) {
			t.Errorf("without %q, want %q in it", got, want)
		}
	}
}

func TestACheckThatMustAlwaysHoldEndsATimedRun(t *testing.T) {
	r := simulated(t, `
name: a
machine: {cpus: 2, hz: 0}
objects: {x: {word: 0}}
tasks: {t: {do: [write: {x: 1}, run: 10ns, write: {x: 2}, run: 10ns, write: {x: 3}]}}
check: {always: [x < 2]}
`)
	if got := r.Failure; !strings.Contains(got, "f.yaml:6:18: check.always: x < 2: does not hold at ") {
		t.Errorf("failure %q", got)
	}
}

const racing = `
name: a
machine: {cpus: 2, hz: 0}
objects: {c: {counter: plain}}
tasks: {t: {count: 2, bind: spread, loop: 50, do: [add: c, run: 50ns]}}
`

func TestSlackReordersWhatTimingKeepsApart(t *testing.T) {
	at := func(slack string) string {
		return simulated(t, racing+"check: {finally: [c == 100]}\n", "machine.scheduler.slack="+slack).Failure
	}
	fewer := 0
	for _, slack := range []string{"0ns", "20ns", "200ns"} {
		got := at(slack)
		if got != at(slack) {
			t.Errorf("slack %s: the same run again fails otherwise", slack)
		}
		if got == "" {
			fewer++
		}
	}
	if fewer == 0 || fewer == 3 {
		t.Errorf("%d of 3 slacks lose no update", fewer)
	}
}

func TestATimedSearchFindsTheSmallestSlackThatFails(t *testing.T) {
	source, x, err := Open("../examples/explore_double_entry.yaml", Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	all, err := source.SearchTimed(context.Background(), x, TimedSearch{Runs: 100, Most: des.Microsecond, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	trusted, rechecked := &all[0], &all[1]
	if trusted.Smallest == 0 || trusted.Smallest > 100*des.Nanosecond {
		t.Errorf("trusted fails from a slack of %v on", trusted.Smallest)
	}
	for _, l := range trusted.At {
		if (l.Failed > 0) != (l.Slack >= trusted.Smallest) {
			t.Errorf("%d of %d runs fail at %v, the smallest slack is %v", l.Failed, l.Runs, l.Slack, trusted.Smallest)
		}
	}
	if rechecked.Smallest != des.Forever {
		t.Errorf("re-checked fails from a slack of %v on", rechecked.Smallest)
	}
	if got := rechecked.Summary("f.yaml"); !strings.Contains(got, "within these limits, no finding") {
		t.Errorf("summary %q", got)
	}
}

func TestAScheduleOnTheTimedMachineLeadsToTheSameFinding(t *testing.T) {
	for _, path := range []string{"double_entry", "lost_update", "missed_flush", "lost_wakeup"} {
		path = "../examples/explore_" + path + ".yaml"
		r := exploredFile(t, path).results
		replayed := 0
		for _, e := range r.Explored {
			for _, f := range e.Findings {
				if f.Kind == "data-race" {
					continue
				}
				source, x, err := Open(path, Overrides{})
				if err == nil {
					err = x.Select(Selection{Variant: e.Variant})
				}
				if err != nil {
					t.Fatal(err)
				}
				schedule, err := explore.ParseSchedule(f.Simplest.Schedule)
				if err != nil {
					t.Fatal(err)
				}
				got, err := source.ReplayTimed(x, schedule)
				if err != nil {
					t.Fatal(err)
				}
				want := f.What
				if f.Kind == "deadlock" || f.Kind == "lost-wakeup" {
					want = "deadlock at" // a timed run tells where each task is
				}
				if got.Steps != got.Of || !strings.Contains(got.Failure, want) {
					t.Errorf("%s, %s: %s: replayed to %v", path, e.Variant, f.What, got)
				}
				replayed++
			}
		}
		if replayed == 0 {
			t.Errorf("%s: nothing was replayed", path)
		}
	}
}

func TestHandlersScriptsAndClassesRunTimed(t *testing.T) {
	r := simulated(t, `
name: a
machine:
  cpus: 2
  hz: 0
  interrupts: [{name: nic, context: softirq, cpu: 1, every: 20us, length: 2us}]
objects: {l: {spinlock: ticket}, h: {counter: plain}}
tasks:
  a: {loop: 1000, bind: [0], do: [lock_irq: l, run: 1us, unlock_irq: l, run: 500ns]}
  urgent: {loop: 100, bind: [1], class: rt, priority: 5, do: [run: 1us]}
  meek: {loop: 100, bind: [1], class: idle, do: [run: 1us, read: {done: h}]}
  irq: {context: hardirq, interrupts: a, every: 30us, loop: 20, do: [lock: l, add: h, unlock: l]}
check: {finally: [h == 20]}
`)
	if r.Failure != "" {
		t.Error(r.Failure)
	}
	r = simulated(t, `
name: a
machine: {cpus: 1, hz: 0, scheduler: {policy: scripted, script: [b, a, b]}}
objects: {x: {word: 0}}
tasks:
  a: {do: [write: {x: 1}, sleep: 1us]}
  b: {do: [write: {x: 2}, sleep: 1us, read: {r: x}]}
check: {finally: [b.r == 1]}
`)
	if r.Failure != "" {
		t.Errorf("b, a, b: %s", r.Failure)
	}
}
