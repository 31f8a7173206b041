package experiment

import (
	"strconv"

	"smpsim/report"
)

// table gives access to all records of an experiment by cell and replica.
type table struct {
	experiment *Experiment
	// records is indexed by cell, then by replica.
	records [][]*Record
	linked  []*linked
}

func newTable(x *Experiment, jobs []job, records []*Record) *table {
	t := &table{experiment: x, records: make([][]*Record, len(x.Cells)), linked: make([]*linked, len(x.Cells))}
	index := make(map[*Cell]int, len(x.Cells))
	for i := range x.Cells {
		index[&x.Cells[i]] = i
	}
	for k := range jobs {
		i := index[jobs[k].cell]
		t.records[i] = append(t.records[i], records[k])
		t.linked[i] = jobs[k].linked
	}
	return t
}

// figure sums up an expression over the replicas of cell i. It reports false if a
// replica lacks it.
func (t *table) figure(i int, what string) (report.Figure, bool) {
	var values []float64
	unit := ""
	for _, r := range t.records[i] {
		v, ok := r.value(what)
		if !ok {
			return report.Figure{}, false
		}
		values = append(values, v.V)
		unit = v.Unit
	}
	return report.Figure{Estimate: report.NewEstimate(values), Unit: unit}, true
}

// partner returns the cell of another variant at the same point of the sweep.
func (t *table) partner(i int, variant string) (int, bool) {
	for k := range t.experiment.Cells {
		if t.experiment.Cells[k].Variant == variant && sameParams(&t.experiment.Cells[k], &t.experiment.Cells[i]) {
			return k, true
		}
	}
	return 0, false
}

func sameParams(a, b *Cell) bool {
	for i := range a.Params {
		if a.Params[i].Value != b.Params[i].Value {
			return false
		}
	}
	return true
}

// cellResults sums up every expression of every cell.
func (t *table) cellResults() []CellResult {
	all := make([]CellResult, len(t.records))
	wanted := t.experiment.wanted()
	for i, records := range t.records {
		c := &t.experiment.Cells[i]
		all[i] = CellResult{Variant: t.experiment.variantName(c), Params: params(c), Replicas: len(records)}
		for _, figure := range summedUp(records[0].Observed, wanted) {
			what := figure.String()
			if f, ok := t.figure(i, what); ok {
				m := CellMetric{Unit: f.Unit, Mean: Number(f.Mean)}
				if f.Replicas > 1 {
					m.CI95 = number(f.CI95)
				}
				all[i].Metrics = append(all[i].Metrics, Member{what, m})
			}
		}
	}
	return all
}

// runResults shows every run, in the order of the jobs.
func (t *table) runResults(jobs []job, records []*Record) []RunResult {
	all := make([]RunResult, len(jobs))
	for i, r := range records {
		j := &jobs[i]
		all[i] = RunResult{
			ID: r.ID, Variant: t.experiment.variantName(j.cell), Params: params(j.cell), Replica: j.replica, Seed: j.seed,
			Elapsed: Number(r.Observed.Elapsed.Nanoseconds()), Ended: r.Ended, Failure: r.Failure,
			Metrics: metrics(r.Observed),
		}
	}
	return all
}

// variantName leaves out the name of the only variant of a file without variants.
func (x *Experiment) variantName(c *Cell) string {
	if len(x.Variants) == 1 && c.Variant == BaseVariant {
		return ""
	}
	return c.Variant
}

// params returns a cell's place in the sweep as JSON shows it.
func params(c *Cell) Ordered {
	o := Ordered{}
	for _, p := range c.Params {
		o = append(o, Member{p.Path, jsonValue(p.Value)})
	}
	return o
}

// jsonValue shows a decimal number as a number, everything else as a text.
func jsonValue(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

func conditions(where []Condition) Ordered {
	o := Ordered{}
	for _, c := range where {
		o = append(o, Member{c.Path, jsonValue(c.Value)})
	}
	return o
}
