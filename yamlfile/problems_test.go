package yamlfile_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/yamlfile"
)

func TestMistakesPrintInTheOrderOfTheFileOnceEach(t *testing.T) {
	var problems yamlfile.Problems
	at := func(line, column int) yamlfile.Pos { return yamlfile.Pos{File: "f.yaml", Line: line, Column: column} }
	problems.Addf(at(7, 2), "last")
	problems.AddUnknown(at(3, 9), `unknown key "cpu"`, "cpu", []string{"cpus", "hz"})
	problems.Addf(at(3, 1), "first of line 3")
	problems.Addf(at(7, 2), "last")
	problems.Addf(yamlfile.Pos{File: "f.yaml"}, "of the whole file")
	want := `f.yaml: of the whole file
f.yaml:3:1: first of line 3
f.yaml:3:9: unknown key "cpu"; did you mean "cpus"?; allowed: cpus, hz
f.yaml:7:2: last`
	if got := problems.Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestNoMistakeIsNoError(t *testing.T) {
	var problems yamlfile.Problems
	if err := problems.Err(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestManyMistakesAreCutShort(t *testing.T) {
	var problems yamlfile.Problems
	for i := range 3 * yamlfile.MaxProblems {
		problems.Addf(yamlfile.Pos{File: "f", Line: i + 1, Column: 1}, "wrong")
	}
	if got := len(strings.Split(problems.Error(), "\n")); got != yamlfile.MaxProblems+1 {
		t.Errorf("%d lines", got)
	}
}

func TestGettersSayWhatWasFoundAndWhatWasExpected(t *testing.T) {
	text := `
count: many
low: 0
high: 17
negative: -1
list: [a]
mapping: {a: b}
none:
old: yes
word: inlin
late: 3s
think: exp(5)
`
	var problems yamlfile.Problems
	root := yamlfile.Parse("f.yaml", []byte(text), &problems)
	root.Get("count").Int(&problems, "count", 1, 16)
	root.Get("low").Int(&problems, "low", 1, 16)
	root.Get("high").Int(&problems, "high", 1, 16)
	root.Get("negative").Int(&problems, "negative", 0, 16)
	root.Get("list").Mapping(&problems, "list")
	root.Get("mapping").Sequence(&problems, "mapping")
	root.Get("mapping").Str(&problems, "mapping")
	root.Get("none").Int(&problems, "none", 1, 16)
	root.Get("old").Bool(&problems, "old")
	root.Get("word").OneOf(&problems, "word", []string{"inline", "worker"})
	root.Get("late").Duration(&problems, "late", 0, 1e12)
	root.Get("think").Distribution(&problems, "think")
	want := `f.yaml:2:8: count: "many" is not a number
f.yaml:3:6: low: "0" is below 1; allowed: 1 to 16
f.yaml:4:7: high: "17" is above 16; allowed: 1 to 16
f.yaml:5:11: negative: "-1" is negative; allowed: 0 to 16
f.yaml:6:7: list: expected a mapping, found a list
f.yaml:7:10: mapping: expected a list, found a mapping
f.yaml:7:10: mapping: expected a text, found a mapping
f.yaml:8:6: none: has no value, expected a whole number
f.yaml:9:6: old: "yes" is not allowed here; allowed: true, false
f.yaml:10:7: word: "inlin" is not allowed here; did you mean "inline"?; allowed: inline, worker
f.yaml:11:7: late: "3s" is above 1s; allowed: 0ns to 1s
f.yaml:12:8: think: "5" has no unit, and a duration needs one; allowed: ps, ns, us, ms, s`
	if got := problems.Error(); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestGettersReadWhatIsRight(t *testing.T) {
	var problems yamlfile.Problems
	root := yamlfile.Parse("f.yaml", []byte(`{n: 32Ki, d: 2us, b: 1MiB, f: 3GHz, p: 0.5%, x: 1.5, t: true, w: a, e: exp(5us)}`), &problems)
	var got []any
	add := func(v any, ok bool) { got = append(got, v, ok) }
	n, ok := root.Get("n").Int(&problems, "n", 0, 1<<20)
	add(n, ok)
	n, ok = root.Get("d").Duration(&problems, "d", 0, 1e12)
	add(n, ok)
	n, ok = root.Get("b").Bytes(&problems, "b", 0, 1<<30)
	add(n, ok)
	n, ok = root.Get("f").Frequency(&problems, "f")
	add(n, ok)
	n, ok = root.Get("p").Percent(&problems, "p")
	add(n, ok)
	x, ok := root.Get("x").Number(&problems, "x")
	add(x, ok)
	truth, ok := root.Get("t").Bool(&problems, "t")
	add(truth, ok)
	word, ok := root.Get("w").OneOf(&problems, "w", []string{"a"})
	add(word, ok)
	e, ok := root.Get("e").Distribution(&problems, "e")
	add(e, ok)
	want := "[32768 true 2000000 true 1048576 true 3000000000 true 5000 true 1.5 true true true a true exp(5us) true]"
	if fmt.Sprint(got) != want || problems.Len() > 0 {
		t.Errorf("got  %v %v\nwant %s", got, problems.Err(), want)
	}
}

func TestNearestFindsSlipsAndNothingElse(t *testing.T) {
	keys := []string{"preset", "cpus", "hz", "costs", "scheduler", "unix_dgram_sendmsg"}
	for name, want := range map[string]string{
		"cpu": "cpus", "CPUS": "cpus", "csots": "costs", "schedular": "scheduler", "presets": "preset",
		"sendmsg": "unix_dgram_sendmsg", "memory": "", "": "", "cores": "", strings.Repeat("x", 100): "",
	} {
		if got := yamlfile.Nearest(name, keys); got != want {
			t.Errorf("%q: got %q, want %q", name, got, want)
		}
	}
}

// TestNearestMinimisesTheEditDistance compares with a distance computed by its
// definition, on words short enough for that.
func TestNearestMinimisesTheEditDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[ab]{3,6}`)
		name, candidates := word.Draw(t, "name"), rapid.SliceOfN(word, 1, 4).Draw(t, "candidates")
		best, bestDistance := "", len(name)/3+1
		for _, candidate := range candidates {
			if d := slowDistance(name, candidate); d < bestDistance {
				best, bestDistance = candidate, d
			}
		}
		if best == "" {
			return
		}
		if got := yamlfile.Nearest(name, candidates); got != best {
			t.Fatalf("%s of %v: got %q, want %q", name, candidates, got, best)
		}
	})
}

func slowDistance(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	cost := 1
	if a[0] == b[0] {
		cost = 0
	}
	d := min(slowDistance(a[1:], b)+1, slowDistance(a, b[1:])+1, slowDistance(a[1:], b[1:])+cost)
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		d = min(d, slowDistance(a[2:], b[2:])+1)
	}
	return d
}
