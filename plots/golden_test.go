package plots

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "replace the approved pictures in testdata: look at each before you commit it")

// The approved pictures are kept with channels rounded to multiples of coarse:
// that leaves them few colours, and a third of the size.
const coarse = 12

func rounded(img *image.RGBA) *image.RGBA {
	out := image.NewRGBA(img.Rect)
	for i, v := range img.Pix {
		out.Pix[i] = uint8(min(255, (int(v)+coarse/2)/coarse*coarse))
	}
	return out
}

func TestPicturesLookAsApproved(t *testing.T) {
	for _, s := range samples() {
		t.Run(s.name, func(t *testing.T) {
			got := draw(t, s.of).Image()
			path := filepath.Join("testdata", s.name+".png")
			if *rewrite {
				var buf bytes.Buffer
				e := png.Encoder{CompressionLevel: png.BestCompression}
				if err := e.Encode(&buf, indexed(rounded(got))); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, buf.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			if got.Rect != want.Bounds() {
				t.Fatalf("size %v, want %v", got.Rect, want.Bounds())
			}
			if n, where := differences(got, want); n > 0 {
				t.Errorf("%d pixels differ, all within %v", n, where)
			}
		})
	}
}

// differences counts the pixels that rounding does not explain, nor the last
// bit of an edge, which machines with fused multiplication may set otherwise.
func differences(got *image.RGBA, want image.Image) (n int, where image.Rectangle) {
	const tolerance = coarse/2 + 1
	far := func(a, b uint8) bool { return max(a, b)-min(a, b) > tolerance }
	for y := range got.Rect.Max.Y {
		for x := range got.Rect.Max.X {
			g, w := got.RGBAAt(x, y), color.RGBAModel.Convert(want.At(x, y)).(color.RGBA)
			if far(g.R, w.R) || far(g.G, w.G) || far(g.B, w.B) {
				n++
				where = where.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return n, where
}

func TestEqualDataGiveEqualPicturesWhateverRunsBeside(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, s := range samples() {
		runtime.GOMAXPROCS(1)
		pixels, svg, table := everything(t, s.of)
		runtime.GOMAXPROCS(8)
		f := draw(t, s.of)
		var done sync.WaitGroup
		for range 3 {
			done.Go(func() {
				if !bytes.Equal(f.Image().Pix, pixels) {
					t.Errorf("%s: other pixels", s.name)
				}
			})
		}
		done.Wait()
		_, again, tableAgain := everything(t, s.of)
		if !bytes.Equal(svg, again) {
			t.Errorf("%s: another SVG", s.name)
		}
		if !bytes.Equal(table, tableAgain) {
			t.Errorf("%s: another CSV", s.name)
		}
	}
}

func everything(t *testing.T, d drawable) (pixels, svg, table []byte) {
	t.Helper()
	f := draw(t, d)
	var s, c bytes.Buffer
	if err := f.SVG(&s); err != nil {
		t.Fatal(err)
	}
	if err := f.CSV(&c); err != nil {
		t.Fatal(err)
	}
	return f.Image().Pix, s.Bytes(), c.Bytes()
}

func TestAPaletteKeepsEveryPixel(t *testing.T) {
	few := draw(t, oneHistogram()).Image()
	if _, ok := indexed(few).(*image.Paletted); !ok {
		t.Error("a picture of few colours got no palette")
	}
	many := image.NewRGBA(image.Rect(0, 0, 300, 1))
	for x := range 300 {
		many.SetRGBA(x, 0, color.RGBA{uint8(x), uint8(x / 256), 0, 0xFF})
	}
	for _, img := range []*image.RGBA{few, many} {
		out := indexed(img)
		for y := range img.Rect.Max.Y {
			for x := range img.Rect.Max.X {
				if got := color.RGBAModel.Convert(out.At(x, y)); got != img.RGBAAt(x, y) {
					t.Fatalf("pixel %d, %d is %v, want %v", x, y, got, img.RGBAAt(x, y))
				}
			}
		}
	}
}
