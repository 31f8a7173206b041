package report

import (
	"fmt"
	"math"
)

// Difference is what a variant changes in a figure.
type Difference struct {
	What, Variant, Base string
	Where               []Param
	// From and To are the means in the base and in the variant.
	From, To float64
	// By is the mean of the differences, replica by replica.
	By   Estimate
	Unit string
}

// Tells reports whether the difference is larger than its confidence interval; without
// replicas, whether there is one at all.
func (d *Difference) Tells() bool {
	if d.By.Replicas < 2 {
		return d.By.Mean != 0
	}
	return math.Abs(d.By.Mean) > d.By.CI95
}

// Differences prints what variants change, and says so where it is too little to be
// told from chance, or nothing.
func Differences(differences []Difference) string {
	t := table{heads: []string{"figure", "variant", "against", "where", "from", "to", "difference", "ratio", ""}, align: "llllrrrrl"}
	for i := range differences {
		d := &differences[i]
		ratio, verdict := "-", ""
		if d.From != 0 {
			ratio = significant(d.To / d.From)
		}
		switch {
		case d.By.Mean == 0 && d.By.CI95 == 0:
			verdict = "equal"
		case !d.Tells():
			verdict = fmt.Sprintf("below what %d replicas can tell", d.By.Replicas)
		}
		t.add(d.What, d.Variant, d.Base, where(d.Where), Value(d.From, d.Unit), Value(d.To, d.Unit), d.By.Format(d.Unit), ratio, verdict)
	}
	return t.String()
}
