package des

import (
	"crypto/sha256"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
)

// Stream is a source of random numbers of its own. Two streams of one
// simulation are independent, and adding a stream never shifts another.
type Stream struct {
	pcg rand.PCG
}

// Stream returns the stream of that name: a PCG seeded by SHA-256 of the
// simulation's seed and the name. Asking twice gives two copies at the start.
func (s *Sim) Stream(name string) *Stream {
	h := sha256.New()
	var seed [8]byte
	binary.LittleEndian.PutUint64(seed[:], s.seed)
	h.Write(seed[:])
	h.Write([]byte(name))
	sum := h.Sum(nil)
	r := &Stream{}
	r.pcg.Seed(binary.LittleEndian.Uint64(sum), binary.LittleEndian.Uint64(sum[8:]))
	return r
}

// Uint64 returns 64 random bits.
func (r *Stream) Uint64() uint64 { return r.pcg.Uint64() }

// Below returns a uniform number in [0, n). It panics if n is 0. The bias of
// the multiplication, below n/2^64, is removed by drawing again (Lemire, "Fast
// random integer generation in an interval", 2019).
func (r *Stream) Below(n uint64) uint64 {
	if n == 0 {
		panic("des: Below(0)")
	}
	high, low := bits.Mul64(r.pcg.Uint64(), n)
	if low < n {
		threshold := -n % n
		for low < threshold {
			high, low = bits.Mul64(r.pcg.Uint64(), n)
		}
	}
	return high
}

// unit returns a uniform number in (0, 1], a multiple of 2^-53.
func (r *Stream) unit() float64 { return float64(r.pcg.Uint64()>>11+1) * 0x1p-53 }
