package calibrate

import (
	"embed"
	"encoding/csv"
	"fmt"
	"path"
	"strconv"
	"strings"
)

// The data of a host on which the contended experiments were run with care: a
// two-CPU guest on an EPYC at 2.1 GHz under Linux 6.18, whose CPUs the hypervisor had
// placed far apart or near each other. Five runs of each experiment, written in C.
//
//go:embed truth/*.csv
var truthFiles embed.FS

// Truth returns the contended experiments of that host: those of [Experiments] for
// up to two threads but qspinlock and random delays, more locks (a pthread_mutex,
// and a test-and-set that looks first), and more delays.
func Truth() []Row {
	var rows []Row
	for _, name := range []string{"two_core_basic.csv", "two_core_locks.csv"} {
		for _, r := range readTruth(name) {
			rows = append(rows, Row{
				Experiment: Experiment{
					Name: r.text("name"), Threads: int(r.count("threads")), CSNS: r.count("cs_ns"), OutsideNS: r.count("outside_ns"),
				},
				Placement: r.text("placement"), Run: int(r.count("run")),
				Clean: int(r.count("clean_windows")), Dirty: int(r.count("dirty_windows")),
				MinNS: r.number("min_ns_per_op"), P50NS: r.number("p50_ns_per_op"), P90NS: r.number("p90"), MaxNS: r.number("max"),
				Fairness: r.number("fairness_min_over_max_p50"), RunLength: r.runLength(),
			})
		}
	}
	for _, r := range readTruth("two_core_lost_updates.csv") {
		rows = append(rows, Row{
			Experiment: Experiment{Name: r.text("name"), Threads: 2, GapNS: r.count("gap_ns"), OutsideNS: r.count("outside_ns")},
			Placement:  r.text("placement"), Run: int(r.count("run")), Clean: int(r.count("clean")), Dirty: int(r.count("dirty")),
			P50NS: r.number("ns_per_iter_p50"), Fairness: 1,
			LostMin: r.number("lost_frac_min"), LostP50: r.number("lost_frac_p50"), LostMax: r.number("lost_frac_max"),
		})
	}
	return rows
}

// Parameter is a figure of one thread, in nanoseconds an operation.
type Parameter struct {
	Name                       string
	MinNS, MedianNS            float64
	MinSpreadPct, P50SpreadPct float64
}

// TruthParameters returns the single-thread figures of that host.
func TruthParameters() []Parameter {
	var all []Parameter
	for _, r := range readTruth("parameter_summary.csv") {
		all = append(all, Parameter{
			Name: r.text("parameter"), MinNS: r.number("min_ns"), MedianNS: r.number("median_of_p50_ns"),
			MinSpreadPct: r.number("min_spread_pct"), P50SpreadPct: r.number("p50_spread_pct"),
		})
	}
	return all
}

// TruthLookups returns the name lookups of that host.
func TruthLookups() []Lookup {
	var all []Lookup
	for _, r := range readTruth("unix_hash_lookup.csv") {
		all = append(all, Lookup{
			Names: r.text("fmt"), Bound: int(r.count("n_abstract")), Op: r.text("op"), Run: int(r.count("rep")), Calls: int(r.count("n")),
			MinNS: r.number("min_ns"), P50NS: r.number("p50_ns"), P90NS: r.number("p90_ns"), P99NS: r.number("p99_ns"), MaxNS: r.number("max_ns"),
		})
	}
	return all
}

// record is a line of a file with the names of its columns. The files are part of
// the program: what is wrong with them is a mistake of ours, so it panics.
type record struct {
	file    string
	columns []string
	fields  []string
}

func readTruth(name string) []record {
	data, err := truthFiles.ReadFile(path.Join("truth", name))
	if err != nil {
		panic(fmt.Sprintf("calibrate: embedded data: %v", err))
	}
	lines, err := csv.NewReader(strings.NewReader(string(data))).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("calibrate: %s: %v", name, err))
	}
	records := make([]record, len(lines)-1)
	for i, fields := range lines[1:] {
		records[i] = record{file: name, columns: lines[0], fields: fields}
	}
	return records
}

func (r record) text(column string) string {
	for i, c := range r.columns {
		if c == column {
			return r.fields[i]
		}
	}
	panic(fmt.Sprintf("calibrate: %s has no column %s", r.file, column))
}

func (r record) number(column string) float64 {
	v, err := strconv.ParseFloat(r.text(column), 64)
	if err != nil {
		panic(fmt.Sprintf("calibrate: %s: %v", r.file, err))
	}
	return v
}

func (r record) count(column string) int64 {
	v, err := strconv.ParseInt(r.text(column), 10, 64)
	if err != nil {
		panic(fmt.Sprintf("calibrate: %s: %v", r.file, err))
	}
	return v
}

// runLength reads the column that only the file of locks has.
func (r record) runLength() float64 {
	if r.file != "two_core_locks.csv" {
		return 0
	}
	return r.number("run_len_p50")
}
