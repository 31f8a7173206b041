package calibrate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"smpsim/cpus"
)

// DefaultBudget is how long a calibration takes at most if nothing else is asked
// for: less than the half minute that a user is ready to wait.
const DefaultBudget = 25 * time.Second

// Options of a calibration.
type Options struct {
	// Base gives the costs that cannot be measured. It is required.
	Base *cpus.Preset
	// Budget is about how long the calibration may take; 0 is [DefaultBudget]. With
	// less, fewer windows are looked at and more stands in.
	Budget time.Duration
	// Progress, if set, is told before each measurement how many of how many are
	// done, and which comes.
	Progress func(done, total int, name string)
}

// Measurement is one thing that was measured, or could not be.
type Measurement struct {
	// Name is unique in a report. Cost is the cost of a preset that it gives, or empty.
	Name, Cost string
	// Meaning says what the number is, Method how it was found.
	Meaning, Method string
	// Err says why there is no number; if nil, Stat is the number.
	Err  error
	Stat Stat
}

// Pair is the transfer of a line between two CPUs.
type Pair struct {
	A, B     int
	Distance Distance
	Err      error
	Stat     Stat

	windows []window
}

// Windows and rounds of a calibration.
const (
	// enoughWindows is what a measurement ends with before its time is over.
	enoughWindows = 1000
	// hopRounds is how often each pair is sampled, spread over the calibration: a
	// host may change its regime meanwhile.
	hopRounds = 3
	// mostPairs is how many pairs of CPUs stand for a distance.
	mostPairs = 4
	// hopShare is the part of the budget that a sample of a pair may take, against
	// the shares of probes.
	hopShare = 1
)

// Measure calibrates the host that it runs on. What cannot be measured, for lack
// of CPUs, rights, support or time, is said in the report and stands in from the
// base preset. The error is that of the context, or says that there is no base.
//
// While it runs, the garbage collector is off and GOMAXPROCS may be raised; nothing
// else should run in the process.
func Measure(ctx context.Context, o Options) (*Report, error) {
	if o.Base == nil {
		return nil, errors.New("a calibration needs a base preset")
	}
	h := host()
	l1, l2, llc := h.L1Size, h.L2Size, h.LLCSize
	costs := &o.Base.Costs
	if l1 == 0 || l2 == 0 || llc == 0 {
		l1, l2, llc = costs.L1Size, costs.L2Size, costs.LLCSize
	}
	return measure(ctx, o, h, hostPlan(l1, l2, llc))
}

// step is a probe or one round of the pairs.
type step struct {
	name  string
	share int
	run   func(b *bench)
}

func measure(ctx context.Context, o Options, h *Host, p plan) (*Report, error) {
	defer quiet(h)()
	budget := o.Budget
	if budget == 0 {
		budget = DefaultBudget
	}
	report := &Report{Host: h, Base: o.Base.Name, Measurements: make([]Measurement, len(p.probes)), Started: time.Now()}
	b := &bench{ctx: ctx, host: h, enough: enoughWindows, found: map[string]Stat{}}
	steps := report.steps(h, p)
	shares := 0
	for _, s := range steps {
		shares += s.share
	}
	end := clock() + int64(budget)
	for i, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if o.Progress != nil {
			o.Progress(i, len(steps), s.name)
		}
		b.deadline = clock() + max(end-clock(), 0)*int64(s.share)/int64(shares)
		s.run(b)
		shares -= s.share
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	report.Took = time.Since(report.Started)
	report.transfers()
	report.entries(o.Base)
	return report, nil
}

// quiet keeps the runtime out of measurements: no garbage collection, and room for
// a thread on each CPU beside those that wait. It returns what undoes it.
func quiet(h *Host) (undo func()) {
	runtime.GC()
	percent := debug.SetGCPercent(-1)
	procs := runtime.GOMAXPROCS(0)
	runtime.GOMAXPROCS(max(procs, len(h.CPUs)+2))
	return func() {
		runtime.GOMAXPROCS(procs)
		debug.SetGCPercent(percent)
	}
}

// steps lists the probes with the rounds of the pairs before, among and after them.
func (r *Report) steps(h *Host, p plan) []step {
	for d := SameCore; d <= OtherSocket; d++ {
		for _, pair := range h.pairsAt(d, mostPairs) {
			r.Pairs = append(r.Pairs, Pair{A: pair[0], B: pair[1], Distance: d})
		}
	}
	var steps []step
	rounds := 0
	for i := 0; i <= len(p.probes); i++ {
		if i*(hopRounds-1) >= rounds*len(p.probes) {
			rounds++
			steps = append(steps, r.hopSteps(p)...)
		}
		if i == len(p.probes) {
			break
		}
		probe, into := p.probes[i], &r.Measurements[i]
		*into = Measurement{Name: probe.name, Cost: probe.cost, Meaning: probe.meaning, Method: probe.method}
		if f := costField(probe.cost); f != nil {
			into.Meaning = f.Meaning
		}
		steps = append(steps, step{name: probe.name, share: probe.share, run: func(b *bench) {
			windows, err := probe.run(b)
			if err == nil {
				into.Stat, err = summarize(windows)
			}
			if err == nil {
				b.found[probe.name] = into.Stat
			}
			into.Err = err
		}})
	}
	return steps
}

func (r *Report) hopSteps(p plan) []step {
	steps := make([]step, len(r.Pairs))
	for i := range r.Pairs {
		pair := &r.Pairs[i]
		steps[i] = step{
			name: fmt.Sprintf("transfer between CPU %d and %d", pair.A, pair.B), share: hopShare,
			run: func(b *bench) {
				windows, err := p.hop(b, pair.A, pair.B)
				pair.windows = append(pair.windows, windows...)
				pair.Err = err
			},
		}
	}
	return steps
}

// transfers makes a measurement for each distance of its pairs: that of the pair
// whose number is in the middle.
func (r *Report) transfers() {
	for d := SameCore; d <= OtherSocket; d++ {
		field := costField(transferCosts[d])
		m := Measurement{Name: field.Name, Cost: field.Name, Meaning: field.Meaning, Method: hopMethod}
		m.Stat, m.Err = r.middle(d)
		r.Measurements = append(r.Measurements, m)
	}
}
