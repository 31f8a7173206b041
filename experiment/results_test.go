package experiment_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"smpsim/experiment"
)

const lockFile = `name: locks
seed: 5
replicas: 2
variants:
  ticket: {objects.lock.spinlock: ticket}
  mcs: {objects.lock.spinlock: mcs}
sweep: {tasks.worker.count: [1, 3]}
objects: {lock: {spinlock: ticket}}
tasks:
  worker: {loop: forever, do: [{lock: lock}, {run: exp(100ns)}, {unlock: lock}, {mark: section}, {run: exp(1us)}]}
stop: {after: 30us}
compare: [{mean: section, variant: mcs, published: 1us}]
expect: [{throughput: section, variant: mcs, over: ticket, at_least: 0.01}, {count: section, at_least: 1}]
`

// runsOf returns the runs of a results.json, each on one line, by id.
func runsOf(t *testing.T, content []byte) map[string]string {
	t.Helper()
	var results struct{ Runs []json.RawMessage }
	if err := json.Unmarshal(content, &results); err != nil {
		t.Fatal(err)
	}
	byID := map[string]string{}
	for _, run := range results.Runs {
		var line bytes.Buffer
		var head struct{ ID string }
		if err := errorOf(json.Compact(&line, run), json.Unmarshal(run, &head)); err != nil {
			t.Fatal(err)
		}
		byID[head.ID] = line.String()
	}
	if len(byID) != len(results.Runs) {
		t.Fatalf("%d runs have %d ids", len(results.Runs), len(byID))
	}
	return byID
}

func errorOf(errors ...error) error {
	for _, err := range errors {
		if err != nil {
			return err
		}
	}
	return nil
}

func TestWhatIsAddedChangesNoOtherRun(t *testing.T) {
	opts := func() experiment.RunOptions { return experiment.RunOptions{Dir: t.TempDir()} }
	before := runsOf(t, runText(t, lockFile, opts()).JSON)
	for what, edit := range map[string][2]string{
		"a replica":         {"replicas: 2", "replicas: 3"},
		"a variant":         {"variants:\n", "variants:\n  tas: {objects.lock.spinlock: test-and-set}\n"},
		"a value to sweep":  {"[1, 3]", "[1, 2, 3]"},
		"a plot":            {"expect:", "plots: [{line: throughput(section), x: tasks.worker.count, by: variant, file: a.png}]\nexpect:"},
		"a timeline":        {"expect:", "plots: [{timeline: cpus, variant: mcs, where: {tasks.worker.count: 3}, window: 5us, file: a.png}]\nexpect:"},
		"an expectation":    {"expect: [", "expect: [{p99: section, at_least: 1ns}, "},
		"a title":           {"seed: 5", "seed: 5\ntitle: Locks"},
		"a line of comment": {"seed: 5", "# a line\nseed: 5"},
	} {
		text := strings.Replace(lockFile, edit[0], edit[1], 1)
		if text == lockFile {
			t.Fatalf("%s: nothing was edited", what)
		}
		after := runsOf(t, runText(t, text, opts()).JSON)
		for id, run := range before {
			if after[id] != run {
				t.Errorf("%s changes run %s:\n%s\nwas\n%s", what, id, after[id], run)
			}
		}
	}
}

// jsonForm is a value of results.json: an object with its keys in their order, a list of
// one form, or a scalar that matches a pattern.
type jsonForm struct {
	keys    []jsonKey
	items   *jsonForm
	any     *jsonForm // of an object with keys of any name
	pattern string
}

type jsonKey struct {
	name     string
	form     jsonForm
	optional bool
}

