package explore_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"smpsim/explore"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

// file is an experiment file, as far as explorations need it.
type file struct {
	root *yamlfile.Node
	name string
}

func readFile(t testing.TB, path string) *file {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return parseFile(t, path, string(text))
}

// exampleFiles are the examples that are explored, but for those whose programs call a
// kernel model: package experiment has the models.
func exampleFiles(t testing.TB) []*file {
	t.Helper()
	paths, err := filepath.Glob("../examples/explore_*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var files []*file
	for _, path := range paths {
		if f := readFile(t, path); f.root.Get("kernel") == nil {
			files = append(files, f)
		}
	}
	if len(files) < 10 {
		t.Fatalf("%d examples of %d", len(files), len(paths))
	}
	return files
}

func parseFile(t testing.TB, name, text string) *file {
	t.Helper()
	var problems yamlfile.Problems
	root := yamlfile.Parse(name, []byte(text), &problems)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return &file{root: root, name: name}
}

// program makes the text of a file ready to be explored.
func program(t testing.TB, text string) *explore.Program {
	t.Helper()
	return parseFile(t, "f.yaml", text).program(t, "")
}

// variants are the names of the file's variants, or one empty name.
func (f *file) variants() []string {
	names := []string{""}
	if v := f.root.Get("variants"); v != nil {
		names = nil
		for _, pair := range v.Pairs {
			names = append(names, pair.Key.Text)
		}
	}
	return names
}

// patched returns the file with a variant's patches applied: each replaces the value
// at its dotted path.
func (f *file) patched(variant string) *yamlfile.Node {
	root := f.root
	if variant == "" {
		return root
	}
	for _, pair := range root.Get("variants").Get(variant).Pairs {
		root = replaced(root, strings.Split(pair.Key.Text, "."), pair.Value)
	}
	return root
}

func replaced(n *yamlfile.Node, path []string, value *yamlfile.Node) *yamlfile.Node {
	if len(path) == 0 {
		return value
	}
	changed := &yamlfile.Node{Kind: yamlfile.Mapping}
	if n != nil {
		*changed = *n
		changed.Pairs = slices.Clone(n.Pairs)
	}
	for i, pair := range changed.Pairs {
		if pair.Key.Text == path[0] {
			changed.Pairs[i].Value = replaced(pair.Value, path[1:], value)
			return changed
		}
	}
	key := &yamlfile.Node{Kind: yamlfile.Scalar, Text: path[0]}
	changed.Pairs = append(changed.Pairs, yamlfile.Pair{Key: key, Value: replaced(nil, path[1:], value)})
	return changed
}

// program makes a variant of the file ready to be explored.
func (f *file) program(t testing.TB, variant string) *explore.Program {
	t.Helper()
	p, err := explore.NewProgram(f.spec(t, variant))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func (f *file) spec(t testing.TB, variant string) explore.ProgramSpec {
	t.Helper()
	root := f.patched(variant)
	var problems yamlfile.Problems
	src := &workloads.Source{Objects: root.Get("objects")}
	spec := explore.ProgramSpec{TSO: text(root.Get("explore"), "memory", "sc") == "tso"}
	for _, pair := range root.Get("tasks").Pairs {
		n := pair.Value
		task := workloads.TaskSource{Name: pair.Key.Text, Pos: pair.Key.Pos, Count: int(number(n, "count")), Loop: number(n, "loop")}
		task.Steps, _ = n.Get("do").Sequence(&problems, "do")
		about := explore.ProgramTask{
			Name: task.Name, Kthread: text(n, "kthread", "false") == "true", Manual: text(n, "start", "") == "manual",
			Interrupts: text(n, "interrupts", ""),
		}
		task.Manual = about.Manual
		switch text(n, "context", "task") {
		case "softirq":
			about.Context = explore.InSoftIRQ
		case "hardirq":
			about.Context = explore.InHardIRQ
		}
		if about.Context != explore.InTask {
			about.Arrivals, task.Loop = task.Loop, 1
		}
		src.Tasks = append(src.Tasks, task)
		spec.Tasks = append(spec.Tasks, about)
	}
	if check := root.Get("check"); check != nil {
		for name, list := range map[string]*[]*yamlfile.Node{"always": &src.Always, "finally": &src.Finally, "never": &src.Never} {
			if n := check.Get(name); n != nil {
				*list = n.Items
			}
		}
	}
	spec.Workload = workloads.Compile(src, &problems)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return spec
}

func text(n *yamlfile.Node, key, otherwise string) string {
	if n == nil || n.Get(key) == nil {
		return otherwise
	}
	return n.Get(key).Text
}

// number is a count of a task, 1 if left out.
func number(n *yamlfile.Node, key string) int64 {
	switch s := text(n, key, "1"); s {
	case "forever":
		return workloads.Forever
	default:
		value, err := yamlfile.ParseCount(s)
		if err != nil {
			panic(err)
		}
		return value
	}
}
