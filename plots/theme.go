package plots

import (
	"image/color"
	"strings"
	"sync"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

const (
	dotsPerInch  = 192
	figureWidth  = 1361 // 18 cm
	figureHeight = 680  // 9 cm
	margin       = 32   // 12 pt, on every side
	maxSeries    = 64   // more make a picture that nobody reads
	stroke       = 2    // 0.75 pt, to which 0.6 pt rounds: axes, grid, shortest event
)

// Font sizes in points.
const (
	titleSize = 13 // bold
	labelSize = 11 // what an axis shows
	textSize  = 9  // everything else
	markSize  = 7  // marks of a timeline
)

// The palette of Okabe and Ito (https://jfly.uni-koeln.de/color/), which people
// who cannot tell red from green read too. Its yellow is left out: on white it
// is no colour for a line.
var (
	blue       = color.RGBA{0x00, 0x72, 0xB2, 0xFF}
	vermillion = color.RGBA{0xD5, 0x5E, 0x00, 0xFF}
	green      = color.RGBA{0x00, 0x9E, 0x73, 0xFF}
	purple     = color.RGBA{0xCC, 0x79, 0xA7, 0xFF}
	orange     = color.RGBA{0xE6, 0x9F, 0x00, 0xFF}
	sky        = color.RGBA{0x56, 0xB4, 0xE9, 0xFF}

	paleSky = color.RGBA{0x9E, 0xC5, 0xE5, 0xFF} // sky for large areas
	ink     = color.RGBA{0x33, 0x33, 0x33, 0xFF}
	grey    = color.RGBA{0x66, 0x66, 0x66, 0xFF}
	grid    = color.RGBA{0xE2, 0xE2, 0xE2, 0xFF}
	idle    = color.RGBA{0xF4, 0xF4, 0xF4, 0xFF}
	white   = color.RGBA{0xFF, 0xFF, 0xFF, 0xFF}
)

// style tells one series from another, in colour and without.
type style struct {
	color  color.RGBA
	marker marker
	dashes []float64 // lengths drawn and left out in turn; nil is solid
}

var (
	seriesColors  = []color.RGBA{blue, vermillion, green, purple, orange, sky, ink}
	seriesDashes  = [][]float64{nil, {16, 7}, {4, 6}, {20, 6, 4, 6}, {9, 5}, {20, 6, 4, 6, 4, 6}}
	seriesMarkers = []marker{circle, square, triangle, diamond, nabla}
)

// styleOf returns the style of the i-th series: 210 pass before two look the same.
func styleOf(i int) style {
	return style{
		color:  seriesColors[i%len(seriesColors)],
		marker: seriesMarkers[i%len(seriesMarkers)],
		dashes: seriesDashes[i%len(seriesDashes)],
	}
}

// dark returns c mixed with black, for text that must be legible on white.
func dark(c color.RGBA) color.RGBA {
	d := func(v uint8) uint8 { return uint8(uint(v) * 3 / 4) }
	return color.RGBA{d(c.R), d(c.G), d(c.B), 0xFF}
}

// sans holds Liberation Sans in its regular and its bold weight, parsed once.
var sans = sync.OnceValue(func() (faces struct{ regular, bold font.Face }) {
	for _, f := range liberation.Collection() {
		switch f.Name() {
		case "LiberationSans-Regular":
			faces.regular = f
		case "LiberationSans-Bold":
			faces.bold = f
		}
	}
	if faces.regular.Face == nil || faces.bold.Face == nil {
		panic("plots: want Liberation Sans regular and bold in gonum/plot's fonts")
	}
	return faces
})

// face returns the font for text of that size in points.
func face(size int) font.Face {
	f := sans().regular
	if size == titleSize {
		f = sans().bold
	}
	f.Font.Size = vg.Points(float64(size))
	return f
}

// textWidth returns how wide s is when drawn.
func textWidth(s string, size int) float64 {
	f := face(size)
	return f.Width(s).Dots(dotsPerInch)
}

// shorten returns s, or as much of its beginning as fits with an ellipsis.
func shorten(s string, size int, width float64) string {
	if textWidth(s, size) <= width {
		return s
	}
	runes := []rune(s)
	fits := func(n int) bool { return textWidth(cut(runes, n), size) <= width }
	lo, hi := 0, len(runes) // lo runes fit, or none does; hi do not
	for lo+1 < hi {
		if mid := (lo + hi) / 2; fits(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return cut(runes, lo)
}

func cut(runes []rune, n int) string {
	return strings.TrimRight(string(runes[:n]), " ·,") + "…"
}

// wrap breaks s between words into at most n lines, the last one shortened.
func wrap(s string, size int, width float64, n int) []string {
	var lines []string
	words := strings.Fields(s)
	for len(words) > 0 {
		if len(lines) == n-1 {
			return append(lines, shorten(strings.Join(words, " "), size, width))
		}
		k := 1
		for k < len(words) && textWidth(strings.Join(words[:k+1], " "), size) <= width {
			k++
		}
		line := strings.Join(words[:k], " ")
		words = words[k:]
		// A separator between two items need not open or close a line.
		if len(words) > 0 && words[0] == "·" {
			words = words[1:]
		}
		lines = append(lines, shorten(strings.TrimSuffix(line, " ·"), size, width))
	}
	return lines
}
