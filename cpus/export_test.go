package cpus

import "smpsim/des"

// SetTickPhase lets the ticks of every CPU come that long after a multiple of
// the period, so that tests can tell by hand when. No CPU may be busy yet.
func (m *Machine) SetTickPhase(phase des.Time) {
	for i := range m.cpus {
		m.cpus[i].tickPhase = phase
	}
}
