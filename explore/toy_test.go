package explore

import "fmt"

// toy is a small System for tests: agents run straight code over words, locks and one
// wait queue. Its programs are built in toy_build_test.go.
type toy struct {
	words  []int // initial values
	locks  int
	code   [][]ins
	joined []bool // whose end somebody waits for
	manual []bool // whom somebody starts
	starts []bool // who starts somebody
	// finally is judged at the end of executions; loose agents may block for ever.
	finally func(t *toy) bool
	loose   []bool

	value    []int
	holder   []int // of each lock, -1 for none
	pc       []int
	ended    []bool
	asleep   []bool
	slept    []bool // its last step was to enqueue itself
	idle     []bool // not started yet
	first    []bool // its next step is its first
	waitsFor []int  // the agent whose end is waited for, -1 for none
	reg      [][4]int

	findings []*Finding
	told     int
	judged   bool
	starting int // whom the last step started
	objects  []int32
	step     []Step
	others   [][8]Touch
}

// verb is what an instruction does. Those after silent are no steps.
type verb uint8

const (
	vRead verb = iota
	vWrite
	vFetchAdd
	vIncrement
	vCAS
	vCASFree // a CAS that waits until a lock is free
	vLock
	vUnlock
	vTry
	vSpin
	vSpinBoth
	vDown
	vUp
	vEnqueue
	vWakeAll
	vFence
	vBoth // writes two words at once
	silent
	vJump
	vUnless
	vSet
	vAssert
	vJoin
	vStart
)

// ins is an instruction: a verb with the word or lock it touches, at index reg[at] if
// at is not none; the register it sets; and a value, reg[src]+k.
type ins struct {
	verb     verb
	object   int
	at       int
	reg      int
	src      int
	k        int
	cond     cond
	to       int
	plain    bool
	acquires bool
	releases bool
	what     string
}

const none = -1

// cond compares a register with reg[src]+k.
type cond struct {
	reg int
	op  string
	src int
	k   int
}

func (t *toy) build(programs ...[]stmt) *toy {
	for _, p := range programs {
		t.code = append(t.code, assemble(nil, p))
	}
	n := len(t.code)
	t.joined, t.manual, t.starts = make([]bool, n), make([]bool, n), make([]bool, n)
	for a, code := range t.code {
		for _, i := range code {
			switch i.verb {
			case vJoin:
				t.joined[i.object] = true
			case vStart:
				t.manual[i.object], t.starts[a] = true, true
			}
		}
	}
	if t.loose == nil {
		t.loose = make([]bool, n)
	}
	t.value = make([]int, len(t.words))
	t.holder = make([]int, t.locks)
	t.pc, t.ended, t.asleep, t.waitsFor = make([]int, n), make([]bool, n), make([]bool, n), make([]int, n)
	t.slept, t.idle, t.first = make([]bool, n), make([]bool, n), make([]bool, n)
	t.reg, t.step, t.others = make([][4]int, n), make([]Step, n), make([][8]Touch, n)
	for i := range len(t.words) + t.locks + 1 + 3*n {
		t.objects = append(t.objects, int32(i))
	}
	return t
}

// fresh returns a System factory for the program.
func (t *toy) fresh() func() System {
	return func() System {
		c := &toy{words: t.words, locks: t.locks, finally: t.finally, loose: t.loose}
		c.code = t.code
		return c.build()
	}
}

func (t *toy) Reset() {
	copy(t.value, t.words)
	for i := range t.holder {
		t.holder[i] = none
	}
	t.findings, t.told, t.judged = t.findings[:0], 0, false
	for a := range t.pc {
		t.idle[a], t.first[a] = t.manual[a], true
		t.pc[a], t.ended[a], t.asleep[a], t.slept[a], t.waitsFor[a], t.reg[a] = 0, false, false, false, none, [4]int{}
		t.advance(a)
	}
}

func (t *toy) Agents() int { return len(t.code) }

func (t *toy) Enabled(buf []Agent) []Agent {
	for a := range t.pc {
		if t.enabled(a) {
			buf = append(buf, Agent(a))
		}
	}
	return buf
}

