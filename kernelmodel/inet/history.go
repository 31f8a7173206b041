package inet

import (
	"fmt"
	"slices"

	"smpsim/cpus"
)

// Name is an address and a port, as system calls return them.
type Name struct {
	Addr uint32
	Port uint16
}

// String returns the name as it is usually written, such as 10.0.0.1:80.
func (n Name) String() string {
	return fmt.Sprintf("%d.%d.%d.%d:%d", n.Addr>>24, n.Addr>>16&255, n.Addr>>8&255, n.Addr&255, n.Port)
}

// history is the names that a socket has had, one after another, by which calls are
// judged. Nothing of it is in the kernel; it costs nothing, but an explorer sees each
// access, so that it tries all orders of a call's beginning and end and of a change's.
//
// A call is torn if the pair that it returns was the name at no instant of the call.
// While a change is under way, it may have happened or not: the name is the old one or
// the new one, which is known when the change is over.
type history struct {
	shared cpus.Shared
	// names[i] is the name after i changes.
	names []Name
	// changing: a change is under way. doubts are pairs that calls have returned since
	// it began, and that are no name unless it makes them one.
	changing bool
	doubts   []Name
	torn     int64
}

func (h *history) init(m *cpus.Machine, what string) {
	m.Share(&h.shared, what)
	h.names = []Name{{}}
}

// begin notes that the name begins to change.
func (h *history) begin(k *cpus.Thread) {
	k.Sets(&h.shared)
	h.changing = true
}

// end notes that it has become n.
func (h *history) end(k *cpus.Thread, n Name) {
	k.Sets(&h.shared)
	h.changing = false
	h.names = append(h.names, n)
	for _, d := range h.doubts {
		if d != n {
			h.torn++
		}
	}
	h.doubts = h.doubts[:0]
}

// call notes that a call begins and returns how many changes were before.
func (h *history) call(k *cpus.Thread) (since int) {
	k.Sees(&h.shared)
	return len(h.names) - 1
}

// returned notes that a call that began then has returned n.
func (h *history) returned(k *cpus.Thread, since int, n Name) {
	k.Sees(&h.shared)
	switch {
	case slices.Contains(h.names[since:], n):
	case h.changing:
		h.doubts = append(h.doubts, n)
	default:
		h.torn++
	}
}
