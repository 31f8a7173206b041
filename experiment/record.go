package experiment

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"smpsim/observe"
)

// Record is all that is kept of one run: enough to write results, summary and
// plots without running again. It is stored as runs/<id>.json, so that an
// interrupted or extended sweep only adds work.
type Record struct {
	// Program is the fingerprint of the program that ran it: another program's
	// records are not reused.
	Program string `json:"program"`
	ID      string `json:"id"`
	// Result is the run as results.json shows it, byte for byte.
	Result json.RawMessage `json:"result"`
	// Values are the metric expressions of the run.
	Values []Value `json:"values"`
	// Observed is everything that was measured.
	Observed *observe.Result `json:"observed"`
	// Events counts the events that the simulation fired.
	Events uint64 `json:"events"`
	// Ended says why the run ended.
	Ended string `json:"ended"`
	// Failure says what broke, if the run did not end as it should.
	Failure string `json:"failure,omitempty"`
}

// Value is a metric expression evaluated over one run.
type Value struct {
	What string  `json:"what"`
	Unit string  `json:"unit"`
	V    float64 `json:"v"`
}

// value returns the value of an expression.
func (r *Record) value(what string) (Value, bool) {
	for _, v := range r.Values {
		if v.What == what {
			return v, true
		}
	}
	return Value{}, false
}

func recordPath(dir, id string) string { return filepath.Join(dir, "runs", id+".json") }

// loadRecord returns the stored record of a run, nil if there is none that this
// program made, or none with the timeline that is wanted.
func loadRecord(dir, id, program string, w *window) (*Record, error) {
	content, err := os.ReadFile(recordPath(dir, id))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var r Record
	if json.Unmarshal(content, &r) != nil || r.ID != id || r.Program != program || r.Observed == nil {
		return nil, nil
	}
	if t := r.Observed.Timeline; w != nil && (t == nil || int64(t.From) > w.from || int64(t.To) < w.to) {
		return nil, nil
	}
	return &r, nil
}

func (r *Record) store(dir string) error {
	content, err := encode(r)
	if err != nil {
		return err
	}
	return writeWhole(recordPath(dir, r.ID), content)
}
