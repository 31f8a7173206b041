package des

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// timedOrder always takes the event that would fire without a chooser.
type timedOrder struct{}

func (timedOrder) Choose(*Sim, []ID) int { return 0 }

// chooseFunc lets a function be a Chooser.
type chooseFunc func(s *Sim, due []ID) int

func (f chooseFunc) Choose(s *Sim, due []ID) int { return f(s, due) }

func TestChoosingTimedOrderEqualsNoChooser(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "processes")
		ahead := rapid.Bool().Draw(t, "ahead")
		want := newSystem(seed, n, 300, false).runOn(New(1))
		s := New(1)
		// Whatever the slack: the first of what is due is the earliest.
		s.SetChooser(timedOrder{}, Time(rapid.IntRange(0, 10).Draw(t, "slack")))
		got := newSystem(seed, n, 300, ahead).runOn(s)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("traces differ (-plain +chosen):\n%s", diff)
		}
	})
}

// TestRunningAheadTakesNothingFromAChooser lets a chooser take any event of those that
// are due, with and without processes that run ahead where they can: it is asked the
// same questions, and the same events fire.
func TestRunningAheadTakesNothingFromAChooser(t *testing.T) {
	ran := 0
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "processes")
		slack := Time(rapid.IntRange(0, 10).Draw(t, "slack"))
		trace := func(ahead bool) ([]string, [][]ID) {
			s := New(seed)
			choice := s.Stream("choice")
			var asked [][]ID
			s.SetChooser(chooseFunc(func(_ *Sim, due []ID) int {
				asked = append(asked, slices.Clone(due))
				return int(choice.Below(uint64(len(due))))
			}), slack)
			sys := newSystem(seed, n, 300, ahead)
			fired := sys.runOn(s)
			ran += sys.ranAhead
			return fired, asked
		}
		want, wantAsked := trace(false)
		got, gotAsked := trace(true)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("traces differ (-queued +run ahead):\n%s", diff)
		}
		if diff := cmp.Diff(wantAsked, gotAsked); diff != "" {
			t.Fatalf("choices differ (-queued +run ahead):\n%s", diff)
		}
	})
	if ran == 0 {
		t.Error("no process ever ran ahead")
	}
}

// TestDueIsWhatLiesWithinTheSlack takes the last of what is due each time, and
// notes what there was to take from and when it fired. One that is due alone fires
// unasked.
func TestDueIsWhatLiesWithinTheSlack(t *testing.T) {
	for _, c := range []struct {
		slack Time
		due   [][]ID
		order []ID
		at    []Time
	}{
		{0, [][]ID{{0, 1}}, []ID{1, 0, 2, 3}, []Time{10, 10, 12, 15}},
		// Late ones fire at the time the clock has come to, which brings no more
		// within the slack than what lies within it of that time.
		{2, [][]ID{{0, 1, 2}, {0, 1}}, []ID{2, 1, 0, 3}, []Time{12, 12, 12, 15}},
		{3, [][]ID{{0, 1, 2}, {0, 1, 3}, {0, 1}}, []ID{2, 3, 1, 0}, []Time{12, 15, 15, 15}},
		{Forever, [][]ID{{0, 1, 2, 3}, {0, 1, 2}, {0, 1}}, []ID{3, 2, 1, 0}, []Time{15, 15, 15, 15}},
	} {
		s := New(1)
		var due [][]ID
		var order []ID
		var at []Time
		s.SetChooser(chooseFunc(func(_ *Sim, ids []ID) int {
			due = append(due, slices.Clone(ids))
			return len(ids) - 1
		}), c.slack)
		for _, when := range []Time{10, 10, 12, 15} {
			s.Schedule(s.Spawn(StepFunc(func(s *Sim, id ID) {
				order, at = append(order, id), append(at, s.Now())
			})), when)
		}
		if why := s.Run(Forever); why != Drained {
			t.Errorf("slack %v: %v", c.slack, why)
		}
		if diff := cmp.Diff(c.due, due); diff != "" {
			t.Errorf("slack %v: due (-want +got):\n%s", c.slack, diff)
		}
		if !slices.Equal(order, c.order) || !slices.Equal(at, c.at) {
			t.Errorf("slack %v: %v fired at %v, want %v at %v", c.slack, order, at, c.order, c.at)
		}
	}
}

// TestAnyChoiceKeepsTheClockAndLosesNothing chooses at random: the clock never
// goes back nor past the run's end, no event fires before its time, and all fire.
func TestAnyChoiceKeepsTheClockAndLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(rapid.Uint64().Draw(t, "seed"))
		slack := Time(rapid.IntRange(0, 20).Draw(t, "slack"))
		choice := s.Stream("choice")
		s.SetChooser(chooseFunc(func(_ *Sim, due []ID) int { return int(choice.Below(uint64(len(due)))) }), slack)
		last, fired := Time(0), 0
		until := Time(0)
		due := map[ID]Time{}
		for range 30 {
			at := Time(rapid.IntRange(0, 60).Draw(t, "at"))
			id := s.Spawn(StepFunc(func(s *Sim, id ID) {
				fired++
				if s.Now() < last || s.Now() < due[id] || s.Now() > until {
					t.Fatalf("process %d, due at %v, fired at %v after %v in a run until %v", id, due[id], s.Now(), last, until)
				}
				delete(due, id)
				if s.RunAhead(s.Now() + 1) {
					for _, at := range due {
						if at <= s.Now()+slack {
							t.Fatalf("ran ahead to %v, within %v of an event at %v", s.Now(), slack, at)
						}
					}
				}
				last = s.Now()
			}))
			due[id] = at
			s.Schedule(id, at)
		}
		for until = 10; s.Run(until) == Elapsed; until += 10 {
			if s.Now() != until {
				t.Fatalf("run until %v ended at %v", until, s.Now())
			}
		}
		if fired != 30 {
			t.Fatalf("%d of 30 events fired", fired)
		}
	})
}

func TestAChoiceThatDoesNotExistPanics(t *testing.T) {
	for _, index := range []int{-1, 2} {
		s := New(1)
		s.SetChooser(chooseFunc(func(*Sim, []ID) int { return index }), 0)
		for range 2 {
			s.Schedule(s.Spawn(StepFunc(func(*Sim, ID) {})), 0)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("choice %d of 2: no panic", index)
				}
			}()
			s.Run(Forever)
		}()
	}
}
