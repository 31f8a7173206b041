package experiment

import (
	"fmt"

	"smpsim/explore"
	"smpsim/plots"
	"smpsim/yamlfile"
)

// ReplaySpec says what is replayed: a token, or the text of a schedule file.
type ReplaySpec struct {
	Token string
	File  string
	Text  []byte
	// Times is how often; all transcripts must be equal.
	Times int
}

// Replayed is what a replay has shown.
type Replayed struct {
	Text    string
	Picture *plots.Figure
	// Diverged says that the schedule does not fit the programs any more.
	Diverged bool
}

// Replay does a schedule again on the only cell of the experiment, step by step or on
// the timed machine. Mistakes are a *yamlfile.Problems.
func (s *Source) Replay(x *Experiment, what ReplaySpec, timed bool) (*Replayed, error) {
	var problems yamlfile.Problems
	all := x.linkExplorations(&problems)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	e := all[0]
	r, schedule, err := e.replay(what)
	if err != nil || !timed {
		return r, err
	}
	t, err := s.ReplayTimed(x, schedule)
	if err != nil {
		return nil, err
	}
	return &Replayed{Text: t.String(), Picture: t.Picture, Diverged: t.Steps < t.Of}, nil
}

// WritePicture writes a picture, and its figures as CSV beside it.
func WritePicture(path string, f *plots.Figure) error { return f.Write(path) }

func (e *exploration) replay(what ReplaySpec) (*Replayed, explore.Schedule, error) {
	schedule, err := explore.ParseSchedule(what.Token)
	if err != nil {
		return nil, nil, err
	}
	return &Replayed{Text: fmt.Sprintln(schedule)}, schedule, nil
}
