package des

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestAnyQueueGivesTheSameTrace holds the heap, its same-time lane, its hole and
// its stale entries against a sorted slice that has none of them.
func TestAnyQueueGivesTheSameTrace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 40).Draw(t, "processes")
		want := (&sortedSim{}).run(newSystem(seed, n, 600, false))
		got := newSystem(seed, n, 600, false).runOn(New(1))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("traces differ (-sorted +heap):\n%s", diff)
		}
	})
}

func TestRunningAheadChangesNoTrace(t *testing.T) {
	succeeded := 0
	rapid.Check(t, func(t *rapid.T) {
		seed, n := rapid.Uint64().Draw(t, "seed"), rapid.IntRange(1, 12).Draw(t, "processes")
		want := newSystem(seed, n, 400, false).runOn(New(1))
		s := New(1)
		got := newSystem(seed, n, 400, true).runOn(s)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("traces differ (-queued +ahead):\n%s", diff)
		}
		if int(s.Fired()) != len(got) {
			t.Fatalf("%d events counted, %d seen", s.Fired(), len(got))
		}
		succeeded += len(got) - int(s.seq)
	})
	if succeeded == 0 {
		t.Error("no step ever ran ahead")
	}
}

func TestRunningAheadStopsAtWhatComesFirst(t *testing.T) {
	s := New(1)
	other := s.Spawn(StepFunc(func(*Sim, ID) {}))
	var tried [4]bool
	id := s.Spawn(StepFunc(func(s *Sim, _ ID) {
		s.Schedule(other, 10)
		tried = [...]bool{s.RunAhead(9), s.RunAhead(10), s.RunAhead(11), s.Now() == 9}
	}))
	s.Schedule(id, 5)
	s.Run(Forever)
	// An event due at the same time was scheduled first, so it fires first.
	if want := [...]bool{true, false, false, true}; tried != want {
		t.Errorf("running ahead to 9, 10 and 11 with an event at 10: %v, want %v", tried, want)
	}
	s = New(1)
	id = s.Spawn(StepFunc(func(s *Sim, _ ID) { tried = [4]bool{s.RunAhead(21), s.RunAhead(20)} }))
	s.Schedule(id, 5)
	s.Run(20)
	if want := [4]bool{false, true}; tried != want {
		t.Errorf("running ahead to 21 and 20 in a run until 20: %v, want %v", tried, want)
	}
}

// TestEventsOfOneInstantFireInTheOrderScheduled includes those scheduled during
// that instant, and those scheduled for it long before.
func TestEventsOfOneInstantFireInTheOrderScheduled(t *testing.T) {
	s := New(1)
	var fired []ID
	ids := make([]ID, 6)
	for i := range ids {
		ids[i] = s.Spawn(StepFunc(func(s *Sim, id ID) {
			fired = append(fired, id)
			if id == ids[3] {
				s.Schedule(ids[5], s.Now())
				s.Schedule(ids[4], s.Now())
			}
		}))
	}
	for _, i := range []int{3, 0, 2, 1} {
		s.Schedule(ids[i], 7)
	}
	if why := s.Run(Forever); why != Drained || s.Now() != 7 {
		t.Errorf("run ended with %v at %v", why, s.Now())
	}
	if want := []ID{3, 0, 2, 1, 5, 4}; !slices.Equal(fired, want) {
		t.Errorf("fired in order %v, want %v", fired, want)
	}
}

func TestACancelledEventNeverFires(t *testing.T) {
	s := New(1)
	fired := 0
	victim := s.Spawn(StepFunc(func(*Sim, ID) { fired++ }))
	for _, at := range []Time{0, 3, 9} {
		s.Schedule(victim, at)
		s.Cancel(victim)
		if s.Pending(victim) || s.Waiting() != 0 {
			t.Errorf("cancelled event of %v is pending", at)
		}
	}
	canceller := s.Spawn(StepFunc(func(s *Sim, _ ID) { s.Cancel(victim) }))
	s.Schedule(canceller, 5)
	s.Schedule(victim, 5)
	s.Run(Forever)
	if fired != 0 {
		t.Errorf("cancelled events fired %d times", fired)
	}
	// Released and used again, the ID has no event of its former owner.
	s.Schedule(victim, s.Now()+4)
	s.Release(victim)
	if again := s.Spawn(StepFunc(func(*Sim, ID) { fired++ })); again != victim {
		t.Errorf("released ID %d came back as %d", victim, again)
	}
	s.Run(Forever)
	if fired != 0 {
		t.Error("an event outlived its process")
	}
}

