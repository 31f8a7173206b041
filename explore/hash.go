package explore

import (
	"encoding/binary"
	"math/bits"
)

// digest stands for a byte string: 128 bits, of which n different strings share one
// with probability n^2/2^129: 5e-25 for ten million states. States are compared by it.
type digest [2]uint64

// Constants of the mixing: odd, with about half of their bits set, as wyhash has them
// (Wang Yi, "wyhash", 2019); the two lanes use different pairs.
const (
	key0 = 0xa0761d6478bd642f
	key1 = 0xe7037ed1a0b428db
	key2 = 0x8ebc6af09c88c6e3
	key3 = 0x589965cc75374cc3
)

// mix folds the 128-bit product of two words.
func mix(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	return high ^ low
}

// digestOf hashes a byte string in two lanes.
func digestOf(b []byte) digest {
	h := digest{key1 ^ uint64(len(b)), key3 + uint64(len(b))}
	for len(b) >= 16 {
		h = h.with(binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]))
		b = b[16:]
	}
	if len(b) > 0 {
		var rest [16]byte
		copy(rest[:], b)
		h = h.with(binary.LittleEndian.Uint64(rest[:]), binary.LittleEndian.Uint64(rest[8:]))
	}
	return h.sealed()
}

// with adds two words.
func (h digest) with(a, b uint64) digest {
	return digest{mix(a^key0^h[0], b^key1) ^ bits.RotateLeft64(h[1], 23), mix(a^key2, b^key3^h[1]) + bits.RotateLeft64(h[0], 41)}
}

// sealed ends a digest: every bit of the result depends on every bit before. It is
// never zero, which a digests table takes for an empty place.
func (h digest) sealed() digest {
	r := digest{mix(h[0]^key2, h[1]^key0), mix(h[1]^key1, h[0]^key3)}
	if r == (digest{}) {
		r[0] = 1
	}
	return r
}

// digests is a set of digests, each with a number; -1 stands for none.
type digests struct {
	keys   []digest
	values []int32
	count  int
}

// empty forgets all digests and keeps the memory.
func (s *digests) empty() {
	if s.count > 0 {
		clear(s.keys)
		s.count = 0
	}
}

// bytes returns the memory that a set of this size takes, growing included.
func (s *digests) bytes() int64 { return int64(s.count) * 60 }

// collect appends a digest to list if it is new to the set.
func (s *digests) collect(list []digest, h digest) []digest {
	if _, fresh := s.put(h, 0); fresh {
		return append(list, h)
	}
	return list
}

// put adds a digest unless it is there. It returns the number it has in the set, and
// whether it is new.
func (s *digests) put(h digest, value int32) (int32, bool) {
	if 3*len(s.keys) <= 4*s.count {
		s.grow()
	}
	i := s.place(h)
	if s.keys[i] == h {
		return s.values[i], false
	}
	s.keys[i], s.values[i] = h, value
	s.count++
	return value, true
}

// set changes the number of a digest that is there.
func (s *digests) set(h digest, value int32) { s.values[s.place(h)] = value }

// place returns where a digest is, or would be.
func (s *digests) place(h digest) uint64 {
	mask := uint64(len(s.keys) - 1)
	i := h[0] & mask
	for s.keys[i] != h && s.keys[i] != (digest{}) {
		i = (i + 1) & mask
	}
	return i
}

func (s *digests) grow() {
	old, values := s.keys, s.values
	n := max(64, 2*len(old))
	s.keys, s.values = make([]digest, n), make([]int32, n)
	for i, h := range old {
		if h != (digest{}) {
			j := s.place(h)
			s.keys[j], s.values[j] = h, values[i]
		}
	}
}
