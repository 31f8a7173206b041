package workloads

import (
	"slices"

	"smpsim/yamlfile"
)

// compiler is what is known while a source is compiled. Programs are read first,
// so that all registers are known, and then generated.
type compiler struct {
	problems *yamlfile.Problems
	src      *Source
	w        *Workload
	// objects and tasks are the numbers of their names.
	objects map[string]int
	tasks   map[string]int
	// readers are the programs of tasks and then of work items, and taskReaders
	// those of the tasks, nil for a built-in load.
	readers     []*reader
	taskReaders []*reader
	// ops counts the ops of all programs.
	ops int
}

// maxOps bounds the ops of a workload. An element of an array has an op of its
// own wherever its index is computed.
const maxOps = 1 << 20

func newCompiler(src *Source, problems *yamlfile.Problems) *compiler {
	c := &compiler{
		problems: problems, src: src,
		w:       &Workload{Steps: make([]Step, 1), lifecycles: make(map[string][]lifecycle)},
		objects: make(map[string]int), tasks: make(map[string]int),
	}
	c.w.Objects = readObjects(src.Objects, problems)
	for i, o := range c.w.Objects {
		c.objects[o.Name] = i
		o.first = len(c.w.words)
		switch {
		case o.isWords():
			for element, value := range o.values {
				c.w.words = append(c.w.words, wordTemplate{i, element, value})
			}
		case o.Kind == WorkItem:
			// Its pending bit, which it brings along.
			c.w.words = append(c.w.words, wordTemplate{object: i})
		}
	}
	for i, t := range src.Tasks {
		c.tasks[t.Name] = i
	}
	return c
}

// readPrograms reads the steps of all tasks and work items.
func (c *compiler) readPrograms() {
	for i := range c.src.Tasks {
		t := &c.src.Tasks[i]
		var r *reader
		var p *Program
		if t.Steps != nil {
			p = &Program{Name: t.Name, Count: t.Count}
			r = newReader(c, p, t.Loop)
			r.place = place{pos: t.Pos, text: "loop"}
			r.steps = r.list(t.Steps)
			c.readers = append(c.readers, r)
			c.w.programs = append(c.w.programs, p)
		}
		c.taskReaders = append(c.taskReaders, r)
		c.w.tasks = append(c.w.tasks, p)
	}
	for _, o := range c.w.Objects {
		if o.Kind != WorkItem {
			continue
		}
		o.program = &Program{Name: o.Name, Count: 1, work: true}
		r := newReader(c, o.program, 1)
		if items, ok := o.node.Sequence(c.problems, "objects."+o.Name+".work"); ok {
			r.steps = r.list(items)
		}
		c.readers = append(c.readers, r)
		c.w.programs = append(c.w.programs, o.program)
	}
}

// conditions compiles the conditions of a check, as code of one more program.
func (c *compiler) conditions() {
	p := &Program{Name: "check", Count: 1}
	c.w.programs = append(c.w.programs, p)
	g := &generator{c: c, p: p, r: newReader(c, p, 1)}
	compile := func(nodes []*yamlfile.Node) []Condition {
		list := make([]Condition, 0, len(nodes))
		for _, n := range nodes {
			f := g.r.formula(n, "check", 1)
			if f == nil || !g.resolve(f, f.list[0], inCheck) {
				continue
			}
			g.at = place{pos: n.Pos, text: n.Text}
			list = append(list, Condition{Pos: n.Pos, Text: n.Text, program: p, entry: g.condition(f.list[0])})
		}
		return list
	}
	c.w.Always, c.w.Finally, c.w.Never = compile(c.src.Always), compile(c.src.Finally), compile(c.src.Never)
	g.finish()
}

// objectNames returns the names of all objects that are of one of the kinds.
func (c *compiler) objectNames(kinds ...ObjectKind) []string {
	var names []string
	for _, o := range c.w.Objects {
		if slices.Contains(kinds, o.Kind) {
			names = append(names, o.Name)
		}
	}
	return names
}

// object resolves the name of an object that is of one of the kinds.
func (c *compiler) object(pos yamlfile.Pos, what, name string, kinds []ObjectKind) (int, bool) {
	i, ok := c.objects[name]
	if ok && slices.Contains(kinds, c.w.Objects[i].Kind) {
		return i, true
	}
	wanted := kindList(kinds)
	if ok {
		c.problems.Add(pos, yamlfile.Mistake{
			Message: what + ": " + name + " is " + article(c.w.Objects[i].noun()) + ", not " + article(wanted),
			Allowed: c.objectNames(kinds...),
		})
		return 0, false
	}
	c.problems.AddUnknown(pos, what+": no "+wanted+" is called "+quote(name), name, c.objectNames(kinds...))
	return 0, false
}

// kindList is "spinlock or mutex".
func kindList(kinds []ObjectKind) string {
	text := kinds[0].noun()
	for _, k := range kinds[1:] {
		text += " or " + k.noun()
	}
	return text
}

func article(noun string) string {
	switch noun[0] {
	case 'a', 'e', 'i', 'o', 'u':
		return "an " + noun
	default:
		return "a " + noun
	}
}
