package workloads

import (
	"slices"

	"smpsim/yamlfile"
)

// selfName is what an instance's own number is called in expressions.
const selfName = "self"

// reader reads the steps of one program and learns its registers.
type reader struct {
	c       *compiler
	program *Program
	// loop is how often the steps are done, as it says at place.
	loop  int64
	place place
	steps []*step
	// numbers are those of the registers' names.
	numbers map[string]int
	// next is the index of the step that is read next.
	next int
}

func newReader(c *compiler, p *Program, loop int64) *reader {
	return &reader{c: c, program: p, loop: loop, numbers: make(map[string]int)}
}

// list reads a list of steps; those with mistakes are left out.
func (r *reader) list(nodes []*yamlfile.Node) []*step {
	steps := make([]*step, 0, len(nodes))
	for _, n := range nodes {
		if s := r.step(n); s != nil {
			steps = append(steps, s)
		}
	}
	return steps
}

// step reads one step.
func (r *reader) step(n *yamlfile.Node) *step {
	problems := r.c.problems
	s := &step{place: place{pos: n.Pos, step: r.next}, object: -1}
	r.next++
	switch {
	case n.Kind == yamlfile.Scalar:
		v := r.verb(n, nil)
		if v == nil {
			return nil
		}
		if v.form != formBare {
			problems.Addf(n.Pos, "%s: says nothing of what: write %s", v.name, v.example())
			return nil
		}
		s.verb, s.place.text = v, v.name
		return s
	case n.Kind != yamlfile.Mapping || len(n.Pairs) == 0:
		problems.Addf(n.Pos, "a step is an operation's name, or a mapping that begins with it")
		return nil
	}
	key, value := n.Pairs[0].Key, n.Pairs[0].Value
	v := r.verb(key, n)
	if v == nil {
		return nil
	}
	s.verb, s.value, s.place.pos = v, value, key.Pos
	s.place.text = v.name + ": " + value.Flow()
	ok := r.value(s)
	return r.bodies(s, n, ok)
}

// verb looks up an operation. step is the mapping that it begins, if it does.
func (r *reader) verb(n, step *yamlfile.Node) *verb {
	if v := findVerb(n.Text); v != nil {
		return v
	}
	if step != nil {
		for _, pair := range step.Pairs[1:] {
			if findVerb(pair.Key.Text) != nil {
				r.c.problems.Addf(n.Pos, "a step begins with its operation: put %s first", pair.Key.Text)
				return nil
			}
		}
	}
	r.c.problems.AddUnknown(n.Pos, "unknown step "+quote(n.Text), n.Text, verbNames())
	return nil
}

// bodies reads the keys behind the first.
func (r *reader) bodies(s *step, n *yamlfile.Node, ok bool) *step {
	v := s.verb
	for _, pair := range n.Pairs[1:] {
		name := pair.Key.Text
		i := slices.Index(v.bodies, name)
		switch {
		case i < 0 && findVerb(name) != nil:
			r.c.problems.Addf(pair.Key.Pos, "%s: a step is one operation: %s begins another, with a dash of its own", v.name, name)
			ok = false
		case i < 0 && len(v.bodies) == 0:
			r.c.problems.Addf(pair.Key.Pos, "%s: takes no further key, found %q", v.name, name)
			ok = false
		case i < 0:
			r.c.problems.AddUnknown(pair.Key.Pos, v.name+": unknown key "+quote(name), name, v.bodies)
			ok = false
		default:
			items, isList := pair.Value.Sequence(r.c.problems, v.name+": "+name)
			ok = ok && isList
			if body := r.list(items); i == 0 {
				s.first = body
			} else {
				s.second = body
			}
		}
	}
	if len(v.bodies) > 0 && n.Get(v.bodies[0]) == nil {
		r.c.problems.Addf(s.place.pos, "%s: %s is missing: the steps to do", v.name, v.bodies[0])
		ok = false
	}
	if !ok {
		return nil
	}
	return s
}

