package experiment

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"smpsim/observe"
)

// Record is all that is kept of one run: enough to write results, summary and
// plots without running again. It is stored as runs/<id>.json, so that an
// interrupted or extended sweep only adds work. Whatever an edit of the file could
// change without changing the id, such as the variant's name, is not in it.
type Record struct {
	// Program is the fingerprint of the program that ran it: another program's
	// records are not reused.
	Program string `json:"program"`
	ID      string `json:"id"`
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
	Unit string
	V    float64
}

// value evaluates an expression such as mean(x).
func (r *Record) value(what string) (Value, bool) {
	function, arg, _ := strings.Cut(what, "(")
	v, unit, ok := r.Observed.Eval(function, strings.TrimSuffix(arg, ")"))
	return Value{unit, v}, ok
}

func recordPath(dir, id string) string { return filepath.Join(dir, "runs", id+".json") }

// stored is the form of a record's file. Anything that happened to the file shows in
// its digest, so that a record that is read back is one that was written.
type stored struct {
	Digest string          `json:"digest"`
	Record json.RawMessage `json:"record"`
}

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
	var s stored
	if json.Unmarshal(content, &s) != nil || s.Digest != digest(s.Record) {
		return nil, nil
	}
	var r Record
	if json.Unmarshal(s.Record, &r) != nil || r.ID != id || r.Program != program {
		return nil, nil
	}
	if t := r.Observed.Timeline; w != nil && (t == nil || int64(t.From) > w.from || int64(t.To) < w.to) {
		return nil, nil
	}
	return &r, nil
}

// file is the content of the file that keeps the record.
func (r *Record) file() ([]byte, error) {
	record, err := encode(r)
	if err != nil {
		return nil, err
	}
	return encode(stored{digest(record), record})
}
