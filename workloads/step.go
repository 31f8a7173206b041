package workloads

import (
	"smpsim/cpus"
	"smpsim/yamlfile"
)

// Step is one operation of a program, as its file spells it: what the Label of
// an op is the number of, in [Workload.Steps]. A step with several entries, such
// as a read of two words, counts as several.
type Step struct {
	Pos yamlfile.Pos
	// Text is the step on one line: "lock: gc_lock".
	Text string
	// Program names the task or work item.
	Program string
	// Index is the place of the step in its program, from 0 in the order of the text.
	Index int
	// Objects are the numbers of the objects that it touches, in [Workload.Objects]:
	// one, several for a condition that is waited for, or none. Which element of an
	// array it is, the op's Word tells.
	Objects []int
	Access  Access
}

// Access is what a step does to its objects; flags of it add up.
type Access uint8

const (
	// Reads and Writes are set as if nothing failed: a cmpxchg does both.
	Reads Access = 1 << iota
	Writes
	// Plain accesses are not marked, so they can race.
	Plain
	// Acquires orders what follows after it, Releases what precedes before it.
	Acquires
	Releases
)

// String lists the flags: "reads acquires".
func (a Access) String() string {
	text := ""
	for i, name := range []string{"reads", "writes", "plain", "acquires", "releases"} {
		if a>>i&1 == 1 {
			if text != "" {
				text += " "
			}
			text += name
		}
	}
	return text
}

// form is what the value of a step looks like.
type form uint8

const (
	formBare      form = iota + 1 // irq_off
	formDuration                  // run: exp(1us)
	formRead                      // read: {r: x}
	formWrite                     // write: {x: r + 1}
	formAtomic                    // atomic: {r: "xchg(x, 1)"}
	formObject                    // lock: l
	formTry                       // trylock: {r: l}
	formRetry                     // read_retry: {r: "q, s"}
	formSet                       // set: {r: 1}
	formCondition                 // if: r == 1
	formCount                     // loop: 10
	formWait                      // wait: {queue: q, until: "x == 1"}
	formTask                      // start: t
	formWord                      // mark: m
	formCall                      // call: {f: {...}}
)

// example shows a form to whoever got it wrong.
func (v *verb) example() string {
	value := [...]string{
		"", "", "exp(1us)", "{register: word}", "{word: expression}", `{register: "xchg(word, 1)"}`, "object",
		"{register: object}", `{register: "seqlock, start"}`, "{register: expression}", `"expression"`, "10",
		`{queue: queue, until: "word == 1"}`, "task", "word", "{name: {...}}",
	}[v.form]
	if v.form == formBare {
		return v.name
	}
	return v.name + ": " + value
}

// verb is the operation that a step names.
type verb struct {
	name string
	form form
	// kinds are the objects it takes, and sub is which of their operations it is.
	kinds []ObjectKind
	sub   uint8
	// op is the kind of its op, where there is one.
	op     cpus.Kind
	access Access
	// words are what a formWord may be; nil for any name.
	words []string
	// bodies are the lists of steps that go with it; the first must be there.
	bodies []string
	// generate emits the code of a step.
	generate func(g *generator, s *step)
}

// step is a step that was read.
type step struct {
	verb *verb
	// place is where it stands, on one line.
	place   place
	value   *yamlfile.Node
	entries []entry
	// object, task, condition, word, duration and call are what the value says, as
	// the form has it.
	object    int
	task      int
	condition *formula
	word      string
	duration  duration
	call      SyscallBinder
	// first and second are the bodies.
	first, second []*step
}

// entry is one pair of a value that is a mapping.
type entry struct {
	place place
	// register takes the result, of the forms that have one.
	register int
	// target is the word or object of the entry; source what goes to it or comes.
	target, source *formula
}

// formula is the text of an expression, or of several, read but not resolved.
type formula struct {
	node *yamlfile.Node
	list []*expr
}

// pos returns the place of a character of the text.
func (f *formula) pos(at int) yamlfile.Pos { return within(f.node, at) }

// within returns the place of a character of a scalar's text. Where the text was
// not written in one piece, or elsewhere, that is the scalar's own place.
func within(n *yamlfile.Node, at int) yamlfile.Pos {
	pos := n.Pos
	if n.Origin != "" || !oneLine(n.Text) {
		return pos
	}
	pos.Column += at
	if n.Quoted {
		pos.Column++
	}
	return pos
}
