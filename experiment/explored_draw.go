package experiment

import (
	"fmt"
	"path/filepath"
	"slices"

	"smpsim/explore"
	"smpsim/plots"
)

// drawFindings writes, for each finding that was made simpler, the schedule as a file
// that replay takes and a picture of it. It returns the names of the pictures.
func (f *found) drawFindings(dir string) ([]string, error) {
	var files []string
	for i := range f.explored {
		c := &f.explored[i]
		for k := range c.shrunk {
			if c.shrunk[k].simple.Kind == "" {
				continue
			}
			schedule := c.shrunk[k].simple.Schedule
			t, err := c.transcript(schedule, c.result.Findings[k].Finding)
			if err != nil {
				return files, err
			}
			base := f.findingFile(i, k)
			if err := writeWhole(filepath.Join(dir, base+".schedule"), []byte(t.Script().Text())); err != nil {
				return files, err
			}
			figure, err := c.picture(t, ReplaySpec{}.describe(schedule)).Figure()
			if err == nil {
				err = figure.Write(filepath.Join(dir, base+".png"))
			}
			if err != nil {
				return files, fmt.Errorf("cannot draw %s.png: %w", base, err)
			}
			files = append(files, base+".png")
		}
	}
	return files, nil
}

// findingFile is the name, without ending, of the files on finding k of exploration i.
func (f *found) findingFile(i, k int) string {
	name := "finding"
	if len(f.explored) > 1 {
		name += fmt.Sprintf("-%d", i+1)
	}
	return fmt.Sprintf("%s-%d", name, k+1)
}

// picture shows a transcript.
func (e *exploration) picture(t *explore.Transcript, about string) *plots.Interleaving {
	p := &plots.Interleaving{Lanes: t.Columns}
	p.Title = e.title
	p.Subtitle = fmt.Sprintf("%s · memory %s · %s · smpsim %s", cellName(e.cell), e.cell.Explore.Memory, about, Version)
	if slices.ContainsFunc(t.Rows, func(r explore.TranscriptRow) bool { return r.Preempts }) {
		p.Subtitle += " · a heavy line takes over from who could have gone on"
	}
	for i := range t.Rows {
		r := &t.Rows[i]
		step := plots.InterleavingStep{Lane: r.Column, Line: r.Line, Text: r.Source, Note: r.Did, Preempts: r.Preempts}
		for _, found := range r.Found {
			step.Found = append(step.Found, string(found.Kind)+": "+found.What)
		}
		p.Steps = append(p.Steps, step)
	}
	for _, found := range t.Ending {
		p.Ending = append(p.Ending, string(found.Kind)+": "+found.What)
	}
	return p
}
