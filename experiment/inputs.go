package experiment

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"smpsim/yamlfile"
)

// input is a file that a cell's results depend on: a preset of the user's, or the
// durations of an empirical distribution. Its content is part of the cell's identity.
type input struct {
	name   string // as the experiment spells it
	digest string
}

// identify reads what the cells' other files hold. One that cannot be read is passed
// over: whoever makes the cell ready to run reports it.
func (x *Experiment) identify() {
	digests := map[string]string{}
	for i := range x.Cells {
		c := &x.Cells[i]
		c.eachFile(func(n *yamlfile.Node, name string) {
			path := beside(n, name)
			digest, known := digests[path]
			if !known {
				digest, _ = fileDigest(path)
				digests[path] = digest
			}
			if in := (input{name, digest}); digest != "" && !slices.Contains(c.inputs, in) {
				c.inputs = append(c.inputs, in)
			}
		})
	}
}

// eachFile calls f for every file that the cell names, and the node that names it.
func (c *Cell) eachFile(f func(n *yamlfile.Node, name string)) {
	if isFile(c.Machine.Preset) {
		f(c.node("machine", "preset"), c.Machine.Preset)
	}
	var walk func(n *yamlfile.Node)
	walk = func(n *yamlfile.Node) {
		if n.Kind == yamlfile.Scalar && strings.HasPrefix(n.Text, string(yamlfile.Empirical)) {
			if d, err := yamlfile.ParseDistribution(n.Text); err == nil && d.Kind == yamlfile.Empirical {
				f(n, d.File)
			}
		}
		for _, item := range n.Items {
			walk(item)
		}
		for _, pair := range n.Pairs {
			walk(pair.Value)
		}
	}
	for _, part := range []string{"objects", "tasks"} {
		if n := c.node(part); n != nil {
			walk(n)
		}
	}
}

// isFile reports whether a preset is a file rather than the name of a built-in one.
func isFile(preset string) bool { return strings.ContainsAny(preset, "/.") }

// beside is the path of a file that a node names: it is found beside the file that
// the node stands in, or, on the command line, in the working directory.
func beside(n *yamlfile.Node, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(filepath.Dir(n.Pos.File), name)
}

// fileDigest names the content of a regular file by its SHA-256.
func fileDigest(path string) (string, error) {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return "sha256:" + hex.EncodeToString(h.Sum(nil)), nil
}
