package calibrate

import "sync/atomic"

// hop returns what it takes one line to go from one CPU to another and be seen
// there: two threads take turns, each waits for its turn by loads and passes it on
// by a store.
func hop(b *bench, a, c int) ([]window, error) {
	const hops = 400 // 20 to 200 us on the hosts that were tried
	w := new(alone)
	return b.team(teamwork{
		cpus:    []int{a, c},
		prepare: func() { atomic.StoreUint64(&w.n, 0) },
		work: func(member int, _ int64) turn {
			return turn{ops: takeTurns(&w.n, uint64(member), hops/2)}
		},
		length: teamWindow, overlap: teamOverlap,
	})
}

// loadModified returns what a load takes of a line that another CPU has modified
// and not touched since: one transfer, where a hop is one for the store, which must
// take the line from who waits, and one for the load that sees it.
func loadModified(b *bench) ([]window, error) {
	first, second, err := b.host.neighbours()
	if err != nil {
		return nil, err
	}
	const lines, apart = 64, 4 // every fourth line, so that none brings its neighbour along
	ring := make([]node, lines*apart)
	// Some step that visits all lines in an order no prefetcher guesses.
	const stride = 27
	at := 0
	for range lines {
		next := (at + stride) % lines
		ring[at*apart].next = &ring[next*apart]
		at = next
	}
	ready := new(alone)
	return b.team(teamwork{
		cpus:    []int{first, second},
		prepare: func() { atomic.StoreUint64(&ready.n, 0) },
		work: func(member int, _ int64) turn {
			if member == 0 {
				for i := range lines {
					ring[i*apart].touched++
				}
				fences(1)
				atomic.StoreUint64(&ready.n, 1)
				return turn{ops: lines}
			}
			for atomic.LoadUint64(&ready.n) == 0 {
			}
			start := clock()
			follow(&ring[0], lines)
			return turn{ops: lines, ns: clock() - start}
		},
		// One thread works while the other waits.
		overlap: 0,
	})
}

// takeTurns waits n times until the word is of the member's parity, and makes it
// the other's.
//
//go:norace
func takeTurns(word *uint64, member uint64, n int) int {
	// Written by the one whose turn it is alone, so a plain store serves.
	v := member
	for range n {
		for atomic.LoadUint64(word) != v {
		}
		*word = v + 1
		v += 2
	}
	return n
}
