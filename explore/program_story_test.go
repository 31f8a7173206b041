package explore_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/explore"
)

// TestProgramsDoTheirStepsAsTold runs the files in testdata/program. Their commands
// have an experiment file as input:
//
//	run order=(0,1,...)   does the steps of those agents, and then of the first that is
//	                      enabled until the end; with touches, says what they touch
//	walk                  walks over all interleavings and says what they find
func TestProgramsDoTheirStepsAsTold(t *testing.T) {
	datadriven.Walk(t, "testdata/program", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			p := program(t, d.Input)
			switch d.Cmd {
			case "run":
				var order []string
				for _, arg := range d.CmdArgs {
					if arg.Key == "order" {
						order = arg.Vals
					}
				}
				return story(p, order, d.HasArg("touches"), !d.HasArg("stop"))
			case "walk":
				w := walkAll(p, false)
				text := fmt.Sprintf("%d interleavings, %d failing, %d classes, %d final states\n", w.all, w.failing, len(w.classes), len(w.finals))
				for _, what := range sorted(w.whats) {
					text += what + "\n"
				}
				return text + w.broken
			}
			return "no such command: " + d.Cmd
		})
	})
}

// story tells the steps of an execution, a line each, with who could have done one.
func story(p *explore.Program, order []string, touches, toEnd bool) string {
	var b strings.Builder
	tell := func(next func() *explore.Finding) {
		for f := next(); f != nil; f = next() {
			fmt.Fprintf(&b, "  %s: %s\n", f.Kind, f.What)
		}
	}
	tell(p.Finding)
	for step := 0; step < 100; step++ {
		enabled := p.Enabled(nil)
		if len(enabled) == 0 || step >= len(order) && !toEnd {
			break
		}
		a := enabled[0]
		if step < len(order) {
			n, err := strconv.Atoi(order[step])
			if err != nil {
				return err.Error()
			}
			a = explore.Agent(n)
		}
		names, can := "", false
		for _, e := range enabled {
			names += " " + p.AgentName(e)
			can = can || e == a
		}
		if !can {
			fmt.Fprintf(&b, "%s cannot, only:%s\n", p.AgentName(a), names)
			return b.String()
		}
		s := p.Do(a)
		line := fmt.Sprintf("%-14s %-28s %s", p.AgentName(a), p.Source(s.Label).Text, p.Describe())
		fmt.Fprintf(&b, "%-64s of%s\n", line, names)
		if touches {
			for _, o := range s.Objects {
				fmt.Fprintf(&b, "    %s: %s\n", p.ObjectName(o), access(s.Access))
			}
			if len(s.Objects) == 0 {
				fmt.Fprintf(&b, "    nothing: %s\n", access(s.Access))
			}
			for _, o := range s.Others {
				fmt.Fprintf(&b, "    %s: %s\n", p.ObjectName(o.Object), access(o.Access))
			}
		}
		tell(p.Finding)
	}
	if len(p.Enabled(nil)) > 0 {
		fmt.Fprintf(&b, "enabled:")
		for _, e := range p.Enabled(nil) {
			fmt.Fprintf(&b, " %s", p.AgentName(e))
		}
		b.WriteString("\n")
		return b.String()
	}
	tell(p.End)
	for i, v := range p.Values() {
		fmt.Fprintf(&b, "%s%s = %d", map[bool]string{true: ", "}[i > 0], v.Name, v.Value)
	}
	if len(p.Values()) > 0 {
		b.WriteByte('\n')
	}
	return b.String()
}

// access spells the flags of an access.
func access(a explore.Access) string {
	var names []string
	for i, name := range []string{"reads", "writes", "plain", "acquires", "releases", "increment", "waits", "varies"} {
		if a>>i&1 == 1 {
			names = append(names, name)
		}
	}
	return strings.Join(names, " ")
}
