package cpus

import (
	"fmt"

	"smpsim/yamlfile"
)

// Override replaces the cost of that name by a value that the user gives, as
// machine.costs does, and notes what is wrong with it. Costs that follow it
// change with it. Call [Preset.Check] when all are replaced: what one value
// forbids, the next may allow.
func (p *Preset) Override(name string, node *yamlfile.Node, problems *yamlfile.Problems) {
	field := costField(name)
	if field == nil {
		problems.AddUnknown(node.Pos, fmt.Sprintf("machine.costs: there is no cost %q", name), name, costNames())
		return
	}
	if !field.set(&p.Costs, node, problems, "machine.costs."+name) {
		return
	}
	e := p.Entry(name)
	e.Value, e.Unit = splitUnit(node.Text)
	e.Kind, e.Follows, e.pos = CostGiven, "", node.Pos
	e.Source = "given at " + node.Pos.String()
	p.follow()
}

// follow gives every follower the value of the cost that it follows.
func (p *Preset) follow() {
	for i := range p.Entries {
		e := &p.Entries[i]
		if e.Follows == "" {
			continue
		}
		leader, field, from := p.Entry(e.Follows), costField(e.Name), costField(e.Follows)
		e.Value, e.Unit = leader.Value, leader.Unit
		if field.Time != nil {
			*field.Time(&p.Costs) = *from.Time(&p.Costs)
		} else {
			*field.Size(&p.Costs) = *from.Size(&p.Costs)
		}
	}
}

// costOrder lists pairs of costs of which the first cannot exceed the second.
var costOrder = []struct{ lower, upper, because string }{
	{"l1_hit", "l2_hit", "a farther cache cannot be faster"},
	{"l2_hit", "llc_hit", "a farther cache cannot be faster"},
	{"llc_hit", "dram", "memory cannot be faster than a cache"},
	{"l1_size", "l2_size", "a farther cache cannot be smaller"},
	{"l2_size", "llc_size", "a farther cache cannot be smaller"},
	{"plain_increment", "atomic", "a locked operation cannot be cheaper than a plain one"},
	{"l1_hit", "transfer_smt", "a transfer cannot be cheaper than a hit"},
	{"l1_hit", "transfer_llc", "a transfer cannot be cheaper than a hit"},
	{"l1_hit", "transfer_socket", "a transfer cannot be cheaper than a hit"},
	{"l1_hit", "transfer_remote", "a transfer cannot be cheaper than a hit"},
}

// Check notes which costs contradict each other, at the place of the one that
// the user gave.
func (p *Preset) Check(problems *yamlfile.Problems) {
	for _, o := range costOrder {
		lower, upper := p.leader(o.lower), p.leader(o.upper)
		if p.amount(o.lower) <= p.amount(o.upper) {
			continue
		}
		at, word, other := upper, "below", lower
		if lower.Kind == CostGiven && upper.Kind != CostGiven {
			at, word, other = lower, "above", upper
		}
		problems.Addf(at.pos, "%s: %s%s is %s %s, %s%s: %s",
			at.Name, at.Value, at.Unit, word, other.Name, other.Value, other.Unit, o.because)
	}
}

// leader returns the entry that a cost's value comes from: its own, or the one it follows.
func (p *Preset) leader(name string) *PresetEntry {
	e := p.Entry(name)
	if e.Follows != "" {
		return p.Entry(e.Follows)
	}
	return e
}

// amount returns a cost in its smallest unit.
func (p *Preset) amount(name string) int64 {
	field := costField(name)
	if field.Time != nil {
		return int64(*field.Time(&p.Costs))
	}
	return *field.Size(&p.Costs)
}
