package experiment

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/observe"
	"smpsim/plots"
	"smpsim/report"
)

// draw writes every plot of the file into dir and returns the names of the
// pictures.
func (t *table) draw(dir string) ([]string, error) {
	var files []string
	for i := range t.experiment.Plots {
		p := &t.experiment.Plots[i]
		f, err := t.figureOf(p)
		if err == nil {
			err = f.Write(filepath.Join(dir, p.File))
		}
		if err != nil {
			return files, fmt.Errorf("%v: cannot draw %s: %w", p.Pos, p.File, err)
		}
		files = append(files, p.File)
	}
	return files, nil
}

func (t *table) figureOf(p *Plot) (*plots.Figure, error) {
	switch p.Kind {
	case HistogramPlot:
		return t.histogram(p).Figure()
	case LinePlot:
		return t.line(p).Figure()
	default:
		return t.timeline(p).Figure()
	}
}

// group is a curve: cells that share a value of the plot's by.
type group struct {
	name  string
	cells []int
}

// groups sorts the cells that a plot shows into its curves, in file order.
func (t *table) groups(p *Plot) []group {
	var all []group
	for i := range t.experiment.Cells {
		c := &t.experiment.Cells[i]
		if !c.Matches(p.Variant, p.Where) {
			continue
		}
		name := p.Variant
		switch p.By {
		case "":
		case byVariant:
			name = c.Variant
		default:
			name, _ = c.Param(p.By)
		}
		k := 0
		for k < len(all) && all[k].name != name {
			k++
		}
		if k == len(all) {
			all = append(all, group{name: name})
		}
		all[k].cells = append(all[k].cells, i)
	}
	return all
}

// histogram shows the mean count a run in each bucket.
func (t *table) histogram(p *Plot) *plots.Histogram {
	h := &plots.Histogram{YLabel: "calls per run"}
	h.X = plots.Axis{Label: p.Samples + "()", Unit: plots.Nanoseconds}
	for _, g := range t.groups(p) {
		s := plots.HistogramSeries{Name: g.name}
		var records []*Record
		for _, i := range g.cells {
			records = append(records, t.records[i]...)
		}
		buckets, total, unit := meanBuckets(records, p.Samples)
		if unit == "count" {
			h.X = plots.Axis{Label: p.Samples, Unit: plots.Count}
			h.YLabel = "samples per run"
		}
		s.Buckets = buckets
		s.Note = "n = " + strconv.FormatUint(total, 10)
		h.Series = append(h.Series, s)
	}
	for _, s := range h.Series {
		for _, b := range s.Buckets {
			if b.Error > 0 {
				h.Errors = fmt.Sprintf("95%% CI of %d runs", t.experiment.Replicas)
			}
		}
	}
	h.Head = t.head(p)
	return h
}

// meanBuckets averages the histograms of several runs bucket by bucket; a bucket
// that a run lacks counts as empty there.
func meanBuckets(records []*Record, name string) ([]plots.Bucket, uint64, string) {
	var (
		bounds []observe.Bucket
		total  uint64
		unit   string
	)
	at := map[int64]int{}
	counts := [][]float64{}
	for k, r := range records {
		m := r.Observed.Metric(name)
		if m == nil {
			continue
		}
		unit = m.Unit
		total += m.Samples.Count
		for _, b := range m.Samples.Log2 {
			i, ok := at[b.Min]
			if !ok {
				i = len(bounds)
				at[b.Min] = i
				bounds = append(bounds, b)
				counts = append(counts, make([]float64, len(records)))
			}
			counts[i][k] = float64(b.Count)
		}
	}
	buckets := make([]plots.Bucket, len(bounds))
	for i, b := range bounds {
		e := report.NewEstimate(counts[i])
		buckets[i] = plots.Bucket{Min: b.Min, Max: b.Max, Count: e.Mean, Error: e.CI95}
	}
	slices.SortFunc(buckets, func(a, b plots.Bucket) int { return cmp.Compare(a.Min, b.Min) })
	return buckets, total, unit
}

func (t *table) line(p *Plot) *plots.Line {
	l := &plots.Line{X: plots.Axis{Label: p.X, Unit: plots.Count}}
	l.Y = plots.Axis{Label: p.Figure.String(), Unit: plots.Count}
	if t.experiment.Replicas > 1 {
		l.Errors = fmt.Sprintf("95%% CI of %d runs", t.experiment.Replicas)
	}
	for _, g := range t.groups(p) {
		s := plots.LineSeries{Name: g.name}
		for _, i := range g.cells {
			figure, ok := t.figure(i, p.Figure.String())
			if !ok {
				continue
			}
			l.Y.Unit = plotUnit(figure.Unit)
			text, _ := t.experiment.Cells[i].Param(p.X)
			x, err := strconv.ParseFloat(text, 64)
			if err != nil {
				continue
			}
			s.Points = append(s.Points, plots.Point{X: x, Y: figure.Mean, Error: figure.CI95})
		}
		l.Series = append(l.Series, s)
	}
	l.Head = t.head(p)
	return l
}

