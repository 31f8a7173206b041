package explore_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"smpsim/explore"
)

// wandered is the schedule of an execution in which chance chooses, to its end or to
// most steps.
func wandered(s explore.System, r *rand.Rand, most int) explore.Schedule {
	var schedule explore.Schedule
	s.Reset()
	for len(schedule) < most {
		enabled := s.Enabled(nil)
		if len(enabled) == 0 {
			break
		}
		a := enabled[r.IntN(len(enabled))]
		s.Do(a)
		schedule = append(schedule, a)
	}
	return schedule
}

// scriptOf is a schedule's script, written to a file and read back.
func scriptOf(t *testing.T, s explore.System, schedule explore.Schedule) explore.Script {
	t.Helper()
	transcript, err := explore.Transcribe(s, schedule)
	if err != nil {
		t.Fatal(err)
	}
	script, err := explore.ParseScript([]byte(transcript.Script().Text()))
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// TestAScriptOfWhatWasNotEditedIsDoneAsItWas takes random executions of programs and of
// models in Go.
func TestAScriptOfWhatWasNotEditedIsDoneAsItWas(t *testing.T) {
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 5))
		program := parseFile(t, "f.yaml", (&randomProgram{Rand: r, tso: seed%2 == 1}).text()).program(t, "")
		model := goModel(newRandomModel(r).build)()
		for i := range 10 {
			s := []explore.System{program, model}[i%2]
			schedule := wandered(s, r, 200)
			script := scriptOf(t, s, schedule)
			if got, diverged := explore.Perform(s, script); diverged != nil || got.String() != schedule.String() {
				t.Fatalf("seed %d: did %v, %v; want %v\n%s", seed, got, diverged, schedule, script.Text())
			}
		}
	}
}

// TestAScriptLeadsToTheEndOfAnyOtherSystem does scripts of one random program or model on
// another, whose tasks have the same names.
func TestAScriptLeadsToTheEndOfAnyOtherSystem(t *testing.T) {
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 6))
		random := func() explore.System {
			if seed%4 == 0 {
				return goModel(newRandomModel(r).build)()
			}
			return parseFile(t, "f.yaml", (&randomProgram{Rand: r, tso: seed%2 == 1}).text()).program(t, "")
		}
		from, to := random(), random()
		script := scriptOf(t, from, wandered(from, r, 200))
		got, diverged := explore.Perform(to, script)
		if err := explore.Follow(to, got, func(int, []explore.Agent, explore.Agent, *explore.Step) {}); err != nil {
			t.Errorf("seed %d: it did what cannot be done: %v", seed, err)
		}
		if left := to.Enabled(nil); diverged != nil && len(left) > 0 {
			t.Errorf("seed %d: %v; after %d steps %v could go on", seed, diverged, len(got), left)
		}
		again, secondly := explore.Perform(to, script)
		if again.String() != got.String() || fmt.Sprint(secondly) != fmt.Sprint(diverged) {
			t.Errorf("seed %d: did %v, %v, and then %v, %v", seed, got, diverged, again, secondly)
		}
	}
}
