// Package observe turns the tracepoints of a run into results: latency
// histograms, lock statistics, the time of CPUs and tasks, the slowest calls with
// what happened during them, and a timeline.
//
// # Use
//
//	r := observe.NewRecorder(m)
//	r.Timeline(0, 20*des.Millisecond) // only if a timeline is wanted
//	m.SetTracer(r)
//	m.Run(des.Second)
//	result := r.Result()
//	mean, unit, ok := result.Eval("mean", "unix_dgram_sendmsg")
//
// # Invariants
//
//   - Observing changes nothing: a run with a recorder and one without fire the
//     same events.
//   - Everything is counted, nothing is sampled. Counts, sums, minima and maxima
//     are exact; a quantile is too high by less than 1/128 of itself.
//   - Durations are [des.Time], picoseconds, until [Recorder.Result] makes
//     nanoseconds of them; floating point begins there.
//   - In steady state an event allocates nothing and takes no map.
//   - A [Result] does not refer to the simulation, which may be closed.
//
// Read hist.go for the histogram, recorder.go for what each tracepoint means,
// calls.go for how a slow call is explained, timeline.go for the timeline, and
// result.go and metric.go for what comes out.
package observe
