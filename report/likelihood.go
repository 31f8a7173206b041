package report

import (
	"fmt"
	"strconv"

	"smpsim/des"
)

// Likelihood is how often runs failed at one slack, with the bounds of a 95%
// confidence interval of the probability.
type Likelihood struct {
	Slack        des.Time
	Runs, Failed int
	Low, High    float64
}

// Likelihoods prints a row for each slack.
func Likelihoods(all []Likelihood) string {
	t := table{heads: []string{"slack", "runs", "failed", "likelihood", "95% interval"}, align: "rrrrr"}
	for _, l := range all {
		t.add(
			Duration(l.Slack), strconv.Itoa(l.Runs), strconv.Itoa(l.Failed), percent(float64(l.Failed)/float64(l.Runs)),
			percent(l.Low)+" to "+percent(l.High),
		)
	}
	return t.String()
}

func percent(p float64) string { return fmt.Sprintf("%.4g%%", 100*p) }
