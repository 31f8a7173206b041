// Command bench times event engines side by side: this one, in each of the forms in
// which a process can be written for it, and the two that simulators in Go are
// usually built on.
//
// # Use
//
//	go -C bench run .                 # all, a few minutes
//	go -C bench run . -runs 2 -case hold-64
//
// # What is timed
//
//   - hold: N processes, each of which waits a random time again and again. The
//     number is the CPU time of one wait.
//   - lock: 64 processes and one first-come lock, held for 1 us; each thinks for
//     10 us on average before it asks again. The number is the CPU time of one
//     hand-over, thinking included.
//
// All draw from one table of exponential times that was made before, except where a
// row says that it samples. CPU time is that of the whole process, so that garbage
// collection on other cores counts; each measurement is a process of its own, and
// the least of several counts, since a busy machine can only add.
//
// # The engines
//
//   - smpsim step: a process is a Step method; smpsim coroutine: a Go function.
//   - smpsim program: steps of an experiment file on the whole machine, with CPUs,
//     a scheduler, cache lines and a real spinlock; smpsim thread: the same as a Go
//     function. They sample their times and do far more work for each.
//   - container/heap: step functions over the standard library's heap of pointers.
//   - goroutines: a goroutine for each process over the same heap, the turn being
//     passed by channels: the design of the process-based simulators in Go. Those
//     packages themselves (simgo, godes) are left out, since not every module proxy
//     serves them and one that is missing would keep the others from being timed.
package main
