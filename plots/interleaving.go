package plots

import (
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
)

// Interleaving shows the steps of several tasks in the order in which they happened:
// a column a task, time downwards, and where something was found. A line leads from
// each step to the next where another task goes on: a heavy one where the first task
// could have gone on itself. Where columns would be too narrow to read, each task is a
// track, and its steps stand beside the tracks.
//
// Of more than 60 steps, those that a task does in a row are one box; of more than 200
// boxes, those in the middle are left out. The table has every step.
type Interleaving struct {
	Head
	// Lanes name the tasks.
	Lanes []string
	Steps []InterleavingStep
	// Ending is what was found when nobody could go on.
	Ending []string
}

// InterleavingStep is one step.
type InterleavingStep struct {
	Lane int
	// Line is where the step stands in its file, 0 for nowhere.
	Line int
	// Text is the step and Note what came of it, such as a value read.
	Text, Note string
	// Preempts says that the task of the step before could have gone on.
	Preempts bool
	// Found is what the step found wrong.
	Found []string
}

// Figure checks the data and lays the picture out, as tall as its steps need.
func (l *Interleaving) Figure() (*Figure, error) {
	for i := range l.Steps {
		if s := &l.Steps[i]; s.Lane < 0 || s.Lane >= len(l.Lanes) {
			return nil, fmt.Errorf("interleaving: step %d in lane %d of %d", i, s.Lane, len(l.Lanes))
		}
	}
	d := l.layout()
	return &Figure{
		width: figureWidth, height: d.height, empty: len(l.Steps) == 0,
		paint: d.paint, table: l.table,
	}, nil
}

func (l *Interleaving) table(w *csv.Writer) error {
	if err := w.Write([]string{"step", "task", "line", "text", "note", "preempts", "found"}); err != nil {
		return err
	}
	for i := range l.Steps {
		s := &l.Steps[i]
		row := []string{
			strconv.Itoa(i + 1), l.Lanes[s.Lane], strconv.Itoa(s.Line), s.Text, s.Note,
			strconv.FormatBool(s.Preempts), strings.Join(s.Found, "; "),
		}
		if err := w.Write(row); err != nil {
			return err
		}
	}
	return nil
}
