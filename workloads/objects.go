package workloads

import (
	"slices"

	"smpsim/kernelmodel"
	"smpsim/yamlfile"
)

// ObjectKind says what an object of an experiment is, as its file spells it.
type ObjectKind string

// Kinds of objects.
const (
	Spinlock  ObjectKind = "spinlock"
	Mutex     ObjectKind = "mutex"
	RWLock    ObjectKind = "rwlock"
	Seqlock   ObjectKind = "seqlock"
	Word      ObjectKind = "word"
	Counter   ObjectKind = "counter"
	WaitQueue ObjectKind = "waitqueue"
	Event     ObjectKind = "event"
	WorkItem  ObjectKind = "work"
	Workqueue ObjectKind = "workqueue"
	Semaphore ObjectKind = "semaphore"
)

// objectKinds are all kinds, with the further keys that an object of each may have.
var objectKinds = []struct {
	kind ObjectKind
	keys []string
}{
	{Spinlock, nil},
	{Mutex, nil},
	{RWLock, nil},
	{Seqlock, nil},
	{Word, []string{"line"}},
	{Counter, []string{"value", "line"}},
	{WaitQueue, nil},
	{Event, nil},
	{WorkItem, []string{"on"}},
	{Workqueue, []string{"max_active"}},
	{Semaphore, nil},
}

// Object is a declared object: what a run makes a live one from.
type Object struct {
	Name string
	Kind ObjectKind
	Pos  yamlfile.Pos

	lock      string  // of a spinlock, how it is built
	values    []int64 // of words; a counter and a semaphore have one
	array     bool
	first     int // of words, the first one's number among all words
	atomic    bool
	line      string
	node      *yamlfile.Node // of a work item's steps
	program   *Program       // of a work item
	on        *yamlfile.Node // of a work item, its workqueue; nil for the system's unbound one
	queue     int            // the number of that workqueue, or -1
	perCPU    bool
	maxActive int
}

// Program returns the program of a work item, nil for other objects.
func (o *Object) Program() *Program { return o.program }

// Limits of objects.
const (
	maxElements  = 1 << 16
	maxMaxActive = 2048 // the kernel's WQ_MAX_ACTIVE
	// defaultMaxActive is the kernel's WQ_DFL_ACTIVE before v6.14.
	defaultMaxActive = 256
	// maxValue keeps values that files give apart from overflow, and exact in JSON.
	maxValue = 1 << 53
)

// readObjects reads the mapping of objects. Names are checked for what
// expressions can spell.
func readObjects(n *yamlfile.Node, problems *yamlfile.Problems) []*Object {
	if n == nil {
		return nil
	}
	pairs, ok := n.Mapping(problems, "objects")
	if !ok {
		return nil
	}
	objects := make([]*Object, 0, len(pairs))
	for _, pair := range pairs {
		if !isName(pair.Key.Text) {
			problems.Addf(pair.Key.Pos, "objects: %q is not a name: letters, digits and underscores", pair.Key.Text)
			continue
		}
		if pair.Key.Text == selfName {
			problems.Addf(pair.Key.Pos, "objects: %s is the number of a task, in expressions", selfName)
			continue
		}
		if o := readObject(pair.Key.Text, pair.Value, problems); o != nil {
			objects = append(objects, o)
		}
	}
	findQueues(objects, problems)
	return objects
}

func isName(text string) bool {
	return text != "" && isLetter(text[0]) && span(text, func(c byte) bool { return isLetter(c) || isDigit(c) }) == len(text)
}

