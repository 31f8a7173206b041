package explore

import (
	"flag"
	"fmt"
	"slices"
	"sort"
	"testing"
)

// reference explores plainly and slowly: every interleaving by recursion, each from the
// start; classes by their Foata normal form. It shares nothing with the engine but the
// System.
type reference struct {
	system  System
	commute bool
	end     bool // executions end at an assertion
	most    int  // interleavings, after which it gives up

	interleavings int
	by            [][2]int64
	findings      map[string]bool
	finals        map[string]bool
	states        map[string]bool
	// classes has, for each, the fewest preemptions that reach it and whether it fails.
	classes map[string]refClass
}

type refClass struct {
	preemptions int
	failing     bool
}

type refStep struct {
	agent   Agent
	touches []Touch
}

func refer(s System, commute, end bool, most int) (*reference, bool) {
	r := &reference{system: s, commute: commute, end: end, most: most, findings: map[string]bool{}, finals: map[string]bool{}, states: map[string]bool{}, classes: map[string]refClass{}}
	r.below(nil, 0)
	return r, r.interleavings <= most
}

// below explores all that begins with a schedule.
func (r *reference) below(schedule []Agent, preempted int) {
	if r.interleavings > r.most {
		return
	}
	s := r.system
	s.Reset()
	failing, over := false, false
	steps, touches := make([]refStep, 0, 32), make([]Touch, 0, 64)
	take := func(next func() *Finding) {
		for f := next(); f != nil; f = next() {
			r.findings[string(f.Kind)+" "+f.What] = true
			failing = true
			over = over || r.end && f.Kind == Assert
		}
	}
	take(s.Finding)
	for _, a := range schedule {
		st := s.Do(a)
		from := len(touches)
		for _, o := range st.Objects {
			touches = append(touches, Touch{o, st.Access})
		}
		touches = append(touches, st.Others...)
		steps = append(steps, refStep{a, touches[from:]})
		take(s.Finding)
	}
	enabled := s.Enabled(nil)
	r.states[string(s.State(nil))] = true
	if len(enabled) > 0 && !over {
		for _, a := range enabled {
			n := preempted
			if len(schedule) > 0 && schedule[len(schedule)-1] != a && slices.Contains(enabled, schedule[len(schedule)-1]) {
				n++
			}
			r.below(append(schedule[:len(schedule):len(schedule)], a), n)
		}
		return
	}
	if !over {
		take(s.End)
		r.finals[string(s.Final(nil))] = true
		class := r.foata(steps)
		if c, ok := r.classes[class]; !ok || preempted < c.preemptions {
			r.classes[class] = refClass{preempted, failing}
		}
	}
	r.interleavings++
	for len(r.by) <= preempted {
		r.by = append(r.by, [2]int64{})
	}
	r.by[preempted][0]++
	if failing {
		r.by[preempted][1]++
	}
}

// foata is the normal form: the steps in layers, each step in the first layer after
// all on which it depends; a layer's steps in the order of their agents.
func (r *reference) foata(steps []refStep) string {
	var layers [][]refStep
	layer := make([]int, len(steps))
	for i, e := range steps {
		for j, f := range steps[:i] {
			if e.agent == f.agent || r.depend(e, f) {
				layer[i] = max(layer[i], layer[j]+1)
			}
		}
		if layer[i] == len(layers) {
			layers = append(layers, nil)
		}
		layers[layer[i]] = append(layers[layer[i]], e)
	}
	var form []byte
	for _, l := range layers {
		slices.SortFunc(l, func(e, f refStep) int { return int(e.agent - f.agent) })
		for _, e := range l {
			form = append(form, byte(e.agent), byte(len(e.touches)))
			for _, t := range e.touches {
				form = append(form, byte(t.Object), byte(t.Access))
			}
		}
		form = append(form, '|')
	}
	return string(form)
}

func (r *reference) depend(e, f refStep) bool {
	for _, a := range e.touches {
		for _, b := range f.touches {
			if a.Object == b.Object && (a.Access|b.Access)&Writes != 0 && !(r.commute && a.Access&b.Access&Increment != 0) {
				return true
			}
		}
	}
	return false
}

func (r *reference) failing() (n int64) {
	for _, row := range r.by {
		n += row[1]
	}
	return n
}

// within counts the classes reached with at most k preemptions.
func (r *reference) within(k int) (n int64) {
	for _, c := range r.classes {
		if c.preemptions <= k {
			n++
		}
	}
	return n
}

func (r *reference) failingClasses() (n int64) {
	for _, c := range r.classes {
		if c.failing {
			n++
		}
	}
	return n
}

