package workloads

import (
	"smpsim/cpus"
)

// generator emits the code of one program.
type generator struct {
	c *compiler
	p *Program
	r *reader
	// at is where what is emitted comes from.
	at place
	// breaks are, for each loop that is open, the jumps out of it; returns are the
	// jumps to the end of the pass.
	breaks  [][]int
	returns []int
	// tests are conditions whose code is still to be emitted.
	tests []test
	// pushed is how many values are on the stack.
	pushed int
	// numbers are those of marks, and slots those of the registers that remember
	// when they were passed.
	marks map[string]int
}

// generate emits the code of a program that was read.
func generate(c *compiler, r *reader) {
	g := &generator{c: c, p: r.program, r: r, marks: make(map[string]int)}
	g.p.slots = len(g.p.registers)
	g.at = r.place
	if g.p.work && g.p.slots > 0 {
		// A function's variables do not outlive it.
		g.emit(instr{do: doClear, arg: int32(g.p.slots)})
	}
	g.passes(r.loop, r.steps)
	g.emit(instr{do: doExit, arg: int32(g.op(opTemplate{op: cpus.Op{Kind: cpus.Exit}}))})
	g.finish()
}

// passes emits the steps, as often as the task does them.
func (g *generator) passes(loop int64, steps []*step) {
	if loop == 1 {
		g.steps(steps)
		g.land(g.returns)
		return
	}
	if loop != Forever {
		g.emit(instr{do: doLoad, mode: immediate, imm: loop})
	}
	again, leave := g.beginLoop(loop != Forever)
	g.steps(steps)
	g.land(g.returns)
	g.at = g.r.place
	g.endLoop(again, leave)
}

// beginLoop emits the head of a loop, which if counted has as many turns as the
// accumulator says. It returns where a turn begins and the instruction that ends
// the loop, or -1.
func (g *generator) beginLoop(counted bool) (again, leave int) {
	if !counted {
		return len(g.p.code), -1
	}
	counter := g.hidden()
	g.emit(instr{do: doStore, arg: int32(counter)})
	again = g.emit(instr{do: doCount, arg: int32(counter)})
	return again, again
}

func (g *generator) endLoop(again, leave int) {
	g.emit(instr{do: doJump, arg: int32(again)})
	if leave >= 0 {
		g.p.code[leave].imm = int64(len(g.p.code))
	}
}

// finish ends the code, and adds what the program needs to what all of them need.
func (g *generator) finish() {
	g.emitTests()
	for i := range g.p.code {
		if in := &g.p.code[i]; in.do == doOp {
			in.imm = int64(g.behind(i))
		}
	}
	w := g.c.w
	w.stack = max(w.stack, g.p.stack)
	w.mayFail = w.mayFail || g.p.mayFail
}

// behind returns where control goes on behind an op: past the jumps that would
// follow, so that a loop of ops alone costs none.
func (g *generator) behind(i int) int {
	next := i + 1
	for range len(g.p.code) { // a loop without an operation would go round here, too
		if g.p.code[next].do != doJump {
			break
		}
		next = int(g.p.code[next].arg)
	}
	return next
}

// hidden returns a register without a name.
func (g *generator) hidden() int {
	g.p.slots++
	return g.p.slots - 1
}

func (g *generator) emit(in instr) int {
	g.p.code = append(g.p.code, in)
	g.p.where = append(g.p.where, g.at)
	return len(g.p.code) - 1
}

// emitFallible emits an instruction that can fail because of e.
func (g *generator) emitFallible(in instr, e *expr) {
	i := g.emit(in)
	g.p.where[i].pos = e.pos
	g.p.mayFail = true
}

// land makes jumps go to what is emitted next.
func (g *generator) land(jumps []int) {
	for _, i := range jumps {
		g.p.code[i].arg = int32(len(g.p.code))
	}
}

// op adds an op and returns its number.
func (g *generator) op(o opTemplate) int {
	if g.c.ops++; g.c.ops == maxOps {
		g.c.problems.Addf(g.at.pos, "the programs have more than %d operations; each element of an array whose index is computed is one", maxOps)
	}
	if g.c.ops < maxOps {
		g.p.ops = append(g.p.ops, o)
	}
	return len(g.p.ops) - 1
}

