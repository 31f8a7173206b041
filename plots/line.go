package plots

import (
	"encoding/csv"
	"fmt"
	"slices"
)

// Line shows how a quantity depends on a number, one line a series. The y axis
// starts at zero. The x axis is logarithmic when the values of x mostly grow by
// a factor (1, 2, 4, 8, ...), and has its ticks at those values.
type Line struct {
	Head
	X, Y Axis
	// Errors says what the error bars show, "95% CI of 5 runs". It is required
	// if there are any.
	Errors string
	// Series are told apart by colour, marker and dashes. Up to five have their
	// names at the ends of their lines, more, up to 64, have a legend.
	Series []LineSeries
}

// LineSeries is one line.
type LineSeries struct {
	Name string
	// Points may come in any order. Where another series has a value of x that
	// this one lacks, its line has a gap.
	Points []Point
}

// Point is a measured value: Y at X.
type Point struct {
	X, Y float64
	// Error is the half-width of the interval around Y; 0 draws none.
	Error float64
}

const (
	seriesWidth   = 3.5
	markerRadius  = 6.5
	markerSpacing = 28  // of one line's markers, at least
	inset         = 22  // from the ends of the x axis to the first and last point
	labelColumn   = 44  // from the last point to the names of the lines
	maxLabel      = 300 // width of a name
	labelHeight   = 30
	directLabels  = 5  // more series than this have a legend
	ticksAtValues = 16 // more values than this have round ticks
)

// Figure checks the data and lays the picture out.
func (l *Line) Figure() (*Figure, error) {
	if err := l.check(); err != nil {
		return nil, err
	}
	d := l.layout()
	return &Figure{
		width: figureWidth, height: d.f.height(),
		empty: len(d.xs) == 0,
		paint: d.paint,
		table: l.table,
	}, nil
}

func (l *Line) check() error {
	if !l.X.Unit.valid() || !l.Y.Unit.valid() {
		return fmt.Errorf("line: unknown unit %d or %d", l.X.Unit, l.Y.Unit)
	}
	if len(l.Series) > maxSeries {
		return fmt.Errorf("line: %d series", len(l.Series))
	}
	for _, s := range l.Series {
		seen := make(map[float64]bool, len(s.Points))
		for i, p := range s.Points {
			where := fmt.Sprintf("line: series %q, point %d", s.Name, i)
			if err := check("x", p.X, true); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if err := check("y", p.Y, true); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if err := check("error", p.Error, false); err != nil {
				return fmt.Errorf("%s: %w", where, err)
			}
			if seen[p.X] {
				return fmt.Errorf("%s: a second value at x = %v", where, p.X)
			}
			if p.Error > 0 && l.Errors == "" {
				return fmt.Errorf("%s: an error bar, but no word on what error bars show", where)
			}
			seen[p.X] = true
		}
	}
	return nil
}

func (l *Line) direct() bool { return len(l.Series) <= directLabels }

func (l *Line) keys() []key {
	var keys []key
	if !l.direct() {
		for i, s := range l.Series {
			keys = append(keys, key{s.Name, stretch, styleOf(i)})
		}
	}
	if l.Errors != "" {
		keys = append(keys, key{l.Errors, interval, style{color: ink}})
	}
	return keys
}

// values returns every value of x, ascending, each once.
func (l *Line) values() []float64 {
	var xs []float64
	for _, s := range l.Series {
		for _, p := range s.Points {
			xs = append(xs, p.X)
		}
	}
	slices.Sort(xs)
	return slices.Compact(xs)
}

// extent returns the range that the y axis must show: error bars and zero. An
// error bar does not take a positive value's axis below zero.
func (l *Line) extent() (lo, hi float64) {
	for _, s := range l.Series {
		for _, p := range s.Points {
			hi = max(hi, p.Y+p.Error)
			if p.Y < 0 {
				lo = min(lo, p.Y-p.Error)
			}
		}
	}
	return lo, hi
}

// growsByFactors reports whether at least half of the steps from one value to
// the next multiply it by 1.5 or more, and all of them together by 8 or more.
func growsByFactors(xs []float64) bool {
	if len(xs) < 3 || xs[0] <= 0 || xs[len(xs)-1] < 8*xs[0] {
		return false
	}
	large := 0
	for i, x := range xs[1:] {
		if x >= 1.5*xs[i] {
			large++
		}
	}
	return 2*large >= len(xs)-1
}

func (l *Line) table(w *csv.Writer) error {
	err := w.Write([]string{"series", l.X.Unit.header(l.X.Label), l.Y.Unit.header(l.Y.Label), l.Y.Unit.header("error")})
	for _, s := range l.Series {
		for _, p := range s.Points {
			if err != nil {
				return err
			}
			err = w.Write([]string{s.Name, exact(p.X), exact(p.Y), exact(p.Error)})
		}
	}
	return err
}
