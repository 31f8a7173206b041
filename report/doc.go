// Package report turns results into text: the histograms and tables of a
// summary, and the numbers in them.
//
// # Use
//
// Functions take plain values. Those that print histograms and tables return lines
// that end in a newline, or the empty string if there is nothing to say:
//
//	text := report.Histogram(result.Metric("unix_dgram_sendmsg"), false)
//	text += report.Locks(result.Locks)
//
// # Invariants
//
//   - Text is UTF-8 without colour or tabs; of what is not ASCII, it has µ and ±.
//   - The same values give the same bytes on every machine.
//   - A number is rounded once, here. An interval is rounded up, and its mean to
//     the same place.
//   - Columns of numbers are flush right, columns of words flush left.
//
// Read number.go for how numbers are written, table.go for how tables are set,
// and the other files for what each text shows.
package report
