package explore_test

import (
	"fmt"
	"strings"
	"testing"

	"smpsim/explore"
)

// TestAFindingSurvivesEditsThatLeaveIt edits the collector that two tasks can enter at
// once.
func TestAFindingSurvivesEditsThatLeaveIt(t *testing.T) {
	const text = `
objects: {gc_lock: {spinlock: ticket}, in_progress: {word: 0}, inside: {word: 0}, other: {word: 0}}
tasks:
  sender:
    count: 2
    do:
      - read: {busy: in_progress}
      - if: busy == 0
        then:
          - lock: gc_lock
          - write: {in_progress: 1}
          - unlock: gc_lock
          - atomic: {n: "add_return(inside, 1)"}
          - assert: n == 1
          - atomic: {n: "add_return(inside, -1)"}
          - write: {in_progress: 0}
`
	schedule, err := explore.ParseSchedule("0x2.1.0x3.1x4")
	if err != nil {
		t.Fatal(err)
	}
	script := scriptOf(t, program(t, text), schedule)
	for _, c := range []struct{ name, from, to, diverged string }{
		{"none", "", "", "<nil>"},
		{"a task in front", "tasks:", "tasks:\n  other: {do: [write: {other: 1}]}", "<nil>"},
		{"a third sender", "count: 2", "count: 3", "<nil>"},
		{
			"a step in front", "      - read:", "      - write: {other: 1}\n      - read:",
			`diverged at step 1: sender[0] would do "write: {other: 1}", the schedule has "read: {busy: in_progress}"`,
		},
		{
			"a step at which the schedule switches", "          - lock:", "          - write: {other: 1}\n          - lock:",
			`diverged at step 2: sender[0] would do "write: {other: 1}", the schedule has "lock: gc_lock"`,
		},
		{
			"one step less", "          - write: {in_progress: 1}\n", "",
			`diverged at step 4: sender[0] would do "unlock: gc_lock", the schedule has "write: {in_progress: 1}"`,
		},
		{
			"another value", "{in_progress: 1}", "{in_progress: 2}",
			`diverged at step 4: sender[0] would do "write: {in_progress: 2}", the schedule has "write: {in_progress: 1}"`,
		},
		{
			"another name where the schedule switches", "- read: {busy: in_progress}\n      - if: busy", "- read: {is_busy: in_progress}\n      - if: is_busy",
			`diverged at step 1: sender[0] would do "read: {is_busy: in_progress}", the schedule has "read: {busy: in_progress}"`,
		},
		{
			"another step before a switch", "atomic: {n: \"add_return(inside, 1)\"}\n          - assert: n", "atomic: {m: \"add_return(inside, 1)\"}\n          - assert: m",
			`diverged at step 6: sender[0] would do "atomic: {m: \"add_return(inside, 1)\"}", the schedule has "atomic: {n: \"add_return(inside, 1)\"}"`,
		},
	} {
		edited := program(t, strings.Replace(text, c.from, c.to, 1))
		did, diverged := explore.Perform(edited, script)
		got, err := explore.Transcribe(edited, did)
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(diverged) != c.diverged || !strings.Contains(got.Text(110), "*** assert: ") {
			t.Errorf("%s: %v; want %s, and the finding:\n%s", c.name, diverged, c.diverged, got.Text(110))
		}
	}
}

// TestAScriptThatDoesNotFitIsDoneStepForStep does a long script none of whose
// later steps are in the program.
func TestAScriptThatDoesNotFitIsDoneStepForStep(t *testing.T) {
	var text strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&text, "1 a: write: {x: %d}\n1 b: write: {x: %d}\n", i, i)
	}
	script, err := explore.ParseScript([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	p := program(t, "objects: {x: {word: 0}}\ntasks:\n  a: {do: [{loop: 20000, do: [write: {x: -1}]}]}\n  b: {do: [{loop: 20000, do: [write: {x: -2}]}]}\n")
	got, diverged := explore.Perform(p, script)
	want := strings.TrimSuffix(strings.Repeat("0.1.", 20_000), ".")
	if got.String() != want || diverged == nil || diverged.At != 1 {
		t.Errorf("%v; did %d steps, want %d in turn", diverged, len(got), len(script))
	}
}

func TestATranscriptOfManyStepsKeepsItsColumns(t *testing.T) {
	p := program(t, "objects: {x: {word: 0}}\ntasks:\n  a: {do: [{loop: 1200, do: [read: {r: x}]}]}\n  b: {do: [read: {r: x}]}\n")
	schedule, err := explore.ParseSchedule("1.0x1200")
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := explore.Transcribe(p, schedule)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(transcript.Text(90), "\n"), "\n")
	at := strings.Index(lines[0], "a")
	for _, line := range lines[3:] {
		if rest := line[at:]; !strings.HasPrefix(rest, "read: {r: x}") && rest != "> x = 0" {
			t.Fatalf("%q does not stand below %q", line, lines[0])
		}
	}
}
