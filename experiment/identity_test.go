package experiment

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/yamlfile"
)

const identityFile = `name: a
machine: {cpus: 4}
objects: {l: {spinlock: mcs}, w: {word: 0}, c: {counter: plain}, q: {workqueue: unbound}}
setup: [{in_flight: {sockets: 1}}, {bind: {abstract: 1}}]
tasks:
  load: {run: unix_dgram_sendmsg, messages: 5, think: exp(5us)}
  bound: {run: unix_bind_abstract, calls: 1}
  program: {do: [{lock: l}, {run: 100ns}, {unlock: l}]}
explore: {}
`

func canonicalOf(t *testing.T, text string, set ...string) string {
	t.Helper()
	e, err := Parse("f.yaml", []byte(text), Overrides{Set: set})
	if err != nil {
		t.Fatalf("%v:\n%v", set, err)
	}
	return string(e.Cells[0].Canonical())
}

// leaf is a path of identityFile that the schema has a value for.
type leaf struct {
	path string
	key  *key
}

// leaves lists the keys that lead to single values in a tree.
func leaves(at string, s *shape, n *yamlfile.Node) []leaf {
	var found []leaf
	below := func(keys []key) {
		for i := range keys {
			k := &keys[i]
			if part := join(at, k.name); k.shape.form >= formMapping && k.shape.form != formEither {
				found = append(found, leaves(part, k.shape, n.Get(k.name))...)
			} else {
				found = append(found, leaf{part, k})
			}
		}
	}
	switch s.form {
	case formMapping:
		below(s.keys)
	case formChoice:
		for _, a := range s.alternatives {
			if n.Get(a.name()) != nil {
				below(opened(a.keys, n))
			}
		}
	case formNamed:
		if n != nil {
			for _, pair := range n.Pairs {
				found = append(found, leaves(join(at, pair.Key.Text), s.item, pair.Value)...)
			}
		}
	case formList:
		if n != nil {
			for i, item := range n.Items {
				found = append(found, leaves(fmt.Sprintf("%s.%d", at, i), s.item, item)...)
			}
		}
	}
	return found
}

func identityLeaves(t *testing.T) (*yamlfile.Node, []leaf) {
	t.Helper()
	var problems yamlfile.Problems
	root := yamlfile.Parse("f.yaml", []byte(identityFile), &problems)
	found := leaves("", cellShape, root)
	if len(found) < 60 {
		t.Fatalf("only %d paths", len(found))
	}
	return root, found
}

func TestAWrittenDefaultGivesTheSameCell(t *testing.T) {
	root, found := identityLeaves(t)
	want := canonicalOf(t, identityFile)
	for _, l := range found {
		def := l.key.missing(env{explores: true})
		if def == "" || find(root, strings.Split(l.path, ".")) != nil {
			continue
		}
		if got := canonicalOf(t, identityFile, l.path+"="+def); got != want {
			t.Errorf("%s=%s:\ngot  %s\nwant %s", l.path, def, got, want)
		}
	}
}

func TestAnyOtherValueGivesAnotherCell(t *testing.T) {
	_, found := identityLeaves(t)
	seen := map[string]string{canonicalOf(t, identityFile): "the file itself"}
	for _, l := range found {
		value := otherValue(l)
		if value == "" {
			continue
		}
		canonical := canonicalOf(t, identityFile, l.path+"="+value)
		if before, again := seen[canonical]; again {
			t.Errorf("%s=%s gives the same cell as %s", l.path, value, before)
		}
		seen[canonical] = l.path + "=" + value
	}
	if len(seen) < 50 {
		t.Errorf("only %d values tried", len(seen))
	}
}

// otherValue is a value that identityFile does not have at a path, or empty where one
// alone would contradict the rest.
func otherValue(l leaf) string {
	switch l.key.name {
	case "script", "policy", "context", "interrupts", "on", "run", "arrival", "schedule", "preemptions", "depth", "priority", "every":
		return ""
	}
	s := l.key.shape
	if s.form == formEither {
		s = s.either[len(s.either)-1]
	}
	switch s.form {
	case formWord:
		return s.words[len(s.words)-1]
	case formText, formName:
		return "other"
	case formBool:
		return "true"
	case formCount:
		return fmt.Sprint(min(s.high, 17))
	case formSize:
		return "17"
	case formDuration, formDistribution:
		return "17ns"
	case formList:
		return "[1]"
	}
	return ""
}

