package workloads

import (
	"slices"

	"smpsim/cpus"
)

// timed emits run and sleep.
func (g *generator) timed(s *step) {
	g.emitOp(opTemplate{op: cpus.Op{Kind: s.verb.op, Dur: s.duration.fixed, Dist: s.duration.dist, Label: g.label(0)}})
}

// bare emits an operation without an argument.
func (g *generator) bare(s *step) {
	g.emitOp(opTemplate{op: cpus.Op{Kind: s.verb.op, Label: g.label(0)}})
}

func (g *generator) emitOp(o opTemplate) {
	g.emit(instr{do: doOp, arg: int32(g.op(o))})
}

// result emits the assignment of the last op's result.
func (g *generator) result(register int) {
	g.emit(instr{do: doResult, arg: int32(register)})
}

// operandOf emits an operand of the next op.
func (g *generator) operandOf(do opcode, e *expr) {
	in := instr{do: do}
	if !g.operand(&in, e) {
		g.value(e)
		in.mode = held
	}
	g.emit(in)
}

// access emits an op on the word that a resolved target names. Where its index is
// computed, there is an op for each element, and the index picks one.
func (g *generator) access(target *expr, kind cpus.Kind, access Access) {
	object := g.c.w.words[target.target].object
	label := g.label(access, object)
	template := func(word int) opTemplate {
		return opTemplate{op: cpus.Op{Kind: kind, Label: label}, bind: bindWord, target: word}
	}
	if target.kind != exprIndexed {
		g.emitOp(template(target.target))
		return
	}
	g.value(target.args[0])
	g.pick(target, func(i int) opTemplate { return template(target.target + i) })
}

// pick emits the choice of the op for one element of an array by the accumulator.
func (g *generator) pick(indexed *expr, template func(i int) opTemplate) {
	first := len(g.p.ops)
	for i := range int(indexed.value) {
		g.op(template(i))
	}
	g.emitFallible(instr{do: doIndexedOp, arg: int32(first), imm: indexed.value}, indexed)
}

func (g *generator) read(s *step) {
	for i := range s.entries {
		e := &s.entries[i]
		g.at = e.place
		if target := e.source.list[0]; g.resolveTarget(e.source, target) {
			g.access(target, s.verb.op, s.verb.access)
			g.result(e.register)
		}
	}
}

func (g *generator) write(s *step) {
	for i := range s.entries {
		e := &s.entries[i]
		g.at = e.place
		target, value := e.target.list[0], e.source.list[0]
		written := g.resolveTarget(e.target, target)
		if written && g.c.w.Objects[g.c.w.words[target.target].object].Kind == WorkItem {
			g.c.problems.Addf(e.target.pos(target.at), "%s: a work item's pending bit is the workqueue's: queue sets it", s.verb.name)
			written = false
		}
		if g.resolve(e.source, value, inProgram) && written {
			g.operandOf(doSetA, value)
			g.access(target, s.verb.op, s.verb.access)
		}
	}
}

func (g *generator) atomic(s *step) {
	for i := range s.entries {
		e := &s.entries[i]
		g.at = e.place
		g.function(e)
	}
}

// function emits one function of an atomic step.
func (g *generator) function(e *entry) {
	f, call := e.source, e.source.list[0]
	which := slices.IndexFunc(atomics, func(a atomicFunction) bool { return a.name == call.name })
	switch {
	case call.kind != exprCall:
		g.c.problems.Addf(f.pos(call.at), "atomic: expected an operation, such as cmpxchg(x, 0, 1), found %q", f.node.Text)
		return
	case which < 0:
		g.c.problems.AddUnknown(f.pos(call.at), "atomic: unknown operation "+quote(call.name), call.name, atomicNames())
		return
	}
	a := &atomics[which]
	if len(call.args) != 1+a.operands {
		g.c.problems.Addf(f.pos(call.at), "atomic: %s takes a word and %s, found %s",
			a.name, plural(a.operands, "value"), plural(len(call.args), "argument"))
		return
	}
	target, operands := call.args[0], call.args[1:]
	ok := g.resolveTarget(f, target)
	for _, o := range operands {
		ok = g.resolve(f, o, inProgram) && ok
	}
	if ok && g.c.w.Objects[g.c.w.words[target.target].object].Kind == WorkItem {
		g.c.problems.Addf(f.pos(target.at), "atomic: a work item's pending bit is the workqueue's: queue sets it")
		ok = false
	}
	if !ok {
		return
	}
	for i, o := range operands {
		g.operandOf(doSetA+opcode(i), o)
	}
	g.access(target, a.kind, Reads|Writes|Acquires|Releases)
	g.result(e.register)
}

// add emits add and sub: two steps for a plain counter, one for an atomic one, which
// orders nothing since it returns nothing.
func (g *generator) add(s *step) {
	o := g.c.w.Objects[s.object]
	amount := int64(1)
	if s.verb.name == "sub" {
		amount = -1
	}
	kind, access := cpus.AddPlain, Reads|Writes|Plain
	if o.atomic {
		kind, access = cpus.AddReturn, Reads|Writes
	}
	g.emit(instr{do: doSetA, mode: immediate, imm: amount})
	g.access(&expr{kind: exprWord, target: o.first}, kind, access)
}

func (g *generator) fence(s *step) {
	kind := cpus.FenceFull
	switch s.word {
	case "wmb":
		kind = cpus.FenceWrite
	case "rmb":
		kind = cpus.FenceRead
	}
	g.emitOp(opTemplate{op: cpus.Op{Kind: kind, Label: g.label(0)}})
}

// primitive emits an operation of a kernel object.
func (g *generator) primitive(s *step) {
	if len(s.entries) == 0 {
		g.callObject(s.verb, s.object)
		return
	}
	for i := range s.entries {
		e := &s.entries[i]
		g.at = e.place
		name := e.source.list[0]
		if name.kind != exprName {
			g.c.problems.Addf(e.source.pos(name.at), "%s: expected the name of %s", s.verb.name, article(kindList(s.verb.kinds)))
			continue
		}
		object, ok := g.c.object(e.source.pos(name.at), s.verb.name, name.name, s.verb.kinds)
		if s.verb.form == formRetry {
			start := e.source.list[1]
			ok = g.resolve(e.source, start, inProgram) && ok
			if ok {
				g.operandOf(doSetA, start)
			}
		}
		if ok {
			g.callObject(s.verb, object)
			g.result(e.register)
		}
	}
}

func (g *generator) callObject(v *verb, object int) {
	g.emitOp(opTemplate{
		op:   cpus.Op{Kind: cpus.Call, Sub: v.sub, Label: g.label(v.access, object)},
		bind: bindObject, target: object,
	})
}

// lifecycle emits start and join, for each instance of the task.
func (g *generator) lifecycle(s *step) {
	sub := cpus.TaskStart
	if s.verb.name == "join" {
		sub = cpus.TaskJoin
	}
	label := g.label(0)
	t, w := &g.c.src.Tasks[s.task], g.c.w
	w.lifecycles[t.Name] = append(w.lifecycles[t.Name], lifecycle{slices.Index(w.programs, g.p), len(g.p.ops)})
	for range t.Count {
		g.emitOp(opTemplate{op: cpus.Op{Kind: cpus.Call, Sub: sub, Label: label}})
	}
}
