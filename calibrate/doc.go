// Package calibrate measures the costs of the host it runs on and writes them as
// a preset, and runs on the host the contended experiments that simulations of it
// are compared with.
//
// # Use
//
//	report, err := calibrate.Measure(ctx, calibrate.Options{Base: base})
//	report.WriteYAML(file)     // what cpus.ReadPreset reads
//	fmt.Print(report.Table())  // what a person reads
//
//	rows, err := calibrate.Contend(ctx, calibrate.ContendOptions{})
//	names, err := calibrate.Lookups(ctx, []int{0, 1000, 10000})
//	truth := calibrate.Truth() // the same rows, from another host
//
// # Invariants
//
//   - A number comes from windows of some tens of microseconds in which no thread
//     of the measurement was preempted, and is the least of them: on a busy host
//     the least is stable and the mean is not.
//   - A host can have two regimes, such as when a hypervisor moves its virtual
//     CPUs apart. Windows that fall into two such groups are never mixed: the
//     number is the least of the group with more windows, and both are reported.
//   - What cannot be measured stands in from the base preset, by name and with
//     the reason. The file that is written is valid whatever fails.
//   - Nothing outlives a call: threads that were pinned end, and the runtime's
//     settings are put back.
//
// This is no simulation package: it reads the wall clock, and no two calls agree
// to the byte.
//
// Read measure.go for the course of a calibration, probe.go for what is measured
// and how, window.go and team.go for windows on one thread and on several,
// stats.go for what is made of them, preset.go for the file, contend.go for the
// contended experiments, and lookup.go for those with socket names.
package calibrate