func TestNamesPlotsAndLayoutDoNotChangeACell(t *testing.T) {
	want := canonicalOf(t, identityFile)
	for what, text := range map[string]string{
		"name and title": strings.Replace(identityFile, "name: a", "name: b\ntitle: c\nabout: d\nseed: 9\nreplicas: 3", 1),
		"variants":       identityFile + "variants: {v: {}, w: {machine.hz: 100}}\n",
		"figures": identityFile + "plots: [{histogram: x, file: x.png}]\ncompare: [{mean: x, published: 1us}]\n" +
			"expect: [{count: x, is: 1}]\n",
		"a sweep of one": strings.Replace(identityFile, "machine: {cpus: 4}", "sweep: {machine.cpus: [4]}", 1),
		"units":          strings.Replace(identityFile, "exp(5us)", "exp(0.005ms)", 1),
		"quotes":         strings.Replace(identityFile, "{lock: l}", `{"lock": 'l'}`, 1),
		"order of keys":  strings.Replace(identityFile, "run: unix_dgram_sendmsg, messages: 5", "messages: 5, run: unix_dgram_sendmsg", 1),
		"a reference":    strings.Replace(identityFile, "messages: 5", "messages: 5, count: $tasks.bound.calls", 1),
	} {
		if got := canonicalOf(t, text); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", what, got, want)
		}
	}
}

func TestMeasureChangesACellButNotItsOrder(t *testing.T) {
	one := canonicalOf(t, identityFile+"measure: [b, a, b]\n")
	if other := canonicalOf(t, identityFile+"measure: [a, b]\n"); one != other {
		t.Errorf("%s\n%s", one, other)
	}
	if none := canonicalOf(t, identityFile); one == none {
		t.Error("measure makes no difference")
	}
}

func TestIdsDifferBySeedAndByCell(t *testing.T) {
	e, err := Parse("f.yaml", []byte(identityFile+"sweep: {machine.hz: [100, 250]}\n"), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for i := range e.Cells {
		for seed := range uint64(3) {
			id := e.Cells[i].ID(seed)
			if id.Version() != 5 {
				t.Errorf("%s is a UUID of version %d", id, id.Version())
			}
			ids[id.String()] = true
		}
	}
	if len(ids) != 6 {
		t.Errorf("%d ids of 6 runs", len(ids))
	}
	if a, b := e.Cells[0].ID(1), e.Cells[0].ID(1); a != b {
		t.Errorf("%s, then %s", a, b)
	}
}

func TestReplicaSeedsAreDistinctAndBeginWithTheSeed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		if got := ReplicaSeed(seed, 0); got != seed {
			t.Fatalf("replica 0 has %d", got)
		}
		seen := map[uint64]bool{}
		for replica := range 1000 {
			seen[ReplicaSeed(seed, replica)] = true
		}
		if len(seen) != 1000 {
			t.Fatalf("%d seeds of 1000 replicas", len(seen))
		}
	})
}

// TestReplicaSeedsFollowSplitMix64 compares with the generator's published first
// outputs for state 1234567.
func TestReplicaSeedsFollowSplitMix64(t *testing.T) {
	for i, want := range []uint64{6457827717110365317, 3203168211198807973, 9817491932198370423} {
		if got := ReplicaSeed(1234567, i+1); got != want {
			t.Errorf("replica %d: got %d, want %d", i+1, got, want)
		}
	}
}

// TestTheSchemaIsWhole: every key is described, every default is allowed where it
// stands, and every form can be described and has a JSON Schema.
func TestTheSchemaIsWhole(t *testing.T) {
	seen := map[*shape]bool{}
	var visit func(s *shape)
	visitKeys := func(keys []key) {
		for i := range keys {
			k := &keys[i]
			if !strings.HasSuffix(k.doc, ".") {
				t.Errorf("key %s is not described by a sentence: %q", k.name, k.doc)
			}
			for _, e := range []env{{}, {timed: true}, {explores: true}} {
				if text := k.missing(e); text != "" {
					var problems yamlfile.Problems
					newChecker(&problems, false).byDefault(k.shape, text)
					if err := problems.Err(); err != nil {
						t.Errorf("the default of %s: %v", k.name, err)
					}
				}
			}
			visit(k.shape)
		}
	}
	visit = func(s *shape) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		if len(s.schema()) == 0 {
			t.Errorf("form %d has an empty schema", s.form)
		}
		visitKeys(s.keys)
		visit(s.item)
		visit(s.names)
		for _, a := range s.alternatives {
			visitKeys(a.keys)
			for _, word := range a.keys[0].shape.words {
				visitKeys(a.keys[0].shape.opens[word])
			}
		}
		for _, one := range s.either {
			if one.form != formWord && one.describe() == "" {
				t.Errorf("form %d has no description", one.form)
			}
			visit(one)
		}
	}
	visitKeys(fileKeys)
	visitKeys(cellKeys)
	if len(seen) < 50 {
		t.Errorf("only %d shapes", len(seen))
	}
}

func TestCanonicalFormIsTheSameEachTime(t *testing.T) {
	e, err := Parse("f.yaml", []byte(identityFile), Overrides{})
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(e.Cells[0].Canonical(), e.Cells[0].Canonical()) {
		t.Error("two calls differ")
	}
}
