package explore

import "sync"

// opened are systems that hold what the garbage collector does not free: the coroutines
// of a [Model], which keep it in memory. Whoever makes systems closes them.
type opened struct {
	mutex   sync.Mutex
	systems []System
}

// add notes a system, which jobs may make at once, and returns it.
func (o *opened) add(s System) System {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.systems = append(o.systems, s)
	return s
}

// close closes all that can be closed.
func (o *opened) close() {
	for _, s := range o.systems {
		Close(s)
	}
}

// Close ends the use of a system that nobody else closes: what [Explore] and [Shrink]
// make they close themselves.
func Close(s System) {
	if m, ok := s.(*Model); ok {
		m.Close()
	}
}
