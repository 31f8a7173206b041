package des

import (
	"fmt"
	"runtime"
	"slices"
	"testing"
)

func TestCoroutinesSleepSuspendAndWake(t *testing.T) {
	s := New(1)
	var trace []string
	say := func(what string) { trace = append(trace, fmt.Sprintf("%s at %d", what, s.Now())) }
	sleeper := s.Go(func(p *Proc) {
		say("asleep")
		p.Suspend()
		say("woken")
		p.Sleep(5)
		say("rested")
	})
	s.Go(func(p *Proc) {
		p.Sleep(10)
		sleeper.Wake()
		say("waker")
	})
	if why := s.Run(Forever); why != Drained {
		t.Errorf("run ended with %v", why)
	}
	if want := []string{"asleep at 0", "waker at 10", "woken at 10", "rested at 15"}; !slices.Equal(trace, want) {
		t.Errorf("trace %q, want %q", trace, want)
	}
	if len(s.coroutines) != 0 || s.Waiting() != 0 {
		t.Errorf("%d coroutines and %d events left", len(s.coroutines), s.Waiting())
	}
}

func TestResumeTellsAYieldFromTheEnd(t *testing.T) {
	s := New(1)
	turns := 0
	c := s.NewCoroutine(func(c *Coroutine) {
		for range 3 {
			turns++
			c.Yield()
		}
	})
	for i, want := range []bool{true, true, true, false} {
		if got := c.Resume(); got != want {
			t.Errorf("resume %d: %v, want %v", i, got, want)
		}
	}
	if turns != 3 {
		t.Errorf("%d turns, want 3", turns)
	}
}

// TestCloseUnwindsWhatHasNotReturned leaves coroutines in every state: never
// resumed, suspended, asleep, returned, and yielding again while they unwind.
func TestCloseUnwindsWhatHasNotReturned(t *testing.T) {
	before := runtime.NumGoroutine()
	s := New(1)
	unwound, finished := 0, 0
	for i := range 200 {
		s.Go(func(p *Proc) {
			defer func() { unwound++ }()
			switch i % 3 {
			case 0:
				p.Suspend()
			case 1:
				p.Sleep(Second)
			}
			finished++
		})
	}
	s.NewCoroutine(func(*Coroutine) { t.Error("a coroutine that was never resumed ran") })
	stubborn := s.NewCoroutine(func(c *Coroutine) {
		defer c.Yield()
		c.Yield()
		t.Error("a coroutine went on after the simulation was closed")
	})
	stubborn.Resume()
	s.Run(Millisecond)
	if running := runtime.NumGoroutine() - before; running < 100 {
		t.Fatalf("%d goroutines before the close; the test cannot show that they go", running)
	}
	s.Close()
	if unwound != 200 || finished != 66 {
		t.Errorf("%d coroutines unwound and %d finished, want 200 and 66", unwound, finished)
	}
	if after := runtime.NumGoroutine(); after > before {
		t.Errorf("%d goroutines are left", after-before)
	}
	s.Close()
}

func TestAPanicInACoroutineReachesTheCallerOfRun(t *testing.T) {
	before := runtime.NumGoroutine()
	s := New(1)
	deferred := false
	s.Go(func(p *Proc) {
		defer func() { deferred = true }()
		p.Sleep(3)
		panic("broken model")
	})
	func() {
		defer func() {
			if r := recover(); r != "broken model" {
				t.Errorf("recovered %v", r)
			}
		}()
		s.Run(Forever)
		t.Error("run returned")
	}()
	s.Close()
	if !deferred || runtime.NumGoroutine() > before {
		t.Errorf("deferred calls ran: %v; %d goroutines left", deferred, runtime.NumGoroutine()-before)
	}
}
