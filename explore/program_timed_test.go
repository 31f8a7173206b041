package explore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/explore"
	"smpsim/workloads"
)

// TestTimedRunsEndWhereExplorationsCan runs random programs on the timed machine, with
// various beginnings, and looks for the words and registers that they leave among those
// that an exploration of the same program ends with.
func TestTimedRunsEndWhereExplorationsCan(t *testing.T) {
	compared := 0
	for seed := range uint64(200) {
		r := &randomProgram{Rand: rand.New(rand.NewPCG(seed, 2)), timed: true}
		text := r.text()
		f := parseFile(t, "f.yaml", text)
		ends := map[string]bool{}
		p := f.program(t, "")
		visitEnds(p, map[string]bool{}, ends)
		for try := range uint64(4) {
			got, ok := timedEnd(t, f, seed*4+try, p.Values())
			if !ok {
				continue // a deadlock, or what the machine ends a run at
			}
			compared++
			if !ends[got] {
				t.Errorf("seed %d: a timed run ends with %s, no exploration does\n%s", seed, got, text)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d timed runs came to an end", compared)
	}
	t.Logf("%d timed runs", compared)
}

// visitEnds gathers what words and registers hold where everybody has ended.
func visitEnds(p *explore.Program, seen, ends map[string]bool) {
	if s := string(p.State(nil)); seen[s] {
		return
	} else {
		seen[s] = true
	}
	enabled := p.Enabled(nil)
	if len(enabled) == 0 {
		ends[fmt.Sprint(p.Values())] = true
	}
	here := p.Save(nil)
	for _, a := range enabled {
		p.Restore(here)
		p.Do(a)
		visitEnds(p, seen, ends)
	}
}

// timedEnd runs the file's programs on a machine with a CPU for each task, and returns
// what is named in like at the end.
func timedEnd(t *testing.T, f *file, seed uint64, like []workloads.WordValue) (string, bool) {
	preset, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		t.Fatal(err)
	}
	sim := des.New(seed)
	defer sim.Close()
	// A program that goes round for ever is no end to compare.
	sim.SetEventLimit(100_000)
	const n = 8
	m := cpus.New(sim, cpus.Spec{Topology: preset.Topology, Costs: preset.Costs, CPUs: n, Policy: "fifo"})
	spec := f.spec(t, "")
	l := spec.Workload.Link(m)
	l.Report = func(*workloads.Failure) bool { return true }
	starts := rand.New(rand.NewPCG(seed, 3))
	for i, task := range spec.Tasks {
		set := m.NewCPUSet()
		set.Add(i)
		timed := l.NewTask(spec.Workload.Program(task.Name), &cpus.TaskSpec{Kthread: task.Kthread, CPUs: &set})
		if !task.Manual {
			m.StartAt(timed, des.Time(starts.IntN(2000))*des.Nanosecond)
		}
	}
	if m.Run(5*des.Millisecond) != cpus.Ended {
		return "", false
	}
	values := map[string]int64{}
	for _, w := range l.Words() {
		values[w.Name] = w.Value
	}
	for _, task := range spec.Tasks {
		p := spec.Workload.Program(task.Name)
		for k, v := range l.Registers(p, 0) {
			values[task.Name+"."+p.Registers()[k]] = v
		}
	}
	end := make([]workloads.WordValue, len(like))
	for i, v := range like {
		end[i] = workloads.WordValue{Name: v.Name, Value: values[v.Name]}
	}
	return fmt.Sprint(end), true
}
