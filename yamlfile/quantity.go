package yamlfile

import (
	"fmt"
	"math/big"
	"strings"
)

// The functions below read a quantity exactly, or return a *Mistake that says why
// they cannot. All take a leading minus; whoever asks for the value knows its range.

// ParseCount reads a whole number: 4096, 32Ki, 1.5M. Ki, Mi, Gi are powers of 1024;
// k, M, G powers of 1000.
func ParseCount(text string) (int64, error) {
	return parseUnits(text, "a whole number", countUnits)
}

// ParseDuration reads a time with its unit, such as 250ns or 1.5us, in picoseconds.
// What is finer than a picosecond or longer than 106 days is refused.
func ParseDuration(text string) (int64, error) {
	return parseUnits(text, "a duration", durationUnits)
}

// ParseBytes reads a size with its unit, such as 32KiB or 35.75MiB, in bytes.
func ParseBytes(text string) (int64, error) {
	return parseUnits(text, "a size", byteUnits)
}

// ParseFrequency reads a frequency such as 3GHz or 2.7GHz, in hertz.
func ParseFrequency(text string) (int64, error) {
	return parseUnits(text, "a frequency", frequencyUnits)
}

// ParsePercent reads a percentage such as 0.5%, in millionths of the whole: 5000.
func ParsePercent(text string) (int64, error) {
	return parseUnits(text, "a percentage", percentUnits)
}

// ParseNumber reads a number with an optional fraction and count suffix: 1056.3, 2k.
// It is the one quantity that is not exact: the nearest float64.
func ParseNumber(text string) (float64, error) {
	d, rest, err := parseDecimal(text)
	if err != nil {
		return 0, err
	}
	unit, err := findUnit(text, rest, "a number", countUnits)
	if err != nil {
		return 0, err
	}
	r := new(big.Rat).SetFrac(
		new(big.Int).Mul(new(big.Int).SetUint64(d.mantissa), new(big.Int).SetUint64(unit.factor)),
		new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(d.scale)), nil))
	if d.negative {
		r.Neg(r)
	}
	value, _ := r.Float64()
	return value, nil
}

// FormatDuration spells picoseconds as ParseDuration reads them, in the largest unit
// that leaves something before the point.
func FormatDuration(ps int64) string {
	sign := ""
	magnitude := uint64(ps)
	if ps < 0 {
		sign, magnitude = "-", -magnitude
	}
	unit := durationUnits[0]
	for _, larger := range durationUnits[1:] {
		if magnitude < larger.factor {
			break
		}
		unit = larger
	}
	if magnitude == 0 {
		unit = durationUnits[1] // 0ns reads better than 0ps
	}
	whole, fraction := magnitude/unit.factor, magnitude%unit.factor
	if fraction == 0 {
		return fmt.Sprintf("%s%d%s", sign, whole, unit.name)
	}
	places := len(fmt.Sprint(unit.factor)) - 1
	digits := strings.TrimRight(fmt.Sprintf("%0*d", places, fraction), "0")
	return fmt.Sprintf("%s%d.%s%s", sign, whole, digits, unit.name)
}

// unit is a suffix and how many of the smallest unit it stands for.
type unit struct {
	name   string
	factor uint64
}

var (
	countUnits = []unit{
		{"", 1},
		{"k", 1e3},
		{"M", 1e6},
		{"G", 1e9},
		{"Ki", 1 << 10},
		{"Mi", 1 << 20},
		{"Gi", 1 << 30},
	}
	durationUnits  = []unit{{"ps", 1}, {"ns", 1e3}, {"us", 1e6}, {"ms", 1e9}, {"s", 1e12}}
	byteUnits      = []unit{{"B", 1}, {"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}}
	frequencyUnits = []unit{{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}}
	percentUnits   = []unit{{"%", 1e4}}
)

// parseUnits reads a number and one of the units, as a whole number of the first.
func parseUnits(text, noun string, units []unit) (int64, error) {
	d, rest, err := parseDecimal(text)
	if err != nil {
		return 0, err
	}
	unit, err := findUnit(text, rest, noun, units)
	if err != nil {
		return 0, err
	}
	value, whole, fits := d.times(unit.factor)
	switch {
	case !fits:
		return 0, mistakef("%s is too large for %s", quote(text), noun)
	case !whole && units[0].name == "":
		return 0, mistakef("%s is not a whole number", quote(text))
	case !whole && units[0].name == "%":
		return 0, mistakef("%s is finer than 0.0001%%", quote(text))
	case !whole:
		return 0, mistakef("%s is not a whole number of %s", quote(text), units[0].name)
	}
	return value, nil
}

func findUnit(text, rest, noun string, units []unit) (unit, error) {
	names := make([]string, 0, len(units))
	for _, u := range units {
		if u.name == rest {
			return u, nil
		}
		if u.name != "" {
			names = append(names, u.name)
		}
	}
	m := &Mistake{Allowed: names, Nearest: Nearest(rest, names)}
	trimmed := strings.TrimSpace(rest)
	switch {
	case rest == "":
		m.Message = fmt.Sprintf("%s has no unit, and %s needs one", quote(text), noun)
		m.Nearest = ""
	case trimmed != rest && isUnit(trimmed, units):
		m = mistakef("%s: no space between a number and its unit", quote(text))
	default:
		m.Message = fmt.Sprintf("%s is not %s: %s is none of its units", quote(text), noun, quote(rest))
	}
	return unit{}, m
}

func isUnit(name string, units []unit) bool {
	for _, u := range units {
		if u.name == name {
			return name != ""
		}
	}
	return false
}
