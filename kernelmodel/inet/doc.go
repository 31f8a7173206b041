// Package inet is the TCP socket as far as its name goes: who may read address
// and port with getsockname() while connect() writes them, and what the socket
// lock that keeps the two apart costs.
//
// # Use
//
//	n := inet.New(m, inet.Params{GetName: inet.LockSock, Base: 144230 * des.Picosecond})
//	u := n.Socket()
//	... in a task's thread k: err := u.Connect(k, route); name := u.GetSockName(k)
//	... in another's, as a softirq: u.Receive(k)
//	n.Stats().Torn
//
// # Invariants
//
//   - Whoever changes the name owns the socket: lock_sock() has set owned, which
//     the spinlock slock protects. Softirqs take slock alone; while the socket is
//     owned they leave what they bring in the backlog.
//   - Data is processed in the order of its arrival, through the backlog or not.
//   - All that tasks read of each other's is in words of the machine, touched by
//     ops, or announced. The backlog's segments are for the holder of slock alone,
//     those taken out of it for the owner.
//   - A call is torn if the pair that it returns was the socket's name at no instant
//     of the call. The account of that (history.go) is no part of the kernel and costs
//     nothing.
//   - What the lock costs follows from its ops; nothing here is a price of it. What
//     a call takes beyond is given (cost.go).
//
// Left out: IPv6, whose addresses tear by themselves; programs attached to
// cgroups; listening sockets; retransmission; the lookup that finds a segment's
// socket.
//
// Read sock.go for the state, lock.go for the socket lock and receive.go for the backlog, then getname.go
// and seqcount.go for the five ways to read a name, connect.go, disconnect.go and
// bind.go for those who write it, history.go for what is torn.
package inet
