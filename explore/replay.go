package explore

import "fmt"

// Replay does the execution of a schedule, to the schedule's end. It is an error if an
// agent cannot do the step that it should: the schedule belongs to another system.
func Replay(s Schedule) Strategy { return replay{s} }

type replay struct{ schedule Schedule }

func (replay) String() string { return "replay" }

func (r replay) explore(x *exploration) error {
	k := &replayWalker{schedule: r.schedule}
	if err := x.single(k, "one schedule"); err != nil {
		return err
	}
	return k.err
}

type replayWalker struct {
	once
	schedule Schedule
	at       int
	err      error
}

func (k *replayWalker) choose(enabled, _ []Agent) Agent {
	if k.at == len(k.schedule) {
		return nobody
	}
	a := k.schedule[k.at]
	if !has(enabled, a) {
		k.err = diverged(k.at, a, enabled)
		return nobody
	}
	k.at++
	return a
}

func (k *replayWalker) end(_ *worker, e ending) {
	if e.how == ran && k.at < len(k.schedule) {
		k.err = diverged(k.at, k.schedule[k.at], nil)
	}
}

func diverged(at int, a Agent, enabled []Agent) error {
	return fmt.Errorf("replay diverged at step %d: agent %d is not enabled, enabled are %v", at+1, a, enabled)
}

// Follow resets a system and does a schedule's steps on it. see is shown each step,
// with who was enabled before it; what it is shown is valid during the call. The error
// says at which step an agent was not enabled.
func Follow(s System, schedule Schedule, see func(at int, enabled []Agent, a Agent, step *Step)) error {
	var enabled []Agent
	s.Reset()
	for at, a := range schedule {
		if enabled = s.Enabled(enabled[:0]); !has(enabled, a) {
			return diverged(at, a, enabled)
		}
		see(at, enabled, a, s.Do(a))
	}
	return nil
}
