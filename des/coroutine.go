package des

import "iter"

// Coroutine is straight-line code that runs in turns with the simulation: it
// yields to wait and is resumed to go on. It serves models whose readability
// is worth two runtime switches, some 60 ns, a turn.
type Coroutine struct {
	sim   *Sim
	index int
	next  func() (struct{}, bool)
	stop  func()
	yield func(struct{}) bool
}

// unwound travels up the stack of a coroutine that is released unfinished.
type unwound struct{}

// NewCoroutine prepares body; the first Resume starts it. A coroutine that is
// still unfinished when the simulation is closed is unwound then: its deferred
// calls run, the rest of it never does.
func (s *Sim) NewCoroutine(body func(c *Coroutine)) *Coroutine {
	c := &Coroutine{sim: s, index: len(s.coroutines)}
	s.coroutines = append(s.coroutines, c)
	c.next, c.stop = iter.Pull(func(yield func(struct{}) bool) {
		c.yield = yield
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(unwound); !ok {
					panic(r)
				}
			}
		}()
		body(c)
	})
	return c
}

// Resume runs the coroutine until it yields, and reports whether it did; false
// means that its body has returned. A panic in the body appears here.
func (c *Coroutine) Resume() bool {
	_, yielded := c.next()
	if !yielded {
		c.release()
	}
	return yielded
}

// Yield hands control back to the caller of Resume and returns when resumed.
// Only the coroutine's own body may call it.
func (c *Coroutine) Yield() {
	if !c.yield(struct{}{}) {
		panic(unwound{})
	}
}

// release stops the coroutine and forgets it.
func (c *Coroutine) release() {
	all := c.sim.coroutines
	if c.index >= len(all) || all[c.index] != c {
		return
	}
	last := all[len(all)-1]
	all[c.index], last.index = last, c.index
	c.sim.coroutines = all[:len(all)-1]
	c.stop()
}

// Proc is a process written as straight code: a [Coroutine] with a timer.
type Proc struct {
	sim *Sim
	id  ID
	co  *Coroutine
}

// Go starts body as a process at the present instant.
func (s *Sim) Go(body func(p *Proc)) *Proc {
	p := &Proc{sim: s}
	p.co = s.NewCoroutine(func(*Coroutine) { body(p) })
	p.id = s.Spawn(p)
	s.Schedule(p.id, s.now)
	return p
}

// Step resumes the process; the engine calls it when the timer fires.
func (p *Proc) Step(s *Sim, id ID) {
	if !p.co.Resume() {
		s.Release(id)
	}
}

// Sleep lets d of virtual time pass.
func (p *Proc) Sleep(d Time) {
	if p.sim.RunAhead(p.sim.now + d) {
		return
	}
	p.sim.Schedule(p.id, p.sim.now+d)
	p.co.Yield()
}

// Suspend waits until another process calls Wake.
func (p *Proc) Suspend() { p.co.Yield() }

// Wake lets p go on at the present instant, after what is already due.
func (p *Proc) Wake() { p.sim.Schedule(p.id, p.sim.now) }
