package workloads

import (
	"math"

	"smpsim/yamlfile"
)

// expr is an expression as a tree. Reading leaves names as they were written
// (name, element, field, call); resolving replaces them by what they name.
type expr struct {
	kind exprKind
	op   operator
	// at is the character of the text that the expression is found by: its first
	// one, or of an infix operator the operator's.
	at int
	// pos is the same place in the file, once names are resolved.
	pos   yamlfile.Pos
	value int64  // of a number
	name  string // of a name, an element, a field, a call
	field string // of a field
	// args are operands, arguments, or the index of an element or field, if any.
	args []*expr
	// target is the register, word, task or work item that a name stands for.
	target int
}

type exprKind uint8

const (
	exprNumber  exprKind = iota + 1
	exprName             // x
	exprElement          // x[i]
	exprField            // x.f, x[i].f
	exprCall             // f(...)
	exprUnary
	exprBinary
	exprTernary

	// What names turn out to be.
	exprRegister // of the task itself
	exprSelf
	exprWord    // target is the word
	exprIndexed // target is the first word, value the number of them, args[0] the index
	exprForeign // target is the program, value its register, args[0] the instance
)

// operator is an operator of expressions, and the instruction that performs it.
type operator uint8

const (
	opLogicalOr operator = iota + 1
	opLogicalAnd
	opOr
	opXor
	opAnd
	opEqual
	opNotEqual
	opLess
	opLessEqual
	opGreater
	opGreaterEqual
	opShiftLeft
	opShiftRight
	opAdd
	opSubtract
	opMultiply
	opDivide
	opRemainder
	opNot
	opComplement
	opNegate
	operators // how many there are, and one
)

// operatorSymbols spell the operators, infix ones first.
var operatorSymbols = [operators]string{
	"", "||", "&&", "|", "^", "&", "==", "!=", "<", "<=", ">", ">=", "<<", ">>", "+", "-", "*", "/", "%", "!", "~", "-",
}

// precedences are C's: what binds closer has the higher number.
var precedences = [operators]int{
	opLogicalOr: 1, opLogicalAnd: 2, opOr: 3, opXor: 4, opAnd: 5,
	opEqual: 6, opNotEqual: 6, opLess: 7, opLessEqual: 7, opGreater: 7, opGreaterEqual: 7,
	opShiftLeft: 8, opShiftRight: 8, opAdd: 9, opSubtract: 9, opMultiply: 10, opDivide: 10, opRemainder: 10,
}

// apply is what an operator other than the short-circuit ones makes of its
// operands; unary ones take b. It reports false where C leaves the result
// undefined, except that sums and products wrap around.
func (op operator) apply(a, b int64) (int64, bool) {
	switch op {
	case opOr:
		return a | b, true
	case opXor:
		return a ^ b, true
	case opAnd:
		return a & b, true
	case opEqual:
		return truth(a == b), true
	case opNotEqual:
		return truth(a != b), true
	case opLess:
		return truth(a < b), true
	case opLessEqual:
		return truth(a <= b), true
	case opGreater:
		return truth(a > b), true
	case opGreaterEqual:
		return truth(a >= b), true
	case opShiftLeft:
		return a << (b & 63), uint64(b) < 64
	case opShiftRight:
		return a >> (b & 63), uint64(b) < 64
	case opAdd:
		return a + b, true
	case opSubtract:
		return a - b, true
	case opMultiply:
		return a * b, true
	case opDivide:
		if b == 0 || b == -1 && a == math.MinInt64 {
			return 0, false
		}
		return a / b, true
	case opRemainder:
		if b == 0 || b == -1 && a == math.MinInt64 {
			return 0, false
		}
		return a % b, true
	case opNot:
		return truth(b == 0), true
	case opComplement:
		return ^b, true
	default: // opNegate
		return -b, true
	}
}

// fault says why apply reported false.
func (op operator) fault(b int64) string {
	switch {
	case op == opShiftLeft || op == opShiftRight:
		return "shift by " + itoa(b) + ", which is not within 0 to 63"
	case b == 0:
		return "division by zero"
	default:
		return "division overflows"
	}
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// fold replaces an operation on numbers by its value. What would fault is left
// to fault when, and if, it is evaluated.
func (e *expr) fold() {
	for _, a := range e.args {
		if a.kind != exprNumber {
			return
		}
	}
	var a, b int64
	switch {
	case e.kind == exprUnary:
		b = e.args[0].value
	case e.kind == exprBinary && e.op == opLogicalAnd:
		*e = expr{kind: exprNumber, at: e.at, value: truth(e.args[0].value != 0 && e.args[1].value != 0)}
		return
	case e.kind == exprBinary && e.op == opLogicalOr:
		*e = expr{kind: exprNumber, at: e.at, value: truth(e.args[0].value != 0 || e.args[1].value != 0)}
		return
	case e.kind == exprBinary:
		a, b = e.args[0].value, e.args[1].value
	default:
		return
	}
	if value, ok := e.op.apply(a, b); ok {
		*e = expr{kind: exprNumber, at: e.at, value: value}
	}
}
