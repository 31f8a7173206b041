package explore_test

import (
	"testing"

	"smpsim/explore"
)

// BenchmarkProgramWalks draws executions at random, each step evenly among the agents
// that are enabled, to the end: what any strategy pays for the system alone.
func BenchmarkProgramWalks(b *testing.B) {
	for _, c := range []struct{ name, file, variant string }{
		{"collector", "../examples/explore_double_entry.yaml", "trusted"},
		{"lost-update", "../examples/explore_lost_update.yaml", "plain-unlocked"},
		{"flush", "../examples/explore_missed_flush.yaml", "sender-sets"},
		{"store-buffer-tso", "../examples/explore_store_buffer.yaml", "tso"},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := readFile(b, c.file).program(b, c.variant)
			steps := 0
			enabled := make([]explore.Agent, 0, 16)
			random := uint64(1)
			b.ReportAllocs()
			for b.Loop() {
				p.Reset()
				for {
					if enabled = p.Enabled(enabled[:0]); len(enabled) == 0 {
						break
					}
					random ^= random << 13
					random ^= random >> 7
					random ^= random << 17
					p.Do(enabled[(random>>32)*uint64(len(enabled))>>32])
					steps++
					for p.Finding() != nil {
					}
				}
				for p.End() != nil {
				}
			}
			b.ReportMetric(float64(steps)/float64(b.N), "steps/op")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps), "ns/step")
		})
	}
}

// BenchmarkProgramStates saves, restores and tells the state of a program.
func BenchmarkProgramStates(b *testing.B) {
	p := readFile(b, "../examples/explore_double_entry.yaml").program(b, "trusted")
	p.Do(0)
	saved := p.Save(nil)
	var buf []byte
	for _, c := range []struct {
		name string
		f    func()
	}{
		{"save", func() { buf = p.Save(buf[:0]) }},
		{"restore", func() { p.Restore(saved) }},
		{"state", func() { buf = p.State(buf[:0]) }},
		{"reset", p.Reset},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				c.f()
			}
		})
	}
}
