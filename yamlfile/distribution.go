package yamlfile

import (
	"fmt"
	"strconv"
	"strings"
)

// DistributionKind names how a duration is drawn.
type DistributionKind string

const (
	Const     DistributionKind = "const"     // always Args[0]
	Exp       DistributionKind = "exp"       // exponential with mean Args[0]
	Uniform   DistributionKind = "uniform"   // any from Args[0] to Args[1], both included
	LogNormal DistributionKind = "lognormal" // median Args[0]; its logarithm has deviation Args[1] millionths
	Empirical DistributionKind = "empirical" // one of the durations in File
)

// Distribution is a duration that may be random, as syntax: how it is drawn is for
// others to say. Args are picoseconds, except where the kind says otherwise.
type Distribution struct {
	Kind DistributionKind
	Args []int64
	File string
}

// String spells the distribution as ParseDistribution reads it.
func (d Distribution) String() string {
	switch d.Kind {
	case Const:
		return FormatDuration(d.Args[0])
	case Exp:
		return fmt.Sprintf("exp(%s)", FormatDuration(d.Args[0]))
	case Uniform:
		return fmt.Sprintf("uniform(%s, %s)", FormatDuration(d.Args[0]), FormatDuration(d.Args[1]))
	case LogNormal:
		sigma := strconv.FormatInt(d.Args[1]/1e6, 10)
		if fraction := d.Args[1] % 1e6; fraction != 0 {
			sigma += "." + strings.TrimRight(fmt.Sprintf("%06d", fraction), "0")
		}
		return fmt.Sprintf("lognormal(%s, %s)", FormatDuration(d.Args[0]), sigma)
	case Empirical:
		return fmt.Sprintf("empirical(%s)", d.File)
	default:
		panic(fmt.Sprintf("yamlfile: distribution kind %q, expected one of the constants", d.Kind))
	}
}

// distributionForms are the spellings, for messages.
var distributionForms = []string{
	"250ns", "exp(5us)", "uniform(1us, 2us)", "lognormal(5us, 0.5)", "empirical(file)",
}

// ParseDistribution reads a duration, or one of exp(mean), uniform(low, high),
// lognormal(median, sigma) and empirical(file). Errors are *Mistake.
func ParseDistribution(text string) (Distribution, error) {
	name, inner, call := strings.Cut(text, "(")
	name = strings.TrimSpace(name)
	if !call {
		if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
			return Distribution{}, &Mistake{
				Message: quote(text) + " is neither a duration nor a distribution", Allowed: distributionForms,
			}
		}
		value, err := parseNonNegative(text)
		if err != nil {
			return Distribution{}, err
		}
		return Distribution{Kind: Const, Args: []int64{value}}, nil
	}
	inner, closed := strings.CutSuffix(strings.TrimRight(inner, " "), ")")
	if !closed {
		return Distribution{}, mistakef("%s does not end in a closing parenthesis", quote(text))
	}
	switch DistributionKind(name) {
	case Exp:
		return parseExp(text, inner)
	case Uniform:
		return parseUniform(text, inner)
	case LogNormal:
		return parseLogNormal(text, inner)
	case Empirical:
		file := strings.TrimSpace(inner)
		if file == "" {
			return Distribution{}, mistakef("%s names no file", quote(text))
		}
		return Distribution{Kind: Empirical, File: file}, nil
	}
	kinds := []string{string(Exp), string(Uniform), string(LogNormal), string(Empirical)}
	return Distribution{}, &Mistake{
		Message: fmt.Sprintf("%s is not a distribution", quote(name)), Nearest: Nearest(name, kinds), Allowed: distributionForms,
	}
}

func parseExp(text, inner string) (Distribution, error) {
	args, err := arguments(text, inner, "a mean")
	if err != nil {
		return Distribution{}, err
	}
	mean, err := parseNonNegative(args[0])
	if err != nil {
		return Distribution{}, err
	}
	if mean == 0 {
		return Distribution{}, mistakef("%s: the mean must be above zero", quote(text))
	}
	return Distribution{Kind: Exp, Args: []int64{mean}}, nil
}

func parseUniform(text, inner string) (Distribution, error) {
	args, err := arguments(text, inner, "a lowest value", "a highest value")
	if err != nil {
		return Distribution{}, err
	}
	low, err := parseNonNegative(args[0])
	if err != nil {
		return Distribution{}, err
	}
	high, err := parseNonNegative(args[1])
	if err != nil {
		return Distribution{}, err
	}
	if low > high {
		return Distribution{}, mistakef("%s: the lowest value is above the highest", quote(text))
	}
	return Distribution{Kind: Uniform, Args: []int64{low, high}}, nil
}

func parseLogNormal(text, inner string) (Distribution, error) {
	args, err := arguments(text, inner, "a median", "a sigma without unit")
	if err != nil {
		return Distribution{}, err
	}
	median, err := parseNonNegative(args[0])
	if err != nil {
		return Distribution{}, err
	}
	sigma, rest, err := parseDecimal(args[1])
	if err != nil {
		return Distribution{}, err
	}
	millionths, whole, fits := sigma.times(1e6)
	switch {
	case rest != "":
		return Distribution{}, mistakef("%s: sigma is a number without unit, such as 0.5", quote(text))
	case median == 0:
		return Distribution{}, mistakef("%s: the median must be above zero", quote(text))
	case !fits || sigma.negative || millionths > maxSigma:
		return Distribution{}, mistakef("%s: sigma must lie between 0 and %d", quote(text), int64(maxSigma/1e6))
	case !whole:
		return Distribution{}, mistakef("%s: sigma has at most six digits behind the point", quote(text))
	}
	return Distribution{Kind: LogNormal, Args: []int64{median, millionths}}, nil
}

// maxSigma is 10, in millionths: one deviation is then a factor of 22,000, and
// larger ones only overflow the clock.
const maxSigma = 10e6

// arguments splits what stands in the parentheses and wants one for each name.
func arguments(text, inner string, names ...string) ([]string, error) {
	args := strings.Split(inner, ",")
	if len(args) != len(names) {
		return nil, mistakef("%s: expected %s in the parentheses, found %s", quote(text), strings.Join(names, " and "), quote(inner))
	}
	for i := range args {
		args[i] = strings.TrimSpace(args[i])
	}
	return args, nil
}

func parseNonNegative(text string) (int64, error) {
	value, err := ParseDuration(text)
	if err == nil && value < 0 {
		return 0, mistakef("%s is negative", quote(text))
	}
	return value, err
}
