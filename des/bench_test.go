package des

import (
	"fmt"
	"testing"
)

// delays returns pre-drawn exponential delays, so that a benchmark times the
// queue and not the sampling.
func delays(n int) []Time {
	r := New(1).Stream("delays")
	d := Exp(Microsecond)
	all := make([]Time, n)
	for i := range all {
		all[i] = d.Sample(r) + 1
	}
	return all
}

var holdSizes = []int{64, 1000, 100000}

func BenchmarkQueueHold(b *testing.B) {
	for _, n := range holdSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			wait := delays(1 << 16)
			var q Queue
			for i := range n {
				q.Push(Event{wait[i&(1<<16-1)], uint64(i)})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := q.Min()
				q.Replace(Event{e.At + wait[i&(1<<16-1)], e.Key})
			}
		})
	}
}

func BenchmarkQueuePopPush(b *testing.B) {
	for _, n := range holdSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			wait := delays(1 << 16)
			var q Queue
			for i := range n {
				q.Push(Event{wait[i&(1<<16-1)], uint64(i)})
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				e := q.Pop()
				q.Push(Event{e.At + wait[i&(1<<16-1)], e.Key})
			}
		})
	}
}

type holder struct {
	wait []Time
	next int
}

func (h *holder) Step(s *Sim, id ID) {
	h.next = (h.next + 1) & (1<<16 - 1)
	s.Schedule(id, s.Now()+h.wait[h.next])
}

func BenchmarkHold(b *testing.B) {
	for _, n := range holdSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New(1)
			h := &holder{wait: delays(1 << 16)}
			for range n {
				s.Schedule(s.Spawn(h), h.wait[h.next])
				h.next++
				h.next &= 1<<16 - 1
			}
			s.SetEventLimit(uint64(10 * n))
			s.Run(Forever)
			s.fired = 0
			s.SetEventLimit(uint64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			s.Run(Forever)
		})
	}
}

func BenchmarkHoldCoroutine(b *testing.B) {
	for _, n := range holdSizes[:2] {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := New(1)
			wait := delays(1 << 16)
			next := 0
			for range n {
				s.Go(func(p *Proc) {
					for {
						next = (next + 1) & (1<<16 - 1)
						p.Sleep(wait[next])
					}
				})
			}
			defer s.Close()
			s.SetEventLimit(uint64(b.N))
			b.ReportAllocs()
			b.ResetTimer()
			s.Run(Forever)
		})
	}
}

func BenchmarkSample(b *testing.B) {
	for _, c := range []struct {
		name string
		dist Dist
	}{{"exp", Exp(Microsecond)}, {"uniform", Uniform(0, Microsecond)}, {"lognormal", LogNormal(Microsecond, 1)}} {
		b.Run(c.name, func(b *testing.B) {
			r := New(1).Stream("s")
			for b.Loop() {
				c.dist.Sample(r)
			}
		})
	}
}
