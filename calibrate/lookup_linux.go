package calibrate

import (
	"context"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Operations of a [Lookup].
const (
	lookupMiss = "connect_miss_abs"
	lookupHit  = "connect_hit_abs"
	lookupNone = "getppid_ref"
)

// lookupCalls is how many calls make a [Lookup].
const lookupCalls = 1500

// Lookups measures on the host what looking up names takes while so many sockets
// are bound to random ones; bound ascends. It returns what it measured before the
// limit of open files or the context ended it, with the reason.
//
// As with [Measure], nothing else should run in the process.
func Lookups(ctx context.Context, bound []int) ([]Lookup, error) {
	h := host()
	defer quiet(h)()
	var sockets []int
	defer func() { closeAll(sockets) }()
	// Names that no other process will have.
	names := nameSource(os.Getpid())
	var known []unix.RawSockaddrUnix
	var rows []Lookup
	for _, n := range bound {
		for len(sockets) < n {
			if err := ctx.Err(); err != nil {
				return rows, err
			}
			fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
			if err != nil {
				return rows, fmt.Errorf("%d of %d sockets could be made: %w", len(sockets), n, err)
			}
			sockets = append(sockets, fd)
			name := names.next()
			known = append(known, name)
			if _, _, e := unix.RawSyscall(unix.SYS_BIND, uintptr(fd), uintptr(unsafe.Pointer(&name)), nameLength); e != 0 {
				return rows, fmt.Errorf("%d of %d sockets could be bound: %w", len(sockets)-1, n, e)
			}
		}
		some, err := lookups(h, n, known, names)
		rows = append(rows, some...)
		if err != nil {
			return rows, err
		}
	}
	return rows, ctx.Err()
}

// lookups times the calls with n sockets bound to the known names.
func lookups(h *Host, n int, known []unix.RawSockaddrUnix, names *nameStream) ([]Lookup, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no AF_UNIX socket: %w", err)
	}
	defer unix.Close(fd)
	connect := func(name *unix.RawSockaddrUnix) unix.Errno {
		_, _, e := unix.RawSyscall(unix.SYS_CONNECT, uintptr(fd), uintptr(unsafe.Pointer(name)), nameLength)
		return e
	}
	ops := []struct {
		name string
		call func() bool
	}{
		{lookupMiss, func() bool {
			name := names.next()
			return connect(&name) == unix.ECONNREFUSED
		}},
		{lookupHit, func() bool {
			name := known[names.draw()%uint64(len(known))]
			return connect(&name) == 0
		}},
		{lookupNone, func() bool {
			_, _, e := unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
			return e == 0
		}},
	}
	var rows []Lookup
	for _, op := range ops {
		if op.name == lookupHit && n == 0 {
			continue
		}
		times := make([]float64, lookupCalls)
		err := <-onThread(h, h.CPUs[0], func(pinned error) error {
			for i := range times {
				start := clock()
				ok := op.call()
				times[i] = float64(clock() - start)
				if !ok {
					return fmt.Errorf("%s with %d sockets bound: the kernel answered otherwise", op.name, n)
				}
			}
			return pinned
		})
		if err != nil {
			return rows, err
		}
		slices.Sort(times)
		rows = append(rows, Lookup{
			Names: "bin", Bound: n, Op: op.name, Calls: lookupCalls,
			MinNS: times[0], P50NS: quantile(times, 50), P90NS: quantile(times, 90), P99NS: quantile(times, 99), MaxNS: times[len(times)-1],
		})
	}
	return rows, nil
}

// nameStream gives one random abstract name after the other.
type nameStream struct{ state uint64 }

func nameSource(seed int) *nameStream { return &nameStream{state: uint64(seed)} }

// nameLength is that of an address: its family, the zero that makes a name abstract,
// and eight bytes.
const nameLength = 2 + 1 + 8

func (s *nameStream) next() unix.RawSockaddrUnix {
	name := unix.RawSockaddrUnix{Family: unix.AF_UNIX}
	v := s.draw()
	for i := range 8 {
		name.Path[1+i] = int8(v >> (8 * i))
	}
	return name
}

// draw is SplitMix64.
func (s *nameStream) draw() uint64 {
	s.state += 0x9e3779b97f4a7c15
	v := s.state
	v = (v ^ v>>30) * 0xbf58476d1ce4e5b9
	v = (v ^ v>>27) * 0x94d049bb133111eb
	return v ^ v>>31
}
