package experiment

import (
	"smpsim/yamlfile"
)

// Figure is a function of something measured, such as mean(unix_dgram_sendmsg).
type Figure struct {
	Func string // mean, p50, ..., cpu_time
	Arg  string // a metric, a lock, or an account of CPU time
}

// String spells the metric as files do.
func (m Figure) String() string { return m.Func + "(" + m.Arg + ")" }

// Amount is something to compare a figure with: a number, or a duration.
type Amount struct {
	Text   string // as written
	Time   bool
	PS     int64   // if Time: picoseconds
	Number float64 // if not
}

// PlotKind is what a picture shows.
type PlotKind string

const (
	HistogramPlot PlotKind = "histogram"
	LinePlot      PlotKind = "line"
	TimelinePlot  PlotKind = "timeline"
)

// Plot is a picture to draw.
type Plot struct {
	Kind PlotKind
	Pos  yamlfile.Pos
	File string // a plain name that ends in .png, unlike all others of the file

	Figure  Figure      // Line
	Samples string      // Histogram: the metric whose samples are counted
	X       string      // Line: a swept path whose values are all numbers
	By      string      // a curve for each variant ("variant"), for each value of a swept path, or one (empty)
	Variant string      // this variant alone, or empty for all
	Where   []Condition // these cells alone; with --set, none may be left

	FromPS, WindowPS int64 // Timeline: what is shown of the one cell that remains
}

// Compare is a published figure to print beside the predicted one.
type Compare struct {
	Figure    Figure
	Pos       yamlfile.Pos
	Variant   string // or empty for all
	Where     []Condition
	Published Amount
	Minus     string // the variant whose figure is subtracted first, or empty
}

// Expectation is something that must hold: of a figure, or of an exploration.
type Expectation struct {
	Pos     yamlfile.Pos
	Variant string // or empty for all
	Where   []Condition

	Figure      Figure // of a figure
	Over        string // the variant whose figure divides it first, or empty
	Is          *Amount
	WithinPPM   int64 // how far from Is the figure may be, in millionths of it
	AtLeast     *Amount
	AtMost      *Amount
	Exploration *ExpectedExploration // of an exploration; then the fields above are zero
}

// ExpectedExploration is what an exploration must find. Counts that do not matter are
// nil.
type ExpectedExploration struct {
	Finds         []string // exactly these kinds; empty but not nil for nothing; nil if it does not matter
	Traces        *int64
	Interleavings *int64
	Failing       *int64
	FinalStates   *int64
}

// byVariant is the by: that draws a curve for each variant.
const byVariant = "variant"
