package kernelmodel_test

import (
	"fmt"
	"strconv"
	"strings"

	"smpsim/cpus"
	"smpsim/des"
	"smpsim/kernelmodel"
)

// program is a task of a test: steps, one op each, over and over.
type program struct {
	steps []step
	// loops is how often the steps are done, done how often they were.
	loops, done int
	at          int
	// last is the value of the last step that has one, sequence that of the last
	// read_begin.
	last, sequence int64
	// ended, where set, is told of every step that has ended.
	ended func(t *cpus.Task, s *step, result int64)
	exit  cpus.Op
}

// step is one op with its operands.
type step struct {
	text string
	op   cpus.Op
	a, b int64
	// back goes back that many steps instead of doing anything.
	back int
	// conditional steps are skipped if the last value was 0.
	conditional bool
	// valued steps have a result.
	valued bool
}

// Next interprets the program.
func (p *program) Next(t *cpus.Task) *cpus.Op {
	if p.at > 0 {
		p.end(t, &p.steps[p.at-1])
	}
	for {
		if p.at == len(p.steps) {
			p.at = 0
			if p.done++; p.done == p.loops {
				p.done = 0
				p.exit.Kind = cpus.Exit
				return &p.exit
			}
		}
		s := &p.steps[p.at]
		p.at++
		switch {
		case s.conditional && p.last == 0:
		case s.back > 0:
			p.at -= s.back + 1
		default:
			t.A, t.B = s.a, s.b
			if s.op.Kind == cpus.Call && s.op.Sub == kernelmodel.ReadRetry {
				t.A = p.sequence
			}
			return &s.op
		}
	}
}

// function does the steps as a Go function, which must be without conditions.
func (p *program) function(k *cpus.Thread) {
	for range p.loops {
		for i := range p.steps {
			s := &p.steps[i]
			k.Task().A, k.Task().B = s.a, s.b
			k.Do(&s.op)
		}
	}
}

func (p *program) end(t *cpus.Task, s *step) {
	if s.valued {
		p.last = t.Result
		if s.op.Sub == kernelmodel.ReadBegin && s.op.Kind == cpus.Call {
			p.sequence = t.Result
		}
	}
	if p.ended != nil {
		p.ended(t, s, t.Result)
	}
}

// bench is a machine with named objects, as a script or a test builds it.
type bench struct {
	machine *cpus.Machine
	objects map[string]any
	ended   func(t *cpus.Task, s *step, result int64)
}

// calls are the steps that are an operation of a primitive.
var calls = map[string]struct {
	sub    uint8
	valued bool
}{
	"lock": {kernelmodel.Lock, false}, "unlock": {kernelmodel.Unlock, false}, "trylock": {kernelmodel.TryLock, true},
	"lock_irq": {kernelmodel.LockIRQ, false}, "unlock_irq": {kernelmodel.UnlockIRQ, false},
	"lock_bh": {kernelmodel.LockBH, false}, "unlock_bh": {kernelmodel.UnlockBH, false},
	"read_lock": {kernelmodel.ReadLock, false}, "read_unlock": {kernelmodel.ReadUnlock, false},
	"write_lock": {kernelmodel.WriteLock, false}, "write_unlock": {kernelmodel.WriteUnlock, false},
	"read_begin": {kernelmodel.ReadBegin, true}, "read_retry": {kernelmodel.ReadRetry, true},
	"down": {kernelmodel.Down, false}, "up": {kernelmodel.Up, false},
	"queue": {kernelmodel.WorkQueue, true}, "flush": {kernelmodel.WorkFlush, true}, "cancel": {kernelmodel.WorkCancel, true},
	"sleep_on": {kernelmodel.SleepOn, false}, "wake": {kernelmodel.Wake, true}, "wake_all": {kernelmodel.WakeAll, true},
	"signal": {kernelmodel.Signal, false}, "signal_all": {kernelmodel.SignalAll, false}, "await": {kernelmodel.Await, false},
}

// words are the steps that access a word; all but writes have a value.
var words = map[string]cpus.Kind{
	"read": cpus.Load, "write": cpus.Store, "pending": cpus.Load, "add_return": cpus.AddReturn,
	"add": cpus.AddPlain, "sub": cpus.AddPlain, "test_and_set": cpus.TestAndSet,
}

