package cpus

// Shared is state of a model in Go that no [Word] holds: a count whose price is part
// of an anchor, a queue with a lock that is not modelled. It is used in place and never
// copied. [Machine.Share] makes one that is told from all others; those that only have
// a name are one and the same to an explorer if they have the same name.
//
// A model announces each access right before it makes it. On a machine with costs
// that is nothing; where interleavings are chosen it is a step like a load or a store,
// and what the model does from there to its next op belongs to it.
type Shared struct {
	// Name is what transcripts call it.
	Name string

	identity   Identity
	identified bool
}

// Share gives s its name and an identity of its own.
func (m *Machine) Share(s *Shared, name string) {
	s.Name = name
	s.identity, s.identified = m.Identify(sharedName{s}), m.Stepped
}

// ShareWord makes s one with a word: whoever waits for the word waits for what an access
// to s changes.
func (m *Machine) ShareWord(s *Shared, w *Word) {
	s.Name, s.identity, s.identified = w.Name(), w.identity, m.Stepped
}

// Identity returns the identity that Share has given s, if it has.
func (s *Shared) Identity() (id Identity, ok bool) { return s.identity, s.identified }

// sharedName is a Shared as something that was made.
type sharedName struct{ shared *Shared }

// Name returns its name.
func (s sharedName) Name() string { return s.shared.Name }

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
