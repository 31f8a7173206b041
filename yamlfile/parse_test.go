package yamlfile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"smpsim/yamlfile"
)

// TestFilesReadAsTrees runs the stories in testdata: each gives a file's text and
// expects its tree, with the place of every node, or the mistakes.
func TestFilesReadAsTrees(t *testing.T) {
	datadriven.Walk(t, "testdata/parse", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			var problems yamlfile.Problems
			var b strings.Builder
			switch d.Cmd {
			case "parse":
				dump(&b, yamlfile.Parse("f.yaml", []byte(d.Input), &problems), "")
			case "value":
				var column int
				d.ScanArgs(t, "column", &column)
				at := yamlfile.Pos{File: "--set a.b", Line: 1, Column: column}
				dump(&b, yamlfile.ParseValue(at, d.Input, &problems), "")
			default:
				t.Fatalf("command %q, expected parse or value", d.Cmd)
			}
			if err := problems.Err(); err != nil {
				fmt.Fprintln(&b, err)
			}
			return b.String()
		})
	})
}

func dump(b *strings.Builder, n *yamlfile.Node, indent string) {
	if n == nil {
		return
	}
	place := fmt.Sprintf("%d:%d", n.Pos.Line, n.Pos.Column)
	switch n.Kind {
	case yamlfile.Null:
		fmt.Fprintf(b, "%snull @%s\n", indent, place)
	case yamlfile.Scalar:
		fmt.Fprintf(b, "%s%q @%s\n", indent, n.Text, place)
	case yamlfile.Sequence:
		fmt.Fprintf(b, "%slist @%s\n", indent, place)
	case yamlfile.Mapping:
		fmt.Fprintf(b, "%smapping @%s\n", indent, place)
	}
	for _, item := range n.Items {
		dump(b, item, indent+"  ")
	}
	for _, pair := range n.Pairs {
		fmt.Fprintf(b, "%s  %s @%d:%d\n", indent, pair.Key.Text, pair.Key.Pos.Line, pair.Key.Pos.Column)
		dump(b, pair.Value, indent+"    ")
	}
}

func TestWhatIsNoFileIsSaidOfThePath(t *testing.T) {
	dir := t.TempDir()
	large := filepath.Join(dir, "large.yaml")
	if err := os.WriteFile(large, []byte(strings.Repeat("#\n", yamlfile.MaxBytes)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		dir:                           dir + ": is a directory, not a file",
		filepath.Join(dir, "no.yaml"): filepath.Join(dir, "no.yaml") + ": cannot read the file: no such file or directory",
		large:                         large + ": is larger than 1048576 bytes",
	} {
		var problems yamlfile.Problems
		if root := yamlfile.Load(path, &problems); root != nil {
			t.Errorf("%s: read as a tree", path)
		}
		if got := problems.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// TestHostileFilesAreRefusedQuickly feeds texts of the largest size that make naive
// readers slow or large.
func TestHostileFilesAreRefusedQuickly(t *testing.T) {
	bomb := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		bomb += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	fill := func(part string) string { return strings.Repeat(part, (yamlfile.MaxBytes-2)/len(part)) }
	for name, text := range map[string]string{
		"alias bomb":           bomb,
		"alias within itself":  "a: &a [b, *a]\n",
		"deep flow":            fill("["),
		"deep flow, closed":    strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		"deep block":           fill("- "),
		"many keys":            fill("a:\n"),
		"many items":           "[" + fill("x,") + "]",
		"split calls":          "[" + fill("f(,") + "]",
		"split calls, mapping": "{" + fill("a: f(, ") + "}",
	} {
		var problems yamlfile.Problems
		yamlfile.Parse("f.yaml", []byte(text), &problems)
		if problems.Len() == 0 {
			t.Errorf("%s: no mistake found", name)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"a: 1\nb: [x, {c: d}]\n", "{think: uniform(1us, 2us)}", "a: &a [*a]", "a: 1\na: 2", "? [x]\n: y",
		"a: !t 1\n---\nb", "\tx", "a: \"\\x\"", "- |\n  text\n- >-\n  folded", "<<: {a: b}", "# only\n", "a: b: c",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var problems yamlfile.Problems
		root := yamlfile.Parse("f.yaml", []byte(text), &problems)
		if root == nil && problems.Len() == 0 {
			t.Fatal("nothing read, and no mistake noted")
		}
		lines := strings.Count(text, "\n") + strings.Count(text, "\r") +
			strings.Count(text, "\u0085") + strings.Count(text, "\u2028") + strings.Count(text, "\u2029") + 2
		for _, problem := range problems.List() {
			if problem.Pos.Line < 1 || problem.Pos.Line > lines || problem.Pos.Column < 1 {
				t.Fatalf("place outside the text: %s", problem)
			}
		}
		if root != nil {
			_ = root.Flow()
		}
	})
}

func BenchmarkParse(b *testing.B) {
	text, err := os.ReadFile("../examples/af_unix_gc.yaml")
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var problems yamlfile.Problems
		if yamlfile.Parse("f.yaml", text, &problems); problems.Len() > 0 {
			b.Fatal(&problems)
		}
	}
}