// bare are the steps without an argument.
var bare = map[string]cpus.Kind{
	"irq_off": cpus.IRQOff, "irq_on": cpus.IRQOn, "bh_off": cpus.BHOff, "bh_on": cpus.BHOn,
	"preempt_off": cpus.PreemptOff, "preempt_on": cpus.PreemptOn, "fence": cpus.FenceFull,
}

// program parses steps separated by semicolons. "?" before one skips it if the
// last value was 0.
func (b *bench) program(text string) *program {
	p := &program{loops: 1, ended: b.ended}
	for _, part := range strings.Split(text, ";") {
		p.steps = append(p.steps, b.step(strings.TrimSpace(part)))
	}
	return p
}

func (b *bench) step(text string) step {
	s := step{text: text}
	text, s.conditional = strings.CutPrefix(text, "?")
	f := strings.Fields(text)
	name, args := f[0], f[1:]
	if c, ok := calls[name]; ok {
		s.op = cpus.Op{Kind: cpus.Call, Sub: c.sub, Prim: b.objects[args[0]].(cpus.Primitive)}
		s.valued = c.valued
		return s
	}
	if kind, ok := bare[name]; ok {
		s.op.Kind = kind
		return s
	}
	if kind, ok := words[name]; ok {
		b.wordStep(&s, name, kind, args)
		return s
	}
	switch name {
	case "before":
		// Nothing, for those who watch.
		s.op.Kind = cpus.FenceWrite
	case "run":
		s.op = cpus.Op{Kind: cpus.Compute, Dur: span(args[0])}
	case "user":
		s.op = cpus.Op{Kind: cpus.Compute, Dur: span(args[0]), User: true}
	case "sleep":
		s.op = cpus.Op{Kind: cpus.Sleep, Dur: span(args[0])}
	case "back":
		s.back = number(args[0])
	case "wait", "wait_exclusive":
		w := b.objects[args[1]].(*cpus.Word)
		q := b.objects[args[0]].(*kernelmodel.WaitQueue)
		s.op = cpus.Op{Kind: cpus.Call, Sub: kernelmodel.Wait, Prim: q.Until(equals(w, args[2]), w)}
		if name == "wait_exclusive" {
			s.op.Sub = kernelmodel.WaitExclusive
		}
	case "spin_until":
		w := b.objects[args[0]].(*cpus.Word)
		s.op = cpus.Op{Kind: cpus.Call, Prim: b.machine.NewPoll(text, []*cpus.Word{w}, equals(w, args[1]))}
	default:
		panic(fmt.Sprintf("unknown step %q", text))
	}
	return s
}

func (b *bench) wordStep(s *step, name string, kind cpus.Kind, args []string) {
	s.op.Kind = kind
	s.valued = name != "write" && name != "add" && name != "sub"
	if len(args) > 1 {
		s.a = int64(number(args[1]))
	}
	switch o := b.objects[args[0]].(type) {
	case *cpus.Word:
		s.op.Word = o
	case *kernelmodel.Work:
		s.op.Word = o.Pending()
	case *kernelmodel.Counter:
		s.op.Word = o.Word()
		if name == "add" || name == "sub" {
			s.op.Kind = o.Kind()
		}
		if name == "sub" {
			s.a = -s.a
		}
	default:
		panic(fmt.Sprintf("step %q: no such word", s.text))
	}
}

func equals(w *cpus.Word, value string) kernelmodel.ConditionFunc {
	v := int64(number(value))
	return func(*cpus.Task) bool { return w.Value == v }
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

// span parses a duration such as "2.5us".
func span(s string) des.Time {
	for _, unit := range []struct {
		name string
		size des.Time
	}{{"ps", des.Picosecond}, {"ns", des.Nanosecond}, {"us", des.Microsecond}, {"ms", des.Millisecond}} {
		if value, ok := strings.CutSuffix(s, unit.name); ok {
			whole, frac, _ := strings.Cut(value, ".")
			size := unit.size
			d := des.Time(number(whole)) * size
			for _, digit := range frac {
				size /= 10
				d += des.Time(digit-'0') * size
			}
			return d
		}
	}
	panic("no duration: " + s)
}
