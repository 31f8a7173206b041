package inet

import "smpsim/cpus"

// The sequence count that a reviewer of the patch asked for in general terms: readers
// take no lock and write nothing, and still get a name that is whole. Writers are the
// socket's owners, one at a time, and need no lock of their own. A writer's section
// lasts from the first field that it writes to the last, with preemption off: in
// connect() the search for a port is part of it.

var (
	preemptOff = cpus.Op{Kind: cpus.PreemptOff}
	preemptOn  = cpus.Op{Kind: cpus.PreemptOn}
)

// writeBegin is write_seqcount_begin(): the count becomes odd.
func (u *Sock) writeBegin(k *cpus.Thread) {
	if u.net.variant != Seqcount {
		return
	}
	k.Do(&preemptOff)
	k.Store(u.sequence, k.LoadPlain(u.sequence)+1)
}

// writeEnd is write_seqcount_end(): the count becomes even again, another than before.
func (u *Sock) writeEnd(k *cpus.Thread) {
	if u.net.variant != Seqcount {
		return
	}
	k.Store(u.sequence, k.LoadPlain(u.sequence)+1)
	k.Do(&preemptOn)
}

// readBegin is read_seqcount_begin(): it waits until no writer is inside.
func (u *Sock) readBegin(k *cpus.Thread) int64 {
	for {
		if s := k.Load(u.sequence); s&1 == 0 {
			return s
		}
		k.Call(u.even, 0)
	}
}

// readRetry is read_seqcount_retry(): whether a writer came since.
func (u *Sock) readRetry(k *cpus.Thread, start int64) bool { return k.Load(u.sequence) != start }
