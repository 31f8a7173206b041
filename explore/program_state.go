package explore

import "encoding/binary"

// Reset goes back to the initial state.
func (p *Program) Reset() {
	copy(p.agents, p.firstAgents)
	copy(p.cells, p.firstCells)
	p.found = append(p.found[:0], p.firstFound...)
	p.shown, p.judged, p.last = 0, false, done{}
}

// agentWords is how many numbers an agent's state is.
const agentWords = 6

// Save appends the present state, history included.
func (p *Program) Save(buf []byte) []byte {
	for i := range p.agents {
		a := &p.agents[i]
		for _, v := range [agentWords]int64{
			a.a, a.b, a.left, int64(a.op)<<32 | int64(uint32(a.pc)), int64(a.need),
			int64(a.masked)<<24 | int64(a.gate)<<16 | int64(a.phase)<<8 | int64(a.status),
		} {
			buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
		}
	}
	for _, v := range p.cells {
		buf = binary.LittleEndian.AppendUint64(buf, uint64(v))
	}
	return buf
}

// Restore goes back to a saved state.
func (p *Program) Restore(saved []byte) {
	next := func() int64 {
		v := int64(binary.LittleEndian.Uint64(saved))
		saved = saved[8:]
		return v
	}
	for i := range p.agents {
		a := &p.agents[i]
		a.a, a.b, a.left = next(), next(), next()
		place := next()
		a.op, a.pc = int32(place>>32), int32(place)
		a.need = int32(next())
		flags := next()
		a.masked, a.gate, a.phase, a.status = mask(flags>>24), gate(flags>>16), uint8(flags>>8), status(flags)
	}
	for i := range p.cells {
		p.cells[i] = next()
	}
	p.found, p.shown, p.judged, p.last = p.found[:0], 0, false, done{}
}

// State appends a canonical form of the state: what an operation no longer needs is
// zero, and history is left out.
func (p *Program) State(buf []byte) []byte {
	for i := range p.agents {
		a := &p.agents[i]
		buf = append(buf, byte(a.status)<<4|byte(a.masked)<<2|a.phase)
		buf = appendNumber(buf, int64(a.op))
		buf = appendNumber(buf, a.a)
		buf = appendNumber(buf, a.b)
		buf = appendNumber(buf, a.left)
	}
	for _, v := range p.cells[:p.hidden] {
		buf = appendNumber(buf, v)
	}
	return buf
}

// appendNumber appends a number in a form that no other number's is the beginning of:
// one byte for those near zero.
func appendNumber(buf []byte, v int64) []byte {
	if u := uint64(v)<<1 ^ uint64(v>>63); u < 0x80 {
		return append(buf, byte(u))
	}
	return binary.AppendVarint(buf, v)
}

// Final appends what is compared between ends: words, the state of objects, and the
// registers of tasks.
func (p *Program) Final(buf []byte) []byte {
	for _, v := range p.cells[:p.words] {
		buf = appendNumber(buf, v)
	}
	for _, v := range p.cells[p.words+p.registers : p.objectsEnd] {
		buf = appendNumber(buf, v)
	}
	for i := range p.who {
		w := &p.who[i]
		if w.program == nil {
			continue
		}
		first, names := p.explored.Registers(w.program, w.index)
		for _, v := range p.cells[p.words+first : p.words+first+len(names)] {
			buf = appendNumber(buf, v)
		}
	}
	return buf
}