// TestRearmingKeepsTheQueueSmall is a watchdog that is pushed out again and
// again: by cancelling, by scheduling anew, and within one instant.
func TestRearmingKeepsTheQueueSmall(t *testing.T) {
	const times = 3_000_000
	for _, c := range []struct {
		name  string
		rearm func(s *Sim, dog ID, i int)
	}{
		{"cancel and schedule", func(s *Sim, dog ID, i int) {
			s.Cancel(dog)
			s.Schedule(dog, Second+Time(i))
		}},
		{"schedule", func(s *Sim, dog ID, i int) { s.Schedule(dog, Second+Time(i)) }},
		{"schedule for now", func(s *Sim, dog ID, _ int) { s.Schedule(dog, s.Now()) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(1)
			fired, largest := 0, 0
			dog := s.Spawn(StepFunc(func(*Sim, ID) { fired++ }))
			feeder := s.Spawn(StepFunc(func(s *Sim, _ ID) {
				for i := range times {
					c.rearm(s, dog, i)
					largest = max(largest, s.queue.Len()+len(s.lane)-s.laneHead)
				}
			}))
			for range 100 {
				s.Schedule(s.Spawn(StepFunc(func(*Sim, ID) {})), Second)
			}
			s.Schedule(feeder, 1)
			s.Run(Forever)
			if fired != 1 {
				t.Errorf("the last event fired %d times", fired)
			}
			if largest > 400 {
				t.Errorf("the queue grew to %d entries for 101 events", largest)
			}
		})
	}
}

func TestRunEndsAtItsTimeWithTheClockThere(t *testing.T) {
	s := New(1)
	fired := 0
	id := s.Spawn(StepFunc(func(*Sim, ID) { fired++ }))
	s.Schedule(id, 10)
	for _, step := range []struct {
		until Time
		want  Reason
		fired int
	}{{9, Elapsed, 0}, {10, Drained, 1}} {
		if got := s.Run(step.until); got != step.want || fired != step.fired {
			t.Errorf("run until %v: %v with %d events fired", step.until, got, fired)
		}
	}
	s.Schedule(id, 12)
	if got := s.Run(11); got != Elapsed || s.Now() != 11 {
		t.Errorf("run until 11: %v at %v", got, s.Now())
	}
	if s.Run(3); s.Now() != 11 {
		t.Errorf("the clock went back to %v", s.Now())
	}
	for _, at := range []Time{12, 20} {
		s.Schedule(id, at)
		s.Cancel(id)
		if got := s.Run(13); got != Drained || s.Now() != 11 {
			t.Errorf("run until 13 with a cancelled event at %v alone: %v at %v, want drained", at, got, s.Now())
		}
	}
}

func TestStopEndsTheRunAfterThePresentEvent(t *testing.T) {
	s := New(1)
	fired := 0
	for i := range 4 {
		s.Schedule(s.Spawn(StepFunc(func(s *Sim, _ ID) {
			fired++
			s.Stop()
			if s.RunAhead(s.Now()) {
				t.Error("ran ahead of a stop")
			}
		})), Time(i/2))
	}
	for want := 1; want <= 4; want++ {
		if got := s.Run(Forever); got != Stopped || fired != want {
			t.Errorf("run %d: %v with %d events fired", want, got, fired)
		}
	}
	if got := s.Run(Forever); got != Drained {
		t.Errorf("run of nothing: %v", got)
	}
}

