package calibrate

import (
	"sync"
	"sync/atomic"
)

// Each of these runs an operation in a loop on one thread. The loop's own
// instructions run beside the operation and do not show.

// alone is a word with its cache line and the one that a prefetcher may bring with
// it to itself.
type alone struct {
	_ [128]byte
	n uint64
	_ [120]byte
}

func cycle(b *bench) ([]window, error) {
	if !hasInstructions {
		return nil, errNoNames
	}
	const additions = 8
	w, err := b.windows(func(n int) { addChain(n) })
	for i := range w {
		w[i].ns /= additions
	}
	return w, err
}

func plainIncrement(b *bench) ([]window, error) {
	w := new(alone)
	return b.windows(func(n int) { increment(&w.n, n) })
}

// increment adds 1 to a word in memory n times, by one instruction where the
// processor has one that does. Where threads race for the word, that is what is
// measured.
//
//go:noinline
//go:norace
func increment(p *uint64, n int) {
	for range n {
		*p++
	}
}

func atomicAdd(b *bench) ([]window, error) {
	w := new(alone)
	return b.windows(func(n int) { addAtomic(&w.n, n) })
}

func addAtomic(p *uint64, n int) {
	for range n {
		atomic.AddUint64(p, 1)
	}
}

func compareAndSwap(b *bench) ([]window, error) {
	w := new(alone)
	return b.windows(func(n int) {
		v := w.n
		for range n {
			atomic.CompareAndSwapUint64(&w.n, v, v+1)
			v++
		}
	})
}

func fence(b *bench) ([]window, error) {
	if !hasInstructions {
		return nil, errNoNames
	}
	return b.windows(fences)
}

func pause(b *bench) ([]window, error) {
	if !hasInstructions {
		return nil, errNoNames
	}
	return b.windows(pauses)
}

func lockPair(b *bench) ([]window, error) {
	l := new(tasLock)
	return b.windows(func(n int) {
		for range n {
			l.lock()
			l.unlock()
		}
	})
}

func mutexPair(b *bench) ([]window, error) {
	var mu sync.Mutex
	guarded := 0
	return b.windows(func(n int) {
		for range n {
			mu.Lock()
			guarded++
			mu.Unlock()
		}
	})
}
