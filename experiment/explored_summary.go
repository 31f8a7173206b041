package experiment

import (
	"fmt"
	"path/filepath"
	"strings"

	"smpsim/explore"
	"smpsim/report"
)

// explorations is the table of what was explored.
func (f *found) explorations() string {
	var all []report.Explored
	for i := range f.explored {
		c, r := &f.explored[i], f.explored[i].result
		e := report.Explored{
			Variant: c.cell.Variant, Where: reportParams(whereOf(c.cell)), Strategy: r.Strategy, Memory: c.cell.Explore.Memory,
			Executions: r.Executions, Blocked: r.Blocked, Traces: r.Traces, Interleavings: r.Interleavings,
			Failing: r.Failing, FinalStates: r.FinalStates, States: r.States, Complete: r.Complete, Limits: r.Limits,
		}
		var kinds []string
		for k := range r.Findings {
			kinds = append(kinds, string(r.Findings[k].Kind))
		}
		e.Finds = sorted(kinds)
		all = append(all, e)
	}
	text := report.Explorations(all)
	return text + f.basis()
}

// basis says what the guarantees of strategies that draw rest on.
func (f *found) basis() string {
	var b strings.Builder
	for i := range f.explored {
		c, r := &f.explored[i], f.explored[i].result
		if r.Bound > 0 {
			fmt.Fprintf(&b, "%s: an execution finds a bug of that depth with a probability of at least %s (%s)\n", cellName(c.cell), Number(r.Bound), r.Basis)
		}
	}
	return b.String()
}

// findings tells each finding: what and where, how to see it again, and the simplest
// way to it step by step.
func (f *found) findings(file string) string {
	var b strings.Builder
	for i := range f.explored {
		c := &f.explored[i]
		for k := range c.result.Findings {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			f.finding(&b, i, k, file)
		}
	}
	return b.String()
}

// mostTold is how many steps a transcript in a summary may have.
const mostTold = 200

func (f *found) finding(b *strings.Builder, i, k int, file string) {
	c := &f.explored[i]
	found := &c.result.Findings[k]
	fmt.Fprintf(b, "%s: %s: %s", cellName(c.cell), found.Kind, found.What)
	if at := c.at(found.Label); at != "" {
		fmt.Fprintf(b, " (%s)", at)
	}
	b.WriteByte('\n')
	if len(found.Schedule) == 0 {
		return
	}
	schedule := found.Schedule
	if k < len(c.shrunk) && c.shrunk[k].simple.Kind != "" {
		s := &c.shrunk[k]
		schedule = s.simple.Schedule
		fmt.Fprintf(b, "  %v\n", s.simple)
		if len(s.needless) > 0 {
			fmt.Fprintf(b, "  it stays without %s\n", strings.Join(s.needless, "; "))
		}
	}
	if c.draws() {
		fmt.Fprintf(b, "  seed %d\n", c.seed)
	}
	token := schedule.String()
	if f.dir != "" && len(token) > longToken && k < len(c.shrunk) {
		token = quoted(filepath.Join(f.dir, f.findingFile(i, k)+".schedule"))
	}
	fmt.Fprintf(b, "  again: %s\n", f.replayCommand(c, token, file))
	if k < len(c.shrunk) && len(schedule) <= mostTold {
		t, err := c.transcript(schedule, found.Finding)
		if err != nil {
			panic(fmt.Sprintf("experiment: a schedule that was found: %v", err))
		}
		fmt.Fprintf(b, "\n%s", indent(t.Text(transcriptWidth)))
	}
}

// replayCommand is the command that does a schedule again.
func (f *found) replayCommand(c *exploredCell, token, file string) string {
	command := "smpsim replay " + quoted(file)
	if name := f.experiment.variantName(c.cell); name != "" {
		command += " --variant " + quoted(name)
	}
	for _, p := range c.cell.Params {
		if !p.Derived {
			command += " --where " + quoted(p.Path+"="+p.Value)
		}
	}
	return command + " --schedule " + token
}

// quoted is a word as a shell takes it.
func quoted(word string) string {
	if strings.Trim(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=+:,") == "" && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func indent(text string) string {
	if text == "" {
		return ""
	}
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}

// transcript tells a schedule step by step, with the finding where the steps
// themselves do not show it: a race is between two of them.
func (e *exploration) transcript(schedule explore.Schedule, finding explore.Finding) (*explore.Transcript, error) {
	s := e.newSystem()
	defer explore.Close(s)
	t, err := explore.Transcribe(s, schedule)
	if err != nil || len(t.Rows) == 0 || finding.Kind == "" || t.Tells(finding) {
		return t, err
	}
	last := &t.Rows[len(t.Rows)-1]
	last.Found = append(last.Found, finding)
	return t, nil
}

// transcriptWidth is how wide a transcript may be, in characters.
const transcriptWidth = 110
