package plots

import (
	"image"
	"image/color"
	"math"
	"slices"
	"strings"
	"testing"
)

// flat is a series that is y everywhere.
func flat(name string, y, err float64, xs ...float64) LineSeries {
	s := LineSeries{Name: name}
	for _, x := range xs {
		s.Points = append(s.Points, Point{x, y, err})
	}
	return s
}

func lineOf(series ...LineSeries) *Line {
	return &Line{X: Axis{"CPUs", Count}, Y: Axis{"wait", Nanoseconds}, Errors: "95% CI", Series: series}
}

func TestAMissingValueIsAGap(t *testing.T) {
	l := lineOf(flat("", 100, 0, 8, 1, 2), flat("", 50, 0, 1, 2, 4, 8)) // x in no order
	d, img := l.layout(), draw(t, l).Image()
	for _, c := range []struct {
		from, to float64
		drawn    bool
	}{{1, 2, true}, {2, 4, false}, {4, 8, false}} {
		x := int((d.px(c.from) + d.px(c.to)) / 2)
		y := int(d.at(Point{c.from, 100, 0}).y)
		if got := img.RGBAAt(x, y) == blue; got != c.drawn {
			t.Errorf("between %v and %v a line is drawn: %v, want %v", c.from, c.to, got, c.drawn)
		}
	}
}

func TestErrorBarsOfLinesEndAtZero(t *testing.T) {
	l := lineOf(flat("", 100, 40, 1, 2), flat("", 10, 40, 3))
	d, img := l.layout(), draw(t, l).Image()
	for _, c := range []struct {
		x, low, high float64
		color        color.RGBA
	}{{1, 60, 140, blue}, {3, 0, 50, vermillion}} {
		x := int(math.Round(d.px(c.x)))
		top, bottom := d.at(Point{Y: c.high}).y, d.at(Point{Y: c.low}).y
		got := span(img, x, c.color)
		if math.Abs(float64(got[0])-top) > 1.5 || math.Abs(float64(got[1])-bottom) > 1.5 {
			t.Errorf("error bar from %v, want %v to %v", got, top, bottom)
		}
		if n := rows(img, x, plotBottom+stroke, plotBottom+20, c.color); n > 0 {
			t.Errorf("the error bar at %v goes on below the axis", c.x)
		}
	}
}

// span returns the first row of column x that has a colour, and the row after
// the last, of the plot.
func span(img *image.RGBA, x int, c color.RGBA) (rows [2]int) {
	for y := plotTop; y < plotBottom; y++ {
		if img.RGBAAt(x, y) == c {
			if rows[0] == 0 {
				rows[0] = y
			}
			rows[1] = y + 1
		}
	}
	return rows
}

func TestAxisOfXIsLogarithmicWhenValuesGrowByFactors(t *testing.T) {
	for _, c := range []struct {
		xs   []float64
		want bool
	}{
		{[]float64{1, 2, 4, 8, 16, 32, 64}, true},
		{[]float64{1, 2, 4, 8, 16, 24, 32, 48, 64}, true},
		{[]float64{100, 1000, 10000}, true},
		{[]float64{1, 2, 3, 4, 5, 6, 7, 8}, false},
		{[]float64{1, 2, 4}, false},
		{[]float64{0, 2, 4, 8, 16}, false},
		{[]float64{5}, false},
		{nil, false},
	} {
		if got := growsByFactors(c.xs); got != c.want {
			t.Errorf("%v: %v, want %v", c.xs, got, c.want)
		}
	}
}

func TestFewValuesHaveTheTicks(t *testing.T) {
	d := lineOf(flat("", 1, 0, 64, 1, 2, 48, 4, 8, 16)).layout()
	ticks, _ := d.xTicks()
	var got []string
	for _, k := range ticks {
		got = append(got, k.label)
	}
	if want := "1 2 4 8 16 48 64"; strings.Join(got, " ") != want {
		t.Errorf("ticks %v, want %s", got, want)
	}
}

func TestSixSeriesHaveALegendAndFiveTheirNamesBesideTheLines(t *testing.T) {
	l := lines(5)
	if keys := l.keys(); len(keys) != 1 || keys[0].name != l.Errors {
		t.Errorf("five series: keys %v", keys)
	}
	d := l.layout()
	if room := float64(figureWidth-margin) - d.x1 - labelColumn; room < textWidth("test-and-set", textSize) {
		t.Errorf("%v pixels for the longest name", room)
	}
	l = lines(6)
	if keys := l.keys(); len(keys) != 7 || l.layout().f.right != figureWidth-margin {
		t.Errorf("six series: %d keys, plot up to %d", len(keys), l.layout().f.right)
	}
}

func TestEverySeriesLooksDifferent(t *testing.T) {
	var seen []style
	for i := range maxSeries {
		s := styleOf(i)
		if slices.ContainsFunc(seen, func(o style) bool {
			return o.color == s.color && o.marker == s.marker && slices.Equal(o.dashes, s.dashes)
		}) {
			t.Fatalf("series %d looks like one before", i)
		}
		// Of those with names at their ends, no two share any trait.
		for j, o := range seen[:min(i, directLabels)] {
			if i < directLabels && (o.color == s.color || o.marker == s.marker || slices.Equal(o.dashes, s.dashes)) {
				t.Errorf("series %d and %d differ too little", i, j)
			}
		}
		seen = append(seen, s)
	}
}

func TestALongLabelKeepsItsUnit(t *testing.T) {
	label := axisLabel{strings.Repeat("throughput ", 20), "M/s"}
	got := label.within(labelSize, 400)
	if !strings.HasSuffix(got, "… (M/s)") || textWidth(got, labelSize) > 401 {
		t.Errorf("%q, %v wide", got, textWidth(got, labelSize))
	}
}
