// Package explore chooses interleavings: it finds the order of steps that breaks an
// assertion, a check or an invariant, that races, deadlocks or goes round for ever; and
// where it visits every class of executions, it proves that there is none.
//
// What is explored is a [System]: a program compiled by package workloads, or a kernel
// model, without costs. Everything that could happen next is due at once, and a
// strategy picks.
package explore
