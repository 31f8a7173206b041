package main

import (
	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
	"smpsim/workloads"
	"smpsim/yamlfile"
)

const (
	hold  = des.Microsecond
	think = 10 * des.Microsecond
)

// times is a table of exponential times with a mean of a microsecond, drawn before
// anything is timed.
type times struct {
	table []des.Time
	next  int
}

func newTimes() *times {
	r := des.New(1).Stream("times")
	d := des.Exp(hold)
	t := &times{table: make([]des.Time, 1<<16)}
	for i := range t.table {
		t.table[i] = d.Sample(r) + 1
	}
	return t
}

func (t *times) draw() des.Time {
	t.next = (t.next + 1) & (1<<16 - 1)
	return t.table[t.next]
}

// stepHolder waits again and again.
type stepHolder struct{ times *times }

// Step waits for a random time.
func (h *stepHolder) Step(s *des.Sim, id des.ID) { s.Schedule(id, s.Now()+h.times.draw()) }

// stepLock is a lock with first-come order whose users are step functions.
type stepLock struct {
	times   *times
	held    bool
	waiters []des.ID
	head    int
	handed  int
}

// stepUser is one of them: it thinks, asks, holds.
type stepUser struct {
	lock    *stepLock
	holding bool
}

// Step is the end of thinking or of holding.
func (u *stepUser) Step(s *des.Sim, id des.ID) {
	l := u.lock
	switch {
	case u.holding:
		u.holding, l.held = false, false
		l.handed++
		s.Schedule(id, s.Now()+10*l.times.draw())
		if l.head < len(l.waiters) {
			next := l.waiters[l.head]
			if l.head++; l.head == len(l.waiters) {
				l.waiters, l.head = l.waiters[:0], 0
			}
			s.Schedule(next, s.Now())
		}
	case l.held:
		l.waiters = append(l.waiters, id)
	default:
		u.holding, l.held = true, true
		s.Schedule(id, s.Now()+hold)
	}
}

func stepEngine(c benchCase) func(n int) int {
	s, t := des.New(1), newTimes()
	if !c.lock {
		h := &stepHolder{t}
		for range c.processes {
			s.Schedule(s.Spawn(h), t.draw())
		}
		return fired(s)
	}
	l := &stepLock{times: t}
	for range c.processes {
		s.Schedule(s.Spawn(&stepUser{lock: l}), t.draw())
	}
	return until(s, func() int { return l.handed })
}

func coroutineEngine(c benchCase) func(n int) int {
	s, t := des.New(1), newTimes()
	if !c.lock {
		for range c.processes {
			s.Go(func(p *des.Proc) {
				for {
					p.Sleep(t.draw())
				}
			})
		}
		return fired(s)
	}
	handed, held := 0, false
	var waiters []*des.Proc
	for range c.processes {
		s.Go(func(p *des.Proc) {
			for {
				p.Sleep(10 * t.draw())
				if held {
					waiters = append(waiters, p)
					p.Suspend()
				}
				held = true
				p.Sleep(hold)
				handed++
				if held = len(waiters) > 0; held {
					waiters[0].Wake()
					waiters = append(waiters[:0], waiters[1:]...)
				}
			}
		})
	}
	return until(s, func() int { return handed })
}

// fired runs n events at a time.
func fired(s *des.Sim) func(n int) int {
	return func(n int) int {
		before := s.Fired()
		s.SetEventLimit(before + uint64(n))
		s.Run(des.Forever)
		return int(s.Fired() - before)
	}
}

// until runs until a counter has advanced by n or a little more.
func until(s *des.Sim, count func() int) func(n int) int {
	return func(n int) int {
		before := count()
		for count() < before+n {
			s.Run(s.Now() + 100*des.Microsecond)
		}
		return count() - before
	}
}

// machine has a CPU for each process, with the costs of the reference machine.
func machine(processes int) *cpus.Machine {
	p, err := cpus.LoadPreset("xeon-server")
	if err != nil {
		panic(err)
	}
	return cpus.New(des.New(1), cpus.Spec{
		Topology: cpus.Topology{Sockets: 1, Cores: processes, Threads: 1, CoresPerLLC: processes},
		Costs:    p.Costs, CPUs: processes, Policy: "fifo",
	})
}

// mostMachine is how many CPUs a machine is tried with: it is no engine for a
// hundred thousand.
const mostMachine = 1000

func programEngine(c benchCase) func(n int) int {
	if c.processes > mostMachine {
		return nil
	}
	text := "tasks: [{run: exp(1us)}]"
	if c.lock {
		text = "objects: {l: {spinlock: mcs}}\n" +
			"tasks: [{run: exp(10us)}, {lock: l}, {run: 1us}, {set: {n: n + 1}}, {unlock: l}]"
	}
	var problems yamlfile.Problems
	root := yamlfile.Parse("bench", []byte(text), &problems)
	w := workloads.Compile(&workloads.Source{Objects: root.Get("objects"), Tasks: []workloads.TaskSource{
		{Name: "t", Count: c.processes, Loop: workloads.Forever, Steps: root.Get("tasks").Items},
	}}, &problems)
	if err := problems.Err(); err != nil {
		panic(err)
	}
	m := machine(c.processes)
	p, linked := w.Program("t"), w.Link(m)
	for range c.processes {
		m.Start(linked.NewTask(p, &cpus.TaskSpec{}))
	}
	if !c.lock {
		return fired(m.Sim)
	}
	return until(m.Sim, func() int {
		handed := int64(0)
		for i := range c.processes {
			handed += linked.Registers(p, i)[0]
		}
		return int(handed)
	})
}

func threadEngine(c benchCase) func(n int) int {
	if c.processes > mostMachine {
		return nil
	}
	m, t := machine(c.processes), newTimes()
	l := kernelmodel.NewSpinlock(m, "l", "mcs")
	handed := 0
	for i := range c.processes {
		m.Start(m.NewThread(&cpus.TaskSpec{Name: "t", Index: int32(i), Numbered: true}, func(k *cpus.Thread) {
			for !c.lock {
				k.Run(t.draw())
			}
			for {
				k.Run(10 * t.draw())
				k.Call(l, kernelmodel.Lock)
				k.Run(hold)
				handed++
				k.Call(l, kernelmodel.Unlock)
			}
		}))
	}
	if !c.lock {
		return fired(m.Sim)
	}
	return until(m.Sim, func() int { return handed })
}
