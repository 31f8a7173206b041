package cpus

import "math/bits"

// CPUSet is a set of CPUs, a bit each. All sets of a machine have one length.
type CPUSet []uint64

// NewCPUSet returns an empty set for the machine's CPUs.
func (m *Machine) NewCPUSet() CPUSet { return make(CPUSet, (len(m.cpus)+63)/64) }

// Add puts CPU i in the set.
func (s CPUSet) Add(i int) { s[i>>6] |= 1 << (i & 63) }

// Remove takes CPU i out of the set.
func (s CPUSet) Remove(i int) { s[i>>6] &^= 1 << (i & 63) }

// Has reports whether CPU i is in the set.
func (s CPUSet) Has(i int) bool { return s[i>>6]>>(i&63)&1 == 1 }

// Clear empties the set.
func (s CPUSet) Clear() { clear(s) }

// Copy makes s equal to o.
func (s CPUSet) Copy(o CPUSet) { copy(s, o) }

// Count returns how many CPUs are in both sets.
func (s CPUSet) Count(o CPUSet) int {
	n := 0
	for i := range s {
		n += bits.OnesCount64(s[i] & o[i])
	}
	return n
}

// IntersectsOther reports whether s and o share a CPU other than i.
func (s CPUSet) IntersectsOther(o CPUSet, i int) bool {
	for w := range s {
		both := s[w] & o[w]
		if w == i>>6 {
			both &^= 1 << (i & 63)
		}
		if both != 0 {
			return true
		}
	}
	return false
}

// First returns the lowest CPU that is in both sets, or -1.
func (s CPUSet) First(o CPUSet) int {
	for i := range s {
		if both := s[i] & o[i]; both != 0 {
			return i<<6 + bits.TrailingZeros64(both)
		}
	}
	return -1
}

// firstOf returns the lowest CPU that is in all three sets, or -1.
func (s CPUSet) firstOf(o, p CPUSet) int {
	for i := range s {
		if all := s[i] & o[i] & p[i]; all != 0 {
			return i<<6 + bits.TrailingZeros64(all)
		}
	}
	return -1
}
