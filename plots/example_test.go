package plots_test

import (
	"fmt"
	"os"

	"smpsim/plots"
)

func Example() {
	l := plots.Line{
		Head: plots.Head{
			Title:    "Throughput of one contended spinlock",
			Subtitle: "xeon-server, 64 CPUs · run 3f9a01c2 · seeds 2–4 · smpsim 0.1.0",
		},
		X:      plots.Axis{Label: "tasks.worker.count", Unit: plots.Count},
		Y:      plots.Axis{Label: "throughput(section)", Unit: plots.PerSecond},
		Errors: "95% CI of 3 runs",
		Series: []plots.LineSeries{
			{Name: "ticket", Points: []plots.Point{{X: 1, Y: 4e6, Error: 2e4}, {X: 2, Y: 2.5e6, Error: 3e4}}},
			{Name: "qspinlock", Points: []plots.Point{{X: 1, Y: 4.1e6, Error: 2e4}, {X: 2, Y: 3e6, Error: 2e4}}},
		},
	}
	figure, err := l.Figure()
	if err != nil {
		fmt.Println(err)
		return
	}
	// figure.Write("throughput.png") would leave the picture and this table.
	if err := figure.CSV(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// series,tasks.worker.count,throughput(section) (1/s),error (1/s)
	// ticket,1,4e+06,20000
	// ticket,2,2.5e+06,30000
	// qspinlock,1,4.1e+06,20000
	// qspinlock,2,3e+06,20000
}
