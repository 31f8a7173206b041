package experiment

// BaseVariant is the name of the only variant of a file that declares none.
const BaseVariant = "base"

// Experiment is a file that was read without mistakes.
type Experiment struct {
	File  string // as it was given
	Name  string // names the output folder: letters, digits, dashes
	Title string
	About string

	Seed     uint64 // of replica 0; see ReplicaSeed
	Replicas int    // at least 1

	Variants []string // in file order; BaseVariant alone if the file has none
	Axes     []Axis   // the sweep, slowest first
	Cells    []Cell   // every variant at every point of the sweep, in that order

	Measure []string // metrics whose samples are kept
	Plots   []Plot
	Compare []Compare
	Expect  []Expectation
}

// Axis is a swept path.
type Axis struct {
	Path    string
	Values  []string // as written; a single reference ($path) if Derived
	Derived bool     // the value follows from another path, so it multiplies nothing
}

// Param is the value that a swept path has in one cell.
type Param struct {
	Path    string
	Value   string // as written, on one line; a reference is replaced by what it refers to
	Derived bool   // as of its Axis
}

// Cell is one resolved description of a machine, its load and its end. Cells share
// what they have in common; nothing in them may be changed.
type Cell struct {
	Variant string
	Params  []Param // one for each Axis, in its order

	Machine Machine
	Kernel  Kernel
	Objects []Object // in file order, as Setup and Tasks
	Setup   []SetupStep
	Tasks   []Task
	Stop    Stop
	Check   Check
	Explore *Explore // nil if the file does not explore

	measure  []string
	inputs   []input
	resolved *value
}

// Condition wants a swept path to have a value.
type Condition struct {
	Path, Value string
}

// Param is the value of a swept path in this cell.
func (c *Cell) Param(path string) (string, bool) {
	for i := range c.Params {
		if c.Params[i].Path == path {
			return c.Params[i].Value, true
		}
	}
	return "", false
}

// Matches reports whether the cell is of the variant, or of any if that is empty, and
// meets all conditions.
func (c *Cell) Matches(variant string, where []Condition) bool {
	if variant != "" && variant != c.Variant {
		return false
	}
	for _, condition := range where {
		if value, ok := c.Param(condition.Path); !ok || value != condition.Value {
			return false
		}
	}
	return true
}

// Overrides change a file from outside, as options of the command line do.
type Overrides struct {
	Set  []string // path=value, applied to the file before variants and sweep
	Seed *uint64  // in place of the file's
}
