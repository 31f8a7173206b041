package explore_test

import (
	"testing"

	"smpsim/cpus"
	"smpsim/explore"
)

// benchmarkModel measures executions of a model on one core, at least one an op: whole
// explorations, or as many as a strategy that never ends is to draw.
func benchmarkModel(b *testing.B, build func(m *cpus.Machine) explore.Modelled, o explore.Options) {
	b.ReportAllocs()
	newSystem := goModel(build)
	done := int64(0)
	for done < int64(b.N) {
		done += max(1, explored(b, newSystem, o).Executions)
	}
	b.ReportMetric(float64(done)/b.Elapsed().Seconds(), "executions/s")
}

// benchmarkRandom draws 1000 executions of a model at a time.
func benchmarkRandom(b *testing.B, build func(m *cpus.Machine) explore.Modelled, races bool) {
	benchmarkModel(b, build, explore.Options{Strategy: explore.Random(1), Executions: 1000, Races: races})
}

// Three functions, each of which takes a lock, reads, writes and gives the lock back.
func BenchmarkModelRandom(b *testing.B) { benchmarkRandom(b, lockedModel(3, 1), false) }
func BenchmarkModelRaces(b *testing.B)  { benchmarkRandom(b, lockedModel(3, 1), true) }

// The same without the lock, twice: 34,650 interleavings of 12 steps.
func BenchmarkModelDFS(b *testing.B) {
	benchmarkModel(b, lostModel(3, 2), explore.Options{Strategy: explore.DFS()})
}

// The same three times, with the lock: 1,680 of 36.
func BenchmarkModelDFSLocked(b *testing.B) {
	benchmarkModel(b, lockedModel(3, 3), explore.Options{Strategy: explore.DFS()})
}

func BenchmarkModelDPOR(b *testing.B) {
	benchmarkModel(b, lostModel(3, 1), explore.Options{Strategy: explore.DPOR()})
}

// BenchmarkModelDeadlock measures executions of which a third leave functions unfinished.
func BenchmarkModelDeadlock(b *testing.B) { benchmarkRandom(b, ringModel(3), false) }
