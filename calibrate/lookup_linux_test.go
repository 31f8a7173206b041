package calibrate

import (
	"context"
	"errors"
	"testing"
)

// TestLookupsFindBoundNamesAndNoOthers relies on the kernel's answers: Lookups fails
// where a bound name is not found, or one that is not bound is.
func TestLookupsFindBoundNamesAndNoOthers(t *testing.T) {
	rows, err := Lookups(context.Background(), []int{0, 50, 200})
	if err != nil {
		t.Fatal(err)
	}
	want := []Lookup{
		{Bound: 0, Op: lookupMiss},
		{Bound: 0, Op: lookupNone},
		{Bound: 50, Op: lookupMiss},
		{Bound: 50, Op: lookupHit},
		{Bound: 50, Op: lookupNone},
		{Bound: 200, Op: lookupMiss},
		{Bound: 200, Op: lookupHit},
		{Bound: 200, Op: lookupNone},
	}
	if len(rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(rows), len(want))
	}
	for i, r := range rows {
		if r.Bound != want[i].Bound || r.Op != want[i].Op || r.Names != "bin" || r.Calls != lookupCalls {
			t.Errorf("row %d is %+v", i, r)
		}
		if r.MinNS <= 0 || r.MinNS > r.P50NS || r.P50NS > r.P90NS || r.P90NS > r.P99NS || r.P99NS > r.MaxNS {
			t.Errorf("times of %+v do not ascend", r)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Lookups(ctx, []int{10}); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
}
