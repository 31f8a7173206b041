package experiment

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/observe"
)

// example is the text of an example.
func example(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile("../examples/" + file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// measured runs an experiment, but for what is overridden, and returns what came of it.
func measured(t *testing.T, text string, set ...string) *table {
	t.Helper()
	x, err := Parse("f.yaml", []byte(text), Overrides{Set: set})
	if err != nil {
		t.Fatal(err)
	}
	jobs := x.jobs()
	if err := linkAll(x, jobs); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := prepareDir(dir); err != nil {
		t.Fatal(err)
	}
	records, _, err := execute(context.Background(), jobs, RunOptions{Dir: dir, Jobs: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Failure != "" {
			t.Fatal(r.Failure)
		}
	}
	return newTable(x, jobs, records)
}

// of returns the records of the cells of a variant, in the order of the sweep.
func (t *table) of(variant string) [][]*Record {
	var all [][]*Record
	for i := range t.experiment.Cells {
		if t.experiment.Cells[i].Variant == variant {
			all = append(all, t.records[i])
		}
	}
	return all
}

// mean is the mean of a figure over the replicas of a cell.
func mean(t *testing.T, records []*Record, what string) float64 {
	t.Helper()
	sum := 0.0
	for _, r := range records {
		v, ok := r.value(what)
		if !ok {
			t.Fatalf("no %s", what)
		}
		sum += v.V
	}
	return sum / float64(len(records))
}

// task sums up what the tasks of a group had of the CPUs.
func (r *Record) task(group string) observe.Accounts {
	var sum observe.Accounts
	for i := range r.Observed.Tasks {
		if task := &r.Observed.Tasks[i]; task.Group == group || group == "kworkers" && task.Kthread {
			for mode, d := range task.Times {
				sum[mode] += d
			}
		}
	}
	return sum
}

// TestAsyncOutliersAreTicksAndQueueing: every call of a sane sender that took more than
// twice the median while the worker collects had a timer tick in it, or queued the work,
// what they took explains it, and the timeline shows them in it.
func TestAsyncOutliersAreTicksAndQueueing(t *testing.T) {
	seen := map[observe.Cause]int{}
	for _, r := range measured(t, example(t, "af_unix_gc.yaml"), "replicas=8").of("v2-async")[0] {
		i := slices.IndexFunc(r.Observed.Functions, func(f observe.Function) bool { return f.Name == "unix_dgram_sendmsg" })
		slowest := r.Observed.Functions[i].Slowest
		if last := slowest[len(slowest)-1]; last.End-last.Start > 2*last.Median {
			t.Fatal("there may be more outliers than are kept")
		}
		for _, o := range slowest {
			if took := o.End - o.Start; took > 2*o.Median {
				cause := explain(t, &o)
				seen[cause]++
				if timeline := r.Observed.Timeline; timeline != nil && o.End <= timeline.To {
					spot(t, timeline, &o, cause)
				}
			}
		}
	}
	if seen[observe.Tick] == 0 || seen[observe.Woke] == 0 {
		t.Errorf("outliers by cause: %v", seen)
	}
}

// explain returns what made a call slow, and checks that it explains its length.
func explain(t *testing.T, o *observe.Outlier) observe.Cause {
	t.Helper()
	var ticks, woke, flushed des.Time
	queued := false
	for _, in := range o.Incidents {
		switch in.Cause {
		case observe.Tick:
			ticks += in.Total
		case observe.Woke:
			woke += in.Total
		case observe.Queued:
			queued = queued || in.Name == "unix_gc_work"
		case observe.Asleep:
			flushed += in.Total
		}
	}
	if flushed > 0 {
		t.Errorf("a sane sender slept for %v", flushed)
	}
	if ticks == 0 && !queued {
		t.Fatalf("nothing explains a call of %v, median %v: %+v", o.End-o.Start, o.Median, o.Incidents)
	}
	// Queueing takes the wake-up of the worker, and some locked operations beside it.
	const queueing = 500 * des.Nanosecond
	rest := o.End - o.Start - o.Median - ticks - woke
	if queued {
		rest -= queueing
	}
	if rest > o.Median/10 {
		t.Errorf("%v of a call of %v are not explained by %+v", rest, o.End-o.Start, o.Incidents)
	}
	if ticks > woke {
		return observe.Tick
	}
	return observe.Woke
}

// spot checks that a timeline shows the cause of a slow call within it.
func spot(t *testing.T, timeline *observe.Timeline, o *observe.Outlier, cause observe.Cause) {
	t.Helper()
	if cause == observe.Tick {
		for _, s := range timeline.Slices {
			if s.CPU == o.CPU && s.Mode == cpus.IRQ && s.Start >= o.Start && s.End <= o.End {
				return
			}
		}
	}
	for _, p := range timeline.Points {
		if p.Kind == observe.QueueWork && p.CPU == o.CPU && p.Name == "unix_gc_work" && p.At >= o.Start && p.At <= o.End {
			return
		}
	}
	t.Errorf("the timeline does not show why the call at %v was slow", o.Start)
}

// TestTimeOfTheCollectorMovesToTheWorker: what the collector takes is charged to the
// sender that runs it, or to the worker; none of it is lost, and none of the CPUs' time.
func TestTimeOfTheCollectorMovesToTheWorker(t *testing.T) {
	results := measured(t, example(t, "af_unix_gc.yaml"), "replicas=1")
	record := func(variant string) *Record { return results.of(variant)[0][0] }
	inline := record("v6.6.0").task("sane")[cpus.Kernel]
	worker, sender := record("v2-worker").task("kworkers")[cpus.Kernel], record("v2-worker").task("sane")[cpus.Kernel]
	if ratio := float64(worker+sender) / float64(inline); ratio < 0.95 || ratio > 1.05 {
		t.Errorf("inline the sender takes %v; with a worker it takes %v and the worker %v", inline, sender, worker)
	}
	if sender > worker/100 {
		t.Errorf("the sender takes %v although the worker, with %v, collects", sender, worker)
	}
	async := record("v2-async")
	if busy := async.task("kworkers")[cpus.Kernel]; busy < async.Observed.Elapsed*9/10 {
		t.Errorf("the asynchronous worker shows %v of CPU time in a run of %v", busy, async.Observed.Elapsed)
	}
	for _, variant := range results.experiment.Variants {
		r := record(variant)
		var byTask, byCPU observe.Accounts
		for i := range r.Observed.Tasks {
			for mode, d := range r.Observed.Tasks[i].Times {
				byTask[mode] += d
			}
		}
		for _, c := range r.Observed.CPUs {
			for mode, d := range c {
				byCPU[mode] += d
			}
		}
		var total des.Time
		for _, d := range byCPU {
			total += d
		}
		if want := r.Observed.Elapsed * des.Time(len(r.Observed.CPUs)); total != want {
			t.Errorf("%s: the CPUs account for %v of %v", variant, total, want)
		}
		for _, mode := range []cpus.Mode{cpus.User, cpus.Kernel, cpus.Spin} {
			if byTask[mode] != byCPU[mode] {
				t.Errorf("%s: the CPUs spent %v in mode %v, their tasks %v", variant, byCPU[mode], mode, byTask[mode])
			}
		}
	}
}

// TestManyCPUsEnterTheCollectorInVain: with more CPUs more enter beside the one that
// collects, and spin for longer; one worker never does.
func TestManyCPUsEnterTheCollectorInVain(t *testing.T) {
	few := strings.Replace(example(t, "gc_entry.yaml"), "[1, 2, 4, 8, 16, 32, 64]", "[1, 2, 4, 8]", 1)
	results := measured(
		t, few, "stop.after=100ms", "setup.0.in_flight.sockets=4000", "kernel.af_unix.trigger=3000",
	)
	for _, variant := range results.experiment.Variants {
		for _, records := range results.of(variant) {
			for _, r := range records {
				enter, _ := r.value("count(gc_enter)")
				ran, _ := r.value("count(gc_run)")
				if enter.V < ran.V || enter.V == 0 {
					t.Errorf("%s: %v entries, %v collections", variant, enter.V, ran.V)
				}
			}
		}
	}
	var before struct{ vain, spin, all float64 }
	for k, records := range results.of("many-enter") {
		now := before
		now.vain = mean(t, records, "count(gc_enter)") - mean(t, records, "count(gc_run)")
		now.spin, now.all = mean(t, records, "mean(gc_spin)"), mean(t, records, "cpu_time(spin)")
		switch {
		case k == 0:
			// The run ends within an entry.
			if now.vain > 1 || now.spin != 0 || now.all != 0 {
				t.Errorf("one CPU: %+v", now)
			}
		case now.vain <= before.vain || now.spin <= before.spin || now.all <= before.all:
			t.Errorf("%d CPUs: %+v, half as many: %+v", 1<<k, now, before)
		}
		before = now
	}
	for k, records := range results.of("one-worker") {
		spin, vain := mean(t, records, "mean(gc_spin)"), mean(t, records, "count(gc_enter)")-mean(t, records, "count(gc_run)")
		if spin != 0 || vain > 1 {
			t.Errorf("one worker, %d CPUs: %v entries in vain, spun for %v ns", 1<<k, vain, spin)
		}
	}
}

// TestAPlainCountDiffersByTheAtomicAlone: counts agree whatever the number of passers,
// and with one, which nobody disturbs, a call differs by what the machine charges for a
// locked operation beyond a plain increment.
func TestAPlainCountDiffersByTheAtomicAlone(t *testing.T) {
	results := measured(t, example(t, "inflight_count.yaml"), "replicas=2", "tasks.passer.messages=300")
	atomic, plain := results.of("atomic"), results.of("plain")
	for k := range atomic {
		for replica := range atomic[k] {
			for _, what := range []string{
				"count(unix_inflight)", "count(unix_notinflight)", "count(scm_rights_round_trip)",
				"count(gc_run)", "count(in_flight_at_end)",
			} {
				a, hasA := atomic[k][replica].value(what)
				p, hasP := plain[k][replica].value(what)
				if !hasA || !hasP || a.V != p.V {
					t.Errorf("%d passers: %s is %v atomic (%t), %v plain (%t)", 1<<k, what, a.V, hasA, p.V, hasP)
				}
			}
			if v, _ := atomic[k][replica].value("count(unix_inflight)"); v.V != float64(int(4*300)<<k) {
				t.Errorf("%d passers: %v descriptors went in flight", 1<<k, v.V)
			}
		}
	}
	costs := results.linked[0].preset.Costs
	want := (costs.Atomic - costs.PlainIncrement).Nanoseconds()
	got := mean(t, atomic[0], "p50(unix_inflight)") - mean(t, plain[0], "p50(unix_inflight)")
	t.Logf("a call of unix_inflight takes %.3f ns more with an atomic count; a locked add %.3f ns more than a plain one", got, want)
	if got < want*0.95 || got > want*1.05 {
		t.Errorf("the difference of a call is %v ns, of a locked add %v ns", got, want)
	}
}

// TestReplicasOfVariantsShareTheirLoad: senders think for equal times in all variants,
// however long their calls take, and for other times in another replica.
func TestReplicasOfVariantsShareTheirLoad(t *testing.T) {
	text := strings.Replace(example(t, "gc_entry.yaml"), "[1, 2, 4, 8, 16, 32, 64]", "[8]", 1)
	text = strings.Replace(text, "stop: {after: 200ms}", "", 1)
	results := measured(t, text, "setup.0.in_flight.sockets=2000", "kernel.af_unix.trigger=1000", "tasks.sane.messages=50")
	seen := map[des.Time]bool{}
	for replica, r := range results.of("many-enter")[0] {
		thought := r.task("sane")[cpus.User]
		if thought == 0 || seen[thought] {
			t.Errorf("replica %d thinks for %v", replica, thought)
		}
		seen[thought] = true
		for _, variant := range results.experiment.Variants {
			other := results.of(variant)[0][replica]
			if got := other.task("sane")[cpus.User]; got != thought {
				t.Errorf("replica %d thinks for %v in many-enter, for %v in %s", replica, thought, got, variant)
			}
			if variant != "many-enter" && other.Observed.Elapsed == r.Observed.Elapsed {
				t.Errorf("replica %d takes the same time in %s: the variants are no variants", replica, variant)
			}
		}
	}
}
