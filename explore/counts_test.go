package explore

import (
	"fmt"
	"slices"
	"testing"
)

// explored runs an exploration with the self-check on.
func explored(t *testing.T, p *toy, o Options) *Result {
	t.Helper()
	o.CheckDeterminism = true
	r, err := Explore(p.fresh(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func lost(tasks, times_ int) *toy {
	p := &toy{words: []int{0}, finally: func(t *toy) bool { return t.value[0] == tasks*times_ }}
	task := times(times_, R(0, 0), WR(0, 0, 1))
	return p.build(slices.Repeat([][]stmt{task}, tasks)...)
}

func abba(n int) *toy {
	p := &toy{locks: n}
	var tasks [][]stmt
	for i := range n {
		j := (i + 1) % n
		tasks = append(tasks, seq(L(i), L(j), U(j), U(i)))
	}
	return p.build(tasks...)
}

func collectorTrusted() *toy {
	// words: in_progress, inside; lock 0
	task := seq(R(0, 0), If(is(0, "==", 0),
		L(0), W(0, 1), U(0), X(1, 1, 1), Check0(is(1, "==", 0), "n == 1"), X(1, 1, -1), L(0), W(0, 0), U(0)))
	return (&toy{words: []int{0, 0}, locks: 1}).build(task, task)
}

func collectorChecked() *toy {
	task := seq(L(0), R(0, 0), If(is(0, "==", 0), W(0, 1)), U(0), If(is(0, "==", 0),
		X(1, 1, 1), Check0(is(1, "==", 0), "n == 1"), X(1, 1, -1), L(0), W(0, 0), U(0)))
	return (&toy{words: []int{0, 0}, locks: 1}).build(task, task)
}

func depth3(pads int) *toy {
	pad := func(word int) []stmt { return times(pads, W(word, 7)) }
	a := slices.Concat(pad(1), seq(W(0, 1)), pad(1), seq(W(0, 0)), pad(1))
	inner := slices.Concat(pad(2), seq(R(1, 0), Check0(is(1, "!=", 0), "x != 0")))
	b := slices.Concat(pad(2), seq(R(0, 0), If(is(0, "==", 1), inner...)), pad(2))
	return (&toy{words: []int{0, 0, 0}}).build(a, b)
}

func locked(tasks, times_ int) *toy {
	p := &toy{words: []int{0}, locks: 1, finally: func(t *toy) bool { return t.value[0] == tasks*times_ }}
	task := times(times_, L(0), R(0, 0), WR(0, 0, 1), U(0))
	return p.build(slices.Repeat([][]stmt{task}, tasks)...)
}

func reorder(n int) *toy {
	setter := seq(W(0, 1), W(1, -1))
	// (R a==0 && R b==0) || (R a==1 && R b==-1), short circuit; register 3 is the verdict.
	second := seq(R(0, 0), If(is(0, "==", 1), R(1, 1), If(is(1, "==", -1), Set(3, none, 1))))
	checker := seq(R(0, 0), IfElse(is(0, "==", 0),
		seq(R(1, 1), IfElse(is(1, "==", 0), seq(Set(3, none, 1)), second)), second),
		Check0(is(3, "==", 1), "a and b in order"))
	return (&toy{words: []int{0, 0}}).build(append(slices.Repeat([][]stmt{setter}, n-1), checker)...)
}

func twostage() *toy {
	a := seq(L(0), W(0, 1), U(0), L(1), R(0, 0), WR(1, 0, 1), U(1))
	b := seq(L(0), R(0, 0), IfElse(is(0, "==", 0), seq(U(0)),
		seq(R(1, 0), U(0), L(1), R(2, 1), U(1), Check0(isReg(2, "==", 1, 1), "t2 == t1+1"))))
	return (&toy{words: []int{0, 0}, locks: 2}).build(a, b)
}

func lazy01() *toy {
	return (&toy{words: []int{0}, locks: 1}).build(
		seq(L(0), R(0, 0), WR(0, 0, 1), U(0)),
		seq(L(0), R(0, 0), WR(0, 0, 2), U(0)),
		seq(L(0), R(0, 0), Check0(is(0, "<", 3), "d < 3"), U(0)))
}

func lostWakeup() *toy {
	return (&toy{words: []int{0}}).build(
		seq(R(0, 0), If(is(0, "==", 0), Enqueue())),
		seq(W(0, 1), WakeAll()))
}

func TestEveryInterleavingIsCountedOnce(t *testing.T) {
	type row = [2]int64
	for _, c := range []struct {
		name         string
		program      *toy
		all, failing int64
		// traces is 0 where the table has none.
		traces int64
		// by preemptions; whole if the table has it all.
		by    []row
		whole bool
	}{
		{"lost 2x1", lost(2, 1), 6, 4, 4, []row{{2, 0}, {2, 2}, {2, 2}}, true},
		{"lost 2x2", lost(2, 2), 70, 64, 34, []row{{2, 0}, {6, 4}, {18, 16}, {18, 18}, {18, 18}, {6, 6}}, false},
		{"lost 3x1", lost(3, 1), 90, 84, 36, []row{{6, 0}, {18, 18}, {36, 36}, {30, 30}}, true},
		{"ABBA 2", abba(2), 6, 2, 3, []row{{2, 0}, {4, 2}}, true},
		{"ABBA ring 3", abba(3), 168, 6, 7, []row{{6, 0}, {51, 3}, {72, 3}, {21, 0}, {18, 0}}, true},
		{"ABBA ring 4", abba(4), 98184, 24, 15, []row{{24, 0}, {488, 4}, {2604, 16}, {7044, 4}}, false},
		{"collector, flag trusted", collectorTrusted(), 776, 30, 30, []row{{2, 0}, {16, 0}, {14, 4}, {58, 6}, {142, 14}, {186, 6}}, false},
		{"collector, re-checked", collectorChecked(), 22, 0, 4, []row{{2, 0}, {6, 0}, {8, 0}, {4, 0}, {2, 0}}, true},
		{"depth-3, P=0", depth3(0), 4, 1, 0, []row{{2, 0}, {1, 0}, {1, 1}}, true},
		{"locked 2x3", locked(2, 3), 20, 0, 20, []row{{2, 0}, {4, 0}, {8, 0}, {4, 0}, {2, 0}}, true},
		{"locked 3x2", locked(3, 2), 90, 0, 90, nil, false},
		{"locked 4x1", locked(4, 1), 24, 0, 24, nil, false},
		{"reorder_3", reorder(3), 162, 8, 56, []row{{6, 0}, {18, 2}, {50, 2}, {64, 4}, {24, 0}}, true},
		{"twostage 1+1", twostage(), 72, 1, 0, []row{{2, 0}, {4, 1}, {13, 0}}, false},
		{"lazy01", lazy01(), 6, 2, 6, []row{{6, 2}}, true},
		{"lost wake-up", lostWakeup(), 5, 1, 0, nil, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := explored(t, c.program, Options{Strategy: DFS(), EndAtFinding: true, Jobs: 2})
			if !r.Complete || *r.Interleavings != c.all || *r.Failing != c.failing {
				t.Errorf("dfs: complete %v, %d interleavings, %d failing; want %d, %d", r.Complete, *r.Interleavings, *r.Failing, c.all, c.failing)
			}
			if n := len(c.by); n > len(r.ByPreemptions) || !slices.Equal(r.ByPreemptions[:n], c.by) || c.whole && n != len(r.ByPreemptions) {
				t.Errorf("by preemptions %v, want %v", r.ByPreemptions, c.by)
			}
			if c.name == "lost wake-up" && (r.ByPreemptions[0][1] != 0 || r.ByPreemptions[1][1] == 0) {
				t.Errorf("by preemptions %v: it should fail with one and not without", r.ByPreemptions)
			}
			if c.traces == 0 {
				return
			}
			d := explored(t, c.program, Options{Strategy: DPOR()})
			if !d.Complete || *d.Traces != c.traces || d.Blocked != 0 {
				t.Errorf("dpor: complete %v, %d traces, %d blocked; want %d, 0", d.Complete, *d.Traces, d.Blocked, c.traces)
			}
			if deadlocks := map[string]int64{"ABBA 2": 1, "ABBA ring 3": 1, "ABBA ring 4": 1}; deadlocks[c.name] != 0 && *d.Failing != deadlocks[c.name] {
				t.Errorf("dpor: %d failing classes, want %d", *d.Failing, deadlocks[c.name])
			}
		})
	}
}

func lastzero(n int) *toy {
	reader := seq(Set(0, none, n), RAt(1, 0, 0), While(is(1, "!=", 0), Set(0, 0, -1), RAt(1, 0, 0)))
	programs := [][]stmt{reader}
	for j := 1; j <= n; j++ {
		programs = append(programs, seq(R(0, j-1), WR(j, 0, 1)))
	}
	return (&toy{words: make([]int, n+1)}).build(programs...)
}

func readers(n int) *toy {
	return (&toy{words: []int{0}}).build(append(slices.Repeat([][]stmt{seq(R(0, 0))}, n), seq(W(0, 1)))...)
}

// fib is fib_bench: i is word 0, j word 1. The toy has no sum of registers: what is
// written does not matter, for nothing depends on it.
func fib(n int) *toy {
	one := times(n, R(0, 0), R(1, 1), WR(0, 0, 1))
	two := times(n, R(0, 1), R(1, 0), WR(1, 0, 1))
	return (&toy{words: []int{1, 1}}).build(one, two, seq(R(0, 0), R(1, 1)))
}

func adders(n, words int) *toy {
	var task []stmt
	for w := range words {
		task = append(task, X(0, w, 1))
	}
	return (&toy{words: make([]int, words)}).build(slices.Repeat([][]stmt{task}, n)...)
}

func inc(n int) *toy { return lost(n, 1) }

func wrw(n int) *toy {
	task := seq(R(0, 0), W(0, 2))
	return (&toy{words: []int{0}}).build(append([][]stmt{seq(W(0, 1))}, slices.Repeat([][]stmt{task}, n)...)...)
}

func cas(n int) *toy {
	var tasks [][]stmt
	for i := range n {
		tasks = append(tasks, seq(CAS(0, 0, 0, i+1)))
	}
	return (&toy{words: []int{0}}).build(tasks...)
}

func popl14() *toy {
	const x, y, z = 0, 1, 2
	return (&toy{words: []int{0, 0, 0}}).build(
		seq(W(x, 1)), seq(W(y, 1)),
		seq(R(0, y), If(is(0, "==", 0), W(z, 1))),
		seq(R(0, z), If(is(0, "==", 1), R(1, y), If(is(1, "==", 0), W(x, 2)))))
}

func TestOptimalReductionVisitsThePublishedNumberOfClasses(t *testing.T) {
	type test struct {
		name    string
		program *toy
		want    int64
	}
	tests := []test{
		{"lastzero 2", lastzero(2), 5},
		{"lastzero 3", lastzero(3), 12},
		{"lastzero 5", lastzero(5), 64},
		{"lastzero 10", lastzero(10), 3328},
		{"fib_bench 2", fib(2), 140},
		{"fib_bench 3", fib(3), 1698},
		{"fib_bench 4", fib(4), 19605},
		{"inc 2", inc(2), 4},
		{"inc 3", inc(3), 36},
		{"inc 4", inc(4), 576},
		{"wrw 2", wrw(2), 22},
		{"wrw 3", wrw(3), 300},
		{"wrw 4", wrw(4), 6576},
		{"cas 2", cas(2), 2},
		{"cas 3", cas(3), 3},
		{"cas 4", cas(4), 4},
		{"cas 5", cas(5), 5},
		{"POPL 2014", popl14(), 5},
	}
	for n := 1; n <= 10; n++ {
		tests = append(tests, test{fmt.Sprintf("readers %d", n), readers(n), 1 << n})
	}
	factorial := int64(1)
	for n := int64(1); n <= 4; n++ {
		factorial *= n
		tests = append(tests,
			test{fmt.Sprintf("ainc %d", n), adders(int(n), 1), factorial},
			test{fmt.Sprintf("binc %d", n), adders(int(n), 2), factorial * factorial},
			test{fmt.Sprintf("cinc %d", n), adders(int(n), 3), factorial * factorial * factorial})
	}
	for _, c := range tests {
		t.Run(c.name, func(t *testing.T) {
			r := explored(t, c.program, Options{Strategy: DPOR()})
			if !r.Complete || *r.Traces != c.want || r.Blocked != 0 {
				t.Errorf("complete %v, %d classes, %d blocked; want %d, 0", r.Complete, *r.Traces, r.Blocked, c.want)
			}
		})
	}
}
