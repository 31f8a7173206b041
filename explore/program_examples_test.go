package explore_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"smpsim/explore"
	"smpsim/yamlfile"
)

// TestExamplesFindWhatTheyExpect explores the variants of the examples and compares with
// their expect: each race model broken, with its finding, and fixed, with proof.
func TestExamplesFindWhatTheyExpect(t *testing.T) {
	for _, f := range exampleFiles(t) {
		seen := map[string]bool{}
		for _, e := range f.root.Get("expect").Items {
			variant := e.Get("explore").Text
			seen[variant] = true
			t.Run(strings.TrimSuffix(filepath.Base(f.name), ".yaml")+"/"+variant, func(t *testing.T) { expect(t, f, variant, e) })
		}
		for _, v := range f.variants() {
			if !seen[v] {
				t.Errorf("%s: nothing is expected of %s", f.name, v)
			}
		}
	}
}

func expect(t *testing.T, f *file, variant string, e *yamlfile.Node) {
	spec := f.spec(t, variant)
	r, err := explore.Explore(func() explore.System { return f.program(t, variant) },
		explore.Options{Strategy: explore.DPOR(), Races: true, CheckDeterminism: true})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Complete || r.Blocked > 0 {
		t.Errorf("complete: %t %v, %d blocked", r.Complete, r.Limits, r.Blocked)
	}
	states := visitStates(f.program(t, variant))
	if states.broken != "" {
		t.Error(states.broken)
	}
	var want []string
	if e.Get("finds").Kind == yamlfile.Sequence {
		for _, kind := range e.Get("finds").Items {
			want = append(want, kind.Text)
		}
	}
	var got []string
	for _, found := range r.Findings {
		kind := string(found.Kind)
		if !slices.Contains(got, kind) && (core(found.Kind) || slices.Contains(want, kind)) {
			got = append(got, kind)
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("finds %v, want %v", got, want)
	}
	if int64(len(states.finals)) != *r.FinalStates {
		t.Errorf("%d final states by classes, %d by states", *r.FinalStates, len(states.finals))
	}
	if bad := differs(spec, explore.States(), states); bad != "" {
		t.Errorf("by states: %s", bad)
	}
	if n := e.Get("traces"); n != nil && !spec.TSO && count(t, n) != int(r.Executions) {
		t.Errorf("%d classes, want %s", r.Executions, n.Text)
	}
	if e.Get("interleavings") != nil || e.Get("failing") != nil {
		w := walkAll(f.program(t, variant), false)
		if w.all != count(t, e.Get("interleavings")) || w.failing != count(t, e.Get("failing")) {
			t.Errorf("%d interleavings, %d failing", w.all, w.failing)
		}
	}
}

// core kinds must be expected to be found.
func core(k explore.Kind) bool {
	switch k {
	case explore.LockOrder, explore.IRQSafety, explore.AtomicSleep, explore.LockHeld, explore.LostWakeup:
		return false
	}
	return true
}

func count(t *testing.T, n *yamlfile.Node) int {
	t.Helper()
	value, err := yamlfile.ParseCount(n.Text)
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}
