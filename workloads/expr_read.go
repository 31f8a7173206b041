package workloads

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"smpsim/yamlfile"
)

// Limits of an expression's text, which no one writing by hand meets.
const (
	maxExprBytes = 1000
	maxExprDepth = 64
)

// exprError is a mistake in an expression, at a character of its text.
type exprError struct {
	at int
	yamlfile.Mistake
}

// readExprs reads text as expressions separated by commas.
func readExprs(text string) ([]*expr, *exprError) {
	r := exprReader{text: text}
	if len(text) > maxExprBytes {
		r.failf(0, "an expression has at most %d bytes, this one %d", maxExprBytes, len(text))
	}
	r.next()
	list := r.list()
	if r.err == nil && r.token.kind != tokenEnd {
		r.unexpected("an operator")
	}
	if r.err != nil {
		r.err.at = utf8.RuneCountInString(text[:r.err.at])
		return nil, r.err
	}
	return list, nil
}

// exprReader is a parser by operator precedence. After a mistake its tokens are
// all the end, so that it unwinds by itself.
type exprReader struct {
	text  string
	end   int // of the token
	token token
	depth int
	err   *exprError
}

type token struct {
	kind  tokenKind
	at    int // in bytes
	text  string
	value int64
}

type tokenKind uint8

const (
	tokenEnd tokenKind = iota + 1
	tokenNumber
	tokenName
	tokenSymbol
)

func (r *exprReader) failf(at int, format string, args ...any) {
	if r.err == nil {
		r.err = &exprError{at: at, Mistake: yamlfile.Mistake{Message: fmt.Sprintf(format, args...)}}
	}
	r.token = token{kind: tokenEnd, at: at}
}

func (r *exprReader) unexpected(wanted string) {
	hints := map[string]string{"=": "; == compares", "and": "; write &&", "or": "; write ||", "not": "; write !"}
	if r.token.kind == tokenEnd {
		r.failf(r.token.at, "expected %s, found the end", wanted)
		return
	}
	r.failf(r.token.at, "expected %s, found %q%s", wanted, r.token.text, hints[r.token.text])
}

// symbols are the tokens that are neither numbers nor names, longer ones first.
var symbols = []string{
	"||", "&&", "==", "!=", "<=", ">=", "<<", ">>",
	"|", "^", "&", "<", ">", "+", "-", "*", "/", "%", "!", "~", "(", ")", "[", "]", "?", ":", ",", ".",
}

func (r *exprReader) next() {
	if r.err != nil {
		return
	}
	rest := strings.TrimLeft(r.text[r.end:], " \t\n")
	at := len(r.text) - len(rest)
	r.token = token{kind: tokenEnd, at: at}
	switch {
	case rest == "":
	case isDigit(rest[0]):
		// Letters and points belong to the number, so that whoever wrote 0x10 or
		// 250ns is told of the whole of it.
		r.take(tokenNumber, at, span(rest, func(c byte) bool { return isDigit(c) || isLetter(c) || c == '.' }))
		value, err := yamlfile.ParseCount(r.token.text)
		if err != nil {
			r.failf(at, "%v", err)
			var mistake *yamlfile.Mistake
			if errors.As(err, &mistake) {
				r.err.Mistake = *mistake
			}
			return
		}
		r.token.value = value
	case isLetter(rest[0]):
		r.take(tokenName, at, span(rest, func(c byte) bool { return isDigit(c) || isLetter(c) }))
	default:
		for _, s := range symbols {
			if strings.HasPrefix(rest, s) {
				r.take(tokenSymbol, at, len(s))
				return
			}
		}
		_, size := utf8.DecodeRuneInString(rest)
		r.take(tokenSymbol, at, size)
	}
}

func (r *exprReader) take(kind tokenKind, at, length int) {
	r.end = at + length
	r.token = token{kind: kind, at: at, text: r.text[at:r.end]}
}

func span(text string, in func(byte) bool) int {
	n := 0
	for n < len(text) && in(text[n]) {
		n++
	}
	return n
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isLetter(c byte) bool { return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

func (r *exprReader) at(symbol string) bool {
	return r.token.kind == tokenSymbol && r.token.text == symbol
}

// expect takes a symbol that must be there.
func (r *exprReader) expect(symbol string) {
	if !r.at(symbol) {
		r.unexpected(fmt.Sprintf("%q", symbol))
		return
	}
	r.next()
}

func (r *exprReader) list() []*expr {
	list := []*expr{r.expression()}
	for r.at(",") {
		r.next()
		list = append(list, r.expression())
	}
	return list
}

// expression reads a ternary, or what binds closer.
func (r *exprReader) expression() *expr {
	if r.depth++; r.depth > maxExprDepth {
		r.failf(r.token.at, "nested deeper than %d levels", maxExprDepth)
	}
	defer func() { r.depth-- }()
	e := r.infix(1)
	if !r.at("?") {
		return e
	}
	at := r.token.at
	r.next()
	yes := r.expression()
	r.expect(":")
	no := r.expression()
	return r.node(&expr{kind: exprTernary, at: at, args: []*expr{e, yes, no}})
}

// infix reads operators that bind at least as closely as lowest.
func (r *exprReader) infix(lowest int) *expr {
	left := r.unary()
	for {
		op := infixOperator(r.token)
		if op == 0 || precedences[op] < lowest {
			return left
		}
		at := r.token.at
		r.next()
		right := r.infix(precedences[op] + 1)
		left = r.node(&expr{kind: exprBinary, op: op, at: at, args: []*expr{left, right}})
	}
}

func infixOperator(t token) operator {
	for op := opLogicalOr; op <= opRemainder; op++ {
		if t.kind == tokenSymbol && t.text == operatorSymbols[op] {
			return op
		}
	}
	return 0
}

func (r *exprReader) unary() *expr {
	for op := opNot; op <= opNegate; op++ {
		if !r.at(operatorSymbols[op]) {
			continue
		}
		if r.depth++; r.depth > maxExprDepth {
			r.failf(r.token.at, "nested deeper than %d levels", maxExprDepth)
		}
		defer func() { r.depth-- }()
		at := r.token.at
		r.next()
		return r.node(&expr{kind: exprUnary, op: op, at: at, args: []*expr{r.unary()}})
	}
	return r.primary()
}

// node counts characters instead of bytes from here on, and folds what is constant.
func (r *exprReader) node(e *expr) *expr {
	e.at = utf8.RuneCountInString(r.text[:e.at])
	e.fold()
	return e
}

func (r *exprReader) primary() *expr {
	t := r.token
	switch {
	case t.kind == tokenNumber:
		r.next()
		return r.node(&expr{kind: exprNumber, at: t.at, value: t.value})
	case t.kind == tokenName:
		r.next()
		return r.node(r.named(t))
	case r.at("("):
		r.next()
		e := r.expression()
		r.expect(")")
		return e
	}
	r.unexpected("a number or a name")
	return &expr{kind: exprNumber}
}

// named reads what can follow a name.
func (r *exprReader) named(t token) *expr {
	e := &expr{kind: exprName, at: t.at, name: t.text}
	if r.at("(") {
		e.kind = exprCall
		r.next()
		if !r.at(")") {
			e.args = r.list()
		}
		r.expect(")")
		return e
	}
	if r.at("[") {
		e.kind = exprElement
		r.next()
		e.args = []*expr{r.expression()}
		r.expect("]")
	}
	if r.at(".") {
		e.kind = exprField
		r.next()
		if r.token.kind != tokenName {
			r.unexpected("a register's name")
			return e
		}
		e.field = r.token.text
		r.next()
	}
	return e
}
