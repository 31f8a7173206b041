package workloads

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// verbs are all the operations that a step can name.
var verbs = []verb{
	{name: "run", form: formDuration, op: cpus.Compute, generate: (*generator).timed},
	{name: "sleep", form: formDuration, op: cpus.Sleep, generate: (*generator).timed},

	{name: "read", form: formRead, op: cpus.Load, access: Reads, generate: (*generator).read},
	{name: "read_plain", form: formRead, op: cpus.LoadPlain, access: Reads | Plain, generate: (*generator).read},
	{name: "acquire", form: formRead, op: cpus.LoadAcquire, access: Reads | Acquires, generate: (*generator).read},
	{name: "write", form: formWrite, op: cpus.Store, access: Writes, generate: (*generator).write},
	{name: "write_plain", form: formWrite, op: cpus.StorePlain, access: Writes | Plain, generate: (*generator).write},
	{name: "release", form: formWrite, op: cpus.StoreRelease, access: Writes | Releases, generate: (*generator).write},
	{name: "atomic", form: formAtomic, access: Reads | Writes | Acquires | Releases, generate: (*generator).atomic},
	{name: "add", form: formObject, kinds: []ObjectKind{Counter}, generate: (*generator).add},
	{name: "sub", form: formObject, kinds: []ObjectKind{Counter}, generate: (*generator).add},
	{name: "fence", form: formWord, words: []string{"mb", "wmb", "rmb"}, generate: (*generator).fence},

	{name: "lock", form: formObject, kinds: []ObjectKind{Spinlock, Mutex}, sub: kernelmodel.Lock, access: taking, generate: (*generator).primitive},
	{name: "unlock", form: formObject, kinds: []ObjectKind{Spinlock, Mutex}, sub: kernelmodel.Unlock, access: givingBack, generate: (*generator).primitive},
	{name: "trylock", form: formTry, kinds: []ObjectKind{Spinlock, Mutex}, sub: kernelmodel.TryLock, access: taking, generate: (*generator).primitive},
	{name: "read_lock", form: formObject, kinds: []ObjectKind{RWLock}, sub: kernelmodel.ReadLock, access: taking, generate: (*generator).primitive},
	{name: "read_unlock", form: formObject, kinds: []ObjectKind{RWLock}, sub: kernelmodel.ReadUnlock, access: givingBack, generate: (*generator).primitive},
	{name: "write_lock", form: formObject, kinds: []ObjectKind{RWLock, Seqlock}, sub: kernelmodel.WriteLock, access: taking, generate: (*generator).primitive},
	{name: "write_unlock", form: formObject, kinds: []ObjectKind{RWLock, Seqlock}, sub: kernelmodel.WriteUnlock, access: givingBack, generate: (*generator).primitive},
	{name: "lock_irq", form: formObject, kinds: []ObjectKind{Spinlock}, sub: kernelmodel.LockIRQ, access: taking, generate: (*generator).primitive},
	{name: "unlock_irq", form: formObject, kinds: []ObjectKind{Spinlock}, sub: kernelmodel.UnlockIRQ, access: givingBack, generate: (*generator).primitive},
	{name: "lock_bh", form: formObject, kinds: []ObjectKind{Spinlock}, sub: kernelmodel.LockBH, access: taking, generate: (*generator).primitive},
	{name: "unlock_bh", form: formObject, kinds: []ObjectKind{Spinlock}, sub: kernelmodel.UnlockBH, access: givingBack, generate: (*generator).primitive},
	{name: "read_begin", form: formTry, kinds: []ObjectKind{Seqlock}, sub: kernelmodel.ReadBegin, access: Reads | Acquires, generate: (*generator).primitive},
	{name: "read_retry", form: formRetry, kinds: []ObjectKind{Seqlock}, sub: kernelmodel.ReadRetry, access: Reads | Acquires, generate: (*generator).primitive},
	{name: "down", form: formObject, kinds: []ObjectKind{Semaphore}, sub: kernelmodel.Down, access: taking, generate: (*generator).primitive},
	{name: "up", form: formObject, kinds: []ObjectKind{Semaphore}, sub: kernelmodel.Up, access: givingBack, generate: (*generator).primitive},

	{name: "spin_until", form: formCondition, access: Reads, generate: (*generator).spinUntil},
	{name: "irq_off", form: formBare, op: cpus.IRQOff, generate: (*generator).bare},
	{name: "irq_on", form: formBare, op: cpus.IRQOn, generate: (*generator).bare},
	{name: "bh_off", form: formBare, op: cpus.BHOff, generate: (*generator).bare},
	{name: "bh_on", form: formBare, op: cpus.BHOn, generate: (*generator).bare},

	{name: "queue", form: formObject, kinds: []ObjectKind{WorkItem}, sub: kernelmodel.WorkQueue, access: givingBack, generate: (*generator).primitive},
	{name: "flush", form: formObject, kinds: []ObjectKind{WorkItem}, sub: kernelmodel.WorkFlush, access: Reads | Acquires, generate: (*generator).primitive},
	{name: "cancel", form: formObject, kinds: []ObjectKind{WorkItem}, sub: kernelmodel.WorkCancel, access: Reads | Writes | Acquires, generate: (*generator).primitive},
	{name: "wait", form: formWait, kinds: []ObjectKind{WaitQueue}, access: Reads | Writes | Acquires, sub: kernelmodel.Wait, generate: (*generator).wait},
	{name: "sleep_on", form: formObject, kinds: []ObjectKind{WaitQueue}, sub: kernelmodel.SleepOn, access: Writes | Acquires, generate: (*generator).primitive},
	{name: "wake", form: formObject, kinds: []ObjectKind{WaitQueue}, sub: kernelmodel.Wake, access: givingBack, generate: (*generator).primitive},
	{name: "wake_all", form: formObject, kinds: []ObjectKind{WaitQueue}, sub: kernelmodel.WakeAll, access: givingBack, generate: (*generator).primitive},
	{name: "signal", form: formObject, kinds: []ObjectKind{Event}, sub: kernelmodel.Signal, access: givingBack, generate: (*generator).primitive},
	{name: "await", form: formObject, kinds: []ObjectKind{Event}, sub: kernelmodel.Await, access: taking, generate: (*generator).primitive},
	{name: "start", form: formTask, generate: (*generator).lifecycle},
	{name: "join", form: formTask, generate: (*generator).lifecycle},

	{name: "if", form: formCondition, bodies: []string{"then", "else"}, generate: (*generator).branch},
	{name: "while", form: formCondition, bodies: []string{"do"}, generate: (*generator).while},
	{name: "loop", form: formCount, bodies: []string{"do"}, generate: (*generator).loop},
	{name: "break", form: formBare, generate: (*generator).leave},
	{name: "return", form: formBare, generate: (*generator).leave},
	{name: "set", form: formSet, generate: (*generator).set},
	{name: "assert", form: formCondition, generate: (*generator).assert},
	{name: "mark", form: formWord, generate: (*generator).mark},
	{name: "call", form: formCall, generate: (*generator).syscall},
}

// What steps that take something, and give it back, do to it.
const (
	taking     = Reads | Writes | Acquires
	givingBack = Writes | Releases
)

func findVerb(name string) *verb {
	for i := range verbs {
		if verbs[i].name == name {
			return &verbs[i]
		}
	}
	return nil
}

func verbNames() []string {
	names := make([]string, len(verbs))
	for i := range verbs {
		names[i] = verbs[i].name
	}
	return names
}

// atomics are the functions of an atomic step. They take the word and then the
// op's operands.
var atomics = []atomicFunction{
	{"cmpxchg", cpus.Cmpxchg, 2},
	{"xchg", cpus.Xchg, 1},
	{"add_return", cpus.AddReturn, 1},
	{"fetch_add", cpus.FetchAdd, 1},
	{"inc_not_zero", cpus.IncNotZero, 0},
	{"test_and_set", cpus.TestAndSet, 0},
}

func atomicNames() []string {
	names := make([]string, len(atomics))
	for i := range atomics {
		names[i] = atomics[i].name
	}
	return names
}

type atomicFunction struct {
	name     string
	kind     cpus.Kind
	operands int
}
