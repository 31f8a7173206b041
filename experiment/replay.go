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

// replay does the schedule and tells its steps.
func (e *exploration) replay(what ReplaySpec) (*Replayed, explore.Schedule, error) {
	r := &Replayed{}
	schedule, err := e.scheduleOf(what, r)
	if err != nil {
		return nil, nil, err
	}
	head := r.Text
	var t *explore.Transcript
	for i := range what.Times {
		if t, err = e.transcript(schedule, explore.Finding{}); err != nil {
			return nil, nil, fmt.Errorf("%w; the schedule belongs to other programs: a schedule file survives edits", err)
		}
		switch text := head + t.Text(transcriptWidth); {
		case i == 0:
			r.Text = text
		case r.Text != text:
			return nil, nil, &Fault{fmt.Errorf("replay %d differs from the first:\n%s", i+1, text)}
		}
	}
	if what.Times > 1 {
		r.Text += fmt.Sprintf("%d replays, all equal\n", what.Times)
	}
	r.Picture, err = e.picture(t, what.describe(schedule)).Figure()
	return r, schedule, err
}

// scheduleOf is the schedule of a token, or what a schedule file comes to in these
// programs; where they have changed, it says so in r.
func (e *exploration) scheduleOf(what ReplaySpec, r *Replayed) (explore.Schedule, error) {
	if what.File == "" {
		return explore.ParseSchedule(what.Token)
	}
	script, err := explore.ParseScript(what.Text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what.File, err)
	}
	s := e.newSystem()
	defer explore.Close(s)
	schedule, diverged := explore.Perform(s, script)
	if diverged != nil {
		r.Diverged = true
		r.Text = diverged.String() + "\n\n"
	}
	return schedule, nil
}

// describe says in a picture which schedule it shows.
func (w ReplaySpec) describe(schedule explore.Schedule) string {
	if token := schedule.String(); len(token) <= longToken {
		return "schedule " + token
	}
	return fmt.Sprintf("a schedule of %d steps", len(schedule))
}

// longToken is the length from which on a schedule goes to a file.
const longToken = 100
