package experiment

import (
	"fmt"
	"slices"
	"strings"

	"smpsim/report"
)

// summary is summary.txt: what the terminal shows.
func (f *found) summary(file, sensitivity string) string {
	var b strings.Builder
	x := f.experiment
	title := x.Title
	if title == "" {
		title = x.Name
	}
	fmt.Fprintf(&b, "%s\n", title)
	if f.table != nil {
		fmt.Fprintf(&b, "%s · seed %d · %d replicas · smpsim %s\n", x.Cells[0].Machine.Preset, x.Seed, x.Replicas, Version)
	} else {
		fmt.Fprintf(&b, "explored · seed %d · smpsim %s\n", x.Seed, Version)
	}
	section := func(heading, text string) {
		if text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n%s", heading, strings.Repeat("-", len(heading)), text)
			if !strings.HasSuffix(text, "\n") {
				b.WriteByte('\n')
			}
		}
	}
	if f.table != nil {
		f.timed(section, sensitivity)
	}
	section("Explored", f.explorations())
	section("Findings", f.findings(file))
	section("Expectations", f.expectations())
	if f.table != nil {
		section("Run 1 at a glance", report.Sanity(f.table.records[0][0].Observed))
	}
	return b.String()
}

// timed are the sections on what was timed.
func (f *found) timed(section func(heading, text string), sensitivity string) {
	section("Failures", f.failures())
	section("Figures", f.table.figures())
	section("Histograms (first replica)", f.table.histograms())
	section("Variants against the first", f.table.differences())
	section("Collector", f.table.collector())
	section("CPU time by task (first replica)", f.table.cpuTime())
	section("Locks (first replica)", f.table.locks())
	section("Slowest calls (first replica)", f.table.outliers())
	section("Published figures beside the predicted ones", f.comparisons())
	section("Costs without a source, halved and doubled", sensitivity)
}

// failures tells what broke, each failure once with the number of runs.
func (f *found) failures() string {
	var order []string
	runs := map[string]int{}
	for i, records := range f.table.records {
		c := &f.table.experiment.Cells[i]
		for replica, r := range records {
			if r.Failure == "" {
				continue
			}
			if runs[r.Failure]++; runs[r.Failure] == 1 {
				order = append(order, fmt.Sprintf("%s, replica %d, seed %d: %s\n", cellName(c), replica, f.seedOf(c, replica), r.Failure))
			}
		}
	}
	total := 0
	for _, n := range runs { // order does not show
		total += n
	}
	if total == 0 {
		return ""
	}
	return strings.Join(order, "") + fmt.Sprintf("%d of %d runs failed\n", total, len(f.jobs))
}

func (f *found) seedOf(c *Cell, replica int) uint64 {
	for i := range f.jobs {
		if f.jobs[i].cell == c && f.jobs[i].replica == replica {
			return f.jobs[i].seed
		}
	}
	return 0
}

// cellName says which cell it is.
func cellName(c *Cell) string {
	parts := []string{c.Variant}
	for _, p := range c.Params {
		if !p.Derived {
			parts = append(parts, p.Path+"="+p.Value)
		}
	}
	return strings.Join(parts, ", ")
}

// shown are the figures of the table of cells: those the file asks for, or the means
// of its measured functions.
func (t *table) shown() []string {
	var all []string
	add := func(what string) {
		if !slices.Contains(all, what) {
			all = append(all, what)
		}
	}
	x := t.experiment
	for _, f := range x.wanted() {
		add(f.String())
	}
	for i := range x.Plots {
		if p := &x.Plots[i]; p.Kind == HistogramPlot {
			add("mean(" + p.Samples + ")")
			add("p50(" + p.Samples + ")")
			add("p99(" + p.Samples + ")")
			add("max(" + p.Samples + ")")
		}
	}
	for _, m := range x.Measure {
		add("mean(" + m + ")")
	}
	return all
}

// figures is the table of cells.
func (t *table) figures() string {
	metrics := t.shown()
	if len(metrics) == 0 {
		return ""
	}
	return t.rows(metrics, func(i int) []report.Figure { return t.figuresOf(i, metrics) })
}

func (t *table) figuresOf(i int, metrics []string) []report.Figure {
	row := make([]report.Figure, len(metrics))
	for k, what := range metrics {
		row[k], _ = t.figure(i, what)
	}
	return row
}

// rows is a table with a row for each cell.
func (t *table) rows(heads []string, figures func(i int) []report.Figure) string {
	var paths []string
	for _, a := range t.experiment.Axes {
		if !a.Derived {
			paths = append(paths, a.Path)
		}
	}
	var cells []report.Cell
	for i := range t.experiment.Cells {
		c := &t.experiment.Cells[i]
		row := report.Cell{Variant: c.Variant, Figures: figures(i)}
		for _, p := range c.Params {
			if !p.Derived {
				row.Params = append(row.Params, p.Value)
			}
		}
		cells = append(cells, row)
	}
	return report.Cells(paths, heads, cells)
}

// differences compares each variant with the first, at both ends of the sweep. The
// replicas of two variants share their random streams, so that the difference is taken
// replica by replica.
func (t *table) differences() string {
	var all []report.Difference
	x := t.experiment
	perVariant := len(x.Cells) / len(x.Variants)
	ends := []int{0}
	if perVariant > 1 {
		ends = append(ends, perVariant-1)
	}
	for _, what := range t.shown() {
		for _, end := range ends {
			for i := end + perVariant; i < len(x.Cells); i += perVariant {
				if d, ok := t.differenceOf(what, end, i); ok {
					all = append(all, d)
				}
			}
		}
	}
	return report.Differences(all)
}

