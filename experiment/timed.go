package experiment

import (
	"context"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"

	"smpsim/des"
	"smpsim/report"
	"smpsim/yamlfile"
)

// TimedSearch says how a timed machine is searched for failures.
type TimedSearch struct {
	// Runs is how many runs each slack is given, each with a seed of its own.
	Runs int
	// Most is the largest slack that is tried, in ps.
	Most des.Time
	Jobs int
}

// Likelihood is how often runs of a cell fail at one slack.
type Likelihood struct {
	Slack        des.Time
	Runs, Failed int
	// Failure is that of the first run that fails, with its seed.
	Failure string
	Seed    uint64
}

// interval is Wilson's 95% confidence interval of the probability (E. B. Wilson, JASA
// 22, 1927).
func (l *Likelihood) interval() (low, high float64) {
	const z = 1.959964
	n, p := float64(l.Runs), float64(l.Failed)/float64(l.Runs)
	z2 := float64(z * z)
	middle := p + z2/float64(2*n)
	half := z * math.Sqrt(float64(p*(1-p))/n+z2/float64(4*n*n))
	scale := 1 + z2/n
	low, high = (middle-half)/scale, (middle+half)/scale
	if l.Failed == 0 {
		low = 0
	}
	if l.Failed == l.Runs {
		high = 1
	}
	return low, high
}

// TimedCell is what a timed search of a cell has come to.
type TimedCell struct {
	Cell string
	// At has every slack that was tried, ascending.
	At []Likelihood
	// Smallest is the smallest slack at which a run failed, to a tenth; Forever if none
	// did up to the largest.
	Smallest des.Time
}

// SearchTimed runs each cell many times: as its machine times it, and with growing
// slack, until some run fails. It tells how likely a failure is on the given machine,
// and by how much timing must be off for one. Mistakes are a *yamlfile.Problems.
func (s *Source) SearchTimed(ctx context.Context, x *Experiment, how TimedSearch) ([]TimedCell, error) {
	var problems yamlfile.Problems
	var jobs []job
	for i := range x.Cells {
		jobs = append(jobs, job{cell: &x.Cells[i], seed: x.Seed})
	}
	x.link(jobs, &problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	var all []TimedCell
	for i := range jobs {
		c, err := jobs[i].search(ctx, how)
		if err != nil {
			return nil, &Fault{err}
		}
		all = append(all, c)
	}
	return all, nil
}

// search doubles the slack until a run fails, and then halves the distance to the
// largest at which none did.
func (j *job) search(ctx context.Context, how TimedSearch) (TimedCell, error) {
	c := TimedCell{Cell: cellName(j.cell), Smallest: des.Forever}
	try := func(slack des.Time) (bool, error) {
		l, err := j.likelihood(ctx, slack, how)
		at := 0
		for at < len(c.At) && c.At[at].Slack < slack {
			at++
		}
		c.At = append(c.At[:at], append([]Likelihood{l}, c.At[at:]...)...)
		return l.Failed > 0, err
	}
	low, high := des.Time(0), des.Time(0)
	found, err := try(0)
	for slack := des.Nanosecond; err == nil && !found && slack <= how.Most; slack *= 2 {
		if found, err = try(slack); found {
			high = slack
		} else {
			low = slack
		}
	}
	for err == nil && found && high-low > max(high/10, des.Nanosecond/10) {
		middle := (low + high) / 2
		var fails bool
		if fails, err = try(middle); fails {
			high = middle
		} else {
			low = middle
		}
	}
	if found {
		c.Smallest = high
	}
	return c, err
}

// likelihood runs the cell with a slack, several runs at a time.
func (j *job) likelihood(ctx context.Context, slack des.Time, how TimedSearch) (Likelihood, error) {
	failures := make([]string, how.Runs)
	errs := make([]error, how.Runs)
	var next atomic.Int64
	var group sync.WaitGroup
	for range max(1, how.Jobs) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < how.Runs && ctx.Err() == nil; i = int(next.Add(1)) - 1 {
				run := *j
				run.seed, run.slackPS = ReplicaSeed(j.seed, i), slack
				r, err := run.simulate()
				if errs[i] = err; err == nil {
					failures[i] = r.Failure
				}
			}
		})
	}
	group.Wait()
	l := Likelihood{Slack: slack, Runs: how.Runs}
	if ctx.Err() != nil {
		return l, context.Cause(ctx)
	}
	for i, f := range failures {
		if errs[i] != nil {
			return l, errs[i]
		}
		if f == "" {
			continue
		}
		if l.Failed++; l.Failed == 1 {
			l.Failure, l.Seed = f, ReplicaSeed(j.seed, i)
		}
	}
	return l, nil
}

// Summary tells what was found.
func (c *TimedCell) Summary(file string) string {
	var rows []report.Likelihood
	for i := range c.At {
		l := &c.At[i]
		low, high := l.interval()
		rows = append(rows, report.Likelihood{Slack: l.Slack, Runs: l.Runs, Failed: l.Failed, Low: low, High: high})
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n%s", c.Cell, report.Likelihoods(rows))
	if c.Smallest == des.Forever {
		last := &c.At[len(c.At)-1]
		fmt.Fprintf(&b, "no run failed, up to a slack of %s: within these limits, no finding\n", report.Duration(last.Slack))
		return b.String()
	}
	for i := range c.At {
		l := &c.At[i]
		if l.Failed == 0 {
			continue
		}
		if l.Slack == 0 {
			b.WriteString("runs fail as the machine times them, without any slack\n")
		} else {
			fmt.Fprintf(&b, "the smallest slack at which a run of %d failed is %s\n", l.Runs, report.Duration(l.Slack))
		}
		fmt.Fprintf(&b, "again: smpsim run %s --seed %d --set machine.scheduler.slack=%dps\n%s", quoted(file), l.Seed, int64(l.Slack), indent(l.Failure))
		break
	}
	return b.String()
}
