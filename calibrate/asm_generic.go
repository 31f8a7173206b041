//go:build !amd64 && !arm64

package calibrate

import (
	"runtime"
	"sync/atomic"
)

// hasInstructions says that the functions below stand in for instructions that Go
// cannot name: they keep the contended experiments running and are not measured.
const hasInstructions = false

//go:noinline
func addChain(n int) {
	x := uint64(n)
	for range n {
		x = x*5 + 1
	}
	runtime.KeepAlive(x)
}

// busy has no barrier: Go names none but locked operations.
func busy(n int) { addChain(n) }

func pauses(int) {}

func fences(int) {}

func storeRelease(p *uint32, v uint32) { atomic.StoreUint32(p, v) }
