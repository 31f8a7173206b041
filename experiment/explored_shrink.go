package experiment

import (
	"fmt"
	"slices"

	"smpsim/explore"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// shrunkFinding is a finding in its simplest known form.
type shrunkFinding struct {
	// simple has the fewest preemptions that a search came to, on the programs as they
	// are.
	simple explore.Shrunk
	// needless are the parts of the programs that it does without, one after another.
	needless []string
}

const (
	// mostShrunk bounds the findings of a cell that are made simpler; there are many
	// only where one mistake shows in many places.
	mostShrunk = 10
	// quickSearch bounds each search for fewer preemptions, thoroughSearch each one
	// where parts are left out as well.
	quickSearch, thoroughSearch = 5_000, 2_000
	// mostParts bounds the parts that are tried.
	mostParts = 60
)

// shrinkAll makes findings simpler, those that have a schedule; the rest have an empty
// place in the result.
func (e *exploration) shrinkAll(findings []explore.Found) ([]shrunkFinding, error) {
	all := make([]shrunkFinding, min(len(findings), mostShrunk))
	for i := range all {
		if len(findings[i].Schedule) == 0 {
			continue
		}
		var err error
		if all[i], err = e.shrink(findings[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (e *exploration) shrink(f explore.Found) (shrunkFinding, error) {
	how := explore.Shrinking{Options: e.options()}
	how.Executions, how.Classes = quickSearch, false
	simple, err := explore.Shrink(e.newSystem, f, how)
	s := shrunkFinding{simple: simple}
	if err != nil {
		return s, err
	}
	all := e.parts()
	how.Executions, how.Parts = thoroughSearch, len(all)
	sometimes := goesWell(e.newSystem, how.Options)
	how.Without = func(dropped []bool) func() explore.System {
		newSystem := e.without(all, dropped)
		if newSystem != nil && sometimes && !goesWell(newSystem, how.Options) {
			// Without a wake-up or an unlock everybody waits always: that is another mistake.
			return nil
		}
		return newSystem
	}
	least, err := explore.Shrink(e.newSystem, simple.Found, how)
	if err != nil {
		return s, err
	}
	for i, gone := range least.Dropped {
		if gone {
			s.needless = append(s.needless, all[i].text)
		}
	}
	return s, nil
}

// goesWell reports whether some execution with few preemptions does not fail.
func goesWell(newSystem func() explore.System, o explore.Options) bool {
	o.Strategy, o.Executions, o.Races = explore.Bounded(1), 200, false
	r, err := explore.Explore(newSystem, o)
	return err == nil && r.Failing != nil && *r.Failing < r.Executions
}

// part is something that programs may do without: an instance of a task or all of
// them, rounds of a loop, or a step.
type part struct {
	text     string
	task     string
	instance bool
	rounds   bool
	step     *yamlfile.Node
}

// parts lists them, the largest first.
func (e *exploration) parts() []part {
	var tasks, rounds, steps []part
	for i := range e.cell.Tasks {
		t := &e.cell.Tasks[i]
		for range t.Count - 1 {
			tasks = append(tasks, part{text: "one " + t.Name, task: t.Name, instance: true})
		}
		tasks = append(tasks, part{text: "task " + t.Name, task: t.Name})
		if t.Loop > 1 {
			rounds = append(rounds, part{text: fmt.Sprintf("all rounds of %s but the first", t.Name), task: t.Name, rounds: true})
		}
		steps = appendSteps(steps, t.Do)
	}
	if objects := e.cell.node("objects"); objects != nil {
		for _, o := range objects.Pairs {
			if work := o.Value.Get("work"); work != nil {
				steps = appendSteps(steps, work.Items)
			}
		}
	}
	all := slices.Concat(tasks, rounds, steps)
	return all[:min(len(all), mostParts)]
}

// appendSteps adds the steps of a list, and behind each those within it.
func appendSteps(all []part, steps []*yamlfile.Node) []part {
	for _, s := range steps {
		all = append(all, part{text: fmt.Sprintf("%s in line %d", s.Flow(), s.Pos.Line), step: s})
		for _, pair := range s.Pairs {
			switch pair.Key.Text {
			case "then", "else", "do":
				all = appendSteps(all, pair.Value.Items)
			}
		}
	}
	return all
}

// without returns a factory of the programs without some parts, nil if they make no
// sense without them.
func (e *exploration) without(parts []part, dropped []bool) func() explore.System {
	c := e.cell
	gone := map[*yamlfile.Node]bool{}
	fewer := map[string]int{}
	once := map[string]bool{}
	for i, p := range parts {
		switch {
		case !dropped[i]:
		case p.step != nil:
			gone[p.step] = true
		case p.rounds:
			once[p.task] = true
		case p.instance:
			fewer[p.task]++
		default:
			fewer[p.task] += 1 << 20
		}
	}
	var sources []workloads.TaskSource
	var about []explore.ProgramTask
	for i := range c.Tasks {
		t := &c.Tasks[i]
		src, rest := t.source(), t.explored()
		if src.Count -= fewer[t.Name]; src.Count < 1 {
			continue
		}
		if once[t.Name] && t.Context == "task" {
			src.Loop = 1
		} else if once[t.Name] {
			rest.Arrivals = 1
		}
		src.Steps = withoutSteps(src.Steps, gone)
		sources = append(sources, src)
		about = append(about, rest)
	}
	if len(sources) == 0 {
		return nil
	}
	var problems yamlfile.Problems
	if p := c.explored(sources, about, withoutNodes(c.node("objects"), gone), &problems); p != nil {
		return p.newSystem
	}
	return nil
}

// withoutSteps returns a list without the nodes that are gone, however deep.
func withoutSteps(steps []*yamlfile.Node, gone map[*yamlfile.Node]bool) []*yamlfile.Node {
	kept := make([]*yamlfile.Node, 0, len(steps))
	for _, s := range steps {
		if !gone[s] {
			kept = append(kept, withoutNodes(s, gone))
		}
	}
	return kept
}

func withoutNodes(n *yamlfile.Node, gone map[*yamlfile.Node]bool) *yamlfile.Node {
	if n == nil || len(gone) == 0 || len(n.Pairs) == 0 && len(n.Items) == 0 {
		return n
	}
	changed := *n
	changed.Items = withoutSteps(n.Items, gone)
	changed.Pairs = slices.Clone(n.Pairs)
	for i, pair := range changed.Pairs {
		changed.Pairs[i].Value = withoutNodes(pair.Value, gone)
	}
	return &changed
}
