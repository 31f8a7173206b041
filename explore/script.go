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
// that it does; mostSought, how often that is tried; mostAfter, how many steps are done
// after the end of a script that diverged.
const (
	mostInserted = 100
	mostSought   = 1000
	mostAfter    = DefaultSteps
)

// Perform does a script on a system, which may have been edited since: a step that is
// gone is passed over, one that is new is done when its agent has its turn, and one that
// reads otherwise now is done in the old one's place. It returns the schedule that was
// done and the first place where the two did not agree, nil for none. A script that did
// not fit goes on to the end, with few switches.
func Perform(s System, script Script) (Schedule, *Divergence) {
	p := performer{system: s, script: script, agents: map[string]Agent{}, last: map[ScriptStep]int{}}
	for a := range s.Agents() {
		p.agents[agentName(s, Agent(a))] = Agent(a)
	}
	for i, step := range script {
		p.last[step] = i
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
	system System
	script Script
	agents map[string]Agent
	// last is where in the script a step comes for the last time.
	last     map[ScriptStep]int
	enabled  []Agent
	done     Schedule
	saved    []byte
	sought   int
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
	switch next := p.next(a); {
	case next == "":
		p.diverge(i, "%s would do %q, and has ended", want.Agent, want.Step)
	case next != want.Step && p.comes(i, next):
		p.diverge(i, "%s would do %q, the schedule has %q", want.Agent, next, want.Step)
	case !p.can(a):
		p.diverge(i, "%s has to wait at %q", want.Agent, next)
	case next != want.Step:
		p.diverge(i, "%s would do %q, the schedule has %q", want.Agent, next, want.Step)
		p.seek(i, a)
	default:
		p.do(a)
	}
}

// seek does steps of an agent that the script does not know until one comes that it
// does: that of step i, which is done, or a later one, which waits for its turn. If none
// comes, the agent does one step: the file has it in the place of the script's.
func (p *performer) seek(i int, a Agent) {
	from := len(p.done)
	p.save()
	for p.sought++; p.sought <= mostSought && len(p.done) < from+mostInserted && p.can(a); {
		p.do(a)
		next := p.next(a)
		if next == p.script[i].Step {
			if p.can(a) {
				p.do(a)
			}
			return
		}
		if p.comes(i, next) {
			return
		}
	}
	p.back(from)
	if p.can(a) {
		p.do(a)
	}
}

// comes reports whether the agent of step i does another step later in the script.
func (p *performer) comes(i int, step string) bool {
	last, does := p.last[ScriptStep{p.script[i].Agent, step}]
	return does && last > i
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

// save keeps the present state, if the system can.
func (p *performer) save() {
	if s, ok := p.system.(Snapshotter); ok {
		p.saved = s.Save(p.saved[:0])
	}
}

// back goes back to the saved state, which was after that many steps.
func (p *performer) back(steps int) {
	if len(p.done) == steps {
		return
	}
	p.done = p.done[:steps]
	if s, ok := p.system.(Snapshotter); ok {
		s.Restore(p.saved)
		return
	}
	p.system.Reset()
	for _, a := range p.done {
		p.system.Do(a)
	}
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
