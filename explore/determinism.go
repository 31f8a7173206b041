package explore

import "fmt"

// recording is what can be seen of an execution: before each step, the state and who
// is enabled; the step; what is found; the end. Doing the schedule again must show the
// same, or the system hides something that decides.
type recording struct {
	// seen has one digest for each thing seen, and what it was of.
	seen []sight
	// again counts those that were seen again; wrong is the first that differed.
	again int
	wrong *sight
	// replaying: compare instead of keeping.
	replaying bool
	bytes     []byte
	steps     int
}

type sight struct {
	digest digest
	of     string
	step   int
}

func (r *recording) reset() {
	r.seen, r.again, r.steps, r.wrong, r.replaying = r.seen[:0], 0, 0, nil, false
}

// see keeps or compares a thing seen.
func (r *recording) see(of string, d digest) {
	if !r.replaying {
		r.seen = append(r.seen, sight{d, of, r.steps})
		return
	}
	if r.wrong == nil && (r.again >= len(r.seen) || r.seen[r.again].digest != d || r.seen[r.again].of != of) {
		r.wrong = &sight{d, of, r.steps}
	}
	r.again++
}

func (r *recording) state(s System, enabled []Agent) {
	h := digest{}
	for _, a := range enabled {
		h = h.with(uint64(a), 1)
	}
	r.see("who is enabled", h)
	r.bytes = s.State(r.bytes[:0])
	r.see("the state", digestOf(r.bytes))
}

func (r *recording) step(s *Step) {
	r.steps++
	h := digest{}.with(uint64(s.Access), uint64(s.Label))
	for _, o := range s.Objects {
		h = h.with(uint64(o), 2)
	}
	for _, o := range s.Others {
		h = h.with(uint64(o.Object), uint64(o.Access))
	}
	r.see("the step", h)
}

func (r *recording) finding(f *Finding) {
	r.bytes = append(append(r.bytes[:0], f.Kind...), f.What...)
	r.see("what is found", digestOf(r.bytes))
}

func (r *recording) end(s System) {
	r.bytes = s.Final(r.bytes[:0])
	r.see("the end", digestOf(r.bytes))
}

// again does the present execution once more, from Reset on, and compares.
func (w *worker) again(h how) error {
	r := w.twice
	r.replaying, r.steps = true, 0
	w.system.Reset()
	take := func(next func() *Finding) {
		for f := next(); f != nil; f = next() {
			r.finding(f)
		}
	}
	take(w.system.Finding)
	for _, a := range w.schedule {
		w.enabled = w.system.Enabled(w.enabled[:0])
		r.state(w.system, w.enabled)
		if !has(w.enabled, a) {
			break
		}
		r.step(w.system.Do(a))
		take(w.system.Finding)
	}
	if h == ran {
		take(w.system.End)
		r.end(w.system)
	}
	if r.wrong == nil && r.again == len(r.seen) {
		return nil
	}
	step, of := r.steps, "its length"
	if r.wrong != nil {
		step, of = r.wrong.step, r.wrong.of
	}
	return fmt.Errorf("not deterministic: %s differs at step %d when schedule %s is done again", of, step, Schedule(w.schedule))
}
