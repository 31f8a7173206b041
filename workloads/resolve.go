package workloads

import (
	"slices"

	"smpsim/yamlfile"
)

// scope says what an expression may name.
type scope uint8

const (
	// inProgram: registers and constants.
	inProgram scope = iota + 1
	// inWait: also shared objects and registers of other tasks.
	inWait
	// inCheck: shared objects and registers of tasks; there is no task of its own.
	inCheck
)

// resolver resolves the names of one formula.
type resolver struct {
	g     *generator
	f     *formula
	scope scope
	ok    bool
}

// resolve replaces the names in an expression of f by what they name, and reports
// whether all are known.
func (g *generator) resolve(f *formula, e *expr, in scope) bool {
	v := resolver{g: g, f: f, scope: in, ok: true}
	v.visit(e)
	return v.ok
}

// resolveTarget does so for an expression that names a word: of an operation on
// memory. A computed index is over registers.
func (g *generator) resolveTarget(f *formula, e *expr) bool {
	v := resolver{g: g, f: f, scope: inProgram, ok: true}
	v.target(e)
	return v.ok
}

func (v *resolver) wrong(at int, format string, args ...any) {
	v.ok = false
	v.g.c.problems.Addf(v.f.pos(at), format, args...)
}

func (v *resolver) unknown(at int, message, name string, allowed []string) {
	v.ok = false
	v.g.c.problems.AddUnknown(v.f.pos(at), message, name, allowed)
}

func (v *resolver) visit(e *expr) {
	e.pos = v.f.pos(e.at)
	switch e.kind {
	case exprName:
		v.name(e)
	case exprElement:
		if v.scope == inProgram {
			v.sharedName(e)
			return
		}
		v.target(e)
	case exprCall:
		switch {
		case e.name == "pending" && v.scope == inProgram:
			v.wrong(e.at, "pending() is read into a register first, as in read: {r: pending(w)}")
		case e.name == "pending":
			v.target(e)
		case slices.Contains(atomicNames(), e.name):
			v.wrong(e.at, `%s() is an operation: write atomic: {r: "%s(...)"}`, e.name, e.name)
		default:
			v.unknown(e.at, "unknown function "+quote(e.name), e.name, []string{"pending"})
		}
	case exprField:
		v.field(e)
	default:
		for _, a := range e.args {
			v.visit(a)
		}
	}
}

// name resolves a bare name.
func (v *resolver) name(e *expr) {
	number, isRegister := v.g.r.numbers[e.name]
	object, isObject := v.g.c.objects[e.name]
	switch {
	case isRegister:
		e.kind, e.target = exprRegister, number
	case e.name == selfName && v.scope == inCheck:
		v.wrong(e.at, "%s has no meaning here: a check is not a task", selfName)
	case e.name == selfName && v.g.p.work:
		v.wrong(e.at, "%s has no meaning in a work item: only instances of a task are numbered", selfName)
	case e.name == selfName:
		e.kind = exprSelf
	case isObject && v.scope == inProgram:
		v.sharedName(e)
	case isObject:
		v.g.c.w.Objects[object].used(v, e)
	case v.scope == inCheck:
		v.unknown(e.at, "no object is called "+quote(e.name), e.name, v.g.c.objectNames(Word, Counter))
	default:
		v.noRegister(e)
	}
}

// used resolves the name of an object that stands for its value.
func (o *Object) used(v *resolver, e *expr) {
	switch {
	case !o.isWords():
		v.wrong(e.at, "%s is %s, which has no value", e.name, article(o.noun()))
	case o.array:
		v.wrong(e.at, "%s is an array: name an element, %s[0] to %s[%d]", e.name, e.name, e.name, len(o.values)-1)
	default:
		e.kind, e.target = exprWord, o.first
	}
}

// sharedName says that an expression over registers names a shared object.
func (v *resolver) sharedName(e *expr) {
	if object, ok := v.g.c.objects[e.name]; ok {
		o := v.g.c.w.Objects[object]
		if !o.isWords() {
			v.wrong(e.at, "%s is %s, not a register", e.name, article(o.noun()))
			return
		}
		example := e.name
		if o.array {
			example = quote(e.name + "[i]")
		}
		v.wrong(e.at, "%s is a shared %s: read it into a register first, as in read: {r: %s}", e.name, o.noun(), example)
		return
	}
	v.unknown(e.at, "no array is called "+quote(e.name), e.name, v.g.c.objectNames(Word))
}