// value reads what stands behind the operation.
func (r *reader) value(s *step) bool {
	v, n, problems := s.verb, s.value, r.c.problems
	ok := true
	switch v.form {
	case formBare:
		problems.Addf(n.Pos, "%s: takes no value: write the word alone", v.name)
		return false
	case formDuration:
		s.duration, ok = readDuration(n, v.name, problems)
	case formObject:
		s.object, ok = r.object(v, n)
	case formCondition, formCount:
		if v.form == formCount && n.Kind == yamlfile.Scalar && n.Text == "forever" {
			return true
		}
		s.condition = r.formula(n, v.name, 1)
		ok = s.condition != nil
	case formWait:
		ok = r.wait(s)
	case formTask:
		s.task, ok = r.task(v, n)
	case formWord:
		s.word, ok = r.word(v, n)
	case formCall:
		ok = r.call(s)
	default:
		ok = r.entries(s)
	}
	return ok
}

// entries reads the pairs of a value that is a mapping, in order.
func (r *reader) entries(s *step) bool {
	v := s.verb
	if s.value.Kind != yamlfile.Mapping || len(s.value.Pairs) == 0 {
		r.c.problems.Addf(s.value.Pos, "%s: expected %s, found %s", v.name, v.example(), found(s.value))
		return false
	}
	for _, pair := range s.value.Pairs {
		if pair.Value.Kind == yamlfile.Null {
			r.c.problems.Addf(pair.Key.Pos, "%s: %s has no value; in flow style a value with commas must be quoted: %s",
				v.name, pair.Key.Text, v.example())
			return false
		}
	}
	ok := true
	for _, pair := range s.value.Pairs {
		e := entry{place: s.place}
		if len(s.value.Pairs) > 1 {
			e.place.pos = pair.Key.Pos
			e.place.text = v.name + ": {" + pair.Key.Flow() + ": " + pair.Value.Flow() + "}"
		}
		if v.form == formWrite {
			e.target = r.formula(pair.Key, v.name, 1)
		} else {
			e.register = r.assign(v, pair.Key)
		}
		expressions := 1
		if v.form == formRetry {
			expressions = 2
		}
		e.source = r.formula(pair.Value, v.name, expressions)
		if e.source == nil || v.form == formWrite && e.target == nil || e.register < 0 {
			ok = false
			continue
		}
		s.entries = append(s.entries, e)
	}
	return ok
}

// assign returns the number of the register that a step assigns to, or -1.
func (r *reader) assign(v *verb, n *yamlfile.Node) int {
	name := n.Text
	problems := r.c.problems
	object, isObject := r.c.objects[name]
	switch {
	case !isName(name):
		problems.Addf(n.Pos, "%s: %q is not a register's name: letters, digits and underscores", v.name, name)
		return -1
	case name == selfName:
		problems.Addf(n.Pos, "%s: %s is the task's own number and cannot be assigned", v.name, selfName)
		return -1
	case isObject:
		o := r.c.w.Objects[object]
		hint := ""
		if o.isWords() {
			hint = ", and write changes the " + o.noun()
		}
		problems.Addf(n.Pos, "%s: %s is %s: a register needs a name of its own%s", v.name, name, article(o.noun()), hint)
		return -1
	}
	number, ok := r.numbers[name]
	if !ok {
		number = len(r.program.registers)
		r.numbers[name] = number
		r.program.registers = append(r.program.registers, name)
	}
	return number
}

// formula reads a scalar as so many expressions.
func (r *reader) formula(n *yamlfile.Node, what string, expressions int) *formula {
	text, ok := n.Str(r.c.problems, what)
	if !ok {
		return nil
	}
	list, err := readExprs(text)
	if err != nil {
		err.Message = what + ": " + err.Message
		r.c.problems.Add(within(n, err.at), err.Mistake)
		return nil
	}
	if len(list) != expressions {
		r.c.problems.Addf(n.Pos, "%s: expected %s, found %d in %q", what, plural(expressions, "expression"), len(list), text)
		return nil
	}
	return &formula{node: n, list: list}
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return itoa(int64(n)) + " " + noun + "s"
}

func found(n *yamlfile.Node) string {
	if n.Kind == yamlfile.Null {
		return "nothing"
	}
	return n.Flow()
}
