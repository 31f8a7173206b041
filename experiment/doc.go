// Package experiment reads an experiment file, resolves it into cells, runs these, and
// writes what came of it.
//
// A file describes a machine, kernel parameters, objects, tasks and an end; variants
// patch that description, and a sweep multiplies it. One cell is one such description
// with nothing left open; each of its replicas is a run.
//
// Invariants of reading:
//   - One table (schema.go, loads.go, schema_figures.go) says what a file may hold. Unknown keys,
//     defaults, paths and the JSON Schema for editors all come from it.
//   - A patch replaces the value at its path. --set applies to the file, then the
//     variant, then the sweep, then references ($path) take their values.
//   - Cells are ordered by variant in file order, then by sweep, first key slowest.
//   - Every cell is checked as a whole. A mistake is placed at the value that caused
//     it and reported once, however many cells it spoils.
//   - A cell's canonical form holds what influences its results, defaults and the
//     contents of other files included, and nothing else: equal forms and seeds give
//     equal results and equal ids.
//
// Invariants of running:
//   - Results are the same bytes whatever the number of processors and jobs, and
//     whether runs were done at once or taken up from an earlier command.
//   - Nothing is written before every mistake that can be found has been found. A file
//     appears whole or not at all; the manifest comes last.
//   - A record holds what a run measured. What the file says beyond the cell, such as
//     names, plots and expectations, is applied to records, never stored in them.
//
// Read experiment.go and cell.go for what a file comes to, read.go for the way to it;
// outcome.go and run.go for how it is run, simulate.go for one run, record.go for what is
// kept of it, results.go for what is written. explored.go explores a cell instead, with
// explored_programs.go for what is explored, explored_shrink.go for simpler findings;
// replay.go does a schedule again, timed_replay.go on the timed machine, and timed.go asks
// how likely a failure is there.
package experiment