var (
	jsonNumber = jsonForm{pattern: `^-?[0-9]+(\.[0-9]+)?$`}
	jsonCount  = jsonForm{pattern: `^[0-9]+$`}
	jsonText   = jsonForm{pattern: `^".+"$`}
	jsonBool   = jsonForm{pattern: `^(true|false)$`}
	jsonUnit   = jsonForm{pattern: `^"(ns|count|1/s|s/s|)"$`}
	jsonParams = jsonForm{any: &jsonForm{pattern: `.`}}
	jsonTexts  = jsonForm{items: &jsonText}
	jsonBucket = jsonForm{keys: []jsonKey{
		{name: "min", form: jsonNumber}, {name: "max", form: jsonNumber}, {name: "count", form: jsonCount},
	}}
	jsonMetric = jsonForm{keys: []jsonKey{
		{name: "unit", form: jsonUnit},
		{name: "value", form: jsonNumber, optional: true},
		{name: "count", form: jsonCount, optional: true},
		{name: "mean", form: jsonNumber, optional: true},
		{name: "min", form: jsonNumber, optional: true},
		{name: "p50", form: jsonNumber, optional: true},
		{name: "p90", form: jsonNumber, optional: true},
		{name: "p99", form: jsonNumber, optional: true},
		{name: "p999", form: jsonNumber, optional: true},
		{name: "max", form: jsonNumber, optional: true},
		{name: "log2", form: jsonForm{items: &jsonBucket}, optional: true},
	}}
	jsonCellMetric = jsonForm{keys: []jsonKey{
		{name: "unit", form: jsonUnit}, {name: "mean", form: jsonNumber}, {name: "ci95", form: jsonNumber, optional: true},
	}}
	jsonRun = jsonForm{keys: []jsonKey{
		{name: "id", form: jsonForm{pattern: `^"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"$`}},
		{name: "variant", form: jsonText, optional: true},
		{name: "params", form: jsonParams},
		{name: "replica", form: jsonCount},
		{name: "seed", form: jsonCount},
		{name: "elapsed_ns", form: jsonNumber},
		{name: "ended", form: jsonText},
		{name: "failure", form: jsonText, optional: true},
		{name: "metrics", form: jsonForm{any: &jsonMetric}},
	}}
	jsonCell = jsonForm{keys: []jsonKey{
		{name: "variant", form: jsonText, optional: true},
		{name: "params", form: jsonParams},
		{name: "replicas", form: jsonCount},
		{name: "metrics", form: jsonForm{any: &jsonCellMetric}},
	}}
	jsonComparison = jsonForm{keys: []jsonKey{
		{name: "what", form: jsonText},
		{name: "variant", form: jsonText, optional: true},
		{name: "minus", form: jsonText, optional: true},
		{name: "where", form: jsonParams},
		{name: "unit", form: jsonUnit},
		{name: "published", form: jsonNumber},
		{name: "predicted", form: jsonNumber},
		{name: "ratio", form: jsonNumber},
		{name: "anchors", form: jsonTexts, optional: true},
	}}
	jsonExpectation = jsonForm{keys: []jsonKey{
		{name: "what", form: jsonText},
		{name: "variant", form: jsonText, optional: true},
		{name: "over", form: jsonText, optional: true},
		{name: "where", form: jsonParams},
		{name: "want", form: jsonText},
		{name: "got", form: jsonNumber},
		{name: "ok", form: jsonBool},
	}}
	jsonResults = jsonForm{keys: []jsonKey{
		{name: "schema", form: jsonForm{pattern: `^"smpsim/results/v1"$`}},
		{name: "experiment", form: jsonText},
		{name: "digest", form: jsonForm{pattern: `^"sha256:[0-9a-f]{64}"$`}},
		{name: "runs", form: jsonForm{items: &jsonRun}},
		{name: "cells", form: jsonForm{items: &jsonCell}},
		{name: "comparisons", form: jsonForm{items: &jsonComparison}, optional: true},
		{name: "expectations", form: jsonForm{items: &jsonExpectation}, optional: true},
	}}
)

