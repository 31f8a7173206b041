package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// waitForUnixGC is wait_for_unix_gc(): a sender starts a collection if too much
// is in flight, and waits for its end if the variant makes it.
func (n *Net) waitForUnixGC(k *cpus.Thread, p *Process, fds []*Sock) {
	entered := k.Enter(n.fn.waitForGC)
	switch n.variant {
	case Inline:
		if k.Load(n.totInflight) > n.params.Trigger && k.Load(n.gcInProgress) == 0 {
			n.unixGC(k, p)
		}
		kernelmodel.WaitEvent(k, n.gcIdle)
	case Worker:
		if k.Load(n.totInflight) > n.params.Trigger {
			kernelmodel.QueueWork(k, n.gcWork)
		}
		kernelmodel.FlushWork(k, n.gcWork)
	case WorkerAsync:
		if k.Load(n.totInflight) > n.params.Trigger {
			kernelmodel.QueueWork(k, n.gcWork)
		}
		// Even far below the trigger, as was objected when it was posted.
		if len(fds) > 0 && k.Load(p.user.inflight) > n.sane {
			kernelmodel.FlushWork(k, n.gcWork)
		}
	default:
		if k.Load(n.totInflight) > n.params.Trigger && k.Load(n.gcInProgress) == 0 {
			n.unixGC(k, p)
		}
		if len(fds) > 0 && k.Load(p.user.inflight) >= n.sane && n.collectionDue(k) {
			kernelmodel.FlushWork(k, n.gcWork)
		}
	}
	k.Return(n.fn.waitForGC, entered)
}

// collectionDue reports whether a collection is queued or running, as far as a
// sender can tell.
func (n *Net) collectionDue(k *cpus.Thread) bool {
	if n.params.Unfixed.FlagSetByWork && k.Load(n.gcWork.Pending()) != 0 {
		return true
	}
	return k.Load(n.gcInProgress) != 0
}

// unixGC is unix_gc(): what a close() calls, and a sender that finds too much in
// flight. It collects or, in later variants, has a work item do so.
func (n *Net) unixGC(k *cpus.Thread, p *Process) {
	switch n.variant {
	case Inline:
		n.collectInline(k, p)
		return
	case Merged, SCC:
		// Whether or not it was set: only the first of several that set it queues.
		if !n.params.Unfixed.FlagSetByWork {
			k.Store(n.gcInProgress, 1)
		}
	}
	kernelmodel.QueueWork(k, n.gcWork)
}