// readObject reads one object. What is wrong with it beyond its kind does not keep
// it from being known: its uses are checked all the same.
func readObject(name string, n *yamlfile.Node, problems *yamlfile.Problems) *Object {
	what := "objects." + name
	pairs, ok := n.Mapping(problems, what)
	if !ok {
		return nil
	}
	kinds := make([]string, 0, len(objectKinds))
	o := &Object{Name: name, Pos: n.Pos, queue: -1, maxActive: defaultMaxActive}
	var decided *yamlfile.Node
	allowed := []string(nil)
	for _, k := range objectKinds {
		kinds = append(kinds, string(k.kind))
		given := n.Get(string(k.kind))
		switch {
		case given == nil:
		case decided != nil:
			problems.Addf(n.Pos, "%s: is both %s and %s: one of them", what, o.Kind, k.kind)
		default:
			decided, o.Kind = given, k.kind
			allowed = append([]string{string(k.kind)}, k.keys...)
		}
	}
	if decided == nil {
		if len(pairs) > 0 {
			key := pairs[0].Key
			problems.AddUnknown(key.Pos, what+": unknown kind "+quote(key.Text), key.Text, kinds)
			return nil
		}
		problems.Add(n.Pos, yamlfile.Mistake{Message: what + ": does not say what it is", Allowed: kinds})
		return nil
	}
	for _, pair := range pairs {
		if !slices.Contains(allowed, pair.Key.Text) && !slices.Contains(kinds, pair.Key.Text) {
			problems.AddUnknown(pair.Key.Pos, "unknown key "+quote(pair.Key.Text)+" in "+what, pair.Key.Text, allowed)
		}
	}
	o.read(n, decided, problems)
	return o
}

// read reads what an object of its kind says of itself.
func (o *Object) read(n, value *yamlfile.Node, problems *yamlfile.Problems) {
	what := "objects." + o.Name + "." + string(o.Kind)
	o.values = []int64{0}
	switch o.Kind {
	case Spinlock:
		o.lock, _ = value.OneOf(problems, what, kernelmodel.SpinlockKinds)
	case Word:
		o.readValues(value, what, problems)
	case Counter:
		how, _ := value.OneOf(problems, what, []string{"plain", "atomic"})
		o.atomic = how == "atomic"
		if first := n.Get("value"); first != nil {
			o.values[0], _ = first.Int(problems, "objects."+o.Name+".value", -maxValue, maxValue)
		}
	case WorkItem:
		o.node = value
		o.on = n.Get("on")
	case Workqueue:
		how, _ := value.OneOf(problems, what, []string{"unbound", "percpu"})
		o.perCPU = how == "percpu"
		if most := n.Get("max_active"); most != nil {
			if v, ok := most.Int(problems, "objects."+o.Name+".max_active", 1, maxMaxActive); ok {
				o.maxActive = int(v)
			}
		}
	case Semaphore:
		o.values[0], _ = value.Int(problems, what, 0, maxValue)
	default:
		if value.Kind != yamlfile.Mapping || len(value.Pairs) > 0 {
			problems.Addf(value.Pos, "%s: has nothing to say: write {}", what)
		}
	}
	if line := n.Get("line"); line != nil {
		o.line, _ = line.Str(problems, "objects."+o.Name+".line")
	}
}

func (o *Object) readValues(value *yamlfile.Node, what string, problems *yamlfile.Problems) {
	if value.Kind != yamlfile.Sequence {
		o.values[0], _ = value.Int(problems, what, -maxValue, maxValue)
		return
	}
	o.array = true
	if n := len(value.Items); n == 0 || n > maxElements {
		problems.Addf(value.Pos, "%s: an array has 1 to %d elements, this one %d", what, maxElements, n)
		return
	}
	o.values = make([]int64, len(value.Items))
	for i, item := range value.Items {
		o.values[i], _ = item.Int(problems, what+"."+itoa(int64(i)), -maxValue, maxValue)
	}
}

// findQueues resolves the workqueues of work items.
func findQueues(objects []*Object, problems *yamlfile.Problems) {
	var queues []string
	numbers := make(map[string]int)
	for i, o := range objects {
		if o.Kind == Workqueue {
			queues = append(queues, o.Name)
			numbers[o.Name] = i
		}
	}
	for _, o := range objects {
		if o.on == nil {
			continue
		}
		what := "objects." + o.Name + ".on"
		if name, ok := o.on.Str(problems, what); ok {
			if o.queue, ok = numbers[name]; !ok {
				problems.AddUnknown(o.on.Pos, what+": "+quote(name)+" is not a workqueue", name, queues)
			}
		}
	}
}

// isWords reports whether the object is memory that expressions can read.
func (o *Object) isWords() bool { return o.Kind == Word || o.Kind == Counter }

// noun is what the object is called in messages.
func (o *Object) noun() string {
	if o.array {
		return "array"
	}
	return o.Kind.noun()
}

func (k ObjectKind) noun() string {
	switch k {
	case WorkItem:
		return "work item"
	case WaitQueue:
		return "wait queue"
	default:
		return string(k)
	}
}
