package explore

import "fmt"

// raceDetector finds data races in the executions it is shown: two accesses to one
// object, at least one of them plain and at least one a write, that happens-before does
// not order. It keeps vector clocks, and for each object and kind of access the epoch
// of each agent's last one (after Flanagan and Freund, "FastTrack", PLDI 2009; one
// epoch an object would not do, for marked accesses may be concurrent without a race).
//
// An agent acquires what has been released into the object by then. That is a little
// more order than the kernel's memory model grants, where an acquire must read the
// release or what followed from it: a release counts until a write that is none
// overwrites it. A race that is hidden so shows in another interleaving.
type raceDetector struct {
	system System
	agents int
	// owner has in whose program each agent's steps count.
	owner []Agent
	// clocks has a vector clock for each agent; fence is what full fences released.
	clocks []uint32
	fence  []uint32
	// objects is indexed by object; an entry is of this execution if its generation is.
	objects    []raceObject
	generation uint32
	found      []*Finding
	told       map[raceKey]*Finding
}

// raceObject is what an execution did to an object so far.
type raceObject struct {
	generation uint32
	// done has a bit for each kind of access there was.
	done uint8
	// released says whether release holds something.
	released bool
	release  []uint32
	// last has, for each kind and agent, the last access.
	last []raceAccess
}

type raceAccess struct {
	epoch uint32
	label int32
}

// raceKey tells races apart.
type raceKey struct {
	object               int32
	label, other         int32
	labelKind, otherKind uint8
}

// Kinds of accesses: a bit for writes, a bit for plain ones.
const (
	writing = 1
	plain   = 2
	kinds   = 4
)

// races has, for each kind, a bit for each kind that it can race with.
var races = [kinds]uint8{
	0:               1 << (plain | writing),
	writing:         1<<plain | 1<<(plain|writing),
	plain:           1<<writing | 1<<(plain|writing),
	plain | writing: 1<<kinds - 1,
}

func newRaceDetector(s System) *raceDetector {
	n := s.Agents()
	d := &raceDetector{
		system: s, agents: n, owner: make([]Agent, n),
		clocks: make([]uint32, n*n), fence: make([]uint32, n), told: map[raceKey]*Finding{},
	}
	owned, _ := s.(Owned)
	for a := range d.owner {
		if d.owner[a] = Agent(a); owned != nil {
			d.owner[a] = owned.Owner(Agent(a))
		}
	}
	return d
}

// reset begins an execution.
func (d *raceDetector) reset() {
	clear(d.clocks)
	clear(d.fence)
	if d.generation++; d.generation == 0 {
		clear(d.objects)
		d.generation = 1
	}
}

// step is shown a step. It returns the races of it, valid until the next call.
func (d *raceDetector) step(a Agent, s *Step) []*Finding {
	d.found = d.found[:0]
	a = d.owner[a]
	clock := d.clocks[int(a)*d.agents : (int(a)+1)*d.agents]
	clock[a]++
	const both = Acquires | Releases
	if len(s.Objects) == 0 && len(s.Others) == 0 {
		if s.Access&both == both {
			joinEpochs(clock, d.fence)
			copy(d.fence, clock)
		}
		return d.found
	}
	for _, o := range s.Objects {
		d.acquire(clock, o, s.Access)
	}
	for _, o := range s.Others {
		d.acquire(clock, o.Object, o.Access)
	}
	for _, o := range s.Objects {
		d.access(a, clock, o, s.Access, s.Label)
	}
	for _, o := range s.Others {
		d.access(a, clock, o.Object, o.Access, s.Label)
	}
	return d.found
}

func (d *raceDetector) acquire(clock []uint32, object int32, access Access) {
	if o := d.object(object); access&Acquires != 0 && o.released {
		joinEpochs(clock, o.release)
	}
}

// access looks for races of an access, and keeps it and what it releases.
func (d *raceDetector) access(a Agent, clock []uint32, object int32, access Access, label int32) {
	o := d.object(object)
	if access&(Reads|Writes) != 0 {
		kind := uint8(0)
		if access&Writes != 0 {
			kind |= writing
		}
		if access&Plain != 0 {
			kind |= plain
		}
		if with := o.done & races[kind]; with != 0 {
			d.compare(o, a, clock, with, raceKey{object: object, label: label, labelKind: kind})
		}
		o.done |= 1 << kind
		o.last[int(kind)*d.agents+int(a)] = raceAccess{clock[a], label}
	}
	switch {
	case access&Releases != 0 && (!o.released || access&(Reads|Writes) == Writes):
		copy(o.release, clock)
		o.released = true
	case access&Releases != 0:
		joinEpochs(o.release, clock)
	case access&(Reads|Writes|Acquires) == Writes:
		o.released = false
	}
}

// compare finds the accesses of the kinds with, by others, that are not before clock.
func (d *raceDetector) compare(o *raceObject, a Agent, clock []uint32, with uint8, key raceKey) {
	for kind := range uint8(kinds) {
		if with&(1<<kind) == 0 {
			continue
		}
		for b, last := range o.last[int(kind)*d.agents : (int(kind)+1)*d.agents] {
			if Agent(b) != a && last.epoch > clock[b] {
				key.other, key.otherKind = last.label, kind
				d.found = append(d.found, d.finding(key))
			}
		}
	}
}

// object returns the entry of an object, made ready for this execution.
func (d *raceDetector) object(object int32) *raceObject {
	for int(object) >= len(d.objects) {
		d.objects = append(d.objects, raceObject{})
	}
	o := &d.objects[object]
	if o.generation != d.generation {
		if o.last == nil {
			o.last, o.release = make([]raceAccess, kinds*d.agents), make([]uint32, d.agents)
		}
		clear(o.last)
		o.generation, o.done, o.released = d.generation, 0, false
	}
	return o
}

// finding returns the finding for a race, the same whichever access came first.
func (d *raceDetector) finding(k raceKey) *Finding {
	if k.label > k.other || k.label == k.other && k.labelKind > k.otherKind {
		k.label, k.other, k.labelKind, k.otherKind = k.other, k.label, k.otherKind, k.labelKind
	}
	f := d.told[k]
	if f == nil {
		f = &Finding{Kind: DataRace, Label: k.label, What: fmt.Sprintf("%s: %s at %s and %s at %s", objectName(d.system, k.object),
			accessName(k.labelKind), stepName(d.system, k.label), accessName(k.otherKind), stepName(d.system, k.other))}
		d.told[k] = f
	}
	return f
}

func accessName(kind uint8) string {
	return [kinds]string{"marked read", "marked write", "plain read", "plain write"}[kind]
}

func joinEpochs(a, b []uint32) {
	for i, n := range b {
		a[i] = max(a[i], n)
	}
}
