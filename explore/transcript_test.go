package explore_test

import (
	"strings"
	"testing"

	"smpsim/explore"
)

// told is the transcript of a variant of an example, along a token.
func told(t *testing.T, example, variant, token string) *explore.Transcript {
	t.Helper()
	p := readFile(t, "../examples/"+example+".yaml").program(t, variant)
	schedule, err := explore.ParseSchedule(token)
	if err != nil {
		t.Fatal(err)
	}
	got, err := explore.Transcribe(p, schedule)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestATranscriptHasAColumnForEachTaskThatTookPart(t *testing.T) {
	got := told(t, "explore_double_entry", "trusted", "0x2.1.0x3.1x4").Text(110)
	want := strings.TrimPrefix(`
step  line  sender[0]                             sender[1]
   1    15  read: {busy: in_progress}
            > in_progress = 0
   2    18  lock: gc_lock
!  3    15                                        read: {busy: in_progress}
                                                  > in_progress = 0
   4    19  write: {in_progress: 1}
            > in_progress = 1
   5    20  unlock: gc_lock
   6    21  atomic: {n: "add_return(inside, 1)"}
            > inside returned 1
!  7    18                                        lock: gc_lock
   8    19                                        write: {in_progress: 1}
                                                  > in_progress = 1
   9    20                                        unlock: gc_lock
  10    21                                        atomic: {n: "add_return(inside, 1)"}
                                                  > inside returned 2
                                                  *** assert: n == 1
! takes over from a task that could have gone on
`, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestATranscriptThatIsTooWideHasALineForEachStep(t *testing.T) {
	got := told(t, "explore_store_buffer", "tso", "0x2.1x2.2.3").Text(60)
	want := strings.TrimPrefix(`
   1    11  left             write: {x: 1}  > x = 1, buffered
   2    11  left             read: {r: y}  > y = 0
   3    12  right            write: {y: 1}  > y = 1, buffered
   4    12  right            read: {r: x}  > x = 0
   5    11  buffer of left   write: {x: 1}  > x = 1 reaches memory
   6    12  buffer of right  write: {y: 1}  > y = 1 reaches memory
      at the end: never: left.r == 0 && right.r == 0
`, "\n")
	if got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestAFindingReplayedAThousandTimesGivesTheSameTranscript(t *testing.T) {
	p := readFile(t, "../examples/explore_missed_flush.yaml").program(t, "worker-sets")
	r, err := explore.Explore(func() explore.System { return p }, explore.Options{Strategy: explore.DPOR()})
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for i := range 1000 {
		got, err := explore.Transcribe(p, r.Findings[0].Schedule)
		if err != nil {
			t.Fatal(err)
		}
		if text := got.Text(110); i == 0 {
			want = text
		} else if text != want {
			t.Fatalf("replay %d:\n%s\nthe first:\n%s", i, text, want)
		}
	}
	if !strings.Contains(want, "*** assert: c == 1") {
		t.Errorf("the transcript does not tell the finding:\n%s", want)
	}
}

const scripted = `
objects: {x: {word: 0}, l: {spinlock: ticket}}
tasks:
  a: {do: [lock: l, write: {x: 1}, write: {x: 2}, unlock: l]}
  b: {do: [read: {r: x}, assert: r != 1]}
`

// performed does the script of scripted's finding on other text.
func performed(t *testing.T, text string) (explore.Schedule, *explore.Divergence) {
	t.Helper()
	p := program(t, scripted)
	schedule, err := explore.ParseSchedule("0x2.1")
	if err != nil {
		t.Fatal(err)
	}
	transcript, err := explore.Transcribe(p, schedule)
	if err != nil {
		t.Fatal(err)
	}
	script, err := explore.ParseScript([]byte(transcript.Script().Text()))
	if err != nil {
		t.Fatal(err)
	}
	return explore.Perform(program(t, text), script)
}

func TestAScriptSurvivesEditsOfTheFile(t *testing.T) {
	for _, c := range []struct{ name, from, to, schedule, diverged string }{
		{"nothing changed", "", "", "0x2.1", ""},
		{"another task in front", "tasks:\n", "tasks:\n  z: {do: [read: {r: x}]}\n", "1x2.2", ""},
		{"lines moved", "objects:", "\n\n\nobjects:", "0x2.1", ""},
		{"a step inserted", "[lock: l, write: {x: 1}", "[lock: l, write: {x: 7}, write: {x: 1}", "0x3.1.0x2", `diverged at step 2: a would do "write: {x: 7}", the schedule has "write: {x: 1}"`},
		{"a step removed", "[lock: l, write: {x: 1}", "[write: {x: 1}", "0.1.0", `diverged at step 1: a would do "write: {x: 1}", the schedule has "lock: l"`},
		{"a task renamed", "  b:", "  c:", "0x4.1", "diverged at step 3: there is no b"},
	} {
		text := strings.Replace(scripted, c.from, c.to, 1)
		if c.name == "a step removed" {
			text = strings.Replace(text, ", unlock: l", "", 1)
		}
		schedule, diverged := performed(t, text)
		got := ""
		if diverged != nil {
			got = diverged.String()
		}
		if schedule.String() != c.schedule || got != c.diverged {
			t.Errorf("%s: schedule %v, %q; want %s, %q", c.name, schedule, got, c.schedule, c.diverged)
		}
	}
}

func FuzzParseScript(f *testing.F) {
	f.Add("# a schedule\n2 sender[0]: lock: l\n1 gc: starts\n")
	f.Add("0 a: b\n")
	f.Add("1 a b\n")
	f.Add("99999999999999999999 a: b\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := explore.ParseScript([]byte(text))
		if err != nil || len(s) > 10_000 {
			return
		}
		again, err := explore.ParseScript([]byte(s.Text()))
		if err != nil || len(again) != len(s) {
			t.Fatalf("%d steps, read back as %d: %v", len(s), len(again), err)
		}
		for i := range s {
			if s[i] != again[i] {
				t.Fatalf("step %d: %v, read back as %v", i, s[i], again[i])
			}
		}
	})
}
