package cpus

import "smpsim/des"

// SetTickPhase lets the ticks of every CPU come that long after a multiple of
// the period, so that tests can tell by hand when. No CPU may be busy yet.
func (m *Machine) SetTickPhase(phase des.Time) {
	for i := range m.cpus {
		m.cpus[i].tickPhase = phase
	}
}

// NiceWeight returns the weight of a nice level.
func NiceWeight(nice int) float64 { return float64(niceWeights[nice+20]) }

// VirtualTime returns the virtual time of the fair queue of CPU i.
func (m *Machine) VirtualTime(i int) des.Time {
	if c := m.cpus[i].classes; c != nil {
		return c.base.(*fairQueue).now
	}
	return m.cpus[i].queue.(*fairQueue).now
}
