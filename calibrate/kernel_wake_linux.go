package calibrate

import (
	"sync/atomic"
	"time"
)

// sleeper is a thread that sleeps until it is woken, again and again.
type sleeper struct {
	_ [128]byte
	// call is raised by 1 to wake it; it answers with the same number in woken.
	call uint32
	_    [124]byte
	// asleep is the number of the call that it is about to sleep for.
	asleep, woken uint32
	// ran is when it ran, slept whether it had slept.
	ran   int64
	slept bool
	_     [100]byte
}

const lastCall = 1 << 31

func (s *sleeper) run() {
	for call := uint32(1); ; call++ {
		before, _ := switches()
		atomic.StoreUint32(&s.asleep, call)
		for atomic.LoadUint32(&s.call) == call-1 {
			sleepWhile(&s.call, call-1)
		}
		ran := clock()
		if atomic.LoadUint32(&s.call) == lastCall {
			return
		}
		after, _ := switches()
		s.ran, s.slept = ran, after == before+1
		atomic.StoreUint32(&s.woken, call)
	}
}

// settle is how long a sleeper is given to fall asleep and its CPU to go idle.
const settle = 100 * time.Microsecond

// wakings wakes a sleeper on another CPU again and again. It returns how long it
// took until the sleeper ran, and how long the waker's call did. A window counts as
// disturbed where the sleeper had not slept or the waker was preempted.
func (b *bench) wakings() (untilRuns, wakerPart []window, err error) {
	if !b.host.Pinning {
		return nil, nil, errNoPinning
	}
	here, there, err := b.host.neighbours()
	if err != nil {
		return nil, nil, err
	}
	s := new(sleeper)
	sleeping := onThread(b.host, there, func(pinned error) error {
		s.run()
		return pinned
	})
	err = <-onThread(b.host, here, func(pinned error) error {
		clean := 0
		for call := uint32(1); clean < b.enough && (!b.over() || untilRuns == nil); call++ {
			for atomic.LoadUint32(&s.asleep) != call {
				pauses(1)
			}
			for until := clock() + int64(settle); clock() < until; {
				pauses(1)
			}
			before, _ := preemptions()
			start := clock()
			atomic.StoreUint32(&s.call, call)
			wake(&s.call)
			end := clock()
			for atomic.LoadUint32(&s.woken) != call {
				pauses(1)
			}
			after, _ := preemptions()
			disturbed := !s.slept || after != before
			if !disturbed {
				clean++
			}
			untilRuns = append(untilRuns, window{ns: float64(s.ran - start), disturbed: disturbed})
			wakerPart = append(wakerPart, window{ns: float64(end - start), disturbed: disturbed})
		}
		atomic.StoreUint32(&s.call, lastCall)
		wake(&s.call)
		return pinned
	})
	if other := <-sleeping; err == nil {
		err = other
	}
	return untilRuns, wakerPart, err
}

func wakeIdle(b *bench) ([]window, error) {
	w, _, err := b.wakings()
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, nullSyscallName)
}

func wakeWaker(b *bench) ([]window, error) {
	_, w, err := b.wakings()
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, futexWakeNobody)
}
