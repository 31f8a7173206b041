package main

import (
	"container/heap"

	"smpsim/des"
)

// heapEvent is an event as it is usually written: behind a pointer, with a function.
type heapEvent struct {
	at   des.Time
	seq  uint64
	fire func()
}

type heapEvents []*heapEvent

func (h heapEvents) Len() int { return len(h) }

func (h heapEvents) Less(i, j int) bool {
	return h[i].at < h[j].at || h[i].at == h[j].at && h[i].seq < h[j].seq
}

func (h heapEvents) Swap(i, j int) { h[i], h[j] = h[j], h[i] }

// Push adds an event; container/heap calls it.
func (h *heapEvents) Push(x any) { *h = append(*h, x.(*heapEvent)) }

// Pop removes the last event; container/heap calls it.
func (h *heapEvents) Pop() any {
	old := *h
	e := old[len(old)-1]
	*h = old[:len(old)-1]
	return e
}

// heapSim is an engine over container/heap.
type heapSim struct {
	now    des.Time
	seq    uint64
	events heapEvents
}

func (s *heapSim) after(d des.Time, fire func()) {
	s.seq++
	heap.Push(&s.events, &heapEvent{s.now + d, s.seq, fire})
}

// run fires n events.
func (s *heapSim) run(n int) int {
	for range n {
		s.step()
	}
	return n
}

func (s *heapSim) step() {
	e := heap.Pop(&s.events).(*heapEvent)
	s.now = e.at
	e.fire()
}

func heapEngine(c benchCase) func(n int) int {
	s, t := &heapSim{}, newTimes()
	if !c.lock {
		for range c.processes {
			var again func()
			again = func() { s.after(t.draw(), again) }
			again()
		}
		return s.run
	}
	held, handed := false, 0
	var waiters []func()
	for range c.processes {
		var ask, take, give func()
		ask = func() {
			if held {
				waiters = append(waiters, take)
				return
			}
			take()
		}
		take = func() {
			held = true
			s.after(hold, give)
		}
		give = func() {
			held = false
			handed++
			s.after(10*t.draw(), ask)
			if len(waiters) > 0 {
				next := waiters[0]
				waiters = append(waiters[:0], waiters[1:]...)
				held = true
				s.after(0, next)
			}
		}
		s.after(10*t.draw(), ask)
	}
	return func(n int) int {
		before := handed
		for handed < before+n {
			s.step()
		}
		return handed - before
	}
}

// baton is a process with a goroutine of its own; it has the turn between a receive
// from turn and a send on back.
type baton struct {
	sim  *heapSim
	turn chan struct{}
	back chan struct{}
}

func (s *heapSim) goroutine(body func(b *baton)) {
	b := &baton{sim: s, turn: make(chan struct{}), back: make(chan struct{})}
	go func() {
		<-b.turn
		body(b)
		b.back <- struct{}{}
	}()
	s.after(0, b.resume)
}

// resume gives the process its turn and waits for its end.
func (b *baton) resume() {
	b.turn <- struct{}{}
	<-b.back
}

// suspend ends the turn until somebody resumes the process.
func (b *baton) suspend() {
	b.back <- struct{}{}
	<-b.turn
}

func (b *baton) sleep(d des.Time) {
	b.sim.after(d, b.resume)
	b.suspend()
}

func goroutineEngine(c benchCase) func(n int) int {
	s, t := &heapSim{}, newTimes()
	handed, held := 0, false
	var waiters []*baton
	for range c.processes {
		s.goroutine(func(b *baton) {
			for !c.lock {
				b.sleep(t.draw())
			}
			for {
				b.sleep(10 * t.draw())
				if held {
					waiters = append(waiters, b)
					b.suspend()
				}
				held = true
				b.sleep(hold)
				handed++
				if held = len(waiters) > 0; held {
					s.after(0, waiters[0].resume)
					waiters = append(waiters[:0], waiters[1:]...)
				}
			}
		})
	}
	if !c.lock {
		return s.run
	}
	return func(n int) int {
		before := handed
		for handed < before+n {
			s.step()
		}
		return handed - before
	}
}
