package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"

	"smpsim/report"
)

// Schema names the form of results.json.
const Schema = "smpsim/results/v1"

// Results is what an experiment found: the content of results.json. Numbers are
// in the unit that stands beside them; keys come in a fixed order.
type Results struct {
	Schema     string `json:"schema"`
	Experiment string `json:"experiment"`
	// Digest is the SHA-256 of the rest, over its JSON with an empty digest.
	Digest       string              `json:"digest"`
	Runs         []RunResult         `json:"runs,omitempty"`
	Cells        []CellResult        `json:"cells,omitempty"`
	Explored     []ExploredResult    `json:"explored,omitempty"`
	Comparisons  []ComparisonResult  `json:"comparisons,omitempty"`
	Expectations []ExpectationResult `json:"expectations,omitempty"`
}

// RunResult is one replica of one cell.
type RunResult struct {
	ID      string  `json:"id"`
	Variant string  `json:"variant,omitempty"`
	Params  Ordered `json:"params"`
	Replica int     `json:"replica"`
	Seed    uint64  `json:"seed"`
	// Elapsed is the virtual time the run took, in ns; Ended says why it ended, and
	// Failure what broke, if anything did.
	Elapsed Number  `json:"elapsed_ns"`
	Ended   string  `json:"ended"`
	Failure string  `json:"failure,omitempty"`
	Metrics Ordered `json:"metrics"`
}

// Metric is one quantity of a run: a distribution, or a single value.
type Metric struct {
	Unit  string   `json:"unit"`
	Value *Number  `json:"value,omitempty"`
	Count *int64   `json:"count,omitempty"`
	Mean  *Number  `json:"mean,omitempty"`
	Min   *Number  `json:"min,omitempty"`
	P50   *Number  `json:"p50,omitempty"`
	P90   *Number  `json:"p90,omitempty"`
	P99   *Number  `json:"p99,omitempty"`
	P999  *Number  `json:"p999,omitempty"`
	Max   *Number  `json:"max,omitempty"`
	Log2  []Bucket `json:"log2,omitempty"`
}

// Bucket counts the samples from Min to Max, both included.
type Bucket struct {
	Min   int64 `json:"min"`
	Max   int64 `json:"max"`
	Count int64 `json:"count"`
}

// CellResult sums up the replicas of a cell.
type CellResult struct {
	Variant  string  `json:"variant,omitempty"`
	Params   Ordered `json:"params"`
	Replicas int     `json:"replicas"`
	// Metrics hold a CellMetric for each expression.
	Metrics Ordered `json:"metrics"`
}

// CellMetric is the mean of an expression over replicas, and half the width of its
// 95% confidence interval, left out for one replica.
type CellMetric struct {
	Unit string  `json:"unit"`
	Mean Number  `json:"mean"`
	CI95 *Number `json:"ci95,omitempty"`
}

// ComparisonResult is a published figure beside the predicted one.
type ComparisonResult struct {
	What      string  `json:"what"`
	Variant   string  `json:"variant,omitempty"`
	Minus     string  `json:"minus,omitempty"`
	Where     Ordered `json:"where"`
	Unit      string  `json:"unit"`
	Published Number  `json:"published"`
	Predicted Number  `json:"predicted"`
	Ratio     Number  `json:"ratio"`
	// Anchors are costs in the prediction that were given, not predicted.
	Anchors []string `json:"anchors,omitempty"`
}

// ExpectationResult says whether what had to hold did.
type ExpectationResult struct {
	What    string  `json:"what"`
	Variant string  `json:"variant,omitempty"`
	Over    string  `json:"over,omitempty"`
	Where   Ordered `json:"where"`
	Want    string  `json:"want"`
	// Got is a Number, or for what an exploration finds a text.
	Got  any `json:"got"`
	unit string
	OK   bool `json:"ok"`
}

// got is what was found, with its unit.
func (e *ExpectationResult) got() string {
	if n, ok := e.Got.(Number); ok {
		return report.Value(float64(n), e.unit)
	}
	return fmt.Sprint(e.Got)
}

// Number is a float that is written with six significant digits, integers whole:
// what a last bit could disturb is not shown.
type Number float64

// MarshalJSON writes the number as its String.
func (n Number) MarshalJSON() ([]byte, error) { return []byte(n.String()), nil }

func (n Number) String() string {
	f := float64(n)
	if f == float64(int64(f)) && f < 1<<53 && f > -1<<53 {
		return strconv.FormatInt(int64(f), 10)
	}
	short, err := strconv.ParseFloat(strconv.FormatFloat(f, 'e', 5, 64), 64)
	if err != nil {
		panic(fmt.Sprintf("experiment: number %v: %v", f, err))
	}
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// number returns a pointer to n, for fields that may be absent.
func number(f float64) *Number {
	n := Number(f)
	return &n
}

// Ordered is a JSON object that keeps the order of its keys.
type Ordered []Member

// Member is one key of an [Ordered].
type Member struct {
	Key   string
	Value any
}

// Get returns the value of a key, nil if it is absent.
func (o Ordered) Get(key string) any {
	for _, m := range o {
		if m.Key == key {
			return m.Value
		}
	}
	return nil
}

// MarshalJSON writes the members in order.
func (o Ordered) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		key, err := encode(m.Key)
		if err != nil {
			return nil, err
		}
		value, err := encode(m.Value)
		if err != nil {
			return nil, err
		}
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// encode is json.Marshal without the escapes for HTML.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}

// JSON returns the results as results.json holds them, digest included.
func (r *Results) JSON() ([]byte, error) {
	bare := *r
	bare.Digest = ""
	content, err := encode(&bare)
	if err != nil {
		return nil, err
	}
	r.Digest = digest(content)
	content, err = encode(r)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, content, "", " "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}