func plotUnit(unit string) plots.Unit {
	switch unit {
	case "ns":
		return plots.Nanoseconds
	case "1/s":
		return plots.PerSecond
	case "s/s":
		return plots.CPUSeconds
	default:
		return plots.Count
	}
}

// modeKinds are the timeline's kinds by the mode of a CPU.
var modeKinds = [cpus.Modes]plots.Kind{
	cpus.Idle: plots.Idle, cpus.User: plots.User, cpus.Kernel: plots.Kernel, cpus.Spin: plots.Spin,
	cpus.IRQ: plots.IRQ, cpus.Switch: plots.Switch,
}

func (t *table) timeline(p *Plot) *plots.Timeline {
	l := &plots.Timeline{Head: t.head(p), Lanes: 1, From: p.FromPS, To: p.FromPS + p.WindowPS}
	i, ok := t.timelineCell(p)
	if !ok || t.records[i][0].Observed.Timeline == nil {
		return l
	}
	observed := t.records[i][0].Observed
	return timelineOf(observed, l.Head, len(observed.CPUs), l.From, l.To)
}

// timelineOf shows what the first CPUs did from one time to another.
func timelineOf(observed *observe.Result, head plots.Head, lanes int, from, to int64) *plots.Timeline {
	l := &plots.Timeline{Head: head, Lanes: lanes, From: from, To: to}
	add := func(cpu int, start, end des.Time, kind plots.Kind) {
		if from, to := max(int64(start), l.From), min(int64(end), l.To); from < to && cpu < lanes {
			l.Slices = append(l.Slices, plots.Slice{Lane: cpu, Start: from, End: to, Kind: kind})
		}
	}
	for _, s := range observed.Timeline.Slices {
		add(s.CPU, s.Start, s.End, modeKinds[s.Mode])
	}
	for _, s := range observed.Timeline.Locks {
		if !s.Waiting {
			add(s.CPU, s.Start, s.End, plots.Held)
		}
	}
	for _, m := range observed.Timeline.Points {
		// Wake-ups are left to the context switches that they lead to.
		if at := int64(m.At); m.Kind != observe.Wakeup && at >= l.From && at <= l.To && m.CPU < lanes {
			l.Marks = append(l.Marks, plots.Mark{Lane: m.CPU, At: at, Label: m.Kind.String()})
		}
	}
	return l
}

// timelineCell is the first cell that a timeline may show.
func (t *table) timelineCell(p *Plot) (int, bool) {
	for i := range t.experiment.Cells {
		if t.experiment.Cells[i].Matches(p.Variant, p.Where) {
			return i, true
		}
	}
	return 0, false
}

// windows returns, for the cells that timelines show, the part of the first run that
// they show.
func (x *Experiment) windows() map[*Cell]*window {
	t := table{experiment: x}
	shown := map[*Cell]*window{}
	for k := range x.Plots {
		p := &x.Plots[k]
		if p.Kind != TimelinePlot {
			continue
		}
		if i, ok := t.timelineCell(p); ok {
			c := &x.Cells[i]
			shown[c] = (&window{p.FromPS, p.FromPS + p.WindowPS}).union(shown[c])
		}
	}
	return shown
}

// head says where a picture's numbers come from.
func (t *table) head(p *Plot) plots.Head {
	x := t.experiment
	c := &x.Cells[0]
	if i, ok := t.timelineCell(p); ok {
		c = &x.Cells[i]
	}
	parts := []string{c.Machine.Preset}
	if !x.sweeps("machine.cpus") || p.Kind == TimelinePlot {
		if c.Machine.CPUs > 0 {
			parts = append(parts, fmt.Sprintf("%d CPUs", c.Machine.CPUs))
		}
	}
	if p.Variant != "" {
		parts = append(parts, "variant "+p.Variant)
	}
	for _, w := range p.Where {
		if w.Path != "machine.cpus" {
			parts = append(parts, w.Path+" = "+w.Value)
		}
	}
	if p.Kind == TimelinePlot {
		parts = append(parts, fmt.Sprintf("seed %d", x.Seed), "run "+c.ID(x.Seed).String()[:8])
	} else {
		parts = append(parts, fmt.Sprintf("seed %d, %d replicas", x.Seed, x.Replicas), "experiment "+x.Name)
	}
	parts = append(parts, "smpsim "+Version)
	title := x.Title
	if title == "" {
		title = x.Name
	}
	return plots.Head{Title: title, Subtitle: strings.Join(parts, " · ")}
}

func (x *Experiment) sweeps(path string) bool {
	for _, a := range x.Axes {
		if a.Path == path {
			return true
		}
	}
	return false
}
