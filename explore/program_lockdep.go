package explore

import (
	"fmt"
	"slices"
	"strings"
)

// Lockdep is what executions have shown of locks, as the kernel's lockdep keeps it:
// which were taken while which were held, and how interrupts were then. What no single
// execution shows, several together do. A flush counts as taking the work item, which
// is held while it runs.
//
// It does not depend on the order of the executions, so that those of several systems
// of one program can be merged.
type Lockdep struct {
	names []string
	// taken has, for each pair of a lock held and one taken, the least label of a step
	// that did so, plus one.
	taken []int32
	// used is the same for each lock and usage.
	used []int32
}

// lockdepOf returns what a system notes of locks, nil if it has none, or notes nothing.
func lockdepOf(s System) *Lockdep {
	if l, ok := s.(interface{ Lockdep() *Lockdep }); ok {
		if d := l.Lockdep(); d != nil && len(d.names) > 0 {
			return d
		}
	}
	return nil
}

func newLockdep(names []string) *Lockdep {
	return &Lockdep{names: names, taken: make([]int32, len(names)*len(names)), used: make([]int32, len(names)*usages)}
}

// Lockdep returns what all executions of the program so far have shown. [Explore] begins
// anew.
func (p *Program) Lockdep() *Lockdep { return p.lockdep }

func (l *Lockdep) edge(held, taken int, label int32) {
	note(&l.taken[held*len(l.names)+taken], label)
}

func (l *Lockdep) usage(class int, usage int64, label int32) {
	for k := range usages {
		if usage>>k&1 != 0 {
			note(&l.used[class*usages+k], label)
		}
	}
}

// clear forgets all.
func (l *Lockdep) clear() {
	clear(l.taken)
	clear(l.used)
}

func (l *Lockdep) clone() *Lockdep {
	return &Lockdep{names: l.names, taken: slices.Clone(l.taken), used: slices.Clone(l.used)}
}

// note keeps the least label.
func note(cell *int32, label int32) {
	if *cell == 0 || label+1 < *cell {
		*cell = label + 1
	}
}

// Merge adds what executions of another system of the same program have shown.
func (l *Lockdep) Merge(other *Lockdep) {
	for i, label := range other.taken {
		if label > 0 {
			note(&l.taken[i], label-1)
		}
	}
	for i, label := range other.used {
		if label > 0 {
			note(&l.used[i], label-1)
		}
	}
}

// Findings returns the inversions: cycles of locks that are taken while the one before
// is held, and locks that a handler can want while its CPU holds them, itself or
// through others.
func (l *Lockdep) Findings() []*Finding {
	var found []*Finding
	n := len(l.names)
	follows := func(from, to int) bool { return l.taken[from*n+to] > 0 }
	for a := range n {
		for b := range n {
			if a == b || !follows(a, b) {
				continue
			}
			if way := shortestWay(n, b, a, follows); way != nil && slices.Min(way) == a {
				text := describeCycle(l.names, way)
				if !slices.ContainsFunc(found, func(f *Finding) bool { return f.What == text }) {
					found = append(found, &Finding{Kind: LockOrder, What: text, Label: l.taken[a*n+b] - 1})
				}
			}
		}
	}
	for a := range n {
		usage := int64(0)
		for k := range usages {
			if l.used[a*usages+k] > 0 {
				usage |= 1 << k
			}
		}
		if text := conflictingUse(l.names[a], usage); text != "" {
			found = append(found, &Finding{Kind: IRQSafety, What: text})
			continue
		}
		found = append(found, l.throughOthers(a, usage)...)
	}
	return found
}

// throughOthers finds locks that are taken while a handler's lock is held, and
// elsewhere with that handler's interrupt enabled: who holds one there can be
// interrupted by a handler that wants the other, whose holder wants the one.
func (l *Lockdep) throughOthers(a int, usage int64) []*Finding {
	var found []*Finding
	n := len(l.names)
	if usage&3 == 0 {
		return nil // no handler takes it
	}
	for b := range n {
		way := shortestWay(n, a, b, func(from, to int) bool { return l.taken[from*n+to] > 0 })
		if b == a || way == nil {
			continue
		}
		for _, irq := range []struct {
			in, on int
			what   string
		}{{0, 2, "hardirq handler, and %s elsewhere with interrupts on"}, {1, 3, "softirq handler, and %s elsewhere with bottom halves on"}} {
			if usage>>irq.in&1 != 0 && l.used[b*usages+irq.on] > 0 {
				found = append(found, &Finding{
					Kind: IRQSafety, Label: l.used[b*usages+irq.on] - 1,
					What: fmt.Sprintf("%s is taken while %s is held; %s is taken in a "+irq.what, l.names[b], l.names[a], l.names[a], l.names[b]),
				})
			}
		}
	}
	return found
}

// shortestWay returns a shortest way between two of n nodes, both included, or nil.
func shortestWay(n, from, to int, follows func(from, to int) bool) []int {
	before := make([]int, n)
	for i := range before {
		before[i] = -1
	}
	before[from] = from
	for queue := []int{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if at == to {
			way := []int{at}
			for at != from {
				at = before[at]
				way = append(way, at)
			}
			slices.Reverse(way)
			return way
		}
		for next := range n {
			if before[next] < 0 && follows(at, next) {
				before[next] = at
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// describeCycle names a cycle, beginning with the first of its locks.
func describeCycle(names []string, cycle []int) string {
	least := slices.Index(cycle, slices.Min(cycle))
	var b strings.Builder
	b.WriteString("taken one while holding the other: ")
	for k := range len(cycle) + 1 {
		if k > 0 {
			b.WriteString(", then ")
		}
		b.WriteString(names[cycle[(least+k)%len(cycle)]])
	}
	return b.String()
}