func (t *toy) enabled(a int) bool {
	if t.ended[a] || t.idle[a] || t.asleep[a] || t.waitsFor[a] != none && !t.ended[t.waitsFor[a]] {
		return false
	}
	switch i := &t.code[a][t.pc[a]]; i.verb {
	case vLock:
		return t.holder[i.object] == none
	case vCASFree:
		return t.holder[i.at] == none
	case vSpin:
		return t.value[i.object] == i.k
	case vSpinBoth:
		return t.value[i.object] == i.k && t.value[i.to] == i.k
	case vDown:
		return t.value[i.object] > 0
	default:
		return true
	}
}

func (t *toy) word(a int, i *ins) int {
	if i.at == none || i.verb == vCASFree {
		return i.object
	}
	return i.object + t.reg[a][i.at]
}

func (t *toy) val(a int, i *ins) int {
	if i.src == none {
		return i.k
	}
	return t.reg[a][i.src] + i.k
}

func (t *toy) Pending(a Agent) *Step {
	if t.ended[a] || t.idle[a] || t.asleep[a] {
		return nil
	}
	return t.describe(int(a), &t.code[a][t.pc[a]])
}

func (t *toy) Do(agent Agent) *Step {
	a := int(agent)
	if !t.enabled(a) {
		panic(fmt.Sprintf("toy: agent %d is not enabled", a))
	}
	t.findings, t.told = t.findings[:0], 0
	i := &t.code[a][t.pc[a]]
	s := t.describe(a, i)
	r := &t.reg[a]
	switch i.verb {
	case vRead:
		r[i.reg] = t.value[t.word(a, i)]
	case vWrite:
		t.value[t.word(a, i)] = t.val(a, i)
	case vBoth:
		t.value[i.object], t.value[i.to] = i.k, i.k
	case vFetchAdd:
		w := t.word(a, i)
		r[i.reg] = t.value[w]
		t.value[w] += i.k
	case vIncrement:
		t.value[t.word(a, i)] += i.k
	case vCAS, vCASFree:
		w := t.word(a, i)
		if r[i.reg] = t.value[w]; t.value[w] == i.k {
			t.value[w] = i.to
		}
	case vLock:
		t.holder[i.object] = a
	case vUnlock:
		t.holder[i.object] = none
	case vTry:
		r[i.reg] = 0
		if t.holder[i.object] == none {
			r[i.reg], t.holder[i.object] = 1, a
		}
	case vDown:
		t.value[i.object]--
	case vUp:
		t.value[i.object]++
	case vEnqueue:
		t.asleep[a] = true
	case vWakeAll:
		clear(t.asleep)
	}
	t.waitsFor[a], t.slept[a] = none, i.verb == vEnqueue
	t.first[a] = false
	t.pc[a]++
	t.starting = none
	t.advance(a)
	if b := t.starting; b != none {
		s.Others = append(t.others[a][:len(s.Others)], Touch{t.beginning(b), Writes | Releases})
	}
	if t.ended[a] && t.joined[a] {
		s.Others = append(t.others[a][:len(s.Others)], Touch{t.end(a), Writes | Releases})
	}
	return s
}

// advance does what goes with the step before, up to the next step.
func (t *toy) advance(a int) {
	code := t.code[a]
	for t.pc[a] < len(code) {
		i := &code[t.pc[a]]
		if i.verb < silent {
			return
		}
		t.pc[a]++
		switch i.verb {
		case vJump:
			t.pc[a] = i.to
		case vUnless:
			if !t.holds(a, i.cond) {
				t.pc[a] = i.to
			}
		case vSet:
			t.reg[a][i.reg] = t.val(a, i)
		case vAssert:
			if !t.holds(a, i.cond) {
				t.findings = append(t.findings, &Finding{Kind: Assert, What: i.what})
			}
		case vJoin:
			t.waitsFor[a] = i.object
		case vStart:
			if t.idle[i.object] {
				t.idle[i.object], t.starting = false, i.object
			}
		}
	}
	t.ended[a] = true
}

func (t *toy) holds(a int, c cond) bool {
	x, y := t.reg[a][c.reg], c.k
	if c.src != none {
		y += t.reg[a][c.src]
	}
	switch c.op {
	case "==":
		return x == y
	case "!=":
		return x != y
	case "<":
		return x < y
	}
	panic("toy: comparison " + c.op)
}
