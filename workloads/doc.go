// Package workloads holds what an experiment puts on a machine: the objects and
// programs of its file, compiled, and the loads that are built in.
//
// # Use
//
//	w := workloads.Compile(&workloads.Source{Objects: objects, Tasks: tasks}, &problems)
//	l := w.Link(machine) // for each run
//	spec := &cpus.TaskSpec{}
//	machine.Start(l.NewTask(w.Program("sender"), spec))
//	machine.Run(des.Second)
//	l.Words()
//
// # Invariants
//
//   - A compiled workload does not change: any number of runs share it.
//   - Every mistake of a file is noted, with its place, what is allowed and the
//     nearest name; a workload with a mistake is not made.
//   - An interpreted step allocates nothing. An instance is its registers and 16
//     bytes, beside its [cpus.Task].
//   - What the user wrote cannot panic or hang: faults of expressions, failed
//     assertions and loops without an operation end the run with a [Failure].
//   - Registers cost nothing and belong to one instance; every access to an object
//     is one op, whose Label is its [Step].
//
// # The way of a step
//
// A step is read (step_read.go) by the form that its verb has (verbs.go), its
// expressions are parsed (expr_read.go), their names resolved (resolve.go), and
// code is generated (generate.go and its siblings) for the machine that code.go
// describes. link.go binds it to live objects, explored.go to flat memory without a
// machine; interpret.go runs it. failure.go says what went wrong, and what happened
// before.
package workloads
