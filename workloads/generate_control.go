package workloads

import (
	"slices"

	"smpsim/cpus"
)

// spinUntil emits a loop that polls. Where the condition looks at registers of
// other tasks, whose changes nobody announces, it is spelt out: read, test, relax.
func (g *generator) spinUntil(s *step) {
	f, cond := s.condition, s.condition.list[0]
	if !g.resolve(f, cond, inWait) {
		return
	}
	if !cond.has(exprForeign) {
		g.waitFor(s, -1)
		return
	}
	loop := spinLoop{from: len(g.p.code)}
	for _, w := range cond.leaves(nil) {
		g.access(w, cpus.Load, s.verb.access)
		loop.words = append(loop.words, w.elements()...)
	}
	loop.cond = len(g.p.code)
	g.value(cond)
	loop.leave = g.emit(instr{do: doJumpIfNot})
	loop.label = g.label(0)
	g.emitOp(opTemplate{op: cpus.Op{Kind: cpus.Compute, Label: loop.label}, bind: bindPause})
	g.emit(instr{do: doJump, arg: int32(loop.from)})
	g.land([]int{loop.leave})
	g.p.spins = append(g.p.spins, loop)
}

// wait emits wait_event.
func (g *generator) wait(s *step) {
	if g.resolve(s.condition, s.condition.list[0], inWait) {
		g.waitFor(s, s.object)
	}
}

// waitFor emits an op that waits until a condition over words holds, spinning or
// on a wait queue. Where an index in the condition is computed there is one for
// each element, since which words are read has to be known.
func (g *generator) waitFor(s *step, queue int) {
	f, cond := s.condition, s.condition.list[0]
	var computed *expr
	var words []int
	for _, w := range cond.leaves(nil) {
		if w.kind == exprWord {
			words = append(words, w.target)
			continue
		}
		if computed != nil || len(w.args[0].leaves(nil)) > 0 {
			g.c.problems.Addf(f.pos(w.at), "%s: at most one index can be computed here, from registers", s.verb.name)
			return
		}
		computed = w
	}
	if computed == nil && len(words) == 0 {
		g.c.problems.Addf(f.node.Pos, "%s: the condition names no shared word, so that nobody could ever make it hold", s.verb.name)
		return
	}
	label := g.label(s.verb.access, g.waitedOn(queue, cond)...)
	first := len(g.p.waits)
	template := func(words []int) opTemplate {
		g.p.waits = append(g.p.waits, waitTemplate{text: s.place.text, words: words, queue: queue})
		return opTemplate{
			op:   cpus.Op{Kind: cpus.Call, Sub: s.verb.sub, Label: label},
			bind: bindWait, target: len(g.p.waits) - 1,
		}
	}
	if computed == nil {
		g.emitOp(template(words))
	} else {
		g.value(computed.args[0])
		g.pick(computed, func(i int) opTemplate {
			return template(append([]int{computed.target + i}, words...))
		})
	}
	g.tests = append(g.tests, test{at: g.at, cond: cond, first: first, end: len(g.p.waits)})
}

// waitedOn returns the objects that a wait touches: the queue and what it tests.
func (g *generator) waitedOn(queue int, cond *expr) []int {
	var objects []int
	if queue >= 0 {
		objects = append(objects, queue)
	}
	for _, w := range cond.leaves(nil) {
		if object := g.c.w.words[w.target].object; !slices.Contains(objects, object) {
			objects = append(objects, object)
		}
	}
	return objects
}

// test is the condition of the waits from first to end; its code follows that of
// the steps.
type test struct {
	at         place
	cond       *expr
	first, end int
}

func (g *generator) emitTests() {
	for _, t := range g.tests {
		g.at = t.at
		entry := g.condition(t.cond)
		for i := t.first; i < t.end; i++ {
			g.p.waits[i].entry = entry
		}
	}
}

