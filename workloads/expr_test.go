package workloads

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"smpsim/yamlfile"
)

// A formula of the reference is a tree that knows how to spell itself, with more
// or fewer parentheses, and what it is worth in big integers.
type reference interface {
	spell(b *strings.Builder, outer int)
	// worth returns the value; false means that there is none.
	worth(registers map[string]int64) (int64, bool)
}

type refNumber int64

func (n refNumber) spell(b *strings.Builder, _ int) { fmt.Fprint(b, int64(n)) }

func (n refNumber) worth(map[string]int64) (int64, bool) { return int64(n), true }

type refName string

func (n refName) spell(b *strings.Builder, _ int) { b.WriteString(string(n)) }

func (n refName) worth(r map[string]int64) (int64, bool) { return r[string(n)], true }

type refUnary struct {
	op string
	x  reference
}

func (u refUnary) spell(b *strings.Builder, _ int) {
	b.WriteString(u.op)
	u.x.spell(b, 100)
}

func (u refUnary) worth(r map[string]int64) (int64, bool) {
	x, ok := u.x.worth(r)
	if !ok {
		return 0, false
	}
	switch u.op {
	case "-":
		return wrap(new(big.Int).Neg(big.NewInt(x))), true
	case "~":
		return wrap(new(big.Int).Not(big.NewInt(x))), true
	default:
		return bit(x == 0), true
	}
}

type refBinary struct {
	op   string
	a, b reference
}

// levels are C's precedences, the loosest first.
var levels = [][]string{
	{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", "<=", ">", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"},
}

func levelOf(op string) int {
	for i, level := range levels {
		for _, o := range level {
			if o == op {
				return i
			}
		}
	}
	panic(op)
}

func (e refBinary) spell(b *strings.Builder, outer int) {
	level := levelOf(e.op)
	if level < outer {
		b.WriteByte('(')
	}
	e.a.spell(b, level)
	fmt.Fprintf(b, " %s ", e.op)
	e.b.spell(b, level+1)
	if level < outer {
		b.WriteByte(')')
	}
}

func (e refBinary) worth(r map[string]int64) (int64, bool) {
	a, ok := e.a.worth(r)
	if !ok {
		return 0, false
	}
	if e.op == "&&" && a == 0 || e.op == "||" && a != 0 {
		return bit(e.op == "||"), true
	}
	c, ok := e.b.worth(r)
	if !ok {
		return 0, false
	}
	x, y, z := big.NewInt(a), big.NewInt(c), new(big.Int)
	switch e.op {
	case "&&", "||":
		return bit(c != 0), true
	case "|":
		z.Or(x, y)
	case "^":
		z.Xor(x, y)
	case "&":
		z.And(x, y)
	case "==":
		return bit(x.Cmp(y) == 0), true
	case "!=":
		return bit(x.Cmp(y) != 0), true
	case "<":
		return bit(x.Cmp(y) < 0), true
	case "<=":
		return bit(x.Cmp(y) <= 0), true
	case ">":
		return bit(x.Cmp(y) > 0), true
	case ">=":
		return bit(x.Cmp(y) >= 0), true
	case "<<", ">>":
		if c < 0 || c > 63 {
			return 0, false
		}
		if e.op == "<<" {
			z.Lsh(x, uint(c))
		} else {
			z.Rsh(x, uint(c))
		}
	case "+":
		z.Add(x, y)
	case "-":
		z.Sub(x, y)
	case "*":
		z.Mul(x, y)
	default:
		if c == 0 || a == math.MinInt64 && c == -1 {
			return 0, false
		}
		quotient, remainder := z.QuoRem(x, y, new(big.Int))
		if z = quotient; e.op == "%" {
			z = remainder
		}
	}
	return wrap(z), true
}

type refTernary struct{ c, a, b reference }

