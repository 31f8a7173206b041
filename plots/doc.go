// Package plots turns results into pictures fit for a paper: a PNG and, beside
// it, a CSV of the same numbers.
//
// Three kinds of plain data, each with a Figure method that checks the data and
// lays the picture out:
//
//   - Histogram: log2 buckets, one row a series over a shared axis of values.
//   - Line: one line a series with confidence intervals.
//   - Timeline: one lane a CPU, and what ran on it when.
//
// What holds for every picture:
//
//   - Equal data give equal pixels, whatever GOMAXPROCS or the number of
//     figures drawn at once.
//   - Nothing is drawn over the data: legend and labels stand beside it.
//   - A number that is not finite, or a shape that cannot be (a slice that ends
//     before it starts), is an error that names the place. No data is no error:
//     the picture says "no samples".
//   - Everything that is straight is laid out in whole device pixels, y down,
//     and so has sharp edges. Names of variables are in pixels unless they say
//     otherwise.
//
// gonum/plot supplies the canvas, the rasterizer and the fonts. Its Plot type
// is not used: it pads its axes, puts legends over data, and its log ticks can
// print no label at all on a short range.
//
// Read figure.go first, then one of histogram.go, line.go and timeline.go;
// frame.go holds what they share, theme.go every size and colour.
package plots
