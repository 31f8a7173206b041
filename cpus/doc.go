// Package cpus is the machine: virtual CPUs that run tasks, one operation at a
// time, on a topology of caches, with a cost for everything.
//
// # Use
//
//	m := cpus.New(sim, spec)
//	w := m.NewWord("counter", 0)
//	m.Start(m.NewTask(cpus.TaskSpec{Name: "t", Behavior: ...}))
//	m.Run(des.Second)
//
// A task's [Behavior] hands out its next [Op] when the last has ended. A
// program interprets an op array; a Go function runs as a [Thread]. What an op
// does beyond a word in memory is the business of a [Primitive] (a lock, a work
// item), which packages above define.
//
// # Invariants
//
//   - An op's effect and result commit at one instant: its end.
//   - A task is preempted or interrupted between ops, inside compute, and
//     (interrupted only) while it spins; nowhere else. A preempted compute
//     keeps its rest.
//   - No CPU idles while a task waits that may run there, but by a script.
//   - A CPU is always in exactly one [Mode]; its accounts add up to the elapsed
//     time, to the picosecond.
//   - Spinning and held spinlocks disable preemption.
//   - A task has at most one event pending: the end of its op, of its sleep, or
//     its turn at a lock.
//
// Read op.go and task.go for the nouns, exec.go for the life of an op, cpu.go
// and sched.go for who runs, place.go for where, policy.go and the files beside it
// for who goes first, irq.go and interrupt.go for what comes between, line.go for
// what a cache line costs, footprint.go for what a walk costs, costs.go for the
// numbers.
package cpus
