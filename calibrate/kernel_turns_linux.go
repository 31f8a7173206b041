package calibrate

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// turns is how two threads hand each other the turn: me is 0 or 1.
type turns struct {
	wait func(me int)
	pass func(me int)
}

// futexTurns keeps whose turn it is in a word.
func futexTurns() turns {
	word := new(uint32)
	return turns{
		wait: func(me int) {
			for atomic.LoadUint32(word) != uint32(me) {
				sleepWhile(word, uint32(1-me))
			}
		},
		pass: func(me int) {
			atomic.StoreUint32(word, uint32(1-me))
			wake(word)
		},
	}
}

// alternate times two threads that take turns, one on each CPU, and returns what
// one way takes.
func (b *bench) alternate(first, second int, t turns) ([]window, error) {
	if !b.host.Pinning {
		return nil, errNoPinning
	}
	var stop atomic.Bool
	partner := onThread(b.host, second, func(pinned error) error {
		for {
			t.wait(1)
			if stop.Load() {
				return pinned
			}
			t.pass(1)
		}
	})
	found, err := b.hops(first, func() bool {
		t.pass(0)
		t.wait(0)
		return true
	})
	stop.Store(true)
	t.pass(0)
	return found, errors.Join(err, <-partner)
}

func (b *bench) byFutex(first, second int) ([]window, error) {
	return b.alternate(first, second, futexTurns())
}

// byPipe hands the turn over as a byte in one of two pipes.
func (b *bench) byPipe(first, second int) ([]window, error) {
	var pipes [2][2]int
	for i := range pipes {
		if err := unix.Pipe2(pipes[i][:], unix.O_CLOEXEC); err != nil {
			return nil, fmt.Errorf("no pipe: %w", err)
		}
		defer closeAll(pipes[i][:])
	}
	return b.alternate(first, second, turns{
		wait: func(me int) { readByte(pipes[me][0]) },
		pass: func(me int) { writeByte(pipes[1-me][1]) },
	})
}

func switchThread(b *bench) ([]window, error) {
	w, err := b.byFutex(b.host.CPUs[0], b.host.CPUs[0])
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, futexWakeNobody, futexWaitOver)
}

func pipeSameCPU(b *bench) ([]window, error) { return b.byPipe(b.host.CPUs[0], b.host.CPUs[0]) }

func futexCrossCPU(b *bench) ([]window, error) {
	first, second, err := b.host.neighbours()
	if err != nil {
		return nil, err
	}
	return b.byFutex(first, second)
}

func pipeCrossCPU(b *bench) ([]window, error) {
	first, second, err := b.host.neighbours()
	if err != nil {
		return nil, err
	}
	return b.byPipe(first, second)
}

// switchProcess uses cat, which every Linux has: what comes in at one pipe goes out
// at another.
func switchProcess(b *bench) ([]window, error) {
	if !b.host.Pinning {
		return nil, errNoPinning
	}
	path, err := exec.LookPath("cat")
	if err != nil {
		return nil, fmt.Errorf("there is no cat to be the other process: %w", err)
	}
	in, back := [2]int{}, [2]int{}
	if err := unix.Pipe2(in[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("no pipe: %w", err)
	}
	if err := unix.Pipe2(back[:], unix.O_CLOEXEC); err != nil {
		closeAll(in[:])
		return nil, fmt.Errorf("no pipe: %w", err)
	}
	cat := exec.CommandContext(b.ctx, path)
	cat.Stdin, cat.Stdout = os.NewFile(uintptr(in[0]), "in"), os.NewFile(uintptr(back[1]), "out")
	err = cat.Start()
	_ = cat.Stdin.(*os.File).Close()
	_ = cat.Stdout.(*os.File).Close()
	if err != nil {
		closeAll([]int{in[1], back[0]})
		return nil, fmt.Errorf("cat does not start: %w", err)
	}
	var set unix.CPUSet
	set.Set(b.host.CPUs[0])
	err = unix.SchedSetaffinity(cat.Process.Pid, &set)
	var found []window
	if err == nil {
		found, err = b.hops(b.host.CPUs[0], func() bool { return writeByte(in[1]) && readByte(back[0]) })
	}
	closeAll([]int{in[1], back[0]})
	_ = cat.Wait() // it ended because its input did
	if err != nil {
		return nil, err
	}
	return b.lessKnown(found, pipePair)
}

// hops times round trips that start on a CPU and returns what one way takes. A
// window counts as disturbed where the CPU was not switched on each trip, since then
// the turn came back before the thread could sleep. On one CPU a wake-up may preempt
// the waker, so an involuntary switch is as good as one to sleep.
func (b *bench) hops(cpu int, trip func() bool) ([]window, error) {
	const trips = 20
	var found []window
	err := <-onThread(b.host, cpu, func(pinned error) error {
		if pinned != nil {
			return pinned
		}
		clean := 0
		for clean < b.enough && (!b.over() || found == nil) {
			slept, preempted := switches()
			start := clock()
			for range trips {
				if !trip() {
					return errors.New("the other side of the pipe went away")
				}
			}
			w := window{ns: float64(clock()-start) / (2 * trips)}
			sleptNow, preemptedNow := switches()
			w.disturbed = sleptNow-slept+preemptedNow-preempted < trips
			if !w.disturbed {
				clean++
			}
			found = append(found, w)
		}
		return nil
	})
	return found, err
}
