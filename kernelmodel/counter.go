package kernelmodel

import "smpsim/cpus"

// Counter is a number that tasks add to, in one step or in two.
type Counter struct {
	word *cpus.Word
	kind cpus.Kind
}

// NewCounter returns a counter on w. An atomic one is added to by a locked
// operation, a plain one by a load and a store.
func NewCounter(w *cpus.Word, atomic bool) *Counter {
	if atomic {
		return &Counter{word: w, kind: cpus.AddReturn}
	}
	return &Counter{word: w, kind: cpus.AddPlain}
}

// Word returns the word that holds the count.
func (c *Counter) Word() *cpus.Word { return c.word }

// Kind returns the kind of the op that adds operand A to the count, or
// subtracts it if A is negative.
func (c *Counter) Kind() cpus.Kind { return c.kind }

// Add adds n, which may be negative, to the count.
func (c *Counter) Add(k *cpus.Thread, n int64) {
	if c.kind == cpus.AddReturn {
		k.AddReturn(c.word, n)
	} else {
		k.AddPlain(c.word, n)
	}
}
