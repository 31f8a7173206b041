package explore

import (
	"bufio"
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// Script is a schedule by names: which agent does which step, as the file has it. Unlike
// a [Schedule] it survives edits of the programs, as far as they leave the steps.
type Script []ScriptStep

// ScriptStep is a step of a script.
type ScriptStep struct {
	Agent, Step string
}

// Script tells a transcript's steps by name.
func (t *Transcript) Script() Script {
	s := make(Script, len(t.Rows))
	for i := range t.Rows {
		s[i] = ScriptStep{t.Columns[t.Rows[i].Column], t.Rows[i].name}
	}
	return s
}

// Text is the script as a file: a line for each run of equal steps, with its length.
func (s Script) Text() string {
	var b strings.Builder
	b.WriteString("# a schedule of smpsim: how often, who, which step\n")
	for i := 0; i < len(s); {
		n := 1
		for i+n < len(s) && s[i+n] == s[i] {
			n++
		}
		fmt.Fprintf(&b, "%d %s: %s\n", n, s[i].Agent, s[i].Step)
		i += n
	}
	return b.String()
}

// ParseScript reads a script's text. Errors name the line.
func ParseScript(text []byte) (Script, error) {
	var s Script
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimRight(lines.Text(), " \r")
		if line == "" || line[0] == '#' {
			continue
		}
		count, rest, spaced := strings.Cut(line, " ")
		times, err := strconv.Atoi(count)
		agent, step, colon := strings.Cut(rest, ": ")
		switch {
		case !spaced || err != nil || times < 1 || !colon || agent == "" || step == "":
			return nil, fmt.Errorf("line %d: %q is no step; want a count, an agent, a colon, a step: \"2 sender[0]: lock: l\"", n, clipped(line))
		case len(s)+times > longestSchedule:
			return nil, fmt.Errorf("line %d: more than %d steps", n, longestSchedule)
		}
		for range times {
			s = append(s, ScriptStep{agent, step})
		}
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("a line is too long: %w", err)
	}
	return s, nil
}

// Divergence says where a script does not fit a system any more.
type Divergence struct {
	// At is the step of the script, from 1 on.
	At   int
	What string
}

func (d *Divergence) String() string { return fmt.Sprintf("diverged at step %d: %s", d.At, d.What) }

// mostInserted is how many steps that a script does not know are done to come to one
// that it does; mostAfter, how many after the end of a script that diverged.
const (
	mostInserted = 100
	mostAfter    = DefaultSteps
)

// Perform does a script on a system, which may have been edited since: a step that is
// gone is passed over, one that is new is done when its agent has its turn. It returns
// the schedule that was done and the first place where the two did not agree, nil for
// none. A script that did not fit goes on to the end, with few switches.
func Perform(s System, script Script) (Schedule, *Divergence) {
	p := performer{system: s, script: script, agents: map[string]Agent{}}
	for a := range s.Agents() {
		p.agents[agentName(s, Agent(a))] = Agent(a)
	}
	s.Reset()
	for i := range script {
		p.perform(i)
	}
	if p.diverged != nil {
		p.finish()
	}
	return p.done, p.diverged
}

type performer struct {
	system   System
	script   Script
	agents   map[string]Agent
	enabled  []Agent
	done     Schedule
	diverged *Divergence
}

// perform does the step of the script, or what is left of it.
func (p *performer) perform(i int) {
	want := p.script[i]
	a, known := p.agents[want.Agent]
	if !known {
		p.diverge(i, "there is no %s", want.Agent)
		return
	}
	for range mostInserted {
		next := p.next(a)
		switch {
		case next == "":
			p.diverge(i, "%s would do %q, and has ended", want.Agent, want.Step)
			return
		case next != want.Step && p.comes(i, next):
			// The script's step is gone: the agent's next one comes later in it.
			p.diverge(i, "%s would do %q, the schedule has %q", want.Agent, next, want.Step)
			return
		case !p.can(a):
			p.diverge(i, "%s has to wait at %q", want.Agent, next)
			return
		}
		p.do(a)
		if next == want.Step {
			return
		}
		p.diverge(i, "%s would do %q, the schedule has %q", want.Agent, next, want.Step)
	}
}

// comes reports whether the agent of step i does another step later in the script.
func (p *performer) comes(i int, step string) bool {
	for _, later := range p.script[i+1:] {
		if later.Agent == p.script[i].Agent && later.Step == step {
			return true
		}
	}
	return false
}

// next is what an agent would do, empty for nothing.
func (p *performer) next(a Agent) string {
	step := p.system.Pending(a)
	if step == nil {
		return ""
	}
	text, _ := sourceOf(p.system, step)
	return text
}

func (p *performer) can(a Agent) bool {
	p.enabled = p.system.Enabled(p.enabled[:0])
	return has(p.enabled, a)
}

func (p *performer) do(a Agent) {
	p.system.Do(a)
	p.done = append(p.done, a)
}

func (p *performer) diverge(i int, format string, args ...any) {
	if p.diverged == nil {
		p.diverged = &Divergence{i + 1, fmt.Sprintf(format, args...)}
	}
}

// finish goes on to the end, with as few switches as it can.
func (p *performer) finish() {
	last := nobody
	if n := len(p.done); n > 0 {
		last = p.done[n-1]
	}
	for range mostAfter {
		if !p.can(last) {
			if len(p.enabled) == 0 {
				return
			}
			last = p.enabled[0]
		}
		p.do(last)
	}
}
