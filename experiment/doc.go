// Package experiment reads an experiment file, checks it, and resolves it into cells
// that are ready to run.
//
// A file describes a machine, kernel parameters, objects, tasks and an end; variants
// patch that description, and a sweep multiplies it. One cell is one such description
// with nothing left open.
//
// Invariants:
//   - One table (schema.go, loads.go, schema_figures.go) says what a file may hold. Unknown keys,
//     defaults, paths and the JSON Schema for editors all come from it.
//   - A patch replaces the value at its path. --set applies to the file, then the
//     variant, then the sweep, then references ($path) take their values.
//   - Cells are ordered by variant in file order, then by sweep, first key slowest.
//   - Every cell is checked as a whole. A mistake is placed at the value that caused
//     it and reported once, however many cells it spoils.
//   - A cell's canonical form holds what influences its results, defaults included,
//     and nothing else: equal forms and seeds give equal results and equal ids.
//
// Read experiment.go and cell.go for the result, read.go for the way to it.
package experiment
