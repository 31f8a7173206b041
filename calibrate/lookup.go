package calibrate

// Lookup is what looking up an abstract AF_UNIX name takes while so many sockets
// are bound, in nanoseconds a call.
type Lookup struct {
	// Names is how names are spelled: "bin", eight random bytes, or "dec", test000000
	// and so on, which fill the kernel's table unevenly.
	Names string
	// Bound is how many sockets have such a name.
	Bound int
	// Op is connect_miss_abs, connect_hit_abs, or getppid_ref, an empty system call.
	Op    string
	Run   int
	Calls int

	MinNS, P50NS, P90NS, P99NS, MaxNS float64
}
