package report

import (
	"fmt"
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/observe"
)

// mostNames is how many names a line lists.
const mostNames = 8

// Sanity prints, on one screen, whether a run was what its author meant: which
// tasks it had and which of them never ran, what did not come to an end, and what its
// CPUs did.
func Sanity(r *observe.Result) string {
	var b strings.Builder
	kthreads := 0
	var never, open, left []string
	for _, t := range r.Tasks {
		if t.Kthread {
			kthreads++
		}
		if t.Runs == 0 {
			never = append(never, t.Name)
		}
	}
	for _, f := range r.Functions {
		if f.Open > 0 {
			open = append(open, fmt.Sprintf("%s (%d)", f.Name, f.Open))
		}
	}
	for _, w := range r.Works {
		if n := w.Queued - min(w.Queued, w.Ran); n > 0 {
			left = append(left, fmt.Sprintf("%s (%d of %d)", w.Name, n, w.Queued))
		}
	}
	fmt.Fprintf(&b, "virtual time     %s, CPUs %d\n", Duration(r.Elapsed), len(r.CPUs))
	fmt.Fprintf(&b, "tasks seen       %d, kernel threads among them %d\n", len(r.Tasks), kthreads)
	fmt.Fprintf(&b, "never scheduled  %s\n", list(never))
	fmt.Fprintf(&b, "switches         %d, wake-ups %d, ticks %d\n", r.Switches, r.Wakeups, r.Ticks)
	if len(open) > 0 {
		fmt.Fprintf(&b, "not returned     %s\n", list(open))
	}
	if len(left) > 0 {
		fmt.Fprintf(&b, "queued, not run  %s\n", list(left))
	}
	fmt.Fprintf(&b, "CPU time         %s\n", modes(r.CPUs))
	return b.String()
}

// modes writes how much time the CPUs together spent in which mode, and what share
// that is. Modes without any are left out.
func modes(all []observe.Accounts) string {
	var sum observe.Accounts
	var total des.Time
	for _, accounts := range all {
		for mode, d := range accounts {
			sum[mode] += d
			total += d
		}
	}
	var parts []string
	for mode, d := range sum {
		if d > 0 {
			percent := strconv.FormatFloat(100*float64(d)/float64(total), 'f', 1, 64)
			parts = append(parts, fmt.Sprintf("%v %s (%s%%)", cpus.Mode(mode), Duration(d), percent))
		}
	}
	return list(parts)
}

// list writes names one after the other, and how many there are beyond a few.
func list(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(mostNames, len(names))], ", ")
	if more := len(names) - mostNames; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// TaskTimes are the tasks of one run, for comparing who spent the CPU time.
type TaskTimes struct {
	Variant string
	Elapsed des.Time
	Tasks   []observe.Task
}

// CPUTime prints which tasks of each variant spent how much CPU time, siblings
// together: work that a variant moves to another task is not saved. The column CPUs is
// how many CPUs they kept busy on average; interrupts count to the task they hit,
// switches to the one that was switched to.
func CPUTime(variants []TaskTimes) string {
	t := table{
		heads: []string{"variant", "task", "tasks", "user", "kernel", "spin", "irq", "switch", "CPUs"},
		align: "llrrrrrrr",
	}
	for _, v := range variants {
		for _, g := range groups(v.Tasks) {
			var total des.Time
			for _, d := range g.times {
				total += d
			}
			busy := 0.0
			if v.Elapsed > 0 {
				busy = float64(total) / float64(v.Elapsed)
			}
			t.add(
				v.Variant, g.name, Count(g.tasks), Duration(g.times[cpus.User]), Duration(g.times[cpus.Kernel]),
				Duration(g.times[cpus.Spin]), Duration(g.times[cpus.IRQ]), Duration(g.times[cpus.Switch]), significant(busy),
			)
		}
	}
	return t.String()
}

// group is the tasks of one name.
type group struct {
	name  string
	tasks uint64
	times observe.Accounts
}

// groups puts siblings together, in the order in which the first of each was created.
func groups(tasks []observe.Task) []*group {
	byName := make(map[string]*group)
	var all []*group
	for _, t := range tasks {
		g := byName[t.Group]
		if g == nil {
			g = &group{name: t.Group}
			byName[t.Group] = g
			all = append(all, g)
		}
		g.tasks++
		for mode, d := range t.Times {
			g.times[mode] += d
		}
	}
	return all
}
