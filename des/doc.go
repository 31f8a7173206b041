// Package des is a discrete-event engine: virtual time, an event queue, the
// one point at which the next event is chosen, random streams, and processes.
//
// # Use
//
// A [Sim] owns a clock and a queue. A process is anything with a Step method;
// [Sim.Spawn] gives it an [ID], [Sim.Schedule] arms its single timer, and Step
// runs when the timer fires:
//
//	s := des.New(seed)
//	id := s.Spawn(p)
//	s.Schedule(id, 5*des.Nanosecond)
//	s.Run(des.Millisecond)
//
// A process that reads better as straight code runs as a [Coroutine].
//
// # Invariants
//
//   - Events fire in (time, sequence) order: of two events due at one instant,
//     the one scheduled first fires first. A [Chooser], where one is set, may
//     take any of the events that are due instead; nothing else can.
//   - The clock never goes back.
//   - A process has at most one pending event; scheduling again replaces it.
//   - Nothing here reads a wall clock, a global random source or a map's order.
//   - In steady state an event allocates nothing.
//
// Read queue.go for the queue, sim.go for the loop, choose.go for the choice
// point, stream.go and sample.go for randomness.
package des
