package explore

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// randomToy makes a small program: all verbs, few objects, so that much depends.
func randomToy(seed uint64) *toy {
	rng := rand.New(rand.NewPCG(seed, 7))
	p := &toy{words: make([]int, 1+rng.IntN(3)), locks: 1 + rng.IntN(2)}
	for i := range p.words {
		p.words[i] = rng.IntN(2)
	}
	agents := 2 + rng.IntN(2)
	p.loose = make([]bool, agents)
	var programs [][]stmt
	for a := range agents {
		p.loose[a] = rng.IntN(6) == 0
		programs = append(programs, randomSteps(rng, p, agents, a, 2+rng.IntN(3)))
	}
	if last := agents - 1; rng.IntN(4) == 0 {
		starter := rng.IntN(last)
		if n := len(programs[starter]); n > 0 {
			programs[starter] = slices.Insert(programs[starter], 1+rng.IntN(n), Start(last))
		}
	}
	if rng.IntN(3) == 0 {
		want := rng.IntN(3)
		p.finally = func(t *toy) bool { return t.value[0] == want }
	}
	return p.build(programs...)
}

func randomSteps(rng *rand.Rand, p *toy, agents, self, steps int) []stmt {
	var s []stmt
	word := func() int { return rng.IntN(len(p.words)) }
	reg := func() int { return rng.IntN(2) }
	held := none
	for range steps {
		switch n := rng.IntN(30); {
		case n < 5:
			s = append(s, R(reg(), word()))
		case n < 9:
			s = append(s, W(word(), rng.IntN(3)))
		case n < 10:
			s = append(s, WR(word(), reg(), 1))
		case n < 11:
			s = append(s, X(reg(), word(), 1))
		case n < 13:
			s = append(s, Inc(word()))
		case n < 14:
			if held == none {
				s = append(s, CASFree(reg(), word(), rng.IntN(2), 1+rng.IntN(2), rng.IntN(p.locks)))
			}
		case n < 15:
			s = append(s, CAS(reg(), word(), rng.IntN(2), 1+rng.IntN(2)))
		case n < 19:
			if held == none {
				held = rng.IntN(p.locks)
				s = append(s, L(held))
			} else {
				s = append(s, U(held))
				held = none
			}
		case n < 20:
			lock := rng.IntN(p.locks)
			s = append(s, Try(0, lock), If(is(0, "==", 1), W(word(), 2), U(lock)))
		case n < 21:
			s = append(s, Spin(word(), rng.IntN(2)))
		case n < 22:
			s = append(s, SpinBoth(0, len(p.words)-1, rng.IntN(2)))
		case n < 23:
			s = append(s, Down(word()))
		case n < 24:
			s = append(s, Up(word()))
		case n < 25:
			s = append(s, Both(0, len(p.words)-1, rng.IntN(3)))
		case n < 26:
			s = append(s, WakeAll())
		case n < 27:
			s = append(s, R(1, word()), If(is(1, "==", 0), Enqueue()))
		case n < 28:
			if other := rng.IntN(agents); other != self && !strings.Contains(fmt.Sprint(s), "join") {
				s = append(s, Join(other), R(reg(), word()))
			}
		case n < 29:
			s = append(s, If(is(reg(), "==", rng.IntN(2)), W(word(), 1), R(1, word())))
		default:
			s = append(s, Check0(is(reg(), "!=", 1+rng.IntN(2)), fmt.Sprintf("assertion %d", self)))
		}
		if k := len(s) - 1; k >= 0 && (s[k].verb == vRead || s[k].verb == vWrite) {
			switch rng.IntN(4) {
			case 0:
				s[k] = s[k].plainly()
			case 1:
				s[k] = s[k].ordered()
			}
		}
	}
	if held != none && rng.IntN(4) > 0 {
		s = append(s, U(held))
	}
	return s
}

func listing(p *toy) string {
	names := []string{"R", "W", "X", "Inc", "CAS", "CASFree", "L", "U", "Try", "Spin", "SpinBoth", "Down", "Up", "Enqueue", "WakeAll", "Fence", "Both", "", "jump", "unless", "set", "assert", "join", "start"}
	var b strings.Builder
	fmt.Fprintf(&b, "words %v loose %v\n", p.words, p.loose)
	for a, code := range p.code {
		fmt.Fprintf(&b, "%d:", a)
		for _, i := range code {
			fmt.Fprintf(&b, " %s(%d", names[i.verb], i.object)
			switch {
			case i.verb == vUnless || i.verb == vAssert:
				fmt.Fprintf(&b, " %v to %d", i.cond, i.to)
			default:
				fmt.Fprintf(&b, " reg %d src %d k %d to %d", i.reg, i.src, i.k, i.to)
			}
			b.WriteString(")")
		}
		b.WriteString("\n")
	}
	return b.String()
}
