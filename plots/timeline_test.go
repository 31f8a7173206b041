package plots

import (
	"image"
	"image/color"
	"math"
	"strings"
	"testing"
)

// laneRows returns the rows of a lane: its first, its middle and the one after
// its last.
func laneRows(d *timelineDrawing, lane int) (top, middle, bottom int) {
	l := d.place(lane)
	return l.y0, (l.y0 + l.y1) / 2, l.y1
}

// rows counts a colour in one column between two rows.
func rows(img *image.RGBA, x, top, bottom int, c color.RGBA) (n int) {
	for y := top; y < bottom; y++ {
		if img.RGBAAt(x, y) == c {
			n++
		}
	}
	return n
}

const (
	ns = int64(1e3)
	us = int64(1e6)
	ms = int64(1e9)
)

func TestShortEventsAreWideEnoughToBeSeen(t *testing.T) {
	var slices []Slice
	for lane := range 3 {
		at := []int64{0, 7 * ms, 20*ms - 1}[lane]
		slices = append(slices, Slice{lane, at, at + 1, IRQ})
	}
	slices = append(slices, Slice{3, 5 * ms, 5 * ms, Switch}, Slice{3, 10 * ms, 10*ms + 20*us, User})
	slices = append(slices, Slice{3, 14*ms - 5*us, 14*ms + 9*us, Kernel})
	tl := &Timeline{Lanes: 4, To: 20 * ms, Slices: slices}
	d, img := tl.layout(0, tl.To), draw(t, tl).Image()
	const shortest = 2 // pixels: 0.75 pt
	for lane := range 3 {
		top, middle, bottom := laneRows(d, lane)
		spans := runs(img, middle, green)
		if len(spans) != 1 || spans[0][1]-spans[0][0] != shortest || spans[0][0] < d.f.left || spans[0][1] > d.f.right {
			t.Fatalf("lane %d: a picosecond is drawn at %v", lane, spans)
		}
		if got := rows(img, spans[0][0], top, bottom, green); got != bottom-top {
			t.Errorf("lane %d: %d pixels high of %d", lane, got, bottom-top)
		}
	}
	_, middle, _ := laneRows(d, 3)
	if got := runs(img, middle, blue); len(got) != 1 || got[0][1]-got[0][0] != shortest {
		t.Errorf("a slice that lies in two columns is drawn at %v", got)
	}
	if got := runs(img, middle, purple); len(got) != 1 || got[0][1]-got[0][0] != shortest {
		t.Errorf("an instant is drawn at %v", got)
	}
	if got := runs(img, middle, paleSky); len(got) != 1 || got[0][1]-got[0][0] != shortest {
		t.Errorf("a slice of 1.2 pixels is drawn at %v", got)
	}
}

func TestLockStatesHave65PercentOfTheHeightAndCoverWhatRuns(t *testing.T) {
	tl := &Timeline{Lanes: 1, To: 100 * us, Slices: []Slice{
		{0, 45 * us, 55 * us, IRQ},
		{0, 10 * us, 90 * us, Spin},
		{0, 0, 100 * us, Kernel},
	}}
	d, img := tl.layout(0, tl.To), draw(t, tl).Image()
	top, _, bottom := laneRows(d, 0)
	height := bottom - top
	if got := rows(img, int(d.px(5*us)), top, bottom, blue); got != height {
		t.Errorf("kernel is %d pixels high of %d", got, height)
	}
	if got := rows(img, int(d.px(20*us)), top, bottom, vermillion); math.Abs(float64(got)-0.65*float64(height)) > 1 {
		t.Errorf("spinning is %d pixels high of %d", got, height)
	}
	if got := rows(img, int(d.px(50*us)), top, bottom, green); got != height {
		t.Errorf("an interrupt is %d pixels high of %d, whatever it interrupts", got, height)
	}
}

