package plots

// spread moves labels apart. Each wants its middle at a place of want, given in
// ascending order; they are height tall and stay within lo and hi if they can.
// It returns their middles, in order, at least height apart, with the least sum
// of squared displacements (before rounding).
//
// With label i moved up by i heights, "apart" becomes "ascending", and the
// closest ascending sequence is found by pooling neighbours that violate it.
func spread(want []float64, height, lo, hi int) []int {
	type pool struct {
		sum   float64
		count int
	}
	mean := func(p pool) float64 { return p.sum / float64(p.count) }
	var pools []pool
	for i, w := range want {
		p := pool{w - float64(i*height), 1}
		for len(pools) > 0 && mean(pools[len(pools)-1]) > mean(p) {
			last := pools[len(pools)-1]
			pools = pools[:len(pools)-1]
			p = pool{last.sum + p.sum, last.count + p.count}
		}
		pools = append(pools, p)
	}
	first := float64(lo) + float64(height)/2
	last := float64(hi) - float64(height)/2 - float64((len(want)-1)*height)
	middles := make([]int, 0, len(want))
	for _, p := range pools {
		at := int(max(first, min(last, mean(p))) + 0.5)
		for range p.count {
			middles = append(middles, at+len(middles)*height)
		}
	}
	return middles
}
