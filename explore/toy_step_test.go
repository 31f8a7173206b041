package explore

// describe fills in the agent's step as its instruction would be now.
func (t *toy) describe(a int, i *ins) *Step {
	s := &t.step[a]
	s.Others = s.Others[:0]
	s.Label = int32(a*100 + t.pc[a] + 1)
	defer func() {
		if t.joined[a] || t.starts[a] {
			s.Access |= Varies // whether it is the last, or starts, may depend on what it reads
		}
	}()
	object := 0
	switch i.verb {
	case vRead:
		object, s.Access = t.word(a, i), Reads
	case vWrite:
		object, s.Access = t.word(a, i), Writes
	case vBoth:
		object, s.Access = i.object, Writes
		s.Others = append(t.others[a][:0], Touch{t.objects[i.to], Writes})
	case vFetchAdd:
		object, s.Access = t.word(a, i), Reads|Writes|Acquires|Releases
	case vIncrement:
		object, s.Access = t.word(a, i), Reads|Writes|Increment
	case vCAS, vCASFree:
		if object, s.Access = t.word(a, i), Reads|Varies; i.verb == vCASFree {
			s.Access |= Waits
			s.Others = append(t.others[a][:0], Touch{t.objects[len(t.words)+i.at], Reads | Acquires})
		}
		if t.value[object] == i.k {
			s.Access |= Writes | Acquires | Releases
		}
	case vLock:
		object, s.Access = len(t.words)+i.object, Reads|Writes|Acquires|Waits
	case vUnlock:
		object, s.Access = len(t.words)+i.object, Reads|Writes|Releases
	case vTry:
		object, s.Access = len(t.words)+i.object, Reads|Varies
		if t.holder[i.object] == none {
			s.Access |= Writes | Acquires
		}
	case vSpin:
		object, s.Access = i.object, Reads|Waits|Acquires
	case vSpinBoth:
		object, s.Access = i.object, Reads|Waits|Acquires
		s.Others = append(t.others[a][:0], Touch{t.objects[i.to], Reads | Acquires})
	case vDown:
		object, s.Access = i.object, Reads|Writes|Acquires|Waits
	case vUp:
		object, s.Access = i.object, Reads|Writes|Releases
	case vEnqueue:
		object, s.Access = len(t.words)+t.locks, Reads|Writes
	case vWakeAll:
		object, s.Access = len(t.words)+t.locks, Reads|Writes|Varies
		s.Others = t.others[a][:0]
		for b, asleep := range t.asleep {
			if asleep {
				s.Others = append(s.Others, Touch{t.wakeup(b), Writes | Releases})
			}
		}
	case vFence:
		s.Objects, s.Access = nil, Acquires|Releases
		t.join(a, s)
		return s
	}
	if i.plain {
		s.Access |= Plain
	}
	if i.acquires {
		s.Access |= Acquires
	}
	if i.releases {
		s.Access |= Releases
	}
	s.Objects = t.objects[object : object+1]
	t.join(a, s)
	return s
}

// join adds what the step waits for besides: a wake-up, a start, an end.
func (t *toy) join(a int, s *Step) {
	if t.slept[a] {
		s.Access |= Waits
		s.Others = append(t.others[a][:len(s.Others)], Touch{t.wakeup(a), Reads | Acquires})
	}
	if t.first[a] && t.manual[a] {
		s.Others = append(t.others[a][:len(s.Others)], Touch{t.beginning(a), Reads | Acquires})
	}
	if b := t.waitsFor[a]; b != none {
		s.Access |= Waits
		s.Others = append(t.others[a][:len(s.Others)], Touch{t.end(b), Reads | Acquires})
	}
}

func (t *toy) wakeup(a int) int32 { return t.objects[len(t.words)+t.locks+1+len(t.code)+a] }

func (t *toy) beginning(a int) int32 { return t.objects[len(t.words)+t.locks+1+2*len(t.code)+a] }

func (t *toy) end(a int) int32 { return t.objects[len(t.words)+t.locks+1+a] }