// differenceOf compares a figure of cell i with that of cell base.
func (t *table) differenceOf(what string, base, i int) (report.Difference, bool) {
	a, ok := t.figure(base, what)
	b, both := t.figure(i, what)
	if !ok || !both || a.Replicas != b.Replicas {
		return report.Difference{}, false
	}
	var paired []float64
	for k := range t.records[i] {
		from, _ := t.records[base][k].value(what)
		to, _ := t.records[i][k].value(what)
		paired = append(paired, to.V-from.V)
	}
	c := &t.experiment.Cells[i]
	return report.Difference{
		What: what, Variant: c.Variant, Base: t.experiment.Cells[base].Variant, Where: reportParams(whereOf(c)),
		From: a.Mean, To: b.Mean, By: report.NewEstimate(paired), Unit: a.Unit,
	}, true
}

// histograms are those of the file's histogram plots, a cell each.
func (t *table) histograms() string {
	var b strings.Builder
	for k := range t.experiment.Plots {
		p := &t.experiment.Plots[k]
		if p.Kind != HistogramPlot {
			continue
		}
		for i := range t.experiment.Cells {
			c := &t.experiment.Cells[i]
			if !c.Matches(p.Variant, p.Where) {
				continue
			}
			if m := t.records[i][0].Observed.Metric(p.Samples); m != nil {
				fmt.Fprintf(&b, "%s of %s:\n%s\n", p.Samples, cellName(c), report.Histogram(m, true))
			}
		}
	}
	return b.String()
}

// cpuTime shows who had the CPUs, so that work moved to a worker is seen.
func (t *table) cpuTime() string {
	var all []report.TaskTimes
	for i := range t.experiment.Cells {
		o := t.records[i][0].Observed
		all = append(all, report.TaskTimes{Variant: cellName(&t.experiment.Cells[i]), Elapsed: o.Elapsed, Tasks: o.Tasks})
	}
	return report.CPUTime(all)
}

// locks shows the lock statistics of the cells with the largest parameters: where
// contention is, it is there.
func (t *table) locks() string {
	var b strings.Builder
	for i := range t.experiment.Cells {
		if !t.last(i) {
			continue
		}
		if text := report.Locks(t.records[i][0].Observed.Locks); text != "" {
			fmt.Fprintf(&b, "%s:\n%s", cellName(&t.experiment.Cells[i]), text)
		}
	}
	return b.String()
}

// last reports whether cell i is the last of its variant.
func (t *table) last(i int) bool {
	cells := t.experiment.Cells
	return i == len(cells)-1 || cells[i+1].Variant != cells[i].Variant
}

// outliers explains the slowest calls of the functions that the file is about.
func (t *table) outliers() string {
	var b strings.Builder
	var functions []string
	for _, f := range t.experiment.wanted() {
		functions = append(functions, f.Arg)
	}
	for k := range t.experiment.Plots {
		functions = append(functions, t.experiment.Plots[k].Samples)
	}
	for i := range t.experiment.Cells {
		if !t.last(i) {
			continue
		}
		o := t.records[i][0].Observed
		for k := range o.Functions {
			fn := &o.Functions[k]
			if slices.Contains(functions, fn.Name) {
				fmt.Fprintf(&b, "%s: %s", cellName(&t.experiment.Cells[i]), report.Outliers(fn))
			}
		}
	}
	return b.String()
}

// collector tells how often the collector was entered and how often it collected:
// the difference is the window in which several CPUs were inside.
func (t *table) collector() string {
	if t.records[0][0].Observed.Metric("gc_enter") == nil {
		return ""
	}
	metrics := []string{"count(gc_enter)", "count(gc_run)", "mean(gc_spin)", "cpu_time(spin)"}
	heads := slices.Insert(slices.Clone(metrics), 2, "entered in vain")
	return t.rows(heads, func(i int) []report.Figure {
		var vain []float64
		for _, r := range t.records[i] {
			entered, _ := r.value(metrics[0])
			ran, _ := r.value(metrics[1])
			vain = append(vain, entered.V-ran.V)
		}
		return slices.Insert(t.figuresOf(i, metrics), 2, report.Figure{Estimate: report.NewEstimate(vain), Unit: "count"})
	}) + "gc_spin is the time that CPUs spun on unix_gc_lock in one run.\n"
}

func reportParams(o Ordered) []report.Param {
	var all []report.Param
	for _, m := range o {
		all = append(all, report.Param{Path: m.Key, Value: fmt.Sprint(m.Value)})
	}
	return all
}

func (f *found) comparisons() string {
	var all []report.Comparison
	for _, c := range f.results.Comparisons {
		all = append(all, report.Comparison{
			What: c.What, Variant: c.Variant, Minus: c.Minus, Where: reportParams(c.Where),
			Published: float64(c.Published), Predicted: float64(c.Predicted), Unit: c.Unit, Anchors: c.Anchors,
		})
	}
	if len(all) == 0 {
		return ""
	}
	return report.Comparisons(all)
}

func (f *found) expectations() string {
	var all []report.Expectation
	for _, e := range f.results.Expectations {
		all = append(all, report.Expectation{
			What: e.What, Variant: e.Variant, Over: e.Over, Where: reportParams(e.Where), Want: e.Want,
			Got: e.got(), OK: e.OK,
		})
	}
	if len(all) == 0 {
		return ""
	}
	return report.Expectations(all)
}
