package afunix

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestNamesAreThoseOfPrintf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format := rapid.StringMatching(`[a-z/-]{0,9}%0?([1-9][0-9]?)?[dxXo][a-z]{0,3}`).Draw(t, "format")
		i := rapid.Int64Min(0).Draw(t, "number")
		n, err := ParseNames(format)
		if err != nil {
			if len(fmt.Sprintf(format, int64(1<<63-1))) <= maxName {
				t.Fatal(err)
			}
			return
		}
		if got, want := n.Name(i), fmt.Sprintf(format, i); got != want {
			t.Fatalf("%s of %d: %q, want %q", format, i, got, want)
		}
	})
}

func TestNamesOfDifferentNumbersDiffer(t *testing.T) {
	for _, format := range []string{"%x", "%05x", "%d", "test%06d", "%3o", "random"} {
		n, err := ParseNames(format)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[string]int64{}
		for i := range int64(100_000) {
			name := n.Name(i)
			if j, ok := seen[name]; ok {
				t.Fatalf("%s: %d and %d are both %q", format, i, j, name)
			}
			seen[name] = i
		}
	}
}

func TestRandomNamesAreEightBytesAndAlwaysTheSame(t *testing.T) {
	n, err := ParseNames("random")
	if err != nil {
		t.Fatal(err)
	}
	if a, b := n.Name(7), n.Name(7); len(a) != 8 || a != b {
		t.Errorf("%x, then %x", a, b)
	}
}

func TestFormatsThatMakeNoNamesAreRefused(t *testing.T) {
	for format, want := range map[string]string{
		"":                              "no verb",
		"name":                          "no verb",
		"Random":                        "no verb",
		"%":                             "no verb behind %",
		"%05":                           "no verb behind %",
		"%s":                            `verb 's', want d, x, X or o`,
		"%d%d":                          "a second verb",
		"%108x":                         "width 108, a name has at most 107 bytes",
		"%99999999999999999999x":        "width 99999999999999999999",
		strings.Repeat("a", 105) + "%x": "longer than 107 bytes",
	} {
		if _, err := ParseNames(format); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", format, err, want)
		}
	}
}

func FuzzParseNames(f *testing.F) {
	for _, format := range []string{"%x", "%05x", "test%06d", "random", "%", "%0", "%107o", "a%Xb"} {
		f.Add(format, int64(4711))
	}
	f.Fuzz(func(t *testing.T, format string, i int64) {
		n, err := ParseNames(format)
		if err != nil || i < 0 {
			return
		}
		if name := n.Name(i); len(name) > maxName {
			t.Errorf("%q of %d: %d bytes", format, i, len(name))
		}
	})
}
