package workloads

import "smpsim/cpus"

// proc is an instance of a program: the behavior of a task or of a work item.
// Its registers are in the slab of all instances, from base on.
type proc struct {
	group *group
	base  int32
	pc    int32
}

// maxTurns is how often control may go back between two operations. A loop that
// does so many turns at one instant would hang the process.
const maxTurns = 1_000_000

// Next returns the next operation: a pointer into the program's ops.
func (p *proc) Next(t *cpus.Task) *cpus.Op {
	g := p.group
	in := &g.code[p.pc]
	if g.linked.always == nil && in.do == doOp {
		p.pc = int32(in.imm)
		op := &g.ops[in.arg]
		if g.past != nil {
			g.past.note(g.linked.machine.Sim.Now(), t, op)
		}
		return op
	}
	op, _ := g.execute(t, p, int(p.pc))
	if g.linked.always != nil && !g.linked.judge() {
		return &haltOp
	}
	return op
}

// execute runs code from pc on until it comes to an operation, which it returns,
// or to the end of a condition, whose value it returns. p has the registers; it is
// nil for a check. t is nil for a check, and for a work item the worker.
func (g *group) execute(t *cpus.Task, p *proc, pc int) (*cpus.Op, int64) {
	l, code := g.linked, g.code
	var registers []int64
	if p != nil {
		registers = l.registers[p.base : int(p.base)+g.program.slots]
	}
	var acc int64
	pushed, turns := 0, 0
	for {
		in := &code[pc]
		pc++
		operand := in.imm
		switch in.mode {
		case register:
			operand = registers[in.arg]
		case held:
			operand = acc
		case popped:
			pushed--
			operand, acc = acc, l.stack[pushed]
		}
		switch in.do {
		case doOp:
			p.pc = int32(in.imm)
			op := &g.ops[in.arg]
			if g.past != nil {
				g.past.note(l.machine.Sim.Now(), t, op)
			}
			return op, 0
		case doResult:
			registers[in.arg] = t.Result
		case doLoad:
			acc = operand
		case doStore:
			registers[in.arg] = acc
		case doSetA:
			t.A = operand
		case doSetB:
			t.B = operand
		case doJumpIfZero:
			if acc == 0 {
				pc = int(in.arg)
			}
		case doJumpIfNot:
			if acc != 0 {
				pc = int(in.arg)
			}
		case doJump:
			if int(in.arg) < pc {
				if turns++; turns > maxTurns {
					return l.endless(g, p, t, pc-1), 0
				}
			}
			pc = int(in.arg)
		case doCount:
			if registers[in.arg] <= 0 {
				pc = int(in.imm)
			} else {
				registers[in.arg]--
			}
		case doMark:
			g.mark(t, in, registers)
		case doPush:
			l.stack[pushed] = acc
			pushed++
		case doWord:
			acc = l.word(int(in.arg))
		case doSelf:
			acc = int64(t.Index())
		case doElement:
			if uint64(acc) >= uint64(in.imm) {
				if !l.outOfRange(g, p, t, pc-1, acc, in.imm) {
					return &haltOp, 0
				}
				acc = 0
				continue
			}
			acc = l.word(int(in.arg) + int(acc))
		case doForeign:
			other := l.tasks[in.arg]
			if uint64(acc) >= uint64(other.program.Count) {
				if !l.outOfRange(g, p, t, pc-1, acc, int64(other.program.Count)) {
					return &haltOp, 0
				}
				acc = 0
				continue
			}
			acc = l.registers[other.base+int(acc)*other.program.slots+int(in.imm)]
		case doIndexedOp:
			if uint64(acc) >= uint64(in.imm) {
				if !l.outOfRange(g, p, t, pc-1, acc, in.imm) {
					return &haltOp, 0
				}
				t.Result = 0
				continue
			}
			p.pc = int32(pc)
			op := &g.ops[int(in.arg)+int(acc)]
			if g.past != nil {
				g.past.note(l.machine.Sim.Now(), t, op)
			}
			return op, 0
		case doCall:
			op := g.calls[in.arg][g.instance(t)].Next(t)
			if op.Kind != cpus.Exit {
				p.pc = int32(pc - 1)
				return op, 0
			}
		case doClear:
			clear(registers[:in.arg])
		case doAssert:
			if acc == 0 && !l.violated(g, p, t, pc-1) {
				return &haltOp, 0
			}
		case doExit:
			p.pc = 0
			return &g.ops[in.arg], 0
		case doEnd:
			return nil, acc
		default:
			result, ok := operator(in.do).apply(acc, operand)
			if !ok && !l.fail(Bug, g, p, t, pc-1, operator(in.do).fault(operand)) {
				return &haltOp, 0
			}
			acc = result
		}
	}
}

// word returns what a word holds, which an exploration keeps in memory of its own.
func (l *Linked) word(i int) int64 {
	if l.explored != nil {
		return l.explored.words[i]
	}
	return l.words[i].Value
}

// instance is the number of t among those of the program; a work item has one.
func (g *group) instance(t *cpus.Task) int {
	if g.program.work {
		return 0
	}
	return int(t.Index())
}

// mark passes a mark. The register keeps one more than the time, so that zero
// means never.
func (g *group) mark(t *cpus.Task, in *instr, registers []int64) {
	m := g.linked.machine
	now, interval := int64(m.Sim.Now()), int64(-1)
	if last := registers[in.arg]; last != 0 {
		interval = now - (last - 1)
	}
	registers[in.arg] = now + 1
	m.Trace(cpus.TraceMark, t, g.marks[in.imm], interval)
}

// waitCondition is what instances of a program wait for.
type waitCondition struct {
	group *group
	entry int
}

// Holds evaluates the condition with t's registers.
func (c *waitCondition) Holds(t *cpus.Task) bool {
	g := c.group
	_, value := g.execute(t, &g.procs[g.instance(t)], c.entry)
	return value != 0
}

// Holds evaluates a condition of the workload now. One that cannot be evaluated,
// since it divides by zero or has an index out of range, does not hold, and the
// error is the [Failure].
func (l *Linked) Holds(c *Condition) (bool, error) {
	l.unchecked = nil
	_, value := l.group(c.program).execute(nil, nil, c.entry)
	if l.unchecked != nil {
		return false, l.unchecked
	}
	return value != 0, nil
}