// leaves appends the words that a resolved expression reads, those of computed
// indices included, in the order in which they stand.
func (e *expr) leaves(list []*expr) []*expr {
	if e.kind == exprWord || e.kind == exprIndexed {
		list = append(list, e)
	}
	for _, a := range e.args {
		list = a.leaves(list)
	}
	return list
}

// elements returns the words that a word or an element with a computed index can be.
func (e *expr) elements() []int {
	words := []int{e.target}
	if e.kind == exprIndexed {
		for i := 1; i < int(e.value); i++ {
			words = append(words, e.target+i)
		}
	}
	return words
}

// has reports whether e is of a kind or has a part that is.
func (e *expr) has(kind exprKind) bool {
	for _, a := range e.args {
		if a.has(kind) {
			return true
		}
	}
	return e.kind == kind
}

// branch emits if.
func (g *generator) branch(s *step) {
	ok := g.resolve(s.condition, s.condition.list[0], inProgram)
	if ok {
		g.value(s.condition.list[0])
	}
	no := g.emit(instr{do: doJumpIfZero})
	g.steps(s.first)
	if s.second == nil {
		g.land([]int{no})
		return
	}
	end := g.emit(instr{do: doJump})
	g.land([]int{no})
	g.steps(s.second)
	g.land([]int{end})
}

func (g *generator) while(s *step) {
	again := len(g.p.code)
	if g.resolve(s.condition, s.condition.list[0], inProgram) {
		g.value(s.condition.list[0])
	}
	end := g.emit(instr{do: doJumpIfZero})
	g.body(s.first)
	g.at = s.place
	g.emit(instr{do: doJump, arg: int32(again)})
	g.land([]int{end})
	g.landBreaks()
}

func (g *generator) loop(s *step) {
	counted := s.condition != nil
	if counted && g.resolve(s.condition, s.condition.list[0], inProgram) {
		g.value(s.condition.list[0])
	}
	again, leave := g.beginLoop(counted)
	g.body(s.first)
	g.at = s.place
	g.endLoop(again, leave)
	g.landBreaks()
}

// body emits the steps of a loop; landBreaks ends it.
func (g *generator) body(steps []*step) {
	g.breaks = append(g.breaks, nil)
	g.steps(steps)
}

func (g *generator) landBreaks() {
	last := len(g.breaks) - 1
	g.land(g.breaks[last])
	g.breaks = g.breaks[:last]
}

// leave emits break and return.
func (g *generator) leave(s *step) {
	jump := g.emit(instr{do: doJump})
	switch {
	case s.verb.name == "return":
		g.returns = append(g.returns, jump)
	case len(g.breaks) == 0:
		g.c.problems.Addf(s.place.pos, "break: there is no loop around it; return ends the pass")
	default:
		last := len(g.breaks) - 1
		g.breaks[last] = append(g.breaks[last], jump)
	}
}

func (g *generator) set(s *step) {
	for i := range s.entries {
		e := &s.entries[i]
		g.at = e.place
		if g.resolve(e.source, e.source.list[0], inProgram) {
			g.value(e.source.list[0])
			g.emit(instr{do: doStore, arg: int32(e.register)})
		}
	}
}

func (g *generator) assert(s *step) {
	if g.resolve(s.condition, s.condition.list[0], inProgram) {
		g.value(s.condition.list[0])
		g.p.mayFail = true
		g.emit(instr{do: doAssert})
	}
}

// mark emits a mark. All marks of one name in a program are one.
func (g *generator) mark(s *step) {
	i, ok := g.marks[s.word]
	if !ok {
		i = len(g.p.marks)
		g.marks[s.word] = i
		g.p.marks = append(g.p.marks, markTemplate{name: s.word, passed: g.hidden()})
	}
	g.emit(instr{do: doMark, arg: int32(g.p.marks[i].passed), imm: int64(i)})
}

func (g *generator) syscall(s *step) {
	g.p.calls = append(g.p.calls, callTemplate{name: s.word, bind: s.call})
	g.emit(instr{do: doCall, arg: int32(len(g.p.calls) - 1)})
}
