package kernelmodel

// Operations of the primitives: Op.Sub of a call on them. Those of locks are in
// spinlock.go; a mutex knows Lock, Unlock and TryLock, too.
const (
	// ReadLock and ReadUnlock: a reader's side of an [RWLock].
	ReadLock uint8 = iota + 16
	ReadUnlock
	// WriteLock and WriteUnlock: the writer's side of an [RWLock] or a [Seqlock].
	WriteLock
	WriteUnlock
	// ReadBegin of a [Seqlock] waits until no writer is inside; the result is the
	// sequence number to hand to ReadRetry.
	ReadBegin
	// ReadRetry has the number that ReadBegin returned as operand A; the result is
	// 1 if a writer came between, so that what was read must be read again, else 0.
	ReadRetry
	// Down takes a unit of a [Semaphore], asleep until there is one; Up gives one
	// back.
	Down
	Up
	// WorkQueue queues a [Work]; the result is 1 if it did, 0 if the item was
	// pending already.
	WorkQueue
	// WorkFlush waits for the last queued instance of a [Work]; the result is 1 if
	// it had to wait, 0 if the item was idle.
	WorkFlush
	// WorkCancel takes a pending [Work] back and waits until it runs no more; the
	// result is 1 if it was pending, else 0.
	WorkCancel
	// Wait, of a [WaitPoint], sleeps on its queue until its condition holds.
	Wait
	// WaitExclusive is Wait as one of those of whom a Wake wakes a single one.
	WaitExclusive
	// SleepOn sleeps on a [WaitQueue] until the next wake-up, without a test: one
	// that came just before is lost.
	SleepOn
	// Wake wakes everybody on a [WaitQueue] but the exclusive, and the first of
	// those; WakeAll wakes all. The result is how many.
	Wake
	WakeAll
	// Signal lets one task past an [Event], now or later; SignalAll lets all, for
	// good.
	Signal
	SignalAll
	// Await waits for a signal of an [Event] and uses it up.
	Await
)
