package explore_test

import (
	"strings"
	"testing"

	"smpsim/explore"
)

// litmus is a litmus test: tasks t0, t1, ... over words x, y and z, and what is not
// to be at the end under sequential consistency.
type litmus struct {
	name  string
	tasks []string
	weak  string
	// tso says that a store buffer lets it be, states how many ends there are under sc
	// and tso, if that is known.
	tso    bool
	states [2]int
}

var litmusTests = []litmus{
	{name: "MP", tasks: []string{"write: {x: 1}; write: {y: 1}", "read: {a: y}; read: {b: x}"}, weak: "t1.a == 1 && t1.b == 0", states: [2]int{3, 3}},
	{name: "MP with wmb and rmb", tasks: []string{"write: {x: 1}; fence: wmb; write: {y: 1}", "read: {a: y}; fence: rmb; read: {b: x}"}, weak: "t1.a == 1 && t1.b == 0", states: [2]int{3, 3}},
	{name: "MP with release and acquire", tasks: []string{"write: {x: 1}; release: {y: 1}", "acquire: {a: y}; read: {b: x}"}, weak: "t1.a == 1 && t1.b == 0", states: [2]int{3, 3}},
	{name: "LB", tasks: []string{"read: {a: x}; write: {y: 1}", "read: {a: y}; write: {x: 1}"}, weak: "t0.a == 1 && t1.a == 1", states: [2]int{3, 3}},
	{name: "LB with mb", tasks: []string{"read: {a: x}; fence: mb; write: {y: 1}", "read: {a: y}; fence: mb; write: {x: 1}"}, weak: "t0.a == 1 && t1.a == 1"},
	{name: "S", tasks: []string{"write: {x: 2}; write: {y: 1}", "read: {a: y}; write: {x: 1}"}, weak: "t1.a == 1 && x == 2"},
	{name: "S with mb", tasks: []string{"write: {x: 2}; fence: mb; write: {y: 1}", "read: {a: y}; fence: mb; write: {x: 1}"}, weak: "t1.a == 1 && x == 2"},
	{name: "SB", tasks: []string{"write: {x: 1}; read: {a: y}", "write: {y: 1}; read: {a: x}"}, weak: "t0.a == 0 && t1.a == 0", tso: true, states: [2]int{3, 4}},
	{name: "SB with one mb", tasks: []string{"write: {x: 1}; fence: mb; read: {a: y}", "write: {y: 1}; read: {a: x}"}, weak: "t0.a == 0 && t1.a == 0", tso: true, states: [2]int{3, 4}},
	{name: "SB with mb", tasks: []string{"write: {x: 1}; fence: mb; read: {a: y}", "write: {y: 1}; fence: mb; read: {a: x}"}, weak: "t0.a == 0 && t1.a == 0", states: [2]int{3, 3}},
	{name: "SB with release and acquire", tasks: []string{"release: {x: 1}; acquire: {a: y}", "release: {y: 1}; acquire: {a: x}"}, weak: "t0.a == 0 && t1.a == 0", tso: true, states: [2]int{3, 4}},
	{name: "SB with wmb and rmb", tasks: []string{"write: {x: 1}; fence: wmb; fence: rmb; read: {a: y}", "write: {y: 1}; fence: wmb; fence: rmb; read: {a: x}"}, weak: "t0.a == 0 && t1.a == 0", tso: true, states: [2]int{3, 4}},
	{name: "SB with locked operations", tasks: []string{`write: {x: 1}; atomic: {u: "xchg(z, 1)"}; read: {a: y}`, `write: {y: 1}; atomic: {u: "xchg(z, 2)"}; read: {a: x}`}, weak: "t0.a == 0 && t1.a == 0"},
	{name: "SB with exchanges", tasks: []string{`atomic: {u: "xchg(x, 1)"}; read: {a: y}`, `atomic: {u: "xchg(y, 1)"}; read: {a: x}`}, weak: "t0.a == 0 && t1.a == 0", states: [2]int{3, 3}},
	{name: "SB with forwarding", tasks: []string{"write: {x: 1}; read: {a: x}; read: {b: y}", "write: {y: 1}; read: {a: y}; read: {b: x}"}, weak: "t0.a == 1 && t0.b == 0 && t1.a == 1 && t1.b == 0", tso: true},
	{name: "a store is seen by its own CPU", tasks: []string{"write: {x: 1}; read: {a: x}", "read: {a: x}"}, weak: "t0.a == 0"},
	{name: "R", tasks: []string{"write: {x: 1}; write: {y: 1}", "write: {y: 2}; read: {a: x}"}, weak: "y == 2 && t1.a == 0", tso: true},
	{name: "R with mb", tasks: []string{"write: {x: 1}; fence: mb; write: {y: 1}", "write: {y: 2}; fence: mb; read: {a: x}"}, weak: "y == 2 && t1.a == 0"},
	{name: "2+2W", tasks: []string{"write: {x: 1}; write: {y: 2}", "write: {y: 1}; write: {x: 2}"}, weak: "x == 1 && y == 1"},
	{name: "2+2W with mb", tasks: []string{"write: {x: 1}; fence: mb; write: {y: 2}", "write: {y: 1}; fence: mb; write: {x: 2}"}, weak: "x == 1 && y == 1"},
	{name: "WRC", tasks: []string{"write: {x: 1}", "read: {a: x}; write: {y: 1}", "read: {a: y}; read: {b: x}"}, weak: "t1.a == 1 && t2.a == 1 && t2.b == 0"},
	{name: "WRC with mb", tasks: []string{"write: {x: 1}", "read: {a: x}; fence: mb; write: {y: 1}", "read: {a: y}; fence: mb; read: {b: x}"}, weak: "t1.a == 1 && t2.a == 1 && t2.b == 0"},
	{name: "IRIW", tasks: []string{"write: {x: 1}", "write: {y: 1}", "read: {a: x}; read: {b: y}", "read: {a: y}; read: {b: x}"}, weak: "t2.a == 1 && t2.b == 0 && t3.a == 1 && t3.b == 0", states: [2]int{15, 15}},
	{name: "ISA2", tasks: []string{"write: {x: 1}; write: {y: 1}", "read: {a: y}; write: {z: 1}", "read: {a: z}; read: {b: x}"}, weak: "t1.a == 1 && t2.a == 1 && t2.b == 0"},
	{name: "ISA2 with mb", tasks: []string{"write: {x: 1}; fence: mb; write: {y: 1}", "read: {a: y}; fence: mb; write: {z: 1}", "read: {a: z}; fence: mb; read: {b: x}"}, weak: "t1.a == 1 && t2.a == 1 && t2.b == 0"},
}

