package explore

import (
	"fmt"
	"slices"
)

// worker does executions of one System, one after another, with the memory of the
// first serving all.
type worker struct {
	*exploration
	system System
	tally  *tally
	seen   *known
	// locks is what the system notes of locks, nil if it has none.
	locks *Lockdep
	// watch is Options.Watch for this worker.
	watch func(done int64) bool
	// reducing is the share's walker, if it is one.
	reducing reducing
	unending *Finding

	// The present execution.
	schedule []Agent
	enabled  []Agent
	open     []Agent
	pending  []pendingFinding
	races    *raceDetector
	cycles   *cycleDetector
	classes  *trace
	twice    *recording
	bytes    []byte
	// astray: an agent that did a step could not do it again.
	astray bool
}

// pendingFinding is a finding of the present execution.
type pendingFinding struct {
	*Finding
	// step is the index of the step that found it: -1 for Reset, the length of the
	// execution for its end.
	step int
}

func (x *exploration) newWorker() *worker {
	w := &worker{exploration: x, system: x.newSystem()}
	w.locks = lockdepOf(w.system)
	w.unending = &Finding{Kind: Unending, What: fmt.Sprintf("no end within %d steps", x.Steps)}
	if x.Races {
		w.races = newRaceDetector(w.system)
	}
	if x.Cycles {
		w.cycles = newCycleDetector(w.system)
	}
	if x.Classes {
		w.classes = newTrace(w.system.Agents(), x.Commute)
	}
	if x.CheckDeterminism {
		w.twice = &recording{}
	}
	return w
}

// work does a share, at most limit executions of it (-1: no limit), and returns its
// tally. The tally does not depend on what the worker did before.
func (w *worker) work(s share, limit int64) (*tally, error) {
	w.tally, w.seen = &tally{}, newKnown()
	w.reducing, _ = s.walker.(reducing)
	if w.locks == nil {
		return w.tally, w.executeAll(s, limit)
	}
	w.locks.clear()
	err := w.executeAll(s, limit)
	w.tally.locks = w.locks.clone()
	return w.tally, err
}

// executeAll does the executions of a share, at most limit.
func (w *worker) executeAll(s share, limit int64) error {
	for t := w.tally; ; {
		prefix, more := s.walker.begin(w.system)
		if !more {
			return nil
		}
		if limit >= 0 && t.executions >= limit {
			t.full = true
			return nil
		}
		e := w.execute(s, prefix)
		if w.astray {
			return fmt.Errorf("not deterministic: the agent that did step %d of schedule %v is not enabled there when it is done again", len(w.schedule), Schedule(prefix))
		}
		s.walker.end(w, e)
		if w.twice != nil {
			if err := w.again(e.how); err != nil {
				return err
			}
		}
		t.found = w.UntilFound && len(t.findings) > 0
		t.crowded = t.crowded || w.Memory > 0 && w.seen.bytes() > w.Memory
		t.stopped = w.watch != nil && t.executions%256 == 0 && !w.watch(256)
		if t.ended() {
			return nil
		}
	}
}

// execute does one execution.
func (w *worker) execute(s share, prefix []Agent) ending {
	w.reset()
	if w.found(-1) {
		return w.judge(stopped)
	}
	for _, a := range prefix {
		if w.twice != nil || w.cycles != nil {
			w.enabled = w.system.Enabled(w.enabled[:0])
			w.beforeStep()
			if !has(w.enabled, a) {
				w.astray = true
				return w.judge(stopped)
			}
			if w.cycles != nil && w.cycles.visit(w.enabled) >= 0 {
				w.tally.looped = true
			}
		}
		if w.do(a, nil) {
			return w.judge(stopped)
		}
	}
	for {
		w.enabled = w.system.Enabled(w.enabled[:0])
		if len(w.enabled) == 0 {
			for f := w.system.End(); f != nil; f = w.system.End() {
				w.heard(f, len(w.schedule))
			}
			return w.judge(ran)
		}
		open, end := w.enabled, how(0)
		if w.cycles != nil {
			if open, end = w.goRound(s); end != 0 {
				return w.judge(end)
			}
		}
		if len(w.schedule) >= w.Steps {
			w.note(w.unending, len(w.schedule))
			return w.judge(endless)
		}
		a := s.walker.choose(w.enabled, open)
		switch {
		case a == around:
			return w.judge(cut)
		case a == nobody && s.stops:
			return w.judge(stopped)
		case a == nobody:
			return w.judge(blocked)
		}
		w.beforeStep()
		if w.do(a, s.walker) {
			return w.judge(stopped)
		}
	}
}

