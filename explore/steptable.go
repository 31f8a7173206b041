package explore

import "slices"

// stepTable numbers the different steps of a system, so that events are small, and
// knows which of them depend on each other.
type stepTable struct {
	commute bool
	steps   []Step
	marks   []uint64
	// places is an open hash table of numbers, -1 where there is none.
	places []int32
	// rows has, for each number, a bit for every number up to its own: dependent.
	rows [][]uint64
}

// mostRows bounds the memory for dependence that is looked up, 8 MB; that of later
// steps is computed each time.
const mostRows = 1 << 13

func newStepTable(commute bool) *stepTable {
	t := &stepTable{commute: commute, places: make([]int32, 64)}
	for i := range t.places {
		t.places[i] = -1
	}
	return t
}

// number returns the number of a step: the same for equal steps.
func (t *stepTable) number(s *Step) int32 {
	mark := markOf(s)
	mask := uint64(len(t.places) - 1)
	i := mark & mask
	for ; t.places[i] >= 0; i = (i + 1) & mask {
		n := t.places[i]
		if t.marks[n] == mark && sameStep(&t.steps[n], s) {
			return n
		}
	}
	n := int32(len(t.steps))
	t.places[i] = n
	t.steps = append(t.steps, Step{
		Objects: slices.Clone(s.Objects), Access: s.Access, Label: s.Label, Others: slices.Clone(s.Others),
	})
	t.marks = append(t.marks, mark)
	if n < mostRows {
		row := make([]uint64, n/64+1)
		for m := range t.steps {
			if s.Depends(&t.steps[m], t.commute) {
				row[m/64] |= 1 << (m % 64)
			}
		}
		t.rows = append(t.rows, row)
	}
	if 2*len(t.steps) > len(t.places) {
		t.grow()
	}
	return n
}

func (t *stepTable) grow() {
	t.places = make([]int32, 2*len(t.places))
	for i := range t.places {
		t.places[i] = -1
	}
	mask := uint64(len(t.places) - 1)
	for n, mark := range t.marks {
		i := mark & mask
		for t.places[i] >= 0 {
			i = (i + 1) & mask
		}
		t.places[i] = int32(n)
	}
}

// dependent reports whether the order of two steps of different agents matters.
func (t *stepTable) dependent(a, b int32) bool {
	if a < b {
		a, b = b, a
	}
	if a < mostRows {
		return t.rows[a][b/64]>>(b%64)&1 != 0
	}
	return t.steps[a].Depends(&t.steps[b], t.commute)
}

// mark returns a hash of a step that depends on nothing but the step.
func (t *stepTable) mark(n int32) uint64 { return t.marks[n] }

func markOf(s *Step) uint64 {
	h := mix(uint64(s.Access)<<32|uint64(uint32(s.Label)), key0)
	for _, o := range s.Objects {
		h = mix(h^uint64(uint32(o)), key1)
	}
	for _, o := range s.Others {
		h = mix(h^uint64(o.Access)<<32^uint64(uint32(o.Object)), key3)
	}
	return h
}

func sameStep(a, b *Step) bool {
	return a.Access == b.Access && a.Label == b.Label && slices.Equal(a.Objects, b.Objects) && slices.Equal(a.Others, b.Others)
}
