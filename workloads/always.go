package workloads

// WatchAlways has the workload's conditions of check.always judged after every step
// of a program and every store to a word. The run ends with a [Failure] at the first
// that does not hold.
func (l *Linked) WatchAlways() {
	if len(l.workload.Always) == 0 {
		return
	}
	if l.past == nil {
		l.remember()
	}
	l.always = l.workload.Always
	l.machine.OnStore = func() { l.judge() }
}

// judge reports whether all that must always hold does, and ends the run if not.
func (l *Linked) judge() bool {
	if l.machine.Failure() != nil {
		return false
	}
	for i := range l.always {
		c := &l.always[i]
		holds, err := l.Holds(c)
		switch {
		case err != nil:
			l.machine.Fail(err)
			return false
		case !holds:
			f := &Failure{Kind: CheckFailed, Pos: c.Pos, What: "does not hold", Step: "check.always: " + c.Text, At: l.machine.Sim.Now()}
			if l.past != nil {
				f.Past = l.past.tell(l.workload, nil)
			}
			l.machine.Fail(f)
			return false
		}
	}
	return true
}
