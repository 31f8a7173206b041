package experiment

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"smpsim/cpus"
)

// fuzzPrograms are files whose steps wait, fail, race, and go on for ever.
var fuzzPrograms = []string{
	"name: a\nobjects: {l: {spinlock: mcs}, m: {mutex: {}}, w: {word: [1, 2]}}\ntasks:\n  t: {count: 3, bind: spread, loop: forever, do: [{lock: l}, {unlock: l}, {lock: m}, {run: exp(1us)}, {unlock: m}, {read: {r: \"w[self % 2]\"}}, {assert: r < 3}, {mark: x}]}\nstop: {after: 1ms}\ncheck: {finally: [\"w[0] == 1\"]}\n",
	"name: b\nobjects: {q: {waitqueue: {}}, e: {event: {}}, s: {semaphore: 1}, k: {work: [{run: 1us}, {signal: e}], on: wq}, wq: {workqueue: percpu, max_active: 1}, x: {word: 0}}\ntasks:\n  t: {do: [{queue: k}, {await: e}, {flush: k}, {write: {x: \"1\"}}, {wake_all: q}, {down: s}]}\n  u: {do: [{wait: {queue: q, until: \"x == 1\"}}, {down: s}, {cancel: k}], nice: 5}\n  v: {start: manual, do: [{sleep: 1ms}]}\n  w: {do: [{start: v}, {join: v}], start: 5us, kthread: true}\n",
	"name: c\nvariants: {a: {}, b: {kernel.af_unix.gc: worker-async}}\nsetup: [{in_flight: {sockets: 50, graph: garbage}}]\nkernel: {af_unix: {gc: scc, trigger: 10}}\ntasks:\n  f: {run: scm_rights_flood, messages: 5, fds: 3}\n  g: {run: unix_receiver, from: s}\n  s: {run: unix_dgram_sendmsg, messages: 9, think: \"uniform(1us, 2us)\"}\n  c: {run: unix_gc_close, calls: 3, arrival: \"lognormal(1us, 0.5)\"}\n  r: {run: scm_rights_round_trip, messages: 2}\nexpect: [{mean: unix_dgram_sendmsg, over: a, variant: b, at_least: 0}]\ncompare: [{mean: unix_dgram_sendmsg, minus: a, variant: b, published: 1ns}]\n",
	"name: d\nobjects: {p: {rwlock: {}}, q: {seqlock: {}}, c: {counter: atomic, line: z}, d: {counter: plain, value: 7, line: z}}\nmachine: {cpus: 2, hz: 10000, scheduler: {policy: round-robin, slice: 10us}}\ntasks:\n  t: {count: 4, loop: 20, do: [{read_lock: p}, {add: c}, {read_unlock: p}, {write_lock: q}, {sub: d}, {write_unlock: q}, {read_begin: {s: q}}, {read_retry: {r: \"q, s\"}}, {if: r, then: [{loop: 3, do: [fence: mb]}], else: [return]}]}\n  h: {loop: forever, kthread: true, do: [irq_off, {run: 50us}, irq_on, bh_off, bh_on, {spin_until: \"c > 3\"}]}\n",
}

// FuzzRun: whatever a file says, it is refused, or runs to some end: results and summary
// can be written of it. Small limits keep a run to milliseconds.
func FuzzRun(f *testing.F) {
	files, err := filepath.Glob("../examples/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range fuzzPrograms {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if strings.Contains(text, "empirical") {
			return // it may name any file
		}
		x, err := Parse("f.yaml", []byte(text), Overrides{})
		if err != nil || !smallEnough(x) {
			return
		}
		jobs := x.jobs()
		if linkAll(x, jobs) != nil {
			return
		}
		records := make([]*Record, len(jobs))
		for i := range jobs {
			records[i], err = jobs[i].simulate()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := records[i].file(); err != nil {
				t.Fatal(err)
			}
		}
		results := newTable(x, jobs, records)
		found := &found{experiment: x, table: results, jobs: jobs}
		found.results = &Results{
			Runs: results.runResults(jobs, records), Cells: results.cellResults(),
			Comparisons: results.compare(), Expectations: results.expect(),
		}
		if _, err := found.results.JSON(); err != nil {
			t.Fatal(err)
		}
		found.summary("f.yaml", "")
	})
}

// TestWhatTheFuzzerStartsFromRuns: its programs have no mistakes, and do something.
func TestWhatTheFuzzerStartsFromRuns(t *testing.T) {
	for _, text := range fuzzPrograms {
		x, err := Parse("f.yaml", []byte(text), Overrides{})
		if err != nil || !smallEnough(x) {
			t.Fatalf("%v\n%s", err, text)
		}
		jobs := x.jobs()
		if err := linkAll(x, jobs); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		for i := range jobs {
			r, err := jobs[i].simulate()
			if err != nil || r.Events < 20 {
				t.Errorf("%v, after %d events\n%s", err, r.Events, text)
			}
			t.Log(r.Ended, r.Events, r.Failure)
		}
	}
}

// smallEnough reports whether runs of the experiment stay small in memory, and bounds
// their lengths.
func smallEnough(x *Experiment) bool {
	if len(x.Variants) > 5 {
		return false
	}
	var first []Cell // of each variant
	for i := 0; i < len(x.Cells); i += len(x.Cells) / len(x.Variants) {
		first = append(first, x.Cells[i])
	}
	x.Cells, x.Replicas = first, 1
	for i := range x.Cells {
		c := &x.Cells[i]
		if isFile(c.Machine.Preset) {
			return false
		}
		if c.Stop.Events == 0 || c.Stop.Events > 3000 {
			c.Stop.Events = 3000
		}
		tasks := 0
		for k := range c.Tasks {
			tasks += c.Tasks[k].Count
		}
		for _, step := range c.Setup {
			if step.InFlight != nil && step.InFlight.Sockets > 2000 {
				step.InFlight.Sockets = 2000
			}
		}
		if tasks > 200 {
			return false
		}
	}
	return true
}

// TestAPanicOfARunIsHandedToTheCaller: it tells which run it was, and nothing is left
// waiting.
func TestAPanicOfARunIsHandedToTheCaller(t *testing.T) {
	x, err := Parse("f.yaml", []byte("name: a\nreplicas: 3\ntasks: {t: {do: [{run: 1us}]}}\n"), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		text := fmt.Sprint(recover())
		if !strings.Contains(text, "in base, replica ") || !strings.Contains(text, "experiment.(*job).build") {
			t.Errorf("panicked with %s", text)
		}
	}()
	jobs := x.jobs() // not linked
	execute(context.Background(), jobs, RunOptions{Dir: t.TempDir(), Jobs: 2})
	t.Error("nothing panicked")
}

// TestNamesOfPoliciesAgree: the schema's words for what runs are those of the machine.
func TestNamesOfPoliciesAgree(t *testing.T) {
	for _, policy := range cpus.Policies {
		script := ""
		if policy == "scripted" {
			script = ", script: [t]"
		}
		text := "name: a\nmachine: {scheduler: {policy: " + policy + script + "}}\ntasks: {t: {do: [{run: 1us}]}}\n"
		if x, err := Parse("f.yaml", []byte(text), Overrides{}); err != nil || linkAll(x, nil) != nil {
			t.Errorf("%s: %v", policy, err)
		}
	}
}
