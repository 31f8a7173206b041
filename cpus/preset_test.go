package cpus_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/yamlfile"
)

func load(t testing.TB, name string) *cpus.Preset {
	t.Helper()
	p, err := cpus.LoadPreset(name)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPresetsAreListedByName(t *testing.T) {
	want := []string{"epyc-milan-2s", "opteron-4s", "xeon-2s", "xeon-8s", "xeon-icx-2s", "xeon-server"}
	if got := cpus.Presets(); !slices.Equal(got, want) {
		t.Errorf("presets are %q, want %q", got, want)
	}
}

func TestEveryPresetGivesEveryCostWithASource(t *testing.T) {
	for _, name := range cpus.Presets() {
		p := load(t, name)
		if p.Name != name || p.Title == "" {
			t.Errorf("%s: name %q, title %q", name, p.Name, p.Title)
		}
		if len(p.Entries) != len(cpus.CostFields) {
			t.Fatalf("%s: %d entries for %d costs", name, len(p.Entries), len(cpus.CostFields))
		}
		for i, e := range p.Entries {
			field := cpus.CostFields[i]
			if e.Name != field.Name || e.Meaning != field.Meaning || e.Anchor != field.Anchor {
				t.Errorf("%s: entry %d is %s, want that of %s", name, i, e.Name, field.Name)
			}
			if !slices.Contains(cpus.CostKinds, e.Kind) || e.Source == "" || e.Value == "" || e.Unit == "" {
				t.Errorf("%s: %s is %q %q, kind %q, source %q", name, e.Name, e.Value, e.Unit, e.Kind, e.Source)
			}
			if amount(&p.Costs, e.Name) != parse(t, e.Value+e.Unit) {
				t.Errorf("%s: %s prints as %s%s but counts as %d", name, e.Name, e.Value, e.Unit, amount(&p.Costs, e.Name))
			}
		}
	}
}

// TestReferenceMachineCostsWhatItsSourcesSay holds xeon-server against the table
// of figures that it was made from, typed here a second time.
func TestReferenceMachineCostsWhatItsSourcesSay(t *testing.T) {
	const ns, us = des.Nanosecond, des.Microsecond
	want := cpus.Costs{
		Cycle:            333,
		L1Hit:            1100,
		L2Hit:            4600,
		LLCHit:           17 * ns,
		DRAM:             90 * ns,
		PlainIncrement:   280,
		Atomic:           5500,
		Fence:            21900,
		Pause:            18 * ns,
		TransferSMT:      7600,
		TransferLLC:      47 * ns,
		TransferSocket:   47 * ns,
		TransferRemote:   134 * ns,
		BHPair:           3 * ns,
		Syscall:          70 * ns,
		SwitchThread:     1070 * ns,
		SwitchProcess:    2410 * ns,
		WakeIdle:         3 * us,
		WakeWaker:        700 * ns,
		Tick:             2 * us,
		FillPeriod:       64 * ns,
		UnixDgramSendmsg: 540 * ns,
		PassUnixFD:       277 * ns,
		L1Size:           32768,
		L2Size:           1048576,
		LLCSize:          37486592,
	}
	p := load(t, "xeon-server")
	if diff := cmp.Diff(want, p.Costs); diff != "" {
		t.Errorf("costs differ from their table (-table +preset):\n%s", diff)
	}
	kinds := map[string]string{
		"cycle": "read", "l1_hit": "measured", "l2_hit": "measured", "llc_hit": "read", "dram": "unsourced",
		"plain_increment": "measured", "atomic": "measured", "fence": "measured", "pause": "measured",
		"transfer_smt": "read", "transfer_llc": "read", "transfer_socket": "follows", "transfer_remote": "read",
		"bh_pair": "unsourced", "syscall": "unsourced", "switch_thread": "read", "switch_process": "read",
		"wake_idle": "unsourced", "wake_waker": "measured", "tick": "unsourced", "fill_period": "unsourced",
		"unix_dgram_sendmsg": "measured", "pass_unix_fd": "measured",
		"l1_size": "read", "l2_size": "read", "llc_size": "read",
	}
	var anchors []string
	for _, e := range p.Entries {
		if e.Kind != kinds[e.Name] {
			t.Errorf("%s is of kind %s, want %s", e.Name, e.Kind, kinds[e.Name])
		}
		if e.Anchor {
			anchors = append(anchors, e.Name)
		}
	}
	if want := []string{"unix_dgram_sendmsg", "pass_unix_fd"}; !slices.Equal(anchors, want) {
		t.Errorf("anchors are %q, want %q", anchors, want)
	}
	if want := []string{"dram", "bh_pair", "syscall", "wake_idle", "tick", "fill_period"}; !slices.Equal(p.Unsourced(), want) {
		t.Errorf("unsourced are %q, want %q", p.Unsourced(), want)
	}
}

func TestStandInsSayWhoseTheyAre(t *testing.T) {
	reference := load(t, "xeon-server")
	for _, name := range cpus.Presets() {
		for _, e := range load(t, name).Entries {
			if !strings.Contains(e.Source, "stands in") {
				continue
			}
			own := reference.Entry(e.Name)
			if e.Kind != cpus.CostUnsourced || e.Value != own.Value || e.Unit != own.Unit {
				t.Errorf("%s: %s is %s%s, %s; want xeon-server's %s%s, unsourced", name, e.Name, e.Value, e.Unit, e.Kind, own.Value, own.Unit)
			}
		}
	}
}

// TestTransfersOfTheOtherMachinesAreTheirSources checks the figures that tell the
// machines apart: nanoseconds to a thread of the core, within the last-level
// cache, the socket, and the machine.
func TestTransfersOfTheOtherMachinesAreTheirSources(t *testing.T) {
	for name, want := range map[string][4]int64{
		"xeon-2s":       {7600, 47000, 47000, 134000},
		"xeon-icx-2s":   {8100, 51000, 51000, 108000},
		"epyc-milan-2s": {9800, 23000, 107000, 197000},
		"xeon-8s":       {7600, 51000, 51000, 136000},
		"opteron-4s":    {7600, 39000, 77000, 82000},
	} {
		c := load(t, name).Costs
		if got := [4]int64{int64(c.TransferSMT), int64(c.TransferLLC), int64(c.TransferSocket), int64(c.TransferRemote)}; got != want {
			t.Errorf("%s: transfers take %v ps, want %v", name, got, want)
		}
	}
}

func TestTopologiesHaveTheirMachinesCPUs(t *testing.T) {
	for name, want := range map[string]cpus.Topology{
		"xeon-server":   {Sockets: 2, Cores: 24, Threads: 2, CoresPerLLC: 24},
		"xeon-2s":       {Sockets: 2, Cores: 24, Threads: 2, CoresPerLLC: 24},
		"xeon-icx-2s":   {Sockets: 2, Cores: 32, Threads: 2, CoresPerLLC: 32},
		"epyc-milan-2s": {Sockets: 2, Cores: 48, Threads: 2, CoresPerLLC: 8},
		"xeon-8s":       {Sockets: 8, Cores: 10, Threads: 1, CoresPerLLC: 10},
		"opteron-4s":    {Sockets: 4, Cores: 12, Threads: 1, CoresPerLLC: 6},
	} {
		if got := load(t, name).Topology; got != want {
			t.Errorf("%s: topology %+v, want %+v", name, got, want)
		}
	}
}

// TestReferenceMachineNumbersCPUsCoreFirst checks the numbering that experiment
// files rely on: 0-23 are the cores of socket 0, 24-47 those of socket 1, 48-95
// their second threads in the same order.
func TestReferenceMachineNumbersCPUsCoreFirst(t *testing.T) {
	p := load(t, "xeon-server")
	m := cpus.New(des.New(1), cpus.Spec{Topology: p.Topology, Costs: p.Costs, CPUs: 96})
	for i := range 96 {
		wantSocket := 0
		if i%48 >= 24 {
			wantSocket = 1
		}
		if got := m.CPU(i).Socket(); got != wantSocket {
			t.Errorf("CPU %d is on socket %d, want %d", i, got, wantSocket)
		}
		for j := range 96 {
			want := p.Costs.TransferRemote
			switch {
			case i == j:
				want = p.Costs.L1Hit
			case i%48 == j%48:
				want = p.Costs.TransferSMT
			case m.CPU(i).Socket() == m.CPU(j).Socket():
				want = p.Costs.TransferLLC
			}
			if got := m.Transfer(m.CPU(i), m.CPU(j)); got != want {
				t.Fatalf("a line moves from CPU %d to %d in %v, want %v", i, j, got, want)
			}
		}
	}
}

func TestUnknownPresetNamesTheNearest(t *testing.T) {
	_, err := cpus.LoadPreset("xeon-sever")
	want := `"xeon-sever" is not a preset; did you mean "xeon-server"?; allowed: epyc-milan-2s, opteron-4s, xeon-2s, xeon-8s, xeon-icx-2s, xeon-server`
	if err == nil || err.Error() != want {
		t.Errorf("error is %v, want %s", err, want)
	}
}

func TestAFileOfTheUsersServesAsAPreset(t *testing.T) {
	data, err := os.ReadFile("presets/opteron-4s.yaml")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	var problems yamlfile.Problems
	p := cpus.ReadPreset(path, &problems)
	if problems.Len() > 0 {
		t.Fatal(problems.Err())
	}
	if p.Name != "mine" || p.Costs != load(t, "opteron-4s").Costs {
		t.Errorf("read %q with costs %+v", p.Name, p.Costs)
	}
	if p := cpus.ReadPreset(filepath.Join(t.TempDir(), "none.yaml"), &problems); p != nil || problems.Len() == 0 {
		t.Error("a file that is not there was read")
	}
}

func TestScaleTouchesOneCostAlone(t *testing.T) {
	reference := load(t, "xeon-server").Costs
	for _, field := range cpus.CostFields {
		costs, want := reference, amount(&reference, field.Name)
		costs.Scale(field.Name, 2, 1)
		if got := amount(&costs, field.Name); got != 2*want {
			t.Errorf("%s doubled is %d, want %d", field.Name, got, 2*want)
		}
		costs.Scale(field.Name, 1, 2)
		if costs != reference {
			t.Errorf("%s halved again changed something else", field.Name)
		}
	}
	costs := reference
	costs.Cycle, costs.Tick = 1, 0
	costs.Scale("cycle", 1, 2)
	costs.Scale("tick", 1, 2)
	if costs.Cycle != 1 || costs.Tick != 0 {
		t.Errorf("half of 1ps is %v, half of nothing is %v", costs.Cycle, costs.Tick)
	}
}

// TestMistakesInCostsAreNamedWithTheirPlace runs the stories in testdata/presets:
// "preset" reads a file made of xeon-server's with lines replaced, "override"
// gives machine.costs of an experiment.
func TestMistakesInCostsAreNamedWithTheirPlace(t *testing.T) {
	text, err := os.ReadFile("presets/xeon-server.yaml")
	if err != nil {
		t.Fatal(err)
	}
	datadriven.Walk(t, "testdata/presets", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var problems yamlfile.Problems
			var out strings.Builder
			switch d.Cmd {
			case "preset":
				if p := cpus.ParsePreset("p.yaml", []byte(edit(t, string(text), d.Input)), &problems); p != nil {
					out.WriteString("read\n")
				}
			case "override":
				p := load(t, "xeon-server")
				root := yamlfile.Parse("f.yaml", []byte(d.Input), &problems)
				for _, pair := range root.Pairs {
					p.Override(pair.Key.Text, pair.Value, &problems)
				}
				p.Check(&problems)
				for _, e := range p.Entries {
					if was := load(t, "xeon-server").Entry(e.Name); was.Value+was.Unit != e.Value+e.Unit {
						out.WriteString(e.Name + " is " + e.Value + e.Unit + ", " + e.Kind + " (" + e.Source + ")\n")
					}
				}
			default:
				t.Fatalf("command %q, expected preset or override", d.Cmd)
			}
			if err := problems.Err(); err != nil {
				out.WriteString(err.Error() + "\n")
			}
			return out.String()
		})
	})
}

