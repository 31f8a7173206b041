package explore

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTokenReadsBackAsItsSchedule(t *testing.T) {
	for token, want := range map[string]Schedule{
		"-":          {},
		"0":          {0},
		"0x3.1.2x10": {0, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2},
		"12.0.12x2":  {12, 0, 12, 12},
	} {
		got, err := ParseSchedule(token)
		if err != nil || !slices.Equal(got, want) || got.String() != token {
			t.Errorf("%q reads as %v, %v, and back as %q", token, []Agent(got), err, got)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		s := Schedule(rapid.SliceOf(rapid.Map(rapid.Int32Range(0, 5), func(a int32) Agent { return Agent(a) })).Draw(t, "schedule"))
		if got, err := ParseSchedule(s.String()); err != nil || !slices.Equal(got, s) {
			t.Errorf("%v reads back as %v, %v", s, got, err)
		}
	})
}

func TestBadTokenIsRefusedWithWhatIsWrong(t *testing.T) {
	for token, want := range map[string]string{
		"":                       `agent "" is not a number`,
		"a":                      `agent "a" is not a number`,
		"0.":                     `agent "" is not a number`,
		"-1":                     `agent "-1" is not a number`,
		"0x":                     `count "" is not a number`,
		"0x0":                    "0 steps in all, allowed are 1 to 16777216",
		"0x2x3":                  `count "2x3" is not a number`,
		"99999999999":            "agent 99999999999 is more than 2147483647",
		"0x16777216.1":           "16777217 steps in all",
		"0x99999999":             "count 99999999 is more than 16777216",
		strings.Repeat("z", 100): "zzz...",
	} {
		if s, err := ParseSchedule(token); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, error %v, want %q in it", token, s, err, want)
		}
	}
}

func FuzzParseSchedule(f *testing.F) {
	for _, token := range []string{"-", "0x3.1", "1.1", "0x16777216", "00x01"} {
		f.Add(token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		s, err := ParseSchedule(token)
		if err != nil {
			return
		}
		again, err := ParseSchedule(s.String())
		if err != nil || !slices.Equal(s, again) {
			t.Errorf("%q reads as %v, which reads as %v, %v", token, s, again, err)
		}
	})
}
