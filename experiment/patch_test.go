package experiment

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"smpsim/yamlfile"
)

// TestPatchesReplaceWhatTheyCoverAndNothingElse compares patched trees with a flat list
// of paths and values, from which a patch removes all that it covers.
func TestPatchesReplaceWhatTheyCoverAndNothingElse(t *testing.T) {
	paths := []string{
		"machine", "machine.hz", "machine.scheduler", "machine.scheduler.slice", "machine.costs.dram",
		"kernel.af_unix", "kernel.af_unix.gc", "kernel.inet.base", "stop.after", "tasks.t", "tasks.t.count",
	}
	rapid.Check(t, func(t *rapid.T) {
		var problems yamlfile.Problems
		base := yamlfile.Parse("f.yaml", []byte("machine: {hz: 1, costs: {dram: 2, l1: 3}}\ntasks: {t: {count: 4, nice: 5}, u: {}}\n"), &problems)
		before := base.Flow()
		tree, reference := base, flatten(base)
		for i := range rapid.IntRange(1, 12).Draw(t, "patches") {
			text := rapid.SampledFrom(paths).Draw(t, "path")
			if blocked(reference, text) {
				continue
			}
			p, ok := checkPath(text, yamlfile.Pos{}, &problems)
			if !ok {
				t.Fatal(problems.Err())
			}
			value := fmt.Sprint(100 + i)
			tree = patch{path: p, value: &yamlfile.Node{Kind: yamlfile.Scalar, Text: value}}.apply(tree, &problems)
			maps.DeleteFunc(reference, func(at, _ string) bool { return at == text || strings.HasPrefix(at, text+".") })
			reference[text] = value
		}
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if got := flatten(tree); !maps.Equal(got, reference) {
			t.Fatalf("got  %v\nwant %v", got, reference)
		}
		if base.Flow() != before {
			t.Fatalf("the file's own tree changed: %s", base.Flow())
		}
	})
}

// blocked reports whether a scalar stands where the path leads through, which leaves the
// tree as it is.
func blocked(reference map[string]string, text string) bool {
	for at := range reference {
		if strings.HasPrefix(text, at+".") {
			return true
		}
	}
	return false
}

// flatten is the scalars of a tree by their paths.
func flatten(n *yamlfile.Node) map[string]string {
	flat := make(map[string]string)
	var walk func(at string, n *yamlfile.Node)
	walk = func(at string, n *yamlfile.Node) {
		if n.Kind == yamlfile.Scalar {
			flat[at] = n.Text
		}
		for _, pair := range n.Pairs {
			walk(join(at, pair.Key.Text), pair.Value)
		}
	}
	walk("", n)
	return flat
}
