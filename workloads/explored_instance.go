package workloads

import (
	"maps"
	"slices"

	"smpsim/cpus"
)

// TaskInstance returns instance index of a task's program. Its operations are
// numbered from first on; the number 0 stands for a program that goes round for
// ever without an operation.
func (x *Explored) TaskInstance(p *Program, index int, first int32) *Instance {
	return x.instance(x.linked.group(p), index, first)
}

// WorkInstance returns the program of a work item.
func (x *Explored) WorkInstance(o *Object, first int32) *Instance {
	return x.instance(x.linked.group(o.program), 0, first)
}

// instance copies the program's code: what instances have in common in a timed run,
// their number and their marks, is written into it.
func (x *Explored) instance(from *group, index int, first int32) *Instance {
	p := *from.program
	p.code, p.where = slices.Clone(p.code), slices.Clone(p.where)
	n := &Instance{explored: x, first: first}
	for i := range p.code {
		switch in := &p.code[i]; in.do {
		case doSelf:
			*in = instr{do: doLoad, mode: immediate, imm: int64(index)}
		case doMark:
			// Without a clock it says nothing.
			*in = instr{do: doJump, mode: immediate, arg: int32(i + 1)}
		}
	}
	n.group = group{linked: &x.linked, program: &p}
	for number := range p.ops {
		n.Ops = append(n.Ops, n.describe(from.program, number))
	}
	for i := range p.spins {
		n.block(&p, &p.spins[i])
	}
	n.group.code = p.code
	for i := range n.Ops {
		if o := &n.Ops[i]; o.Until >= 0 {
			o.Named.Tasks = n.group.named(o.Until).Tasks
		}
		n.group.ops = append(n.group.ops, cpus.Op{Kind: n.Ops[i].Kind, Label: first + int32(i)})
	}
	n.locate()
	n.proc = proc{group: &n.group, base: int32(from.base + index*p.slots)}
	return n
}

// describe says what an op of the program works on.
func (n *Instance) describe(p *Program, number int) ExploredOp {
	t := &p.ops[number]
	o := ExploredOp{Kind: t.op.Kind, Sub: t.op.Sub, Label: t.op.Label, Word: -1, Object: -1, Until: -1}
	switch t.bind {
	case bindWord:
		o.Word = t.target
	case bindObject:
		o.Object = t.target
	case bindWait:
		wait := &p.waits[t.target]
		o.Object, o.Until, o.Named.Words = wait.queue, wait.entry, wait.words
	}
	w := n.explored.linked.workload
	// order does not show: one of them at most has this op
	for name, steps := range w.lifecycles {
		task := w.Program(name)
		for _, l := range steps {
			if task != nil && w.programs[l.program] == p && number >= l.first && number < l.first+task.Count {
				o.Task, o.Index = name, number-l.first
			}
		}
	}
	return o
}

// block puts an operation that blocks in the place of a loop that polls. Its
// condition is copied behind the code, with an end of its own.
func (n *Instance) block(p *Program, loop *spinLoop) {
	entry := len(p.code)
	moved := int32(entry - loop.cond)
	for i := loop.cond; i < loop.leave; i++ {
		in := p.code[i]
		switch in.do {
		case doJump, doJumpIfZero, doJumpIfNot:
			in.arg += moved
		}
		p.code, p.where = append(p.code, in), append(p.where, p.where[i])
	}
	p.code, p.where = append(p.code, instr{do: doEnd}), append(p.where, p.where[loop.leave])
	p.code[loop.from] = instr{do: doOp, arg: int32(len(n.Ops)), imm: int64(p.code[loop.leave].arg)}
	n.Ops = append(n.Ops, ExploredOp{
		Kind: cpus.Call, Label: loop.label, Word: -1, Object: -1, Until: entry, Named: Named{Words: loop.words},
	})
}

// Next runs the program from pc on, with the result of the operation it was at, to
// its next operation. It returns the operation's number, where the program goes on
// behind it, and its operands. A pc of 0 is the beginning.
func (n *Instance) Next(pc int32, result int64) (op, behind int32, a, b int64) {
	in := &n.group.code[pc]
	if in.do == doOp {
		return n.first + in.arg, int32(in.imm), 0, 0
	}
	t := &n.explored.task
	t.Result, t.A, t.B = result, 0, 0
	next, _ := n.group.execute(t, &n.proc, int(pc))
	return next.Label, n.proc.pc, t.A, t.B
}

// Holds evaluates the condition of an operation that waits. One that cannot be
// evaluated leaves a fault.
func (n *Instance) Holds(o *ExploredOp) bool {
	_, value := n.group.execute(&n.explored.task, &n.proc, o.Until)
	return value != 0
}

// Behind returns where the program goes on behind an operation.
func (n *Instance) Behind(op int) int { return n.behind[op] }

// locate notes of all operations where the program goes on behind them.
func (n *Instance) locate() {
	n.behind = make([]int, len(n.Ops))
	for pc := range n.group.code {
		switch in := &n.group.code[pc]; in.do {
		case doOp:
			n.behind[in.arg] = int(in.imm)
		case doIndexedOp:
			for i := range int(in.imm) {
				n.behind[int(in.arg)+i] = pc + 1
			}
		}
	}
}

// Follow returns the indices of the operations that the program can come to next from
// pc on, as far as its shape says.
func (n *Instance) Follow(pc int) []int {
	code := n.group.code
	found, seen := make(map[int]bool), make([]bool, len(code))
	for from := []int{pc}; len(from) > 0; {
		pc := from[len(from)-1]
		from = from[:len(from)-1]
		if seen[pc] {
			continue
		}
		seen[pc] = true
		switch in := &code[pc]; in.do {
		case doOp, doExit:
			found[int(in.arg)] = true
		case doIndexedOp:
			for i := range int(in.imm) {
				found[int(in.arg)+i] = true
			}
			from = append(from, pc+1) // the index may be out of range
		case doJump:
			from = append(from, int(in.arg))
		case doJumpIfZero, doJumpIfNot:
			from = append(from, int(in.arg), pc+1)
		case doCount:
			from = append(from, int(in.imm), pc+1)
		default:
			from = append(from, pc+1)
		}
	}
	return slices.Sorted(maps.Keys(found))
}