func TestSlicesLieWhereTheyBelong(t *testing.T) {
	tl := &Timeline{Lanes: 2, From: 100 * us, To: 200 * us, Slices: []Slice{
		{1, 50 * us, 125 * us, User}, // begins before the window
		{1, 150 * us, 175 * us, Kernel},
		{1, 175 * us, 300 * us, Kernel},
		{0, 110 * us, 120 * us, Spin},
		{0, 130 * us, 140 * us, Spin},
		{0, 0, 100 * us, IRQ}, // ends before it
	}}
	d, img := tl.layout(tl.From, tl.To), draw(t, tl).Image()
	_, middle, _ := laneRows(d, 1)
	quarter := float64(d.f.right-d.f.left) / 4
	at := func(quarters float64) int { return d.f.left + int(math.Round(quarters*quarter)) }
	if got := runs(img, middle, paleSky); len(got) != 1 || got[0] != [2]int{d.f.left, at(1)} {
		t.Errorf("user at %v, want the first quarter", got)
	}
	if got := runs(img, middle, blue); len(got) != 1 || got[0] != [2]int{at(2), d.f.right} {
		t.Errorf("kernel at %v, want the second half", got)
	}
	_, middle, _ = laneRows(d, 0)
	if got := runs(img, middle, vermillion); len(got) != 2 {
		t.Errorf("two stretches of spinning at %v", got)
	}
	if got := pixelsIn(img, d.f.left, green); got != 0 {
		t.Error("an interrupt that ended before the window is in it")
	}
}

func TestCrowdedColumnsShowSharesOfTime(t *testing.T) {
	// 60% user, 30% interrupts, 10% idle, in periods of a tenth of a pixel.
	tl := &Timeline{Lanes: 1, To: 20 * ms}
	for at := int64(0); at < tl.To; at += us {
		tl.Slices = append(tl.Slices, Slice{0, at, at + 600*ns, User}, Slice{0, at + 600*ns, at + 900*ns, IRQ})
	}
	d, img := tl.layout(0, tl.To), draw(t, tl).Image()
	top, _, bottom := laneRows(d, 0)
	height := float64(bottom - top)
	for x := d.f.left + 1; x < d.f.right-1; x++ {
		user, irq, rest := rows(img, x, top, bottom, paleSky), rows(img, x, top, bottom, green), rows(img, x, top, bottom, idle)
		for _, c := range []struct {
			got   int
			share float64
		}{{user, 0.6}, {irq, 0.3}, {rest, 0.1}} {
			// A column holds 17 periods and perhaps a part of one more.
			if math.Abs(float64(c.got)-c.share*height) > 0.04*height+1 {
				t.Fatalf("column %d: user %d, irq %d, idle %d of %v", x, user, irq, rest, height)
			}
		}
		if img.RGBAAt(x, bottom-1) != paleSky {
			t.Fatalf("column %d does not begin with user at the bottom", x)
		}
	}
	keys := d.keys([kinds]int{})
	if len(keys) != 1 || keys[0].sample != shares {
		t.Errorf("keys %v do not explain the shares", keys)
	}
}

func TestRareKindsAreSeenInACrowd(t *testing.T) {
	tl := &Timeline{Lanes: 1, To: 20 * ms}
	for at := int64(0); at < tl.To; at += 2 * us {
		tl.Slices = append(tl.Slices, Slice{0, at, at + 1999*ns, Held}, Slice{0, at + 1999*ns, at + 2*us, Spin})
	}
	d, img := tl.layout(0, tl.To), draw(t, tl).Image()
	top, _, bottom := laneRows(d, 0)
	for x := d.f.left; x < d.f.right; x++ {
		held, spin := rows(img, x, top, bottom, orange), rows(img, x, top, bottom, vermillion)
		if spin != 1 || math.Abs(float64(held+spin)-0.65*float64(bottom-top)) > 1 {
			t.Fatalf("column %d: %d held, %d spinning of %d", x, held, spin, bottom-top)
		}
	}
}

