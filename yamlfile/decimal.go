package yamlfile

import (
	"fmt"
	"math"
	"math/bits"
	"strings"
)

// decimal is a number as it was written: mantissa / 10^scale, negated if negative.
type decimal struct {
	negative bool
	mantissa uint64
	scale    int // digits behind the point, trailing zeros left out; at most maxDigits
}

// maxDigits keeps a mantissa, and 10 to its scale, within 64 bits.
const maxDigits = 19

// parseDecimal reads the number that text begins with and returns what follows it.
// It knows one spelling only: what other readers take for octal, hexadecimal or
// grouped digits is refused by name.
func parseDecimal(text string) (d decimal, rest string, err error) {
	rest = text
	if d.negative = strings.HasPrefix(rest, "-"); d.negative {
		rest = rest[1:]
	}
	whole, rest := digits(rest)
	fraction := ""
	if strings.HasPrefix(rest, ".") {
		if fraction, rest = digits(rest[1:]); fraction == "" {
			return d, rest, mistakef("%s has no digits behind the point", quote(text))
		}
	}
	switch {
	case strings.HasPrefix(text, "+"):
		return d, rest, mistakef("%s: leave the plus sign out", quote(text))
	case whole == "" && fraction != "":
		return d, rest, mistakef("%s has no digits before the point", quote(text))
	case whole == "":
		return d, rest, mistakef("%s is not a number", quote(text))
	case whole == "0" && (strings.HasPrefix(rest, "x") || strings.HasPrefix(rest, "o") || strings.HasPrefix(rest, "b")):
		return d, rest, mistakef("%s: numbers are decimal", quote(text))
	case len(whole) > 1 && whole[0] == '0':
		return d, rest, mistakef("%s begins with a zero, which some readers take for octal: leave it out", quote(text))
	case strings.HasPrefix(rest, "_"):
		return d, rest, mistakef("%s: no underscores in numbers", quote(text))
	case isExponent(rest):
		return d, rest, mistakef("%s: no exponents in numbers, write the digits out", quote(text))
	}
	fraction = strings.TrimRight(fraction, "0")
	d.scale = len(fraction)
	all := strings.TrimLeft(whole+fraction, "0")
	if len(all) > maxDigits || d.scale > maxDigits {
		return d, rest, mistakef("%s has more than %d digits", quote(text), maxDigits)
	}
	for _, digit := range []byte(all) {
		d.mantissa = d.mantissa*10 + uint64(digit-'0')
	}
	return d, rest, nil
}

func digits(text string) (number, rest string) {
	end := 0
	for end < len(text) && text[end] >= '0' && text[end] <= '9' {
		end++
	}
	return text[:end], text[end:]
}

func isExponent(rest string) bool {
	if rest == "" || rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	number, _ := digits(strings.TrimLeft(rest[1:], "+-"))
	return number != ""
}

// times is d*factor if that is a whole number of an int64.
func (d decimal) times(factor uint64) (product int64, whole, fits bool) {
	divisor := uint64(1)
	for range d.scale {
		divisor *= 10
	}
	high, low := bits.Mul64(d.mantissa, factor)
	if high >= divisor {
		return 0, true, false
	}
	quotient, remainder := bits.Div64(high, low, divisor)
	if quotient > math.MaxInt64 {
		return 0, true, false
	}
	product = int64(quotient)
	if d.negative {
		product = -product
	}
	return product, remainder == 0, true
}

func mistakef(format string, args ...any) *Mistake {
	return &Mistake{Message: fmt.Sprintf(format, args...)}
}
