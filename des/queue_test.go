package des

import (
	"cmp"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// sortedQueue is the queue that cannot be wrong: a sorted slice.
type sortedQueue []Event

func (q *sortedQueue) push(e Event) {
	i, _ := slices.BinarySearchFunc(*q, e, compareEvents)
	*q = slices.Insert(*q, i, e)
}

func compareEvents(a, b Event) int {
	return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Key, b.Key))
}

// TestQueueEqualsASortedSlice drives both with the same random operations.
// Times are few, so that many events are equal but for their keys.
func TestQueueEqualsASortedSlice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var q Queue
		var want sortedQueue
		key := uint64(0)
		event := func() Event {
			key++
			// Keys of equal times need not come in order.
			return Event{Time(rapid.IntRange(0, 20).Draw(t, "at")), rapid.Uint64Range(0, 3).Draw(t, "high")<<32 | key}
		}
		t.Repeat(map[string]func(*rapid.T){
			"push": func(*rapid.T) {
				e := event()
				q.Push(e)
				want.push(e)
			},
			"pop": func(t *rapid.T) {
				if len(want) == 0 {
					return
				}
				if got := q.Pop(); got != want[0] {
					t.Fatalf("popped %v, want %v", got, want[0])
				}
				want = want[1:]
			},
			"replace": func(t *rapid.T) {
				if len(want) == 0 {
					return
				}
				e := event()
				q.Replace(e)
				want = want[1:]
				want.push(e)
			},
			"filter": func(t *rapid.T) {
				divisor := rapid.Uint64Range(1, 4).Draw(t, "divisor")
				ok := func(e Event) bool { return e.Key%divisor == 0 }
				q.filter(ok)
				want = slices.DeleteFunc(want, func(e Event) bool { return !ok(e) })
			},
			"": func(t *rapid.T) {
				if q.Len() != len(want) {
					t.Fatalf("%d events, want %d", q.Len(), len(want))
				}
				second := Forever
				if len(want) > 1 {
					second = want[1].At
				}
				if got := q.secondAt(); got != second {
					t.Fatalf("second event at %v, want %v", got, second)
				}
				if len(want) > 0 && q.Min() != want[0] {
					t.Fatalf("earliest event %v, want %v", q.Min(), want[0])
				}
			},
		})
		for _, e := range want {
			if got := q.Pop(); got != e {
				t.Fatalf("drained %v, want %v", got, e)
			}
		}
	})
}

func TestQueueSortsTimesUpToForever(t *testing.T) {
	events := []Event{{Forever, 1}, {0, ^uint64(0)}, {Forever - 1, 9}, {0, 0}, {Forever, 0}, {1, 5}}
	var q Queue
	for _, e := range events {
		q.Push(e)
	}
	slices.SortFunc(events, compareEvents)
	for _, want := range events {
		if got := q.Pop(); got != want {
			t.Errorf("popped %v, want %v", got, want)
		}
	}
}
