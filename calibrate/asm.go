//go:build amd64 || arm64

package calibrate

// hasInstructions says that the functions below are the instructions they are named after.
const hasInstructions = true

// addChain performs 8*n additions of which each needs the one before.
//
//go:noescape
func addChain(n int)

// busy is addChain(n) that runs neither before what stands before it has ended nor
// beside what comes after: a processor that looks ahead would otherwise pass a short
// delay while it waits for a line.
//
//go:noescape
func busy(n int)

// pauses executes n spin-wait hints.
//
//go:noescape
func pauses(n int)

// fences executes n full memory barriers.
//
//go:noescape
func fences(n int)

// storeRelease stores v so that what came before is visible first: a plain store
// on amd64, where sync/atomic would use a locked exchange.
//
//go:noescape
func storeRelease(p *uint32, v uint32)