// TestTheEventLimitLosesNoEvent raises the limit one by one; at a limit nothing
// has fired beyond it, and what has not fired is still to come.
func TestTheEventLimitLosesNoEvent(t *testing.T) {
	for _, chosen := range []bool{false, true} {
		s := New(1)
		if chosen {
			s.SetChooser(timedOrder{}, 0)
		}
		var got []string
		sys := newSystem(3, 5, 300, true)
		want := newSystem(3, 5, 300, true).runOn(New(1))
		for limit := uint64(1); ; limit++ {
			s.SetEventLimit(limit)
			why := Exhausted
			if limit == 1 {
				for i := range sys.streams {
					s.Schedule(s.Spawn(StepFunc(func(s *Sim, id ID) { sys.step(s, id) })), Time(i%3))
				}
			}
			why = s.Run(Forever)
			got = sys.trace
			if why == Drained {
				break
			}
			if why != Exhausted || uint64(len(got)) != limit || s.Fired() != limit {
				t.Fatalf("limit %d: %v with %d events fired, %d counted", limit, why, len(got), s.Fired())
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("chosen %v: traces differ (-whole +limited):\n%s", chosen, diff)
		}
	}
}

func TestMisuseOfTheEnginePanics(t *testing.T) {
	s := New(1)
	id := s.Spawn(StepFunc(func(*Sim, ID) {}))
	s.Schedule(id, 10)
	s.Run(Forever)
	for name, misuse := range map[string]func(){
		"scheduling in the past": func() { s.Schedule(id, 9) },
		"an event limit of 0":    func() { s.SetEventLimit(0) },
		"negative slack":         func() { s.SetChooser(nil, -1) },
		"a number below 0":       func() { s.Stream("s").Below(0) },
		"a backward uniform":     func() { Uniform(2, 1) },
		"an empty sample":        func() { Empirical(nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			misuse()
		}()
	}
}

func TestAPanicInAStepReachesTheCallerOfRun(t *testing.T) {
	s := New(1)
	s.Schedule(s.Spawn(StepFunc(func(*Sim, ID) { panic("broken model") })), 1)
	defer func() {
		if r := recover(); r != "broken model" {
			t.Errorf("recovered %v", r)
		}
	}()
	s.Run(Forever)
	t.Error("run returned")
}

func TestSteadyStateAllocatesNothing(t *testing.T) {
	systems := map[string]func(s *Sim){
		"hold": func(s *Sim) {
			h := &holder{wait: delays(1 << 16)}
			for range 64 {
				s.Schedule(s.Spawn(h), h.wait[h.next])
				h.next++
			}
		},
		"hand-over within an instant": func(s *Sim) {
			var ids [8]ID
			for i := range ids {
				ids[i] = s.Spawn(StepFunc(func(s *Sim, id ID) {
					if id == 0 {
						s.Schedule(id, s.Now()+Microsecond)
					}
					if id < 7 {
						s.Schedule(id+1, s.Now())
					}
				}))
			}
			s.Schedule(ids[0], 0)
		},
		"cancel and rearm": func(s *Sim) {
			dog := s.Spawn(StepFunc(func(*Sim, ID) {}))
			s.Schedule(s.Spawn(StepFunc(func(s *Sim, id ID) {
				s.Cancel(dog)
				s.Schedule(dog, s.Now()+Millisecond)
				s.Schedule(id, s.Now()+100)
			})), 0)
		},
		"coroutines": func(s *Sim) {
			for i := range 4 {
				s.Go(func(p *Proc) {
					for {
						p.Sleep(Time(90+i) * Nanosecond)
					}
				})
			}
		},
	}
	for name, start := range systems {
		s := New(1)
		start(s)
		s.Run(100 * Microsecond)
		before := s.Fired()
		allocs := testing.AllocsPerRun(100, func() { s.Run(s.Now() + 10*Microsecond) })
		if perEvent := allocs * 101 / float64(s.Fired()-before); perEvent > 0 {
			t.Errorf("%s: %g allocations an event", name, perEvent)
		}
		s.Close()
	}
}