func TestMarksThatWouldOverlapAreLeftOut(t *testing.T) {
	tl := &Timeline{Lanes: 2, To: 100 * us, Slices: []Slice{{0, 0, 100 * us, User}}, Marks: []Mark{
		{0, 52 * us, "no room"}, // in no order
		{0, 50 * us, "queue_work"},
		{0, 50*us + 10*ns, "touches"},
		{0, 200 * us, "later"},
		{1, 0, "first"},
		{1, 100 * us, "last"},
	}}
	var svg strings.Builder
	if err := draw(t, tl).SVG(&svg); err != nil {
		t.Fatal(err)
	}
	for label, want := range map[string]bool{"queue_work": true, "first": true, "last": true, "no room": false, "touches": false, "later": false} {
		if strings.Contains(svg.String(), ">"+label+"<") != want {
			t.Errorf("label %q is drawn: %v", label, !want)
		}
	}
	d, img := tl.layout(0, tl.To), draw(t, tl).Image()
	for lane, want := range []int{2, 2} {
		if ticks := runs(img, d.place(lane).y0-1, ink); len(ticks) != want {
			t.Errorf("lane %d: %d ticks, want %d", lane, len(ticks), want)
		}
	}
}

func TestLegendHasTheKindsThatAreShown(t *testing.T) {
	tl := &Timeline{Lanes: 1, To: 100, Slices: []Slice{{0, 0, 50, Spin}, {0, 50, 90, User}, {0, 90, 100, Idle}, {0, 100, 200, IRQ}}}
	d := tl.layout(0, tl.To)
	var got string
	for _, k := range d.f.keys {
		got += k.name + "; "
	}
	if got != "user; lock spin; " {
		t.Errorf("legend: %s", got)
	}
}

func TestPicturesGrowWithTheirLanes(t *testing.T) {
	for _, c := range []struct{ lanes, marks, height int }{
		{1, 0, 122 + 72 + 116},
		{8, 0, 122 + 440 + 116},
		{8, 1, 122 + 8*(55+27) + 116},
		{64, 0, 122 + 64*20 + 116},
		{1024, 0, 122 + 1024*15 + 116},
	} {
		f := draw(t, &Timeline{Lanes: c.lanes, Marks: make([]Mark, c.marks)})
		if f.height != c.height || f.width != 1361 {
			t.Errorf("%d lanes: %d by %d pixels, want a height of %d", c.lanes, f.width, f.height, c.height)
		}
	}
}

func TestNamesOfLanesNeverTouch(t *testing.T) {
	for lanes := 1; lanes <= 200; lanes++ {
		d := (&Timeline{Lanes: lanes}).layout(0, 1)
		if got := d.nameStride() * (d.pitch + d.band); got < 26 {
			t.Fatalf("%d lanes: names are %d pixels apart", lanes, got)
		}
	}
}

func TestLateWindowsCountFromTheirStart(t *testing.T) {
	for _, c := range []struct {
		from, to int64
		label    string
		first    float64
	}{
		{0, 100 * us, "virtual time (µs)", 0},
		{90 * us, 100 * us, "virtual time (µs)", 90e6},
		{3e12 + 250*us, 3e12 + 300*us, "virtual time since 3.00025 s (µs)", 0},
	} {
		tl := &Timeline{Lanes: 1, From: c.from, To: c.to, Slices: []Slice{{0, c.from, c.to, User}}}
		d := tl.layout(c.from, c.to)
		if d.label.full() != c.label || d.ticks[0].at != c.first {
			t.Errorf("from %d: %q from %v on, want %q from %v on", c.from, d.label.full(), d.ticks[0].at, c.label, c.first)
		}
		if x := d.tickPx(d.ticks[0].at); math.Abs(x-float64(d.f.left)) > 0.001 {
			t.Errorf("from %d: the first tick is at %v, not at %d", c.from, x, d.f.left)
		}
	}
}
