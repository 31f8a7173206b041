package explore

import (
	"fmt"
	"slices"
)

// Shrinking says how Shrink works. All of it may be zero.
type Shrinking struct {
	// Options are those under which the finding was made. Of Strategy, Watch,
	// UntilFound and CheckDeterminism nothing is used; Executions is the most executions
	// of one search, 0 for 20,000.
	Options
	// Parts is how many parts the system has that could be dropped: tasks first, then
	// rounds of loops, then steps, for a large part gone makes many small ones needless.
	Parts int
	// Without returns a factory of the system without those parts, or nil if that is
	// no system. What a finding says must not depend on what was dropped.
	Without func(dropped []bool) func() System
}

// Shrunk is what Shrink has reached.
type Shrunk struct {
	// Found is the finding, with its schedule in the system without the dropped parts.
	Found
	Preemptions int
	// Fewest: no schedule with fewer preemptions leads to the finding.
	Fewest  bool
	Dropped []bool
	// Executions counts those that it took.
	Executions int64
}

// String says in a line what was reached.
func (s Shrunk) String() string {
	text := counted(s.Steps, "step") + ", " + counted(s.Preemptions, "preemption")
	if s.Fewest {
		text += " (the fewest)"
	}
	if n := len(s.Dropped); n > 0 {
		dropped := 0
		for _, d := range s.Dropped {
			if d {
				dropped++
			}
		}
		text += fmt.Sprintf(", %d of %d parts dropped", dropped, n)
	}
	return text
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Shrink looks for a simpler way to a finding, the same by kind and what: first with
// fewer preemptions, then with parts of the system gone. It is an error if the
// schedule does not lead to the finding to begin with.
func Shrink(newSystem func() System, found Found, how Shrinking) (Shrunk, error) {
	s := &shrinker{Shrinking: how, newSystem: newSystem, target: Finding{Kind: found.Kind, What: found.What}}
	s.Strategy, s.Watch, s.CheckDeterminism = nil, nil, false
	if s.Executions == 0 {
		s.Executions = 20_000
	}
	first, err := s.along(Replay(found.Schedule))
	if err != nil {
		return Shrunk{}, fmt.Errorf("shrink: %w", err)
	}
	if first == nil {
		return Shrunk{}, fmt.Errorf("shrink: schedule %v does not lead to %s: %s", found.Schedule, found.Kind, found.What)
	}
	s.best.Found = *first
	if s.best.Preemptions, err = s.preemptions(first.Schedule); err != nil {
		return Shrunk{}, fmt.Errorf("shrink: %w", err)
	}
	s.best.Dropped = make([]bool, how.Parts)
	for _, step := range []func() error{s.merge, s.bound, s.drop} {
		if err := step(); err != nil {
			return Shrunk{}, fmt.Errorf("shrink: %w", err)
		}
	}
	s.best.Executions = s.executions
	return s.best, nil
}

type shrinker struct {
	Shrinking
	newSystem  func() System
	target     Finding
	best       Shrunk
	executions int64
}

// along looks for the finding along a strategy's executions; nil if it is not there.
func (s *shrinker) along(by Strategy) (*Found, error) {
	r, err := s.search(s.newSystem, by)
	if err != nil || len(r.Findings) == 0 {
		return nil, err
	}
	return &r.Findings[0], nil
}

func (s *shrinker) search(newSystem func() System, by Strategy) (*Result, error) {
	o := s.Options
	o.Strategy, o.UntilFound, o.target = by, true, &s.target
	r, err := Explore(newSystem, o)
	if err == nil {
		s.executions += r.Executions
	}
	return r, err
}

// preemptions counts those of a schedule.
func (s *shrinker) preemptions(schedule Schedule) (n int, err error) {
	system := s.newSystem()
	defer Close(system)
	err = Follow(system, schedule, func(at int, enabled []Agent, a Agent, _ *Step) {
		if at > 0 && preempts(schedule[at-1], a, enabled) {
			n++
		}
	})
	return n, err
}

// merge does two runs of an agent as one, the later at the earlier's time or the
// earlier at the later's, as long as that has fewer preemptions and still finds it.
func (s *shrinker) merge() error {
	for budget := s.Executions; budget > 0 && s.best.Preemptions > 0; {
		better := false
		for _, plan := range merged(s.best.Schedule) {
			budget--
			f, err := s.along(guided{plan})
			if err != nil {
				return err
			}
			if f == nil {
				continue
			}
			n, err := s.preemptions(f.Schedule)
			if err != nil {
				return err
			}
			if n < s.best.Preemptions {
				s.best.Found, s.best.Preemptions, better = *f, n, true
				break
			}
		}
		if !better {
			return nil
		}
	}
	return nil
}

// merged returns a schedule's variants in which two runs of one agent, with none of its
// own between, are one.
func merged(schedule Schedule) (plans []Schedule) {
	var runs []Schedule
	for i := 0; i < len(schedule); {
		end := i + 1
		for end < len(schedule) && schedule[end] == schedule[i] {
			end++
		}
		runs = append(runs, schedule[i:end])
		i = end
	}
	for i := range runs {
		for j := i + 1; j < len(runs); j++ {
			if runs[j][0] != runs[i][0] {
				continue
			}
			between := slices.Concat(runs[i+1 : j]...)
			head, tail := slices.Concat(runs[:i]...), slices.Concat(runs[j+1:]...)
			plans = append(plans,
				slices.Concat(head, runs[i], runs[j], between, tail),
				slices.Concat(head, between, runs[i], runs[j], tail))
			break
		}
	}
	return plans
}

// bound searches with 0, 1, ... preemptions, up to one fewer than are known to do.
func (s *shrinker) bound() error {
	s.best.Fewest = true
	for k := range s.best.Preemptions {
		r, err := s.search(s.newSystem, Bounded(k))
		if err != nil {
			return err
		}
		if len(r.Findings) > 0 {
			s.best.Found, s.best.Preemptions = r.Findings[0], k
			return nil
		}
		s.best.Fewest = s.best.Fewest && r.Complete
	}
	return nil
}

// drop drops parts, each as long as the finding stays within as many preemptions, until
// none can be.
func (s *shrinker) drop() error {
	for again := s.Without != nil; again; {
		again = false
		for i := range s.best.Dropped {
			if s.best.Dropped[i] {
				continue
			}
			dropped := slices.Clone(s.best.Dropped)
			dropped[i] = true
			newSystem := s.Without(dropped)
			if newSystem == nil {
				continue
			}
			fewest := true
			for k := range s.best.Preemptions + 1 {
				r, err := s.search(newSystem, Bounded(k))
				if err != nil {
					return err
				}
				if len(r.Findings) > 0 {
					s.newSystem, again = newSystem, true
					s.best.Found, s.best.Preemptions, s.best.Fewest, s.best.Dropped = r.Findings[0], k, fewest, dropped
					break
				}
				fewest = fewest && r.Complete
			}
		}
	}
	return nil
}

// guided does one execution that follows a plan where it can, and after it goes on
// with as few switches as it can.
type guided struct{ plan Schedule }

func (guided) String() string { return "guided" }

func (g guided) explore(x *exploration) error {
	return x.single(&guidedWalker{plan: g.plan, last: nobody}, "one plan")
}

type guidedWalker struct {
	once
	plan Schedule
	last Agent
}

func (k *guidedWalker) choose(_, open []Agent) Agent {
	for len(k.plan) > 0 {
		a := k.plan[0]
		if k.plan = k.plan[1:]; has(open, a) {
			k.last = a
			return a
		}
	}
	if !has(open, k.last) {
		k.last = open[0]
	}
	return k.last
}
