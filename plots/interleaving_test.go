package plots

import (
	"fmt"
	"strings"
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

const longFinding = "a finding in the middle of a run of steps, told in more words than fit into one line of the column of its task"

// longInterleaving has 180 steps, 20 at a time, and texts of more than one line.
func longInterleaving(lanes int) *Interleaving {
	l := &Interleaving{Head: Head{"Many steps", "folded"}, Ending: []string{longFinding}}
	for i := range lanes {
		l.Lanes = append(l.Lanes, fmt.Sprintf("sender[%d]", i))
	}
	l.Lanes[lanes-1] = "a task with a name that is quite long and longer still"
	for i := range 180 {
		l.Steps = append(l.Steps, InterleavingStep{
			Lane: i / 20 % lanes, Text: fmt.Sprintf("write: {a_word: another_one + %d}", i), Preempts: i%40 == 20,
		})
	}
	l.Steps[45].Found = []string{longFinding}
	return l
}

// alternating has steps of two tasks in turn, so that none are folded.
func alternating(steps int) *Interleaving {
	l := &Interleaving{Head: Head{"Two tasks in turn", provenance}, Lanes: []string{"a", "b"}}
	for i := range steps {
		l.Steps = append(l.Steps, InterleavingStep{Lane: i % 2, Text: "read: {r: x}", Note: "x = 0"})
	}
	return l
}

func TestALongInterleavingIsFoldedIntoRuns(t *testing.T) {
	d := longInterleaving(4).layout()
	// 9 runs, one of which is broken by what it finds.
	if len(d.boxes) != 10 {
		t.Errorf("%d boxes, want 10", len(d.boxes))
	}
	checkBoxes(t, d)
	if got := d.boxes[2].number(); got != "41–46" || len(d.boxes[2].found) == 0 {
		t.Errorf("the run with a finding is %s, found %q; want steps 41–46", got, d.boxes[2].found)
	}
}

// checkBoxes checks that each step is in one box, and that no box covers another.
func checkBoxes(t *testing.T, d *interleavingDrawing) {
	t.Helper()
	next, y := 0, d.f.top
	for _, b := range d.boxes {
		if b.first != next || b.last < b.first || b.top < y || b.top >= b.bottom || b.bottom > b.under {
			t.Errorf("box %+v, want the first step %d, from %d px on", b, next, y)
		}
		next, y = b.last+1, b.under
	}
	if next != len(d.l.Steps) || y > d.below || d.below > d.height-margin {
		t.Errorf("boxes hold %d steps of %d and end at %d px, the ending starts at %d, the picture ends at %d", next, len(d.l.Steps), y, d.below, d.height)
	}
}

func TestAnInterleavingOfAnyLengthHasABoundedPicture(t *testing.T) {
	longest := 0
	for _, steps := range []int{mostBoxes, mostBoxes + 1, 20_000} {
		l := alternating(steps)
		l.Steps[steps/2].Found = []string{"assert: r == 0"}
		d := l.layout()
		checkBoxes(t, d)
		out := 0
		for i := range d.boxes {
			if b := &d.boxes[i]; b.lane == omitted {
				out += b.last - b.first + 1
				if !strings.Contains(b.lines[0].text, "with 1 finding;") {
					t.Errorf("%q does not tell of the finding that is left out", b.lines[0].text)
				}
			}
		}
		if want := steps - mostBoxes; out != max(0, want) {
			t.Errorf("%d steps left out of %d, want %d", out, steps, want)
		}
		if longest = max(longest, d.height); longest > 30_000 {
			t.Errorf("%d steps make a picture of %d px", steps, d.height)
		}
	}
}

func TestTextOfAnInterleavingStaysInItsPlaceForAnyNumberOfTasks(t *testing.T) {
	for _, lanes := range []int{1, 2, 3, 4, 5, 9, 33, 64, 65, 400} {
		d := longInterleaving(lanes).layout()
		checkBoxes(t, d)
		if d.width < narrowest {
			t.Errorf("%d tasks: boxes of %d px", lanes, d.width)
		}
		fits := func(text string, from, to int) {
			if end := float64(from) + textWidth(text, textSize); end > float64(to) {
				t.Errorf("%d tasks: %q ends at %.0f px, its place at %d", lanes, text, end, to)
			}
		}
		for i := range d.boxes {
			b := &d.boxes[i]
			x := d.x(b.lane)
			if d.tracks {
				if x+barWidth > d.side {
					t.Errorf("%d tasks: the track of %d covers the text", lanes, b.lane)
				}
				x = d.side
			}
			if x+d.width > figureWidth-margin {
				t.Errorf("%d tasks: the box of %d ends at %d px", lanes, b.lane, x+d.width)
			}
			fits(b.number(), margin, d.lanes-numberGap+1)
			for _, line := range b.lines {
				fits(line.text, x+d.text, x+d.width)
			}
			for _, line := range b.found {
				fits(line, x+barWidth+boxPadding, x+d.width)
			}
			if told := strings.Join(b.found, " "); len(b.found) > 0 && told != longFinding {
				t.Errorf("%d tasks: the finding is cut: %q", lanes, told)
			}
		}
	}
}

func TestAnInterleavingHasTracksWhereColumnsWouldCutTheText(t *testing.T) {
	for _, c := range []struct {
		lanes  int
		text   string
		tracks bool
	}{
		{4, "write: {x: 1}", false},
		{5, "write: {x: 1}", true},
		{4, "write: {a_word_that_is_wider_than_its_column: 1}", true},
		{2, "write: {a_word_that_is_wider_than_its_column: 1}", false},
	} {
		l := longInterleaving(c.lanes)
		l.Steps[len(l.Steps)-1].Text = c.text
		if got := l.layout().tracks; got != c.tracks {
			t.Errorf("%d tasks, %q: tracks %t", c.lanes, c.text, got)
		}
	}
}

func TestAnInterleavingRefusesLanesThatAreNotThere(t *testing.T) {
	for _, lane := range []int{-1, 1} {
		l := &Interleaving{Lanes: []string{"a"}, Steps: []InterleavingStep{{Lane: lane}}}
		if _, err := l.Figure(); err == nil {
			t.Errorf("lane %d of 1: no error", lane)
		}
	}
}
