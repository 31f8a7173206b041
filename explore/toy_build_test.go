package explore

// stmt is a statement: an instruction, or one with a body.
type stmt struct {
	ins
	body, other []stmt
	loop        bool
}

func assemble(code []ins, p []stmt) []ins {
	for _, s := range p {
		if s.body == nil {
			code = append(code, s.ins)
			continue
		}
		at := len(code)
		code = append(code, s.ins)
		code = assemble(code, s.body)
		if s.loop {
			code = append(code, ins{verb: vJump, to: at})
			code[at].to = len(code)
			continue
		}
		if s.other == nil {
			code[at].to = len(code)
			continue
		}
		skip := len(code)
		code = append(code, ins{verb: vJump})
		code[at].to = len(code)
		code = assemble(code, s.other)
		code[skip].to = len(code)
	}
	return code
}

func seq(s ...stmt) []stmt { return s }

func times(n int, s ...stmt) (all []stmt) {
	for range n {
		all = append(all, s...)
	}
	return all
}

func R(reg, word int) stmt { return stmt{ins: ins{verb: vRead, object: word, at: none, reg: reg}} }

func RAt(reg, word, at int) stmt { return stmt{ins: ins{verb: vRead, object: word, at: at, reg: reg}} }

func W(word, k int) stmt {
	return stmt{ins: ins{verb: vWrite, object: word, at: none, src: none, k: k}}
}

// WR writes reg[src]+k.
func WR(word, src, k int) stmt {
	return stmt{ins: ins{verb: vWrite, object: word, at: none, src: src, k: k}}
}

// X adds k and reads the value before.
func X(reg, word, k int) stmt {
	return stmt{ins: ins{verb: vFetchAdd, object: word, at: none, reg: reg, k: k}}
}

// Inc adds 1 and reads nothing.
func Inc(word int) stmt { return stmt{ins: ins{verb: vIncrement, object: word, at: none, k: 1}} }

// CAS reads the value before, and replaces old by value.
func CAS(reg, word, old, value int) stmt {
	return stmt{ins: ins{verb: vCAS, object: word, at: none, reg: reg, k: old, to: value}}
}

// CASFree is a CAS once the lock is free.
func CASFree(reg, word, old, value, lock int) stmt {
	return stmt{ins: ins{verb: vCASFree, object: word, at: lock, reg: reg, k: old, to: value}}
}

func L(lock int) stmt        { return stmt{ins: ins{verb: vLock, object: lock}} }
func U(lock int) stmt        { return stmt{ins: ins{verb: vUnlock, object: lock}} }
func Try(reg, lock int) stmt { return stmt{ins: ins{verb: vTry, object: lock, reg: reg}} }
func Spin(word, k int) stmt  { return stmt{ins: ins{verb: vSpin, object: word, at: none, k: k}} }
func SpinBoth(x, y, k int) stmt {
	return stmt{ins: ins{verb: vSpinBoth, object: x, to: y, at: none, k: k}}
}
func Down(word int) stmt       { return stmt{ins: ins{verb: vDown, object: word, at: none}} }
func Up(word int) stmt         { return stmt{ins: ins{verb: vUp, object: word, at: none}} }
func Enqueue() stmt            { return stmt{ins: ins{verb: vEnqueue}} }
func WakeAll() stmt            { return stmt{ins: ins{verb: vWakeAll}} }
func Fence() stmt              { return stmt{ins: ins{verb: vFence}} }
func Both(x, y, k int) stmt    { return stmt{ins: ins{verb: vBoth, object: x, to: y, k: k}} }
func Join(agent int) stmt      { return stmt{ins: ins{verb: vJoin, object: agent}} }
func Start(agent int) stmt     { return stmt{ins: ins{verb: vStart, object: agent}} }
func Set(reg, src, k int) stmt { return stmt{ins: ins{verb: vSet, reg: reg, src: src, k: k}} }

func (s stmt) plainly() stmt { s.plain = true; return s }

// ordered makes a read an acquire, a write a release.
func (s stmt) ordered() stmt {
	s.acquires, s.releases = s.verb == vRead, s.verb == vWrite
	return s
}
func is(reg int, op string, k int) cond { return cond{reg, op, none, k} }

// isReg compares two registers: reg op other+k.
func isReg(reg int, op string, other, k int) cond { return cond{reg, op, other, k} }

func If(c cond, body ...stmt) stmt { return stmt{ins: ins{verb: vUnless, cond: c}, body: body} }
func IfElse(c cond, body, other []stmt) stmt {
	return stmt{ins: ins{verb: vUnless, cond: c}, body: body, other: other}
}

func While(c cond, body ...stmt) stmt {
	return stmt{ins: ins{verb: vUnless, cond: c}, body: body, loop: true}
}

func Check0(c cond, what string) stmt { return stmt{ins: ins{verb: vAssert, cond: c, what: what}} }