// reset goes back to the initial state.
func (w *worker) reset() {
	w.system.Reset()
	w.schedule, w.pending = w.schedule[:0], w.pending[:0]
	if w.races != nil {
		w.races.reset()
	}
	if w.cycles != nil {
		w.cycles.reset()
	}
	if w.classes != nil {
		w.classes.cut(0)
	}
	if w.twice != nil {
		w.twice.reset()
	}
}

// beforeStep keeps what the self-check compares before a step.
func (w *worker) beforeStep() {
	if w.twice != nil {
		w.twice.state(w.system, w.enabled)
	}
}

// do does an agent's step and reports whether the execution ends with it.
func (w *worker) do(a Agent, k walker) bool {
	step := w.system.Do(a)
	at := len(w.schedule)
	w.schedule = append(w.schedule, a)
	if k != nil {
		k.did(a, step)
	}
	if w.classes != nil {
		w.classes.add(a, step)
	}
	if w.twice != nil {
		w.twice.step(step)
	}
	if w.races != nil {
		for _, f := range w.races.step(a, step) {
			w.note(f, at)
		}
	}
	return w.found(at)
}

// found takes the system's findings after a step and reports whether they end the
// execution.
func (w *worker) found(at int) bool {
	end := false
	for f := w.system.Finding(); f != nil; f = w.system.Finding() {
		w.heard(f, at)
		end = end || w.EndAtFinding && w.reducing == nil && ends(f.Kind)
	}
	return end
}

// note keeps a finding of the engine's own; heard keeps one of the system's.
func (w *worker) note(f *Finding, at int) {
	w.pending = append(w.pending, pendingFinding{f, at})
}

func (w *worker) heard(f *Finding, at int) {
	w.note(f, at)
	if w.twice != nil {
		w.twice.finding(f)
	}
}

// goRound looks whether the execution was in its present state before. It returns the
// agents among which to choose, or how the execution ends.
func (w *worker) goRound(s share) (open []Agent, end how) {
	first := w.cycles.visit(w.enabled)
	if first < 0 {
		return w.enabled, 0
	}
	w.tally.looped = true
	moved, left := w.cycles.since(first, w.schedule)
	if len(left) == 0 {
		w.note(livelock(w.system, moved), len(w.schedule)-1)
		return nil, stopped
	}
	if l, ok := s.walker.(looping); ok {
		l.wentRound(moved)
	}
	if !s.exhaustive {
		return w.enabled, 0
	}
	w.open = w.open[:0]
	for _, a := range w.enabled {
		if has(left, a) {
			w.open = append(w.open, a)
		}
	}
	if len(w.open) == 0 {
		return nil, cut
	}
	return w.open, 0
}

// judge ends an execution: it keeps what is new among its findings and ends.
func (w *worker) judge(h how) ending {
	e, t := ending{how: h}, w.tally
	for i, f := range w.pending {
		if w.EndAtFinding && w.reducing != nil && w.late(i) {
			continue
		}
		e.failing = e.failing || fails(f.Kind)
		if w.target != nil && (f.Kind != w.target.Kind || f.What != w.target.What) {
			continue
		}
		if w.seen.finding(f.Finding) {
			schedule := Schedule(slices.Clone(w.schedule[:min(f.step+1, len(w.schedule))]))
			t.findings = append(t.findings, Found{*f.Finding, schedule, len(schedule)})
		}
	}
	t.longest = max(t.longest, len(w.schedule))
	switch h {
	case blocked:
		t.blocked++
		return e
	case cut:
		t.cut++
		return e
	case endless:
		t.endless = true
	case ran:
		w.bytes = w.system.Final(w.bytes[:0])
		if w.twice != nil {
			w.twice.end(w.system)
		}
		t.finals = w.seen.finals.collect(t.finals, digestOf(w.bytes))
		if w.classes != nil {
			t.traces = w.seen.traces.collect(t.traces, w.classes.class())
		}
	}
	t.executions++
	if e.failing {
		t.failing++
	}
	return e
}

// late reports whether a finding comes after another that ends its execution, in
// every execution that this one stands for.
func (w *worker) late(i int) bool {
	f := w.pending[i]
	for _, e := range w.pending[:i] {
		if ends(e.Kind) && e.step < len(w.schedule) && (f.step == len(w.schedule) || e.step < 0 || w.reducing.before(e.step, f.step)) {
			return true
		}
	}
	return false
}
