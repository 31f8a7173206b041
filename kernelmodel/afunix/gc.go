package afunix

import (
	"smpsim/cpus"
	"smpsim/kernelmodel"
)

// collectInline is unix_gc() of the variant Inline: the caller collects. Several
// may get here, since the flag was tested without the lock; they spin until the
// first is done with its lists, see the flag, and go.
func (n *Net) collectInline(k *cpus.Thread, p *Process) {
	entered := k.Enter(n.fn.unixGC)
	n.stats.Entered++
	n.lock(k)
	if !n.params.Unfixed.NoRecheck && k.LoadPlain(n.gcInProgress) != 0 {
		n.unlock(k)
		k.Return(n.fn.unixGC, entered)
		return
	}
	k.Store(n.gcInProgress, 1)
	n.collectLocked(k, p)
	n.lock(k)
	n.mustBeGone(k)
	k.Store(n.gcInProgress, 0)
	kernelmodel.WakeUp(k, n.gcWait)
	n.unlock(k)
	k.Return(n.fn.unixGC, entered)
}

// collectInWork is __unix_gc(), the body of unix_gc_work.
func (n *Net) collectInWork(k *cpus.Thread) {
	entered := k.Enter(n.fn.gcWork)
	n.stats.Entered++
	if n.params.Unfixed.FlagSetByWork {
		k.Store(n.gcInProgress, 1)
	}
	n.lock(k)
	n.collectLocked(k, n.kworker)
	switch n.variant {
	case SCC:
		k.Store(n.gcInProgress, 0)
	case Merged:
		n.lock(k)
		n.mustBeGone(k)
		k.Store(n.gcInProgress, 0)
		n.unlock(k)
	default:
		n.lock(k)
		n.mustBeGone(k)
		n.unlock(k)
	}
	k.Return(n.fn.gcWork, entered)
}

// collectLocked finds garbage, with unix_gc_lock held on entry, and frees it
// with the lock given back.
func (n *Net) collectLocked(k *cpus.Thread, p *Process) {
	did := n.ledger.collect(k, &p.hitlist)
	n.unlock(k)
	if did {
		n.stats.Collections++
	}
	p.purge(k, &p.hitlist)
}

// mustBeGone is the collector's last assertion.
func (n *Net) mustBeGone(k *cpus.Thread) {
	if left := n.ledger.left(); left != 0 {
		k.BugOn(true, "%d candidates left after the hitlist was purged", left)
	}
}