func (l *litmus) program(t *testing.T, memory string) *explore.Program {
	text := "objects: {x: {word: 0}, y: {word: 0}, z: {word: 0}}\ntasks:\n"
	for i, task := range l.tasks {
		text += "  t" + string(rune('0'+i)) + ": {do: [" + strings.ReplaceAll(task, ";", ",") + "]}\n"
	}
	return program(t, text+"check: {never: ['"+l.weak+"']}\nexplore: {memory: "+memory+"}\n")
}

// TestLitmusTestsEndAsX86Allows: nothing weak under sequential consistency; with a
// store buffer exactly what a buffer lets be, and no less.
func TestLitmusTestsEndAsX86Allows(t *testing.T) {
	for i := range litmusTests {
		l := &litmusTests[i]
		t.Run(l.name, func(t *testing.T) {
			for k, memory := range []string{"sc", "tso"} {
				w := visitStates(l.program(t, memory))
				if weak := w.kinds[explore.Never]; weak != (l.tso && memory == "tso") {
					t.Errorf("%s: that %s is found: %t", memory, l.weak, weak)
				}
				if want := l.states[k]; want > 0 && len(w.finals) != want {
					t.Errorf("%s: %d final states, want %d", memory, len(w.finals), want)
				}
				if len(w.kinds) > 0 && !w.kinds[explore.Never] {
					t.Errorf("%s: finds %v", memory, w.whats)
				}
			}
		})
	}
}
