package plots

import (
	"fmt"
	"testing"
)

// doubleEntry is two CPUs that enter the collector.
func doubleEntry() *Interleaving {
	return &Interleaving{
		Head:  Head{"Can two CPUs enter the collector at once?", "trusted · memory sc · schedule 0x2.1.0x3.1x2"},
		Lanes: []string{"sender[0]", "sender[1]"},
		Steps: []InterleavingStep{
			{Lane: 0, Line: 15, Text: "read: {busy: in_progress}", Note: "in_progress = 0"},
			{Lane: 0, Line: 18, Text: "lock: gc_lock"},
			{Lane: 1, Line: 15, Text: "read: {busy: in_progress}", Note: "in_progress = 0", Preempts: true},
			{Lane: 0, Line: 21, Text: `atomic: {n: "add_return(inside, 1)"}`, Note: "inside returned 1"},
			{Lane: 1, Line: 21, Text: `atomic: {n: "add_return(inside, 1)"}`, Note: "inside returned 2", Preempts: true, Found: []string{"assert: n == 1"}},
		},
		Ending: []string{"check: inside == 0"},
	}
}

// longInterleaving has more steps than boxes, and texts that are too long.
func longInterleaving() *Interleaving {
	l := &Interleaving{Head: Head{"Many steps", "folded"}, Lanes: []string{"a", "b", "c", "a task with a name that is quite long", "e"}}
	for i := range 3 * mostBoxes {
		l.Steps = append(l.Steps, InterleavingStep{Lane: i / 20 % 5, Text: fmt.Sprintf("write: {a_word_with_a_long_name: %d}", i)})
	}
	l.Steps[45].Found = []string{"a finding in the middle of a run of steps, told in more words than fit into the column of its task"}
	return l
}

func TestALongInterleavingIsFoldedIntoRuns(t *testing.T) {
	d := longInterleaving().layout()
	if len(d.boxes) > mostBoxes || len(d.boxes) < 9 {
		t.Errorf("%d boxes", len(d.boxes))
	}
	next := 0
	for _, b := range d.boxes {
		if b.first != next || b.top >= b.bottom || b.bottom > b.under {
			t.Errorf("box %+v, want the first step %d", b, next)
		}
		next = b.last + 1
	}
	if next != 3*mostBoxes {
		t.Errorf("boxes hold %d steps", next)
	}
}

func TestAnInterleavingRefusesLanesThatAreNotThere(t *testing.T) {
	for _, l := range []*Interleaving{
		{Lanes: []string{"a"}, Steps: []InterleavingStep{{Lane: 1}}},
		{Lanes: make([]string, maxSeries+1)},
	} {
		if _, err := l.Figure(); err == nil {
			t.Errorf("%d lanes, %d steps: no error", len(l.Lanes), len(l.Steps))
		}
	}
}
