package experiment

import "slices"

// load is something a task can do that is built in. Loads and their parameters are
// declared here alone; what they do is the business of package workloads.
type load struct {
	name string
	doc  string
	// background loads go on for as long as others do: by default they never end, and
	// no run waits for them.
	background bool
	params     []key
}

var loads = []load{
	{
		name: "unix_dgram_sendmsg", doc: "Sends datagrams over an AF_UNIX socket.",
		params: paced(
			repeats("messages"),
			key{name: "size", shape: sizeShape, def: "1", doc: "Bytes a message."},
			key{name: "fds", shape: descriptors(0), def: "0", doc: "Descriptors passed with each message."},
		),
	},
	{
		name: "scm_rights_round_trip", doc: "Passes AF_UNIX descriptors to itself and receives them.",
		params: paced(
			repeats("messages"),
			key{name: "size", shape: sizeShape, def: "1", doc: "Bytes a message."},
			key{name: "fds", shape: descriptors(1), def: "1", doc: "Descriptors passed with each message."},
		),
	},
	{
		name: "scm_rights_flood", doc: "Passes AF_UNIX descriptors that nobody receives.",
		params: paced(
			repeats("messages"),
			key{name: "fds", shape: descriptors(1), def: "1", doc: "Descriptors passed with each message."},
		),
	},
	{
		name: "unix_receiver", doc: "Receives what another task sends.", background: true,
		params: paced(
			repeatsForever("messages"),
			key{name: "from", required: true, shape: nameShape, doc: "The task whose messages it receives."},
		),
	},
	{
		name: "unix_gc_close", doc: "Opens and closes AF_UNIX sockets; a close may start the collector.",
		params: paced(repeats("calls")),
	},
	{
		name: "getsockname", doc: "Asks an internet socket for its own name.",
		params: paced(repeats("calls"), socketKey),
	},
	{
		name: "getpeername", doc: "Asks an internet socket for its peer's name.",
		params: paced(repeats("calls"), socketKey),
	},
	{
		name: "connect_loop", doc: "Connects and disconnects an internet socket.", background: true,
		params: paced(repeatsForever("calls"), socketKey),
	},
	{
		name: "receive_softirq", doc: "Delivers packets to an internet socket in softirq context.", background: true,
		params: paced(repeatsForever("calls"), socketKey),
	},
	{
		name: "unix_bind_abstract", doc: "Binds AF_UNIX sockets to abstract names.",
		params: paced(
			repeats("calls"),
			key{name: "names", shape: textShape, def: "%x", doc: "The printf format of a name, given its number, or random."},
			key{name: "from", shape: count(0, unbounded), def: "0", doc: "The first number."},
			thenKey,
		),
	},
	{
		name: "unix_connect_abstract", doc: "Looks up abstract names, as connect() does.",
		params: paced(
			repeats("calls"),
			key{name: "names", shape: textShape, def: "%x", doc: "The printf format of a name, given its number, or random."},
			key{name: "from", shape: count(0, unbounded), def: "0", doc: "The first number."},
		),
	},
	{
		name: "unix_autobind", doc: "Lets the kernel name AF_UNIX sockets.",
		params: paced(repeats("calls"), thenKey),
	},
}

var thenKey = key{name: "then", shape: words("keep", "close"), def: "keep", doc: "Whether the socket is closed again."}

// repeats is how often a load does its call: for ever where stop.after ends the run,
// otherwise once. An exploration heeds no stop.after.
func repeats(name string) key {
	return key{name: name, shape: foreverOr, def: "1", defTimed: "forever", doc: "How many; if left out, for ever where stop.after is given, else one."}
}

func repeatsForever(name string) key {
	return key{name: name, shape: foreverOr, def: "forever", doc: "How many; for ever if left out."}
}

// descriptors is a number of descriptors; a message carries at most SCM_MAX_FD, 253.
func descriptors(low int64) *shape { return count(low, 253) }

var socketKey = key{
	name: "socket", shape: nameShape, def: "shared",
	doc: "Tasks that name the same socket share it; own is a socket for each task.",
}

// paced adds the two ways to space calls: from the end of the last (closed loop), or
// by the clock (open loop).
func paced(params ...key) []key {
	return append(
		params,
		key{name: "think", shape: distributionShape, def: "0ns", doc: "Closed loop: the time between a call's return and the next call."},
		key{name: "arrival", shape: distributionShape, doc: "Open loop: the time between calls, whether or not the last has returned."},
	)
}

// loadKey is the key that names a load; the load's parameters join the keys of a task.
func loadKey() key {
	s := &shape{form: formWord, opens: make(map[string][]key)}
	run := key{name: "run", shape: s, doc: "A built-in load."}
	for _, l := range loads {
		s.words = append(s.words, l.name)
		s.opens[l.name] = slices.Concat([]key{run}, taskKeys, l.params)
	}
	return run
}

// isBackground reports whether a load goes on for as long as others do.
func isBackground(name string) bool {
	return slices.ContainsFunc(loads, func(l load) bool { return l.name == name && l.background })
}
