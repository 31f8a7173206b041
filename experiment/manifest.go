package experiment

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// manifest says how results came about: enough to run them again, and the facts of
// the host, which stand nowhere else.
type manifest struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
	// File, Text, Set and Seed are the experiment as it was read. File is absolute: other
	// files that the text names are found beside it.
	File string   `json:"file"`
	Text string   `json:"text"`
	Set  []string `json:"set,omitempty"`
	Seed *uint64  `json:"seed,omitempty"`

	Runs  int      `json:"runs"`
	Plots []string `json:"plots,omitempty"`

	Written  time.Time     `json:"written"`
	Took     time.Duration `json:"took_ns"`
	Program  string        `json:"program"`
	Platform string        `json:"platform"`
}

const manifestSchema = "smpsim/manifest/v1"

func (s *Source) manifest(program, digest string, runs int, plots []string, took time.Duration) ([]byte, error) {
	file, err := filepath.Abs(s.Path)
	if err != nil {
		return nil, err
	}
	return json.MarshalIndent(&manifest{
		Schema: manifestSchema, Version: Version, Digest: digest,
		File: file, Text: string(s.Text), Set: s.Overrides.Set, Seed: s.Overrides.Seed,
		Runs: runs, Plots: plots, Written: time.Now().UTC().Truncate(time.Second), Took: took.Truncate(time.Millisecond),
		Program: program, Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}, "", " ")
}

// readManifest returns the experiment that a results folder is of.
func readManifest(dir string) (*manifest, *Source, *Experiment, error) {
	path := filepath.Join(dir, "manifest.json")
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil, fmt.Errorf("%s is no results folder: it has no manifest.json", dir)
	}
	if err != nil {
		return nil, nil, nil, err
	}
	var m manifest
	if err := json.Unmarshal(content, &m); err != nil || m.Schema != manifestSchema {
		return nil, nil, nil, fmt.Errorf("%s is not a manifest of this version of smpsim", path)
	}
	s := &Source{Path: m.File, Text: []byte(m.Text), Overrides: Overrides{Set: m.Set, Seed: m.Seed}}
	x, err := s.parse()
	return &m, s, x, err
}

// Verification is what Verify found.
type Verification struct {
	Runs     int
	Explored int
	Digest   string
	// Difference names the first difference; empty if there is none.
	Difference string
}

// Verify runs the experiment of a results folder again and compares the results with
// those that the folder holds. Only Jobs and Progress of the options count.
func Verify(ctx context.Context, dir string, opts RunOptions) (*Verification, error) {
	m, _, x, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	held, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return nil, err
	}
	if opts.Dir, err = os.MkdirTemp("", "smpsim-verify"); err != nil {
		return nil, &Fault{err}
	}
	defer os.RemoveAll(opts.Dir)
	p, err := x.prepare()
	if err == nil {
		err = prepareDir(opts.Dir)
	}
	if err != nil {
		return nil, err
	}
	f, err := measure(ctx, x, p, opts)
	if err != nil {
		return nil, &Fault{err}
	}
	v := &Verification{Runs: len(f.jobs), Explored: len(f.explored), Digest: f.results.Digest}
	switch {
	case !bytes.Equal(held, f.json):
		v.Difference = firstDifference(held, f.json)
	case m.Digest != f.results.Digest:
		v.Difference = "manifest.json holds the digest " + m.Digest + ", the results have " + f.results.Digest
	}
	return v, nil
}

// firstDifference shows the first line in which two texts of results.json differ, and
// what it says.
func firstDifference(held, again []byte) string {
	lines := func(text []byte) [][]byte { return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) }
	a, b := lines(held), lines(again)
	first := -1
	for i := range min(len(a), len(b)) {
		if bytes.Equal(a[i], b[i]) {
			continue
		}
		// The digest, near the top, differs whenever anything does.
		if first = i; jsonPath(b, i) != "digest" {
			break
		}
	}
	if first < 0 || jsonPath(b, first) == "digest" && len(a) != len(b) {
		return fmt.Sprintf("results.json holds %d lines, now %d", len(a), len(b))
	}
	return fmt.Sprintf("results.json line %d, %s: held %s, now %s",
		first+1, jsonPath(b, first), bytes.TrimSpace(a[first]), bytes.TrimSpace(b[first]))
}

// jsonPath is where line i of results.json stands: runs.0.metrics.gc_run.value. Each
// level is indented by one space more than the one around it.
func jsonPath(lines [][]byte, i int) string {
	var path []string
	entries := []int{0} // of lists, by depth
	for _, line := range lines[:i+1] {
		text := bytes.TrimLeft(line, " ")
		depth := len(line) - len(text) - 1
		if depth < 0 || len(text) == 0 || text[0] == '}' || text[0] == ']' {
			continue
		}
		path, entries = path[:min(depth, len(path))], append(entries[:min(depth+1, len(entries))], 0)
		name, _, named := bytes.Cut(text, []byte(`": `))
		if !named {
			name = strconv.AppendInt([]byte(`"`), int64(entries[depth]), 10)
			entries[depth]++
		}
		path = append(path, string(name[1:]))
	}
	return strings.Join(path, ".")
}

// Replot draws the plots of a results folder again from the records it holds.
func Replot(dir string) ([]string, error) {
	m, _, x, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	if !x.times() {
		return nil, fmt.Errorf("%s: its experiment explores, and draws no plots", dir)
	}
	jobs := x.jobs()
	records := make([]*Record, len(jobs))
	for i := range jobs {
		records[i], err = loadRecord(dir, jobs[i].id(), m.Program, jobs[i].window)
		if err != nil {
			return nil, err
		}
		if records[i] == nil {
			return nil, fmt.Errorf("%s lacks the record of run %s; smpsim run makes it again", dir, jobs[i].id())
		}
	}
	return newTable(x, jobs, records).draw(dir)
}
