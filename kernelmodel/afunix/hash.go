package afunix

// Hash is how an abstract name is hashed.
type Hash string

// The hashes of abstract names.
const (
	// Checksum is the kernel's: the checksum of the internet protocols over the
	// address, folded to eight bits. It adds the name up, so that names which are
	// counted through share few buckets.
	Checksum Hash = "checksum"
	// Uniform is an ideal hash, for comparison.
	Uniform Hash = "uniform"
)

// Hashes are all there are.
var Hashes = []Hash{Checksum, Uniform}

const (
	// hashMod is UNIX_HASH_MOD: a hash picks one of 256 buckets.
	hashMod = 255
	// half is how many buckets a half of the table has, tableSize is UNIX_HASH_SIZE.
	half      = hashMod + 1
	tableSize = 2 * half
)

// sockType is SOCK_STREAM or SOCK_DGRAM as a number.
func (k Kind) sockType() uint32 {
	if k == Stream {
		return 1
	}
	return 2
}

// abstractHash is unix_abstract_hash(): which bucket of its half an abstract name
// belongs to.
func abstractHash(h Hash, name string, kind Kind) int {
	if h == Uniform {
		return int(mix(uint64(fingerprint(name, kind))) & hashMod)
	}
	sum := uint32(addressChecksum(name))
	sum ^= sum >> 8
	sum ^= kind.sockType()
	return int(sum & hashMod)
}

// addressChecksum is the checksum of the internet protocols (RFC 1071), as a
// little-endian machine computes it, over the address of an abstract name: the
// family, AF_UNIX, in two bytes, a zero byte and the name.
func addressChecksum(name string) uint16 {
	const family = 1
	// The zero byte is the low one of the first word behind the family, so that
	// the name begins with a high byte.
	sum := uint64(family)
	for i := range len(name) {
		b := uint64(name[i])
		if i%2 == 0 {
			b <<= 8
		}
		sum += b
	}
	for sum > 0xffff {
		sum = sum>>16 + sum&0xffff
	}
	return ^uint16(sum)
}

// inodeHash is unix_bsd_hash(): which bucket a pathname socket belongs to.
func inodeHash(inode uint64) int { return int(inode & hashMod) }

// pointerHash is unix_unbound_hash(): which bucket a socket without a name
// belongs to, by where it is in memory.
func pointerHash(address uint64, kind Kind) int {
	h := address
	h ^= h >> 16
	h ^= h >> 8
	h ^= uint64(kind.sockType())
	return int(h & hashMod)
}

// fingerprint is a number that different names rarely share (FNV-1a), by which a
// search in Go rejects most of them.
func fingerprint(name string, kind Kind) uint32 {
	h := 2166136261 ^ kind.sockType()
	for i := range len(name) {
		h = (h ^ uint32(name[i])) * 16777619
	}
	return h
}

// mix is the finalizer of SplitMix64: a permutation of 64-bit numbers that leaves
// no pattern of theirs visible.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
