package afunix

import (
	"encoding/binary"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// spread counts the names from a number on by bucket.
func spread(t testing.TB, format string, h Hash, from, n int64) []int {
	t.Helper()
	names, err := ParseNames(format)
	if err != nil {
		t.Fatal(err)
	}
	all := make([]int, half)
	for i := range n {
		all[abstractHash(h, names.Name(from+i), Dgram)]++
	}
	return all
}

func used(chains []int) (n int) {
	for _, c := range chains {
		if c > 0 {
			n++
		}
	}
	return n
}

func TestCountedNamesShareTheKnownBuckets(t *testing.T) {
	for _, c := range []struct {
		format        string
		used, longest int
	}{
		{"%x", 207, 2267},
		{"%05x", 193, 1912},
		{"%08x", 128, 2901},
		{"%d", 130, 4020},
		{"%06d", 32, 4335},
	} {
		chains := spread(t, c.format, Checksum, 0, 100_000)
		if u, l := used(chains), slices.Max(chains); u != c.used || l != c.longest {
			t.Errorf("%s: %d buckets, the longest chain %d; want %d and %d", c.format, u, l, c.used, c.longest)
		}
	}
}

// A sum over 256 equal chances has a chi-squared distribution with 255 degrees of
// freedom: mean 255, standard deviation 22.6.
func TestAnIdealHashSpreadsCountedNamesEvenly(t *testing.T) {
	for _, format := range []string{"%x", "%05x", "%d", "test%06d", "random"} {
		chi := 0.0
		for _, n := range spread(t, format, Uniform, 0, 100_000) {
			off := float64(n) - 100_000.0/half
			chi += off * off / (100_000.0 / half)
		}
		if chi < 255-4*22.6 || chi > 255+4*22.6 {
			t.Errorf("%s: chi-squared %.0f, want 255 give or take four times 22.6", format, chi)
		}
	}
}

func TestChecksumIsThatOfTheInternetProtocolsOverTheAddress(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SliceOfN(rapid.Byte(), 0, maxName).Draw(t, "name")
		address := append([]byte{1, 0, 0}, name...)
		if len(address)%2 == 1 {
			address = append(address, 0)
		}
		// One's complement addition one word at a time, with the carry brought round.
		sum := uint16(0)
		for i := 0; i < len(address); i += 2 {
			before := sum
			sum += binary.LittleEndian.Uint16(address[i:])
			if sum < before {
				sum++
			}
		}
		if got := addressChecksum(string(name)); got != ^sum {
			t.Fatalf("%x: %#x, want %#x", name, got, ^sum)
		}
	})
}

func TestHashesOfKnownSockets(t *testing.T) {
	// Shifted by 16 and combined, the low half is 0x5400 ^ 0x0002 = 0x5402; then the
	// low byte 0x02 ^ 0x54 = 0x56, and SOCK_DGRAM is 2.
	if got := pointerHash(0x8881_0002_5400, Dgram); got != 0x54 {
		t.Errorf("pointer: %#x, want 0x54", got)
	}
	if got := inodeHash(0x1234_56ab); got != 0xab {
		t.Errorf("inode: %#x, want 0xab", got)
	}
	// The words of the address "1, 0, 0, a" are 0x0001 and 0x6100: the sum is 0x6101,
	// its complement 0x9efe, folded 0x9e ^ 0xfe = 0x60.
	if got := abstractHash(Checksum, "a", Stream); got != 0x61 {
		t.Errorf("abstract, stream: %#x, want 0x61", got)
	}
	if got := abstractHash(Checksum, "a", Dgram); got != 0x62 {
		t.Errorf("abstract, datagram: %#x, want 0x62", got)
	}
}

func TestSocketsWithoutANameUseAllOfTheirHalf(t *testing.T) {
	chains := make([]int, half)
	for i := range uint64(65536) {
		chains[pointerHash(slabBase+i*socketSize, Dgram)]++
	}
	if u, l := used(chains), slices.Max(chains); u != half || l > 4*65536/half {
		t.Errorf("%d buckets, the longest chain %d", u, l)
	}
}

func BenchmarkAbstractHash(b *testing.B) {
	for i := range b.N {
		benchBucket += abstractHash(Checksum, "18a3f"[i%2:], Dgram)
	}
}

// benchBucket keeps what is measured from being optimized away.
var benchBucket int
