package cpus

// Shared is state of a model in Go that no [Word] holds: a count whose price is part
// of an anchor, a queue with a lock that is not modelled. Its address identifies it,
// so it is used in place and never copied.
//
// A model announces each access right before it makes it. On a machine with costs
// that is nothing; where interleavings are chosen it is a step like a load or a store,
// and what the model does from there to its next op belongs to it.
type Shared struct {
	// Name is what transcripts call it.
	Name string
}

// Sees announces that the task reads s, marked.
func (k *Thread) Sees(s *Shared) { k.touch(SharedRead, s) }

// Sets announces that the task writes s, marked.
func (k *Thread) Sets(s *Shared) { k.touch(SharedWrite, s) }

// Updates announces an atomic change of s whose result the task uses: a locked
// read-modify-write, or a critical section of the lock that s stands for.
func (k *Thread) Updates(s *Shared) { k.touch(SharedUpdate, s) }

func (k *Thread) touch(kind Kind, s *Shared) {
	if !k.machine.Stepped {
		return
	}
	k.op = Op{Kind: kind, Shared: s}
	k.Do(&k.op)
}
