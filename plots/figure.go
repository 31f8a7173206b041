package plots

import (
	"encoding/csv"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Head is what stands above every picture.
type Head struct {
	// Title is one line; what does not fit is replaced by an ellipsis.
	Title string
	// Subtitle says where the numbers come from: machine, variant, run id,
	// seeds and tool version. It takes up to two lines.
	Subtitle string
}

// Axis names a quantity and says how its numbers are to be read.
type Axis struct {
	Label string // without the unit, which is added
	Unit  Unit
}

// Figure is a picture that has been checked and laid out. It reads the data it
// was made from whenever it is written, so they must not change meanwhile.
// Several goroutines may write one Figure at once.
type Figure struct {
	width, height int
	empty         bool
	paint         func(*pen)
	table         func(*csv.Writer) error
}

// Empty reports whether there was nothing to draw; the picture says so too.
func (f *Figure) Empty() bool { return f.empty }

// Write puts the picture at path, which must end in ".png", and its numbers
// beside it in a file that ends in ".csv". Each of the two appears whole or not
// at all, and neither does if one of them cannot be made.
func (f *Figure) Write(path string) error {
	base, ok := strings.CutSuffix(path, ".png")
	if !ok {
		return fmt.Errorf("plots: %q does not end in .png", path)
	}
	picture, err := stage(path, f.PNG)
	if err != nil {
		return err
	}
	table, err := stage(base+".csv", f.CSV)
	if err != nil {
		return errors.Join(err, os.Remove(picture))
	}
	if err := os.Rename(table, base+".csv"); err != nil {
		return errors.Join(err, os.Remove(table), os.Remove(picture))
	}
	if err := os.Rename(picture, path); err != nil {
		return errors.Join(err, os.Remove(picture))
	}
	return nil
}

// stage writes a file beside path, to be renamed to it, and returns its name.
func stage(path string, write func(io.Writer) error) (string, error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return "", err
	}
	// CreateTemp makes files for the owner alone; results are there to be read.
	err = errors.Join(write(f), f.Chmod(0o644), f.Close())
	if err != nil {
		return "", errors.Join(err, os.Remove(f.Name()))
	}
	return f.Name(), nil
}

// Image draws the picture.
func (f *Figure) Image() *image.RGBA {
	c := vgimg.NewWith(
		vgimg.UseWH(points(f.width), points(f.height)),
		vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(color.White),
	)
	img := c.Image().(*image.RGBA)
	f.paint(&pen{canvas: c, pixels: img, height: f.height})
	return img
}

// PNG writes the picture as PNG. The pixels depend on the data alone, the bytes
// also on the release of Go that compressed them.
func (f *Figure) PNG(w io.Writer) error {
	// The default level saves 4% of bytes and takes six times as long.
	e := png.Encoder{CompressionLevel: png.BestSpeed}
	return e.Encode(w, indexed(f.Image()))
}

// indexed returns the same picture with a palette, if its colours fit into one:
// half of the bytes, in a fraction of the time.
func indexed(img *image.RGBA) image.Image {
	indices := make(map[color.RGBA]uint8)
	var palette color.Palette
	out := image.NewPaletted(img.Rect, nil)
	var last color.RGBA
	var index uint8
	for i := range out.Pix {
		at := img.Pix[4*i : 4*i+4 : 4*i+4]
		c := color.RGBA{at[0], at[1], at[2], at[3]}
		if c != last {
			known, ok := indices[c]
			if !ok {
				if len(palette) == 256 {
					return img
				}
				known = uint8(len(palette))
				palette = append(palette, c)
				indices[c] = known
			}
			last, index = c, known
		}
		out.Pix[i] = index
	}
	out.Palette = palette
	return out
}

// SVG writes the picture as SVG, which names its fonts but does not embed them.
func (f *Figure) SVG(w io.Writer) error {
	c := vgsvg.New(points(f.width), points(f.height))
	p := &pen{canvas: c, height: f.height}
	p.rect(0, 0, f.width, f.height, white)
	f.paint(p)
	_, err := c.WriteTo(w)
	return err
}

// CSV writes the numbers in full, units in the header.
func (f *Figure) CSV(w io.Writer) error {
	cw := csv.NewWriter(w)
	if err := f.table(cw); err != nil {
		return err
	}
	cw.Flush()
	return cw.Error()
}

// points converts device pixels to the canvas's points.
func points[N int | float64](px N) vg.Length {
	return vg.Length(px) * vg.Inch / dotsPerInch
}
