package workloads

import (
	"maps"
	"slices"

	"smpsim/yamlfile"
)

// object reads the name of an object of the kinds that an operation takes.
func (r *reader) object(v *verb, n *yamlfile.Node) (int, bool) {
	name, ok := n.Str(r.c.problems, v.name)
	if !ok {
		return 0, false
	}
	return r.c.object(n.Pos, v.name, name, v.kinds)
}

// wait reads {queue: q, until: condition}.
func (r *reader) wait(s *step) bool {
	v := s.verb
	pairs, ok := s.value.Mapping(r.c.problems, v.name)
	if !ok {
		return false
	}
	keys := []string{"queue", "until"}
	for _, pair := range pairs {
		if !slices.Contains(keys, pair.Key.Text) {
			r.c.problems.AddUnknown(pair.Key.Pos, v.name+": unknown key "+quote(pair.Key.Text), pair.Key.Text, keys)
			ok = false
		}
	}
	for _, key := range keys {
		n := s.value.Get(key)
		if n == nil {
			r.c.problems.Addf(s.value.Pos, "%s: %s is missing: write %s", v.name, key, v.example())
			ok = false
			continue
		}
		if key == "queue" {
			var isQueue bool
			s.object, isQueue = r.object(v, n)
			ok = ok && isQueue
			continue
		}
		s.condition = r.formula(n, v.name, 1)
		ok = ok && s.condition != nil
	}
	return ok
}

// task reads the name of a task that can be started or joined.
func (r *reader) task(v *verb, n *yamlfile.Node) (int, bool) {
	name, ok := n.Str(r.c.problems, v.name)
	if !ok {
		return 0, false
	}
	i, ok := r.c.tasks[name]
	if !ok {
		var names []string
		for _, t := range r.c.src.Tasks {
			if v.name != "start" || t.Manual {
				names = append(names, t.Name)
			}
		}
		r.c.problems.AddUnknown(n.Pos, v.name+": no task is called "+quote(name), name, names)
		return 0, false
	}
	if t := &r.c.src.Tasks[i]; v.name == "start" && !t.Manual {
		r.c.problems.Addf(n.Pos, "%s: %s starts by itself: it needs start: manual", v.name, name)
		return 0, false
	}
	if v.name == "join" && !r.program.work && r.program.Name == name {
		r.c.problems.Addf(n.Pos, "%s: a task cannot wait for its own end", v.name)
		return 0, false
	}
	return i, true
}

// word reads a name, or one of the words that an operation knows.
func (r *reader) word(v *verb, n *yamlfile.Node) (string, bool) {
	if v.words != nil {
		return n.OneOf(r.c.problems, v.name, v.words)
	}
	name, ok := n.Str(r.c.problems, v.name)
	if ok && !isName(name) {
		r.c.problems.Addf(n.Pos, "%s: %q is not a name: letters, digits and underscores", v.name, name)
		ok = false
	}
	return name, ok
}

// call reads {name: arguments} of a system call.
func (r *reader) call(s *step) bool {
	if len(r.c.src.Syscalls) == 0 {
		r.c.problems.Addf(s.place.pos, "call: is not available in this version")
		return false
	}
	pairs, ok := s.value.Mapping(r.c.problems, s.verb.name)
	if !ok {
		return false
	}
	if len(pairs) != 1 {
		r.c.problems.Addf(s.value.Pos, "call: expected one system call, found %d", len(pairs))
		return false
	}
	key := pairs[0].Key
	syscall, ok := r.c.src.Syscalls[key.Text]
	if !ok {
		names := slices.Sorted(maps.Keys(r.c.src.Syscalls))
		r.c.problems.AddUnknown(key.Pos, "call: unknown system call "+quote(key.Text), key.Text, names)
		return false
	}
	s.word = key.Text
	s.call = syscall(pairs[0].Value, r.c.problems)
	return s.call != nil
}
