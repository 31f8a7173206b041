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
	"time"
)

// manifest says how results came about: enough to run them again, and the facts of
// the host, which stand nowhere else.
type manifest struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Digest  string `json:"digest"`
	// File, Text, Set and Seed are the experiment as it was read.
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
	return json.MarshalIndent(&manifest{
		Schema: manifestSchema, Version: Version, Digest: digest,
		File: s.Path, Text: string(s.Text), Set: s.Overrides.Set, Seed: s.Overrides.Seed,
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
	x, err := Parse(s.Path, s.Text, s.Overrides)
	return &m, s, x, err
}

// Verification is what Verify found.
type Verification struct {
	Runs   int
	Digest string
	// Difference names the first difference; empty if there is none.
	Difference string
}

// Verify runs the experiment of a results folder again and compares the results with
// those that the folder holds. Only Jobs and Progress of the options count.
func Verify(ctx context.Context, dir string, opts RunOptions) (*Verification, error) {
	m, s, x, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	held, err := os.ReadFile(filepath.Join(dir, "results.json"))
	if err != nil {
		return nil, err
	}
	opts.Dir, err = os.MkdirTemp("", "smpsim-verify")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(opts.Dir)
	f, err := s.find(ctx, x, opts)
	if err != nil {
		return nil, err
	}
	v := &Verification{Runs: len(f.jobs), Digest: f.results.Digest}
	switch {
	case !bytes.Equal(held, f.json):
		v.Difference = firstDifference(held, f.json)
	case m.Digest != f.results.Digest:
		v.Difference = "manifest.json holds the digest " + m.Digest + ", the results have " + f.results.Digest
	}
	return v, nil
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(held, again []byte) string {
	a, b := bytes.Split(held, []byte("\n")), bytes.Split(again, []byte("\n"))
	for i := range min(len(a), len(b)) {
		// The digest, near the top, differs whenever anything does.
		if !bytes.Equal(a[i], b[i]) && !bytes.Contains(a[i], []byte(`"digest"`)) {
			return fmt.Sprintf("results.json line %d: held %s, now %s", i+1, bytes.TrimSpace(a[i]), bytes.TrimSpace(b[i]))
		}
	}
	return fmt.Sprintf("results.json has %d lines, now %d", len(a), len(b))
}

// Replot draws the plots of a results folder again from the records it holds.
func Replot(dir string) ([]string, error) {
	m, s, x, err := readManifest(dir)
	if err != nil {
		return nil, err
	}
	jobs := s.jobs(x)
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
