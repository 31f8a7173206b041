package report

import (
	"fmt"
)

// Cell is a variant with one value of every swept path, and what was found there.
type Cell struct {
	Variant string
	// Params are the values of the swept paths, in the order of the table's.
	Params []string
	// Figures are in the order of the table's metrics.
	Figures []Figure
}

// Figure is an estimate in a unit; one of no replicas is missing.
type Figure struct {
	Estimate
	Unit string
}

// Cells prints a row for each cell: its variant, its parameters, and its figures with
// their confidence intervals, and says what the intervals are.
func Cells(params, metrics []string, cells []Cell) string {
	t := table{heads: []string{"variant"}, align: "l"}
	for _, p := range params {
		t.heads = append(t.heads, p)
		t.align += "r"
	}
	for _, m := range metrics {
		t.heads = append(t.heads, m)
		t.align += "r"
	}
	fewest, most := 0, 0
	for _, c := range cells {
		row := append([]string{c.Variant}, c.Params...)
		for _, f := range c.Figures {
			if f.Replicas == 0 {
				row = append(row, "-")
				continue
			}
			row = append(row, f.Format(f.Unit))
			if most == 0 || f.Replicas < fewest {
				fewest = f.Replicas
			}
			most = max(most, f.Replicas)
		}
		t.add(row...)
	}
	return t.String() + intervals(fewest, most)
}

func intervals(fewest, most int) string {
	switch {
	case most == 0:
		return ""
	case most == 1:
		return "one replica: no confidence intervals\n"
	case fewest == most:
		return fmt.Sprintf("± is a 95%% confidence interval over %d replicas\n", most)
	default:
		return fmt.Sprintf("± is a 95%% confidence interval over %d to %d replicas\n", fewest, most)
	}
}