func (v *resolver) noRegister(e *expr) {
	names := slices.Clone(v.g.p.registers)
	if v.scope == inWait {
		names = append(names, v.g.c.objectNames(Word, Counter)...)
	}
	switch _, isTask := v.g.c.tasks[e.name]; {
	case isTask:
		v.wrong(e.at, "%s is a task: its registers are %s.name", e.name, e.name)
	case e.name == "true" || e.name == "false":
		v.wrong(e.at, "no register is called %q: true is 1, false is 0", e.name)
	default:
		v.unknown(e.at, "no register is called "+quote(e.name)+": it is never assigned", e.name, names)
	}
}

// target resolves an expression that names a word.
func (v *resolver) target(e *expr) {
	c := v.g.c
	e.pos = v.f.pos(e.at)
	switch e.kind {
	case exprCall:
		v.pending(e)
		return
	case exprName, exprElement:
	default:
		v.wrong(e.at, "expected the name of a word, or of an element as in a[1]")
		return
	}
	object, ok := c.objects[e.name]
	if !ok {
		message := "no word is called " + quote(e.name)
		if _, isRegister := v.g.r.numbers[e.name]; isRegister {
			message = e.name + " is a register, not a shared word"
		}
		v.unknown(e.at, message, e.name, c.objectNames(Word, Counter))
		return
	}
	o := c.w.Objects[object]
	if e.kind == exprName {
		o.used(v, e)
		return
	}
	index := e.args[0]
	v.visit(index)
	switch {
	case !o.array:
		v.wrong(e.at, "%s is %s, not an array", e.name, article(o.noun()))
	case index.kind != exprNumber:
		e.kind, e.target, e.value = exprIndexed, o.first, int64(len(o.values))
	case index.value < 0 || index.value >= int64(len(o.values)):
		v.wrong(index.at, "index %d of %s, which has elements 0 to %d", index.value, e.name, len(o.values)-1)
	default:
		e.kind, e.target = exprWord, o.first+int(index.value)
	}
}

// pending resolves pending(w): the word that says whether a work item is queued.
func (v *resolver) pending(e *expr) {
	if e.name != "pending" || len(e.args) != 1 || e.args[0].kind != exprName {
		v.wrong(e.at, "expected the name of a word, or pending(w)")
		return
	}
	arg := e.args[0]
	object, ok := v.g.c.object(v.f.pos(arg.at), "pending", arg.name, []ObjectKind{WorkItem})
	if !ok {
		v.ok = false
		return
	}
	e.kind, e.target = exprWord, v.g.c.w.Objects[object].first
}

// field resolves task.register and task[i].register.
func (v *resolver) field(e *expr) {
	c := v.g.c
	number, ok := c.tasks[e.name]
	switch {
	case v.scope == inProgram:
		v.wrong(e.at, "%s.%s: registers of other tasks can be named in check, until and spin_until only", e.name, e.field)
		return
	case !ok:
		names := make([]string, 0, len(c.src.Tasks))
		for _, t := range c.src.Tasks {
			names = append(names, t.Name)
		}
		v.unknown(e.at, "no task is called "+quote(e.name), e.name, names)
		return
	}
	r := c.taskReaders[number]
	if r == nil {
		v.wrong(e.at, "%s runs a built-in load, which has no registers", e.name)
		return
	}
	register, ok := r.numbers[e.field]
	if !ok {
		v.unknown(e.at, e.name+" has no register "+quote(e.field), e.field, r.program.registers)
		return
	}
	if len(e.args) == 0 {
		if r.program.Count > 1 {
			v.wrong(e.at, "%s has %d instances: write %s[0].%s to %s[%d].%s",
				e.name, r.program.Count, e.name, e.field, e.name, r.program.Count-1, e.field)
		}
		e.args = []*expr{{kind: exprNumber, at: e.at}}
	}
	index := e.args[0]
	v.visit(index)
	if index.kind == exprNumber && (index.value < 0 || index.value >= int64(r.program.Count)) {
		v.unknownInstance(e, index, r.program.Count)
	}
	e.kind, e.target, e.value = exprForeign, number, int64(register)
}

func (v *resolver) unknownInstance(e, index *expr, count int) {
	v.ok = false
	v.g.c.problems.Add(v.f.pos(index.at), yamlfile.Mistake{
		Message: e.name + " has no instance " + itoa(index.value),
		Allowed: []string{"0 to " + itoa(int64(count-1))},
	})
}
