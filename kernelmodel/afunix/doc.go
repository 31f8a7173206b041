// Package afunix is the AF_UNIX subsystem as far as two stories go: its garbage
// collector, with sockets that pass sockets over SCM_RIGHTS, the count of what is in
// flight, and five generations of the collector that frees cycles; and the hash table
// in which names are looked up, in three layouts.
//
// # Use
//
//	n := afunix.New(m, afunix.Params{GC: afunix.Inline, Trigger: afunix.DefaultTrigger})
//	err := n.Setup(afunix.Graph{Shape: afunix.Open, Sockets: 32768, User: "mallory"})
//	p := n.NewProcess("alice")
//	a, b := n.Socketpair(afunix.Dgram)
//	... in a task's thread k: p.Sendmsg(k, a, 1, nil)
//
// # Invariants
//
//   - What unix_gc_lock protects (counts in flight, the collector's lists, the
//     graph) changes with the lock held, or before time starts. [Net.Check]
//     compares it with the messages that are really under way.
//   - The functions carry the kernel's names and follow its algorithm. Flags,
//     counters and the lock are words and locks of the machine, touched by ops;
//     the structure that the lock protects is plain data, charged by walks.
//   - The time a collection takes follows from what it touches (touches) and from
//     how warm that is ([cpus.Footprint]); nothing here is a price of a collection.
//   - A collection that would find everything as the last one did is not done
//     again in Go, but is charged just the same (memo).
//   - Where interleavings are chosen ([cpus.Machine.Stepped]), each access to what two
//     tasks can touch is a step, announced right before it is made, unless
//     unix_gc_lock orders it. [Net.Check] holds after every step.
//
// Left out: out-of-band data, io_uring, files that are not AF_UNIX sockets, the limit
// of a listener's queue. The locks of a receive queue and of a socket's state, but a
// listener's, are never contended: they are in the anchors.
//
// Read net.go for the state, process.go for whose calls they are, send.go, receive.go,
// connect.go and close.go for the system calls, wait.go for who starts and who awaits a
// collection, gc.go for what all collectors share, gc_list.go and gc_scc.go for the two
// algorithms, cost.go for what the anchors contain, explored.go for what an explorer is
// told. The hash table stands by itself: table.go has its layouts, hash.go and name.go
// what decides the bucket, the other files named table_ what is done with it.
package afunix
