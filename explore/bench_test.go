package explore

import "testing"

// benchmark measures executions: one an op, after a first exploration of the same kind
// has warmed nothing, since every call of Explore starts from nothing.
func benchmark(b *testing.B, p *toy, o Options) {
	b.ReportAllocs()
	done := int64(0)
	for done < int64(b.N) {
		o.Executions = int64(b.N) - done
		r, err := Explore(p.fresh(), o)
		if err != nil {
			b.Fatal(err)
		}
		done += max(1, r.Executions)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "executions/s")
}

func BenchmarkRandomLost(b *testing.B) { benchmark(b, lost(3, 2), Options{Strategy: Random(1)}) }
func BenchmarkRandomCollector(b *testing.B) {
	benchmark(b, collectorTrusted(), Options{Strategy: Random(1)})
}

func BenchmarkRandomRaces(b *testing.B) {
	benchmark(b, collectorTrusted(), Options{Strategy: Random(1), Races: true})
}

func BenchmarkPCT(b *testing.B) { benchmark(b, collectorTrusted(), Options{Strategy: PCT(1, 3)}) }

func BenchmarkSURW(b *testing.B) { benchmark(b, collectorTrusted(), Options{Strategy: SURW(1)}) }

func BenchmarkPOS(b *testing.B)          { benchmark(b, collectorTrusted(), Options{Strategy: POS(1)}) }
func BenchmarkDFSRing4(b *testing.B)     { benchmark(b, abba(4), Options{Strategy: DFS()}) }
func BenchmarkBounded(b *testing.B)      { benchmark(b, abba(4), Options{Strategy: Bounded(4)}) }
func BenchmarkDPORFib4(b *testing.B)     { benchmark(b, fib(4), Options{Strategy: DPOR()}) }
func BenchmarkDPORLastzero(b *testing.B) { benchmark(b, lastzero(10), Options{Strategy: DPOR()}) }
func BenchmarkDPORInc4(b *testing.B)     { benchmark(b, inc(4), Options{Strategy: DPOR()}) }
func BenchmarkDPORLocked(b *testing.B)   { benchmark(b, locked(3, 3), Options{Strategy: DPOR()}) }

func BenchmarkRoundRobin(b *testing.B) {
	benchmark(b, collectorTrusted(), Options{Strategy: RoundRobin()})
}

func BenchmarkReplay(b *testing.B) {
	s := Schedule{0, 1, 0, 0, 0, 0, 1, 1, 1, 1, 0, 0, 0, 0, 1, 1, 1, 1}
	benchmark(b, collectorTrusted(), Options{Strategy: Replay(s)})
}

// BenchmarkStates measures states: one an op.
func BenchmarkStates(b *testing.B) {
	for _, c := range []struct {
		name   string
		cycles bool
	}{{"alone", false}, {"cycles", true}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			states, transitions := int64(0), int64(0)
			for states < int64(b.N) {
				r, err := Explore(locked(4, 4).fresh(), Options{Strategy: States(), Cycles: c.cycles})
				if err != nil {
					b.Fatal(err)
				}
				states += *r.States
				transitions += *r.Transitions
			}
			b.ReportMetric(float64(states)/b.Elapsed().Seconds(), "states/s")
			b.ReportMetric(float64(transitions)/float64(states), "transitions/state")
		})
	}
}