// edit applies lines "old => new" to a text; each old must be there.
func edit(t *testing.T, text, edits string) string {
	for _, line := range strings.Split(strings.TrimSpace(edits), "\n") {
		if line == "" {
			continue
		}
		from, to, _ := strings.Cut(line, " => ")
		if !strings.Contains(text, from) {
			t.Fatalf("the preset has no %q", from)
		}
		text = strings.Replace(text, from, to, 1)
	}
	return text
}

func amount(c *cpus.Costs, name string) int64 {
	for _, f := range cpus.CostFields {
		if f.Name == name && f.Time != nil {
			return int64(*f.Time(c))
		}
		if f.Name == name {
			return *f.Size(c)
		}
	}
	return -1
}

func parse(t *testing.T, quantity string) int64 {
	parser := yamlfile.ParseDuration
	if strings.HasSuffix(quantity, "B") {
		parser = yamlfile.ParseBytes
	}
	v, err := parser(quantity)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func FuzzPresetFilesNeverPanic(f *testing.F) {
	text, err := os.ReadFile("presets/xeon-server.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte("topology: {sockets: 0, cores: [], threads: -1, cores_per_llc: 7}\ncosts: {cycle: {value: cycle, kind: follows, source: x}}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		var problems yamlfile.Problems
		p := cpus.ParsePreset("fuzz.yaml", data, &problems)
		if (p == nil) != (problems.Len() > 0) {
			t.Fatalf("preset %v with %d problems", p, problems.Len())
		}
		if p == nil {
			return
		}
		m := cpus.New(des.New(1), cpus.Spec{Topology: p.Topology, Costs: p.Costs, CPUs: min(2, p.Topology.CPUs())})
		w := m.NewWord("w", 0)
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "t"}, func(k *cpus.Thread) {
			k.AddReturn(w, 1)
			k.Walk(cpus.NewFootprint(1), 1000)
		}))
		if outcome := m.Run(des.Forever); outcome != cpus.Ended {
			t.Fatalf("a machine of that preset: %v", outcome)
		}
	})
}
