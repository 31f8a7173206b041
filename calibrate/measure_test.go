package calibrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"smpsim/cpus"
	"smpsim/yamlfile"
)

const baseName = "xeon-server"

func base(t testing.TB) *cpus.Preset {
	t.Helper()
	p, err := cpus.LoadPreset(baseName)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wide is a host that has a pair of CPUs at each distance.
func wide() *Host { return hostOf(cpus.Topology{Sockets: 2, Cores: 4, Threads: 2, CoresPerLLC: 2}) }

// twice is a plan in which each cost is found to be twice that of the base.
func twice(t testing.TB) plan {
	p := hostPlan(32<<10, 1<<20, 32<<20)
	costs := &base(t).Costs
	for i := range p.probes {
		ns := 7.0
		if f := costField(p.probes[i].cost); f != nil {
			ns = 2 * float64(*f.Time(costs)) / 1000
		}
		p.probes[i].run = func(*bench) ([]window, error) { return spread(50, ns, ns*1.5), nil }
	}
	p.hop = func(b *bench, a, c int) ([]window, error) {
		f := costField(transferCosts[b.host.distance(a, c)])
		ns := 2 * float64(*f.Time(costs)) / 1000
		return spread(50, ns, ns*1.5), nil
	}
	return p
}

func mustMeasure(t testing.TB, h *Host, p plan) *Report {
	t.Helper()
	r, err := measure(context.Background(), Options{Base: base(t), Budget: time.Minute}, h, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// mustRead writes a report's preset and reads it again.
func mustRead(t interface {
	Helper()
	Fatal(...any)
}, r *Report,
) *cpus.Preset {
	t.Helper()
	var text bytes.Buffer
	if err := r.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	var problems yamlfile.Problems
	p := cpus.ParsePreset("host.yaml", text.Bytes(), &problems)
	if problems.Len() > 0 {
		t.Fatal(problems.Err(), text.String())
	}
	return p
}

func TestMeasuredCostsReplaceThoseOfTheBase(t *testing.T) {
	r := mustMeasure(t, wide(), twice(t))
	p := mustRead(t, r)
	unseen := []string{"bh_pair", "tick", "fill_period"}
	for _, e := range p.Entries {
		f := costField(e.Name)
		switch {
		case f.Size != nil:
			if e.Kind != cpus.CostRead || !strings.Contains(e.Source, "Test (R) CPU") {
				t.Errorf("%s is %s, %s", e.Name, e.Kind, e.Source)
			}
		case slices.Contains(unseen, e.Name):
			if *f.Time(&p.Costs) != *f.Time(&base(t).Costs) || e.Kind != cpus.CostUnsourced || !strings.Contains(e.Source, "stands in from "+baseName) {
				t.Errorf("%s is %s%s, %s, %s", e.Name, e.Value, e.Unit, e.Kind, e.Source)
			}
		default:
			// Three digits are kept.
			got, want := int64(*f.Time(&p.Costs)), 2*int64(*f.Time(&base(t).Costs))
			if diff := got - want; diff*1000 > want || -diff*1000 > want {
				t.Errorf("%s is %d ps, want %d", e.Name, got, want)
			}
			if e.Kind != cpus.CostMeasured || !strings.HasPrefix(e.Source, "measured on Test (R) CPU, 16 usable CPUs, Linux 6.18 by smpsim calibrate: ") {
				t.Errorf("%s is %s, %s", e.Name, e.Kind, e.Source)
			}
		}
	}
	if p.Topology != r.Host.Topology || p.Costs.L1Size != 32<<10 || p.Costs.L2Size != 1<<20 || p.Costs.LLCSize != 32<<20 {
		t.Errorf("topology %+v, costs %+v", p.Topology, p.Costs)
	}
	// What is read is what the report says, to the letter.
	if diff := cmp.Diff(r.Entries, p.Entries, cmpopts.IgnoreUnexported(cpus.PresetEntry{})); diff != "" {
		t.Errorf("entries differ (-report +file):\n%s", diff)
	}
}

func TestWhatFailsStandsInByName(t *testing.T) {
	for _, failing := range hostPlan(32<<10, 1<<20, 32<<20).probes {
		p := twice(t)
		i := slices.IndexFunc(p.probes, func(q probe) bool { return q.name == failing.name })
		p.probes[i].run = func(*bench) ([]window, error) { return nil, errors.New("no such luck") }
		r := mustMeasure(t, wide(), p)
		if m := r.Measurements[i]; m.Err == nil {
			t.Errorf("%s did not fail", m.Name)
		}
		if !strings.Contains(r.Table(), "no such luck") {
			t.Errorf("the table does not say that %s failed", failing.name)
		}
		read := mustRead(t, r)
		if failing.cost == "" {
			continue
		}
		e := read.Entry(failing.cost)
		if want := "not measured: no such luck; stands in from " + baseName; !strings.HasPrefix(e.Source, want) {
			t.Errorf("%s: source is %q, want %q", e.Name, e.Source, want)
		}
		if !slices.ContainsFunc(r.StandIns(), func(s cpus.PresetEntry) bool { return s.Name == failing.cost }) {
			t.Errorf("%s is not among those that stand in", failing.cost)
		}
	}
}

func TestWithoutAnyMeasurementTheBaseStandsInForAll(t *testing.T) {
	p := twice(t)
	for i := range p.probes {
		p.probes[i].run = func(*bench) ([]window, error) { return nil, errNotHere }
	}
	p.hop = func(*bench, int, int) ([]window, error) { return nil, errNoPinning }
	h := &Host{System: "plan9", Processor: "mips", CPUs: []int{0}}
	h.flatten("nothing is known")
	r := mustMeasure(t, h, p)
	read := mustRead(t, r)
	if read.Costs != base(t).Costs {
		t.Errorf("costs %+v, want those of the base", read.Costs)
	}
	if len(r.StandIns()) != len(cpus.CostFields) {
		t.Errorf("%d of %d stand in", len(r.StandIns()), len(cpus.CostFields))
	}
	if e := read.Entry("transfer_llc"); !strings.Contains(e.Source, errOneCPU.Error()) {
		t.Errorf("transfer_llc stands in because %q", e.Source)
	}
}

func TestATransferIsThatOfTheMiddlePair(t *testing.T) {
	p := twice(t)
	p.hop = func(_ *bench, a, c int) ([]window, error) {
		ns := float64(100 + 10*a + c)
		return spread(20, ns, ns+1), nil
	}
	r := mustMeasure(t, hostOf(cpus.Topology{Sockets: 1, Cores: 3, Threads: 1, CoresPerLLC: 3}), p)
	if got := r.Measurements[len(r.Measurements)-3].Stat.Value; got != 102 { // of 101, 102 and 112
		t.Errorf("the transfer is %v ns", got)
	}
	if got := r.Pairs[0].Stat.Clean; got != 20*hopRounds {
		t.Errorf("%d windows of a pair, want those of %d rounds", got, hopRounds)
	}
	if table := r.Table(); !strings.Contains(table, "0 and 2") {
		t.Errorf("the table does not name the pairs:\n%s", table)
	}
}

func TestPairsAreSampledBeforeAmongAndAfterTheRest(t *testing.T) {
	var names []string
	o := Options{Base: base(t), Budget: time.Minute, Progress: func(done, total int, name string) {
		if done != len(names) {
			t.Errorf("%d steps are said to be done, %d are", done, len(names))
		}
		names = append(names, name)
	}}
	p := twice(t)
	if _, err := measure(context.Background(), o, hostOf(cpus.Topology{Sockets: 1, Cores: 2, Threads: 1, CoresPerLLC: 2}), p); err != nil {
		t.Fatal(err)
	}
	var at []int
	for i, name := range names {
		if strings.HasPrefix(name, "transfer") {
			at = append(at, i)
		}
	}
	if last := len(names) - 1; len(at) != hopRounds || at[0] != 0 || at[1] < last/3 || at[1] > last*2/3 || at[2] != last {
		t.Errorf("pairs are sampled at %v of 0 to %d", at, last)
	}
}

func TestRegimesAreToldInTheFile(t *testing.T) {
	p := twice(t)
	p.hop = func(*bench, int, int) ([]window, error) {
		return append(spread(30, 44, 63), spread(60, 217, 338)...), nil
	}
	e := mustRead(t, mustMeasure(t, wide(), p)).Entry("transfer_llc")
	if e.Value != "217" || !strings.Contains(e.Source, "two regimes: windows 90 from 44ns, 180 from 217ns") {
		t.Errorf("the transfer is %s%s, %s", e.Value, e.Unit, e.Source)
	}
}

// TestWhateverIsMeasuredTheFileIsValid also holds the list of costs that must not
// contradict each other against that of package cpus.
func TestWhateverIsMeasuredTheFileIsValid(t *testing.T) {
	b := base(t)
	rapid.Check(t, func(t *rapid.T) {
		r := &Report{Host: wide(), Base: b.Name}
		if rapid.Bool().Draw(t, "sizes unknown") {
			r.Host.L1Size, r.Host.L2Size = 0, 0
		}
		for _, f := range cpus.CostFields {
			if f.Size != nil || rapid.IntRange(0, 2).Draw(t, f.Name+" fails") == 0 {
				continue
			}
			ns := rapid.Float64Range(0.0001, 1e5).Draw(t, f.Name)
			s, err := summarize(spread(9, ns, ns*2))
			if err != nil {
				t.Fatal(err)
			}
			r.Measurements = append(r.Measurements, Measurement{Name: f.Name, Cost: f.Name, Method: "drawn", Stat: s})
		}
		r.entries(b)
		mustRead(t, r)
		for _, e := range r.Entries {
			if !slices.ContainsFunc(r.Measurements, func(m Measurement) bool { return m.Cost == e.Name }) && e.Kind == cpus.CostMeasured {
				t.Fatalf("%s was not measured, and is said to be: %s", e.Name, e.Source)
			}
		}
	})
}

func TestCostsThatContradictEachOtherFollow(t *testing.T) {
	p := twice(t)
	set := func(name string, ns float64) {
		i := slices.IndexFunc(p.probes, func(q probe) bool { return q.name == name })
		p.probes[i].run = func(*bench) ([]window, error) { return spread(9, ns, ns), nil }
	}
	set("llc_hit", 150)
	set("dram", 140)
	p.hop = func(*bench, int, int) ([]window, error) { return nil, errNoPinning }
	set("l1_hit", 60)
	read := mustRead(t, mustMeasure(t, wide(), p))
	for name, want := range map[string]string{"dram": "llc_hit", "l2_hit": "l1_hit", "transfer_smt": "l1_hit", "transfer_llc": "l1_hit", "transfer_remote": ""} {
		e := read.Entry(name)
		if e.Follows != want {
			t.Errorf("%s follows %q, want %q (%s)", name, e.Follows, want, e.Source)
		}
	}
	if e := read.Entry("dram"); !strings.Contains(e.Source, "140ns is below that of llc_hit") {
		t.Errorf("dram's source does not say what was measured: %s", e.Source)
	}
}

func TestThreeDigitsAreKept(t *testing.T) {
	for ns, want := range map[float64]string{0.277: "277ps", 5.4749: "5.47ns", 9.999: "10ns", 934.6: "935ns", 1234567: "1.23ms", 1e-9: "1ps"} {
		if got := spell(ns); got != want {
			t.Errorf("%v ns are %s, want %s", ns, got, want)
		}
	}
}

func TestAnEndedContextEndsTheCalibration(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	p := twice(t)
	p.probes[3].run = func(*bench) ([]window, error) { cancel(); return nil, ctx.Err() }
	if r, err := measure(ctx, Options{Base: base(t)}, wide(), p); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("report %v, error %v", r, err)
	}
	if _, err := Measure(context.Background(), Options{}); err == nil {
		t.Error("measured without a base")
	}
}

// TestThisHostIsCalibratedWhateverTheBudget says nothing about the numbers: a file
// that serves is all that can be asked for.
func TestThisHostIsCalibratedWhateverTheBudget(t *testing.T) {
	for _, budget := range []time.Duration{time.Nanosecond, 300 * time.Millisecond} {
		r, err := Measure(context.Background(), Options{Base: base(t), Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "host.yaml")
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(r.WriteYAML(f), f.Close()); err != nil {
			t.Fatal(err)
		}
		var problems yamlfile.Problems
		if cpus.ReadPreset(path, &problems); problems.Len() > 0 {
			t.Fatal(problems.Err())
		}
		for _, m := range r.Measurements {
			if m.Err == nil && !(m.Stat.Value > 0 && m.Stat.Clean >= leastWindows) {
				t.Errorf("%s is %+v", m.Name, m.Stat)
			}
			if m.Cost != "" && m.Err != nil && !strings.Contains(r.Table(), fmt.Sprintf("%v", m.Err)) {
				t.Errorf("the table does not say why %s was not measured: %v", m.Name, m.Err)
			}
		}
	}
}
