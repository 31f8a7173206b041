package explore

import (
	"encoding/binary"
	"fmt"
)

func (t *toy) Finding() *Finding {
	if t.told == len(t.findings) {
		return nil
	}
	t.told++
	return t.findings[t.told-1]
}

func (t *toy) End() *Finding {
	if t.judged {
		return nil
	}
	t.judged = true
	stuck, all := "", true
	for a := range t.ended {
		// An agent that was asleep for ever, or waits.
		if done := (t.ended[a] || t.idle[a]) && !t.asleep[a]; !done && !t.loose[a] {
			stuck += fmt.Sprintf(" %d at %d", a, t.pc[a])
			all = false
		}
	}
	if !all {
		return &Finding{Kind: Deadlock, What: "stuck:" + stuck}
	}
	if t.finally != nil && !t.finally(t) {
		return &Finding{Kind: Check, What: "finally"}
	}
	return nil
}

func (t *toy) State(buf []byte) []byte {
	for a := range t.pc {
		buf = append(buf, byte(t.pc[a]), byte(t.waitsFor[a]))
		sleep := byte(0)
		if t.asleep[a] {
			sleep = 1
		}
		if t.slept[a] {
			sleep |= 2
		}
		if t.idle[a] {
			sleep |= 4
		}
		if t.first[a] {
			sleep |= 8
		}
		buf = append(buf, sleep)
	}
	for _, h := range t.holder {
		buf = append(buf, byte(h))
	}
	return t.Final(buf)
}

func (t *toy) Final(buf []byte) []byte {
	for _, v := range t.value {
		buf = append(buf, byte(v), byte(v>>8))
	}
	for a := range t.reg {
		for _, v := range t.reg[a] {
			buf = append(buf, byte(v), byte(v>>8))
		}
	}
	return buf
}

func (t *toy) Save(buf []byte) []byte { return t.State(buf) }

func (t *toy) Restore(b []byte) {
	t.findings, t.told, t.judged = t.findings[:0], 0, false
	for a := range t.pc {
		t.pc[a], t.waitsFor[a], t.asleep[a], t.slept[a] = int(b[0]), int(int8(b[1])), b[2]&1 != 0, b[2]&2 != 0
		t.idle[a], t.first[a] = b[2]&4 != 0, b[2]&8 != 0
		t.ended[a] = t.pc[a] == len(t.code[a])
		b = b[3:]
	}
	for i := range t.holder {
		t.holder[i] = int(int8(b[0]))
		b = b[1:]
	}
	number := func() int {
		n := int(int16(binary.LittleEndian.Uint16(b)))
		b = b[2:]
		return n
	}
	for i := range t.value {
		t.value[i] = number()
	}
	for a := range t.reg {
		for i := range t.reg[a] {
			t.reg[a][i] = number()
		}
	}
}