func (e refTernary) spell(b *strings.Builder, _ int) {
	b.WriteByte('(')
	e.c.spell(b, 0)
	b.WriteString(" ? ")
	e.a.spell(b, 0)
	b.WriteString(" : ")
	e.b.spell(b, 0)
	b.WriteByte(')')
}

func (e refTernary) worth(r map[string]int64) (int64, bool) {
	c, ok := e.c.worth(r)
	switch {
	case !ok:
		return 0, false
	case c != 0:
		return e.a.worth(r)
	default:
		return e.b.worth(r)
	}
}

// wrap reduces z to 64 bits, two's complement.
func wrap(z *big.Int) int64 {
	z.And(z, new(big.Int).SetUint64(math.MaxUint64))
	return int64(z.Uint64())
}

func bit(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

var refRegisters = []string{"a", "b", "c"}

// drawFormula draws a formula of at most so many levels.
func drawFormula(t *rapid.T, depth int) reference {
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 7).Draw(t, "kind")
	}
	if kind == 3 && depth == 1 {
		kind = 4 // three levels of these fill what an expression may have
	}
	switch kind {
	case 0:
		return refNumber(rapid.Int64Range(0, 70).Draw(t, "number"))
	case 1:
		return refName(rapid.SampledFrom(refRegisters).Draw(t, "name"))
	case 2:
		return refUnary{rapid.SampledFrom([]string{"-", "~", "!"}).Draw(t, "unary"), drawFormula(t, depth-1)}
	case 3:
		return refTernary{drawFormula(t, depth-2), drawFormula(t, depth-1), drawFormula(t, depth-2)}
	default:
		level := rapid.SampledFrom(levels).Draw(t, "level")
		return refBinary{rapid.SampledFrom(level).Draw(t, "op"), drawFormula(t, depth-1), drawFormula(t, depth-1)}
	}
}

func TestExpressionsAreWorthWhatBigIntegersSay(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := drawFormula(t, 4)
		var text strings.Builder
		f.spell(&text, 0)
		registers := make(map[string]int64)
		var setup []string
		for _, name := range refRegisters {
			value := rapid.OneOf(rapid.Int64Range(-3, 3), rapid.Int64Range(-maxValue, maxValue),
				rapid.SampledFrom([]int64{math.MinInt64 + 1, math.MaxInt64})).Draw(t, name)
			registers[name] = value
			setup = append(setup, fmt.Sprintf("%s: %d", name, value))
		}
		file := fmt.Sprintf("tasks: {t: {do: [set: {%s}, set: {r: %q}]}}", strings.Join(setup, ", "), text.String())
		var problems yamlfile.Problems
		src := parsed(file, &problems)
		w := Compile(src, &problems)
		if w == nil {
			t.Fatalf("%s\n%v", file, &problems)
		}
		m := newMachine(1, 1)
		l := launch(src, w, m)
		m.Run(1)
		want, ok := f.worth(registers)
		got := l.Registers(w.Program("t"), 0)[len(refRegisters)]
		switch failure := m.Failure(); {
		case ok && failure != nil:
			t.Fatalf("%s: want %d, got %v", file, want, failure)
		case ok && got != want:
			t.Fatalf("%s: want %d, got %d", file, want, got)
		case !ok && failure == nil:
			t.Fatalf("%s: want a failure, got %d", file, got)
		}
	})
}

func FuzzExpr(f *testing.F) {
	for _, seed := range []string{
		"1 + 2 * 3", "a ? b : c", "!(x == 1) && ~y", "cmpxchg(a[i], 0, self + 1)", "q, s", "t[1].r", "1 <<", "((((", "-9223372036854775807 - 1", "é",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readExprs(text)
		if err != nil {
			if err.Message == "" || err.at < 0 || err.at > utf8.RuneCountInString(text) {
				t.Fatalf("%q: error %q at %d", text, err.Message, err.at)
			}
			return
		}
		if len(list) == 0 {
			t.Fatalf("%q: neither an expression nor an error", text)
		}
	})
}
