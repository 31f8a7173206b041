package plots

import (
	"io"
	"testing"
)

// BenchmarkPicture makes a whole picture and its table, from data to bytes.
func BenchmarkPicture(b *testing.B) {
	six := fiveHistograms()
	six.Series = append(six.Series, six.Series[0])
	for _, c := range []struct {
		name string
		of   drawable
	}{
		{"histogram", oneHistogram()},
		{"histogram-6", six},
		{"line-5", lines(5)},
		{"timeline-8-cpus", timeline(8, 4e6, 100e6)},
		{"timeline-8-cpus-200k-slices", timeline(8, 0.77e6, 20e9)},
		{"timeline-64-cpus-200k-slices", timeline(64, 0.77e6, 2.5e9)},
	} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				f := draw(b, c.of)
				if err := f.PNG(io.Discard); err != nil {
					b.Fatal(err)
				}
				if err := f.CSV(io.Discard); err != nil {
					b.Fatal(err)
				}
			}
			if t, ok := c.of.(*Timeline); ok {
				b.ReportMetric(float64(len(t.Slices)), "slices")
			}
		})
	}
}
