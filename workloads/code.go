package workloads

import (
	"smpsim/cpus"
	"smpsim/yamlfile"
)

// Program is a compiled list of steps: of a task, of a work item, or the
// conditions of a check. It is shared by all instances and all runs.
//
// Its code is for a machine with one accumulator, the registers of the instance,
// and a stack that is empty between two operations. Operands stand in the
// instruction: a number, a register, or what was pushed. Operations are
// instructions too; control returns to the machine at each of them.
type Program struct {
	// Name is the task's or the work item's.
	Name string
	// Count is how many instances there are.
	Count int

	work bool
	code []instr
	// where says of each instruction where in the file it comes from.
	where []place
	ops   []opTemplate
	waits []waitTemplate
	spins []spinLoop
	calls []callTemplate
	marks []markTemplate
	// registers are named; hidden ones, of loops and marks, follow them.
	registers []string
	slots     int
	// stack is how many values an expression pushes at most.
	stack int
	// mayFail says that a run of it can end in a failure that is worth a history.
	mayFail bool
}

// instr is an instruction. Its operand is imm, a register or what was pushed, as
// mode says.
type instr struct {
	do   opcode
	mode mode
	arg  int32
	imm  int64
}

type mode uint8

const (
	immediate mode = iota + 1
	register       // the register arg
	held           // the accumulator, of operators with one operand
	popped         // the accumulator, which becomes what was pushed
)

// opcode says what an instruction does. Those below doLoad are the operators of
// expressions: the accumulator becomes what they make of it and the operand.
type opcode uint8

const (
	doLoad       = opcode(operators) + iota // the accumulator becomes the operand
	doSelf                                  // ... the instance's number
	doWord                                  // ... the value of word arg
	doElement                               // ... of element accumulator of the array at word arg, of imm elements
	doForeign                               // ... register imm of instance accumulator of program arg
	doPush                                  // keeps the accumulator for an operand that is popped
	doStore                                 // register arg becomes the accumulator
	doResult                                // register arg becomes the result of the last op
	doSetA                                  // the op's first operand becomes the operand
	doSetB                                  // ... the second
	doOp                                    // op arg
	doIndexedOp                             // op arg plus the accumulator, which must be below imm
	doCall                                  // ops of call arg, until it returns
	doJump                                  // to instruction arg
	doJumpIfZero                            // ... if the accumulator is zero
	doJumpIfNot                             // ... if it is not
	doCount                                 // ... to imm if register arg is not above zero; else it is decremented
	doClear                                 // sets registers 0 to arg to zero, arg not included
	doMark                                  // passes mark imm; register arg remembers when
	doAssert                                // fails if the accumulator is zero
	doExit                                  // starts over at the next call; op arg
	doEnd                                   // the end of a condition, whose value is the accumulator
)

// place is where an instruction comes from: a place in the file, and what stands there.
type place struct {
	pos  yamlfile.Pos
	text string
	step int // index of the step in its program, from 0
}

// opTemplate is an op but for the live object that it works on.
type opTemplate struct {
	op   cpus.Op
	bind binding
	// target is the number of the word, object or wait. The op of a step that starts
	// or joins a task is bound when the task is there.
	target int
}

type binding uint8

const (
	bindNothing binding = iota + 1
	bindWord
	bindObject
	bindWait
	// bindPause makes the op as long as a spin-wait hint.
	bindPause
)

// waitTemplate is a place where tasks wait until a condition over words holds:
// spinning, or asleep on a wait queue.
type waitTemplate struct {
	entry int // of the condition, in the code
	text  string
	words []int
	queue int // the number of the wait queue, or -1
}

// spinLoop is where a spin_until is spelt out: from reads, cond tests, leave is the
// jump out of it. An exploration puts an operation that blocks in its place.
type spinLoop struct {
	from, cond, leave int
	words             []int
	label             int32
}

// callTemplate is a system call.
type callTemplate struct {
	name string
	bind SyscallBinder
}

// markTemplate is a mark; passed is the hidden register that remembers when.
type markTemplate struct {
	name   string
	passed int
}