// label notes what a step does to which objects, and returns its number.
func (g *generator) label(access Access, objects ...int) int32 {
	g.c.w.Steps = append(g.c.w.Steps, Step{
		Pos: g.at.pos, Text: g.at.text, Program: g.p.Name, Index: g.at.step, Objects: objects, Access: access,
	})
	return int32(len(g.c.w.Steps) - 1)
}

func (g *generator) steps(list []*step) {
	for _, s := range list {
		g.at = s.place
		s.verb.generate(g, s)
	}
}

// value emits the evaluation of a resolved expression.
func (g *generator) value(e *expr) {
	switch e.kind {
	case exprNumber, exprRegister:
		in := instr{do: doLoad}
		g.operand(&in, e)
		g.emit(in)
	case exprSelf:
		g.emit(instr{do: doSelf})
	case exprWord:
		g.emit(instr{do: doWord, arg: int32(e.target)})
	case exprIndexed:
		g.value(e.args[0])
		g.emitFallible(instr{do: doElement, arg: int32(e.target), imm: e.value}, e)
	case exprForeign:
		g.value(e.args[0])
		in := instr{do: doForeign, arg: int32(e.target), imm: e.value}
		if e.args[0].kind == exprNumber {
			g.emit(in)
		} else {
			g.emitFallible(in, e)
		}
	case exprUnary:
		in := instr{do: opcode(e.op)}
		if !g.operand(&in, e.args[0]) {
			g.value(e.args[0])
			in.mode = held
		}
		g.emit(in)
	case exprTernary:
		g.value(e.args[0])
		no := g.emit(instr{do: doJumpIfZero})
		g.value(e.args[1])
		end := g.emit(instr{do: doJump})
		g.land([]int{no})
		g.value(e.args[2])
		g.land([]int{end})
	default:
		g.binary(e)
	}
}

// operand makes e the operand of an instruction, if it can stand there.
func (g *generator) operand(in *instr, e *expr) bool {
	switch e.kind {
	case exprNumber:
		in.mode, in.imm = immediate, e.value
	case exprRegister:
		in.mode, in.arg = register, int32(e.target)
	default:
		return false
	}
	return true
}

func (g *generator) binary(e *expr) {
	left, right := e.args[0], e.args[1]
	switch e.op {
	case opLogicalAnd, opLogicalOr:
		// The right operand is evaluated if the left one does not decide.
		g.truth(left)
		jump := doJumpIfZero
		if e.op == opLogicalOr {
			jump = doJumpIfNot
		}
		end := g.emit(instr{do: jump})
		g.truth(right)
		g.land([]int{end})
		return
	}
	in := instr{do: opcode(e.op)}
	g.value(left)
	if !g.operand(&in, right) {
		g.emit(instr{do: doPush})
		g.pushed++
		g.p.stack = max(g.p.stack, g.pushed)
		g.value(right)
		g.pushed--
		in.mode = popped
	}
	if e.canFault() {
		g.emitFallible(in, e)
	} else {
		g.emit(in)
	}
}

// truth emits the evaluation of an expression as 0 or 1.
func (g *generator) truth(e *expr) {
	g.value(e)
	switch e.op {
	case opLogicalOr, opLogicalAnd, opNot, opEqual, opNotEqual, opLess, opLessEqual, opGreater, opGreaterEqual:
	default:
		g.emit(instr{do: opcode(opNotEqual), mode: immediate})
	}
}

// canFault reports whether the operator has no result for some operands.
func (e *expr) canFault() bool {
	right := e.args[1]
	switch e.op {
	case opDivide, opRemainder:
		return right.kind != exprNumber || right.value == 0 || right.value == -1
	case opShiftLeft, opShiftRight:
		return right.kind != exprNumber || right.value < 0 || right.value > 63
	default:
		return false
	}
}

// condition emits a condition as code of its own and returns where it begins.
func (g *generator) condition(e *expr) int {
	entry := len(g.p.code)
	g.value(e)
	g.emit(instr{do: doEnd})
	return entry
}
