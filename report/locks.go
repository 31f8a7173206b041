package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"smpsim/des"
	"smpsim/observe"
)

// mostLocks is how many locks a table shows.
const mostLocks = 20

// Locks prints the columns of `perf lock contention`, those for waits counting
// contended acquisitions alone, and between its waits and its types how often each
// lock was taken and how long it was held. The lock with the longest total wait comes
// first; in place of the caller stands the lock's name.
func Locks(locks []observe.Lock) string {
	if len(locks) == 0 {
		return ""
	}
	sorted := slices.Clone(locks)
	slices.SortStableFunc(sorted, func(a, b observe.Lock) int {
		return cmp.Or(cmp.Compare(b.Wait, a.Wait), cmp.Compare(b.Held, a.Held), cmp.Compare(a.Name, b.Name))
	})
	var b strings.Builder
	row := func(contended, total, most, mean, acquired, hold, mostHold, kind, name string) {
		line := padLeft(contended, 10)
		for _, cell := range []string{total, most, mean, acquired, hold, mostHold, kind} {
			line += " " + padLeft(cell, 12)
		}
		b.WriteString(line + "   " + name + "\n")
	}
	row("contended", "total wait", "max wait", "avg wait", "acquired", "avg hold", "max hold", "type", "lock")
	b.WriteString("\n")
	for _, l := range sorted[:min(mostLocks, len(sorted))] {
		row(
			Count(l.Contended), Duration(l.Wait), Duration(l.WaitMost), mean(l.Wait, l.Contended),
			Count(l.Acquired), mean(l.Held, l.Released), Duration(l.HeldMost), cmp.Or(l.Type, "-"), l.Name,
		)
	}
	if more := len(sorted) - mostLocks; more > 0 {
		fmt.Fprintf(&b, "\nand %d more locks\n", more)
	}
	return b.String()
}

// mean writes what a total comes to for each of n, "-" if there are none.
func mean(total des.Time, n uint64) string {
	if n == 0 {
		return "-"
	}
	return Value(total.Nanoseconds()/float64(n), "ns")
}
