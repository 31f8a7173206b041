package afunix

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// Names makes names out of numbers, a different one for each number from 0 on.
// [ParseNames] makes one; the zero value is "%d".
type Names struct {
	prefix, suffix string
	width          int
	zero, upper    bool
	random         bool
	// base is that of the digits; 0 stands for 10.
	base int
}

// maxName is the longest abstract name in bytes: the 108 of sun_path less the
// zero that says that it is one.
const maxName = 107

// ParseNames reads what names look like: "random", which is 8 arbitrary bytes, or
// a printf format with one verb for the number, d, x, X or o, which may have a
// width and zeros to fill it: "%x", "%05x", "test%06d". It fails on anything else,
// and where a name can be longer than the 107 bytes that fit an address.
func ParseNames(format string) (Names, error) {
	if format == "random" {
		return Names{random: true}, nil
	}
	prefix, rest, found := strings.Cut(format, "%")
	if !found {
		return Names{}, fmt.Errorf("names %q: no verb for the number, want one of %%d, %%x, %%X, %%o, or the word random", format)
	}
	n := Names{prefix: prefix}
	rest, n.zero = strings.CutPrefix(rest, "0")
	digits := 0
	for digits < len(rest) && rest[digits] >= '0' && rest[digits] <= '9' {
		digits++
	}
	if digits > 0 {
		// A width too long to be read is too long for an address, too.
		width, err := strconv.Atoi(rest[:digits])
		if err != nil || width > maxName {
			return Names{}, fmt.Errorf("names %q: width %s, a name has at most %d bytes", format, rest[:digits], maxName)
		}
		n.width = width
	}
	if digits == len(rest) {
		return Names{}, fmt.Errorf("names %q: no verb behind %%, want d, x, X or o", format)
	}
	switch verb := rest[digits]; verb {
	case 'd':
		n.base = 10
	case 'x', 'X':
		n.base, n.upper = 16, verb == 'X'
	case 'o':
		n.base = 8
	default:
		return Names{}, fmt.Errorf("names %q: verb %q, want d, x, X or o", format, verb)
	}
	n.suffix = rest[digits+1:]
	if strings.Contains(n.suffix, "%") {
		return Names{}, fmt.Errorf("names %q: a second verb, want one", format)
	}
	longest := max(n.width, len(strconv.FormatInt(1<<63-1, n.base)))
	if len(prefix)+longest+len(n.suffix) > maxName {
		return Names{}, fmt.Errorf("names %q: longer than %d bytes", format, maxName)
	}
	return n, nil
}

// Name returns the name of number i, which must not be negative.
func (n Names) Name(i int64) string {
	var buf [maxName + 1]byte
	return string(n.Append(buf[:0], i))
}

// Append appends the name of number i to buf.
func (n Names) Append(buf []byte, i int64) []byte {
	if n.random {
		return binary.LittleEndian.AppendUint64(buf, mix(uint64(i)+0x9e3779b97f4a7c15))
	}
	base := n.base
	if base == 0 {
		base = 10
	}
	var digits [24]byte
	d := strconv.AppendInt(digits[:0], i, base)
	fill := byte(' ')
	if n.zero {
		fill = '0'
	}
	buf = append(buf, n.prefix...)
	for range n.width - len(d) {
		buf = append(buf, fill)
	}
	if n.upper {
		for j, c := range d {
			if c >= 'a' {
				d[j] = c - 'a' + 'A'
			}
		}
	}
	buf = append(buf, d...)
	return append(buf, n.suffix...)
}