// check reads a value and returns what is not of the form, empty if it is.
func (f *jsonForm) check(d *json.Decoder, at string) string {
	token, err := d.Token()
	if err != nil {
		return fmt.Sprintf("%s: %v", at, err)
	}
	switch {
	case f.items != nil && token == json.Delim('['):
		for i := 0; d.More(); i++ {
			if wrong := f.items.check(d, at+"."+strconv.Itoa(i)); wrong != "" {
				return wrong
			}
		}
		_, err = d.Token()
	case f.pattern == "" && f.items == nil && token == json.Delim('{'):
		return f.object(d, at)
	case f.pattern != "":
		text, _ := json.Marshal(token)
		if !regexp.MustCompile(f.pattern).Match(text) {
			return fmt.Sprintf("%s: %s, want %s", at, text, f.pattern)
		}
	default:
		return fmt.Sprintf("%s: %v", at, token)
	}
	if err != nil {
		return fmt.Sprintf("%s: %v", at, err)
	}
	return ""
}

func (f *jsonForm) object(d *json.Decoder, at string) string {
	keys := f.keys
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return fmt.Sprintf("%s: %v", at, err)
		}
		name := token.(string)
		form := f.any
		if form == nil {
			i := slices.IndexFunc(keys, func(k jsonKey) bool { return k.name == name })
			if i < 0 {
				return fmt.Sprintf("%s.%s: unknown, or not where it should be", at, name)
			}
			for _, k := range keys[:i] {
				if !k.optional {
					return fmt.Sprintf("%s.%s: missing", at, k.name)
				}
			}
			form, keys = &keys[i].form, keys[i+1:]
		}
		if wrong := form.check(d, at+"."+name); wrong != "" {
			return wrong
		}
	}
	for _, k := range keys {
		if !k.optional {
			return fmt.Sprintf("%s.%s: missing", at, k.name)
		}
	}
	if _, err := d.Token(); err != nil {
		return fmt.Sprintf("%s: %v", at, err)
	}
	return ""
}

// TestResultsAreOfTheStatedForm: keys are known and in their order, none that must be
// there is missing, and the digest is that of the rest.
func TestResultsAreOfTheStatedForm(t *testing.T) {
	contents := map[string][]byte{"locks": runText(t, lockFile, experiment.RunOptions{Dir: t.TempDir()}).JSON}
	for _, text := range []string{
		"name: short\ntasks: {t: {do: [{run: 1us}]}}\n",
		"name: failing\nobjects: {l: {mutex: {}}}\ntasks: {t: {count: 2, do: [{lock: l}, {lock: l}]}}\nexpect: [{mean: nothing, is: 0}]\n",
		"name: instant\ntasks: {t: {do: [{set: {r: 1}}, {mark: m}]}}\ncompare: [{mean: m, published: 1us}]\nexpect: [{throughput: m, is: 0}, {mean: m, is: 0}]\n",
	} {
		contents[text] = runText(t, text, experiment.RunOptions{Dir: t.TempDir()}).JSON
	}
	for name, set := range small {
		contents[name] = run(t, "../examples/"+name, set, experiment.RunOptions{Dir: t.TempDir()}).JSON
	}
	digest := regexp.MustCompile(`"digest":"(sha256:[0-9a-f]+)"`)
	for name, content := range contents {
		d := json.NewDecoder(bytes.NewReader(content))
		d.UseNumber()
		if wrong := jsonResults.check(d, "results"); wrong != "" {
			t.Errorf("%s: %s\n%s", name, wrong, content)
		}
		var line bytes.Buffer
		if err := json.Compact(&line, content); err != nil {
			t.Fatal(err)
		}
		held := digest.FindSubmatch(line.Bytes())
		sum := sha256.Sum256(digest.ReplaceAll(bytes.TrimRight(line.Bytes(), "\n"), []byte(`"digest":""`)))
		if got := "sha256:" + hex.EncodeToString(sum[:]); held == nil || got != string(held[1]) {
			t.Errorf("%s: the digest is %s, but says %s", name, got, held)
		}
	}
}
