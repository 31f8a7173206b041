package des_test

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// simulationTrees are the packages whose output must depend on the seed alone.
var simulationTrees = []string{"des", "cpus", "kernelmodel", "workloads"}

// forbidden are the calls that would make it depend on something else: the wall
// clock, a shared random source, or the processor's own rounding.
var forbidden = map[string][]string{
	"time":         {"Now", "Since", "Until", "After", "Tick", "NewTimer", "NewTicker", "Sleep", "AfterFunc"},
	"math":         {"Exp", "Exp2", "Expm1", "Log", "Log2", "Log10", "Log1p", "Pow", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Tanh", "Cbrt", "Gamma", "FMA"},
	"math/rand":    nil, // all of it: its global source is seeded by the runtime
	"crypto/rand":  nil,
	"math/rand/v2": {"Int", "IntN", "Int32", "Int32N", "Int64", "Int64N", "Uint32", "Uint32N", "Uint64", "Uint64N", "N", "Float32", "Float64", "NormFloat64", "ExpFloat64", "Perm", "Shuffle"},
}

// unordered is the comment that allows a range over a map, on the line above it.
const unordered = "order does not show"

// TestSimulationPackagesDependOnTheSeedAlone enforces what a reviewer would have
// to look for: no wall clock, no global random source, no goroutine, no range
// over a map, no function whose result differs between processors.
func TestSimulationPackagesDependOnTheSeedAlone(t *testing.T) {
	checker := newStyleChecker()
	for _, tree := range simulationTrees {
		seen := 0
		err := filepath.WalkDir(filepath.Join("..", tree), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() || d.Name() == "testdata" {
				return err
			}
			files, err := checker.check(path)
			seen += files
			return err
		})
		if err != nil {
			t.Error(err)
		} else if seen == 0 {
			t.Errorf("%s has no Go file: does the tree still have that name?", tree)
		}
	}
	for _, finding := range checker.findings {
		t.Error(finding)
	}
}

func TestStyleCheckFindsEachKindOfBreach(t *testing.T) {
	dir := t.TempDir()
	text := `package p
import ("maps"; "math"; "math/rand/v2"; "time"; old "math/rand")
type set map[int]bool
func f(m set, s []int, ch chan int) float64 {
	go f(nil, nil, nil)
	for range m {}
	for range maps.Keys(m) {}
	for range s {}
	// order does not show
	for range m {}
	_ = time.Now().Add(time.Second)
	_ = old.Int()
	_ = rand.New(rand.NewPCG(1, 2)).IntN(3)
	exp := math.Exp
	select { case <-ch: default: }
	return exp(math.Sqrt(2)) + float64(rand.IntN(3))
}
`
	if err := os.WriteFile(filepath.Join(dir, "p.go"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	checker := newStyleChecker()
	if _, err := checker.check(dir); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, finding := range checker.findings {
		_, what, _ := strings.Cut(finding, "p.go:")
		got = append(got, what)
	}
	want := []string{
		"2:53: imports math/rand", "5:2: starts a goroutine", "6:2: ranges over a map", "7:2: ranges over a map", "11:6: uses time.Now",
		"12:6: uses math/rand.Int", "14:9: uses math.Exp", "15:2: selects between channels", "16:37: uses math/rand/v2.IntN",
	}
	if !slices.Equal(got, want) {
		t.Errorf("found %q, want %q", got, want)
	}
}

type styleChecker struct {
	fset     *token.FileSet
	importer types.Importer
	findings []string
}

func newStyleChecker() *styleChecker {
	fset := token.NewFileSet()
	return &styleChecker{fset: fset, importer: importer.ForCompiler(fset, "source", nil)}
}

// check looks at the non-test files of one directory and returns how many there are.
func (c *styleChecker) check(dir string) (int, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return 0, err
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(c.fset, path, nil, parser.ParseComments)
		if err != nil {
			return 0, err
		}
		files = append(files, file)
	}
	if len(files) == 0 {
		return 0, nil
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: c.importer}
	if _, err := config.Check(dir, c.fset, files, info); err != nil {
		return 0, err
	}
	for _, file := range files {
		c.checkFile(file, info)
	}
	return len(files), nil
}

func (c *styleChecker) checkFile(file *ast.File, info *types.Info) {
	allowed := map[int]bool{}
	for _, group := range file.Comments {
		if strings.Contains(group.Text(), unordered) {
			allowed[c.fset.Position(group.End()).Line+1] = true
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ImportSpec:
			path := strings.Trim(n.Path.Value, `"`)
			if names, listed := forbidden[path]; listed && names == nil {
				c.report(n.Path, "imports "+path)
			}
		case *ast.GoStmt:
			c.report(n, "starts a goroutine")
		case *ast.SelectStmt:
			c.report(n, "selects between channels")
		case *ast.RangeStmt:
			if unsorted(n.X, info) && !allowed[c.fset.Position(n.Pos()).Line] {
				c.report(n, "ranges over a map")
			}
		case *ast.SelectorExpr:
			c.checkUse(n, info)
		}
		return true
	})
}

// unsorted reports whether x is a map, or a walk over one from package maps.
func unsorted(x ast.Expr, info *types.Info) bool {
	if _, ok := info.TypeOf(x).Underlying().(*types.Map); ok {
		return true
	}
	call, ok := x.(*ast.CallExpr)
	if !ok {
		return false
	}
	function, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	object := info.Uses[function.Sel]
	return object != nil && object.Pkg() != nil && object.Pkg().Path() == "maps"
}

// checkUse reports a forbidden package-level function, called or not.
func (c *styleChecker) checkUse(n *ast.SelectorExpr, info *types.Info) {
	pkg, ok := n.X.(*ast.Ident)
	if !ok {
		return
	}
	name, ok := info.Uses[pkg].(*types.PkgName)
	if !ok {
		return
	}
	path := name.Imported().Path()
	names, listed := forbidden[path]
	if listed && (names == nil || slices.Contains(names, n.Sel.Name)) {
		c.report(n, "uses "+path+"."+n.Sel.Name)
	}
}

func (c *styleChecker) report(n ast.Node, what string) {
	c.findings = append(c.findings, c.fset.Position(n.Pos()).String()+": "+what)
}
