package calibrate

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"
)

// clockBase is where clock counts from.
var clockBase = time.Now()

// clock returns nanoseconds of the host's monotonic clock.
func clock() int64 { return int64(time.Since(clockBase)) }

// bench is where one measurement takes place: on what CPUs and until when.
type bench struct {
	ctx  context.Context
	host *Host
	// deadline is when the measurement's share of the budget is used up.
	deadline int64
	// enough is how many undisturbed windows end it sooner.
	enough int
	// found are the numbers of the measurements before, by name.
	found map[string]Stat
}

// over reports whether the time of the measurement is used up.
func (b *bench) over() bool { return clock() >= b.deadline || b.ctx.Err() != nil }

// known returns the value that an earlier measurement found.
func (b *bench) known(name string) (float64, error) {
	s, ok := b.found[name]
	if !ok {
		return 0, fmt.Errorf("needs %s, which was not measured", name)
	}
	return s.Value, nil
}

// lessKnown takes costs found before off the windows.
func (b *bench) lessKnown(windows []window, names ...string) ([]window, error) {
	for _, name := range names {
		ns, err := b.known(name)
		if err != nil {
			return nil, err
		}
		windows = less(windows, ns)
	}
	return windows, nil
}

// onThread calls f on a thread of its own, which stays on the CPU if the host
// allows that and ends with f, so that no other goroutine finds itself pinned. f is
// told if the thread could not be pinned.
func onThread(h *Host, cpu int, f func(pinned error) error) <-chan error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		var err error
		if h.Pinning {
			err = pin(cpu)
		}
		done <- f(err)
	}()
	return done
}

const (
	// windowLength is short against a time slice, so that most windows of a busy
	// host are undisturbed, and long against the clock.
	windowLength = 20 * time.Microsecond
	// mostOps bounds the operations of one window.
	mostOps = 1 << 20
)

// windows runs ops again and again on the first CPU, each time with as many
// operations as make a window, and returns what an operation took.
func (b *bench) windows(ops func(n int)) ([]window, error) {
	var found []window
	err := <-onThread(b.host, b.host.CPUs[0], func(pinned error) error {
		if pinned != nil {
			return pinned
		}
		n := 1
		for n < mostOps && !b.over() {
			start := clock()
			ops(n)
			if clock()-start >= int64(windowLength) {
				break
			}
			n *= 2
		}
		found = b.repeat(func() float64 {
			start := clock()
			ops(n)
			return float64(clock()-start) / float64(n)
		})
		return nil
	})
	return found, err
}

// repeat collects windows on the calling thread until there are enough or the time
// is over, and notes in which the thread was preempted.
func (b *bench) repeat(once func() float64) []window {
	var found []window
	clean := 0
	before, _ := preemptions()
	for clean < b.enough && (!b.over() || len(found) == 0) {
		ns := once()
		after, _ := preemptions()
		w := window{ns: ns, disturbed: after != before}
		before = after
		if !w.disturbed {
			clean++
		}
		found = append(found, w)
	}
	return found
}

var (
	errNotHere     = errors.New("only measured under Linux")
	errOneCPU      = errors.New("needs two CPUs, this process may use one")
	errNoPinning   = errors.New("threads cannot be kept on their CPUs here")
	errNoNames     = errors.New("there is no instruction for it in Go on this processor")
	errBudget      = errors.New("the time budget is too short for it")
	errNotThatWide = errors.New("no two usable CPUs of this host are that far apart")
)