func findingsOf(r *Result, but ...Kind) []string {
	all := []string{}
	for _, f := range r.Findings {
		if !slices.Contains(but, f.Kind) {
			all = append(all, string(f.Kind)+" "+f.What)
		}
	}
	sort.Strings(all)
	return all
}

func keys(m map[string]bool) []string {
	all := []string{}
	for k := range m {
		all = append(all, k)
	}
	sort.Strings(all)
	return all
}

var (
	programs     = flag.Int("programs", 0, "how many random programs a test compares, if not as many as it does every day")
	firstProgram = flag.Uint64("first-program", 0, "seed of the first of them")
)

// RandomPrograms returns how many random programs a test compares, few if no flag says
// otherwise, and the seed of the first.
func RandomPrograms(few int) (n int, first uint64) {
	if *programs > 0 {
		few = *programs
	}
	return few, *firstProgram
}

func TestPlainReferenceAgreesOnRandomPrograms(t *testing.T) {
	n, seed := RandomPrograms(2000)
	for seen := 0; seen < n; seed++ {
		p := randomToy(seed)
		commute := seed%3 == 0
		ref, ok := refer(p.fresh()(), commute, false, 150)
		if !ok {
			continue
		}
		seen++
		if bad := disagreement(p, ref, commute); bad != "" {
			t.Fatalf("program %d: %s\n%s", seed, bad, listing(p))
		}
	}
}

// disagreement says where the strategies differ from the reference.
func disagreement(p *toy, ref *reference, commute bool) string {
	must := func(o Options) *Result {
		o.Commute = commute
		r, err := Explore(p.fresh(), o)
		if err != nil {
			panic(err)
		}
		return r
	}
	all := keys(ref.findings)
	d := must(Options{Strategy: DFS(), Classes: true, Races: true})
	switch {
	case !d.Complete:
		return fmt.Sprint("dfs incomplete: ", d.Limits)
	case *d.Interleavings != int64(ref.interleavings) || *d.Failing != ref.failing():
		return fmt.Sprintf("dfs: %d interleavings, %d failing; reference %d, %d", *d.Interleavings, *d.Failing, ref.interleavings, ref.failing())
	case !slices.Equal(d.ByPreemptions, ref.by):
		return fmt.Sprintf("dfs: by preemptions %v, reference %v", d.ByPreemptions, ref.by)
	case *d.Traces != int64(len(ref.classes)):
		return fmt.Sprintf("dfs: %d classes, reference %d", *d.Traces, len(ref.classes))
	case *d.FinalStates != int64(len(ref.finals)):
		return fmt.Sprintf("dfs: %d final states, reference %d", *d.FinalStates, len(ref.finals))
	case !slices.Equal(findingsOf(d, DataRace), all):
		return fmt.Sprintf("dfs: finds %v, reference %v", findingsOf(d), all)
	}
	o := must(Options{Strategy: DPOR(), Races: true})
	switch {
	case !o.Complete || o.Blocked != 0:
		return fmt.Sprintf("dpor: complete %v, %d blocked", o.Complete, o.Blocked)
	case *o.Traces != int64(len(ref.classes)) || *o.Failing != ref.failingClasses():
		return fmt.Sprintf("dpor: %d classes, %d failing; reference %d, %d", *o.Traces, *o.Failing, len(ref.classes), ref.failingClasses())
	case *o.FinalStates != int64(len(ref.finals)):
		return fmt.Sprintf("dpor: %d final states, reference %d", *o.FinalStates, len(ref.finals))
	case !slices.Equal(findingsOf(o), findingsOf(d)):
		return fmt.Sprintf("dpor: finds %v, dfs %v", findingsOf(o), findingsOf(d))
	}
	s := must(Options{Strategy: States(), Cycles: true})
	switch {
	case !s.Complete || *s.FinalStates != int64(len(ref.finals)):
		return fmt.Sprintf("states: complete %v, %d final states; reference %d", s.Complete, *s.FinalStates, len(ref.finals))
	case *s.States != int64(len(ref.states)):
		return fmt.Sprintf("states: %d states; reference %d", *s.States, len(ref.states))
	case !slices.Equal(findingsOf(s), all):
		return fmt.Sprintf("states: finds %v, reference %v", findingsOf(s), all)
	}
	for k := range 2 {
		b := must(Options{Strategy: Bounded(k), Classes: true})
		if want := ref.by[:min(len(ref.by), k+1)]; !slices.Equal(b.ByPreemptions, want) || *b.Traces != ref.within(k) {
			return fmt.Sprintf("bounded(%d): %v, %d classes; reference %v, %d", k, b.ByPreemptions, *b.Traces, want, ref.within(k))
		}
	}
	return ""
}
