package workloads

import (
	"os"
	"path/filepath"
	"strings"

	"smpsim/des"
	"smpsim/yamlfile"
)

// duration is how long a step takes: a fixed time, or a sample.
type duration struct {
	fixed des.Time
	dist  *des.Dist
}

// maxDuration bounds what a file may say of one step, so that sums stay far from
// the end of the clock.
const maxDuration = 3600 * des.Second

// readDuration reads a step's duration.
func readDuration(n *yamlfile.Node, what string, problems *yamlfile.Problems) (duration, bool) {
	d, ok := n.Distribution(problems, what)
	if !ok {
		return duration{}, false
	}
	dist, ok := NewDist(d, n, what, problems)
	if !ok {
		return duration{}, false
	}
	if fixed, ok := dist.Fixed(); ok {
		return duration{fixed: fixed}, true
	}
	return duration{dist: &dist}, true
}

// NewDist makes a distribution that can be sampled of one that a file spells at
// n. It reads the file of an empirical one, which is found beside the experiment
// file and holds one duration a line, and notes what is wrong.
func NewDist(d yamlfile.Distribution, n *yamlfile.Node, what string, problems *yamlfile.Problems) (des.Dist, bool) {
	for i, arg := range d.Args {
		if arg > int64(maxDuration) && (i == 0 || d.Kind != yamlfile.LogNormal) {
			problems.Addf(n.Pos, "%s: %s is longer than %v", what, yamlfile.FormatDuration(arg), maxDuration)
			return des.Dist{}, false
		}
	}
	switch d.Kind {
	case yamlfile.Exp:
		return des.Exp(des.Time(d.Args[0])), true
	case yamlfile.Uniform:
		return des.Uniform(des.Time(d.Args[0]), des.Time(d.Args[1])), true
	case yamlfile.LogNormal:
		return des.LogNormal(des.Time(d.Args[0]), float64(d.Args[1])/1e6), true
	case yamlfile.Empirical:
		return readSamples(d.File, n, what, problems)
	default:
		return des.Const(des.Time(d.Args[0])), true
	}
}

// readSamples reads a file of durations, one a line. Empty lines and those that
// begin with # say nothing.
func readSamples(name string, n *yamlfile.Node, what string, problems *yamlfile.Problems) (des.Dist, bool) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(n.Pos.File), name)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		problems.Addf(n.Pos, "%s: cannot read %s: %v", what, quote(name), bare(err))
		return des.Dist{}, false
	}
	var samples []des.Time
	ok := true
	for i, line := range strings.Split(string(data), "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		value, err := yamlfile.ParseDuration(line)
		at := yamlfile.Pos{File: path, Line: i + 1, Column: 1}
		switch {
		case err != nil:
			problems.Addf(at, "%v", err)
			ok = false
		case value < 0 || value > int64(maxDuration):
			problems.Addf(at, "%s is not within 0s to %v", quote(line), maxDuration)
			ok = false
		}
		samples = append(samples, des.Time(value))
	}
	if len(samples) == 0 {
		problems.Addf(n.Pos, "%s: %s has no durations", what, quote(name))
		ok = false
	}
	if !ok {
		return des.Dist{}, false
	}
	return des.Empirical(samples), true
}

// bare drops the path from an error of the file system, since a message has it.
func bare(err error) error {
	if e, ok := err.(*os.PathError); ok {
		return e.Err
	}
	return err
}
