package explore

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"smpsim/workloads"
)

// Transcript is an execution that a person can read: who did what, in which order, what
// was read, and where something was found.
type Transcript struct {
	// Columns name the agents that did something, in the order of agents.
	Columns []string
	Rows    []TranscriptRow
	// Ending is what was found at the end, when nobody could go on.
	Ending []Finding
}

// TranscriptRow is one step.
type TranscriptRow struct {
	Column int
	// Switches says that another agent did the step before, Preempts that this one could
	// have gone on.
	Switches, Preempts bool
	// Line is the step's line in the file, 0 for none; Source is the step as it stands
	// there, and Did what it read, wrote or returned, empty for nothing.
	Line   int
	Source string
	Did    string
	// Found is what the step has found wrong.
	Found []Finding
	// name is the step as a script tells it.
	name string
}

// Transcribe does a schedule on a system and tells its steps. The error says at which
// step an agent was not enabled.
func Transcribe(s System, schedule Schedule) (*Transcript, error) {
	t := &Transcript{}
	used := make([]bool, s.Agents())
	for _, a := range schedule {
		if int(a) < len(used) {
			used[a] = true
		}
	}
	columns := make([]int, len(used))
	for a, does := range used {
		if does {
			columns[a] = len(t.Columns)
			t.Columns = append(t.Columns, agentName(s, Agent(a)))
		}
	}
	err := Follow(s, schedule, func(at int, enabled []Agent, a Agent, step *Step) {
		r := TranscriptRow{Column: columns[a], Switches: at > 0 && schedule[at-1] != a}
		r.Preempts = at > 0 && preempts(schedule[at-1], a, enabled)
		r.Source, r.Line = sourceOf(s, step)
		r.name = r.Source
		if d, ok := s.(interface{ Describe() string }); ok {
			r.Did = d.Describe()
		}
		if step.Label == 0 && r.Did != "" {
			r.Source, r.Did = r.Did, ""
		}
		r.Found = allOf(s.Finding)
		t.Rows = append(t.Rows, r)
	})
	if err == nil && len(s.Enabled(nil)) == 0 {
		t.Ending = allOf(s.End)
	}
	return t, err
}

func allOf(next func() *Finding) (all []Finding) {
	for f := next(); f != nil; f = next() {
		all = append(all, *f)
	}
	return all
}

// sourceOf is a step as it stands in the file, and its line; what a model in Go does is
// told by its names.
func sourceOf(s System, step *Step) (text string, line int) {
	if p, ok := s.(interface {
		Source(label int32) *workloads.Step
	}); ok && step.Label > 0 {
		source := p.Source(step.Label)
		return source.Text, source.Pos.Line
	}
	if step.Label != 0 {
		return stepName(s, step.Label), 0
	}
	var objects []string
	for _, o := range step.Objects {
		objects = append(objects, objectName(s, o))
	}
	verb := "reads"
	if step.Access&Writes != 0 {
		verb = "writes"
	}
	return verb + " " + strings.Join(objects, ", "), 0
}

// Tells reports whether the transcript shows a finding.
func (t *Transcript) Tells(f Finding) bool {
	same := func(g Finding) bool { return g.Kind == f.Kind && g.What == f.What }
	for i := range t.Rows {
		if slices.ContainsFunc(t.Rows[i].Found, same) {
			return true
		}
	}
	return slices.ContainsFunc(t.Ending, same)
}

// Text sets the transcript as text: a column an agent where they fit in the width, in
// characters, else a line a step with the agent's name in front.
func (t *Transcript) Text(width int) string {
	widest := 0
	for i := range t.Rows {
		widest = max(widest, utf8.RuneCountInString(t.Rows[i].Source), utf8.RuneCountInString(t.Rows[i].Did)+2)
	}
	for _, name := range t.Columns {
		widest = max(widest, utf8.RuneCountInString(name))
	}
	var b strings.Builder
	if t.marginWidth()+len(t.Columns)*(widest+2) <= width {
		t.columns(&b, widest+2)
	} else {
		t.lines(&b)
	}
	for _, f := range t.Ending {
		fmt.Fprintf(&b, "      at the end: %s: %s\n", f.Kind, f.What)
	}
	for i := range t.Rows {
		if t.Rows[i].Preempts {
			b.WriteString("! takes over from a task that could have gone on\n")
			break
		}
	}
	return b.String()
}

// columns sets a column for each agent.
func (t *Transcript) columns(b *strings.Builder, width int) {
	put := func(margin string, column int, text string) {
		b.WriteString(strings.TrimRight(margin+strings.Repeat(" ", column*width)+text, " "))
		b.WriteByte('\n')
	}
	head := ""
	for _, name := range t.Columns {
		head += name + strings.Repeat(" ", width-utf8.RuneCountInString(name))
	}
	empty := strings.Repeat(" ", t.marginWidth())
	put(fmt.Sprintf("%*s  ", t.marginWidth()-2, "step  line"), 0, head)
	for i := range t.Rows {
		r := &t.Rows[i]
		put(t.margin(i), r.Column, r.Source)
		if r.Did != "" {
			put(empty, r.Column, "> "+r.Did)
		}
		for _, f := range r.Found {
			put(empty, r.Column, fmt.Sprintf("*** %s: %s", f.Kind, f.What))
		}
	}
}

// lines sets a line for each step.
func (t *Transcript) lines(b *strings.Builder) {
	width := 0
	for _, name := range t.Columns {
		width = max(width, utf8.RuneCountInString(name))
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		name := t.Columns[r.Column]
		fmt.Fprintf(b, "%s%s%s  %s", t.margin(i), name, strings.Repeat(" ", width-utf8.RuneCountInString(name)), r.Source)
		if r.Did != "" {
			fmt.Fprintf(b, "  > %s", r.Did)
		}
		b.WriteByte('\n')
		for _, f := range r.Found {
			fmt.Fprintf(b, "%*s*** %s: %s\n", t.marginWidth(), "", f.Kind, f.What)
		}
	}
}

// numberWidth is how wide numbers of steps are; lineWidth is the same of lines.
func (t *Transcript) numberWidth() int { return max(3, len(strconv.Itoa(len(t.Rows)))) }

const lineWidth = 4

func (t *Transcript) marginWidth() int { return 1 + t.numberWidth() + 2 + lineWidth + 2 }

// margin marks a switch that preempts, and numbers the step and its line.
func (t *Transcript) margin(i int) string {
	r := &t.Rows[i]
	mark, line := ' ', ""
	if r.Preempts {
		mark = '!'
	}
	if r.Line > 0 {
		line = strconv.Itoa(r.Line)
	}
	return fmt.Sprintf("%c%*d  %*s  ", mark, t.numberWidth(), i+1, lineWidth, line)
}
