package calibrate

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

func getsockname(b *bench) ([]window, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("no TCP socket: %w", err)
	}
	defer unix.Close(fd)
	var name unix.RawSockaddrAny
	length := uint32(unsafe.Sizeof(name))
	w, err := b.windows(func(n int) {
		for range n {
			_, _, _ = unix.RawSyscall(unix.SYS_GETSOCKNAME, uintptr(fd), uintptr(unsafe.Pointer(&name)), uintptr(unsafe.Pointer(&length)))
		}
	})
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, nullSyscallName)
}

// unixPair is an AF_UNIX datagram socket pair with a message to send over it.
type unixPair struct {
	from, to int
	header   unix.Msghdr
	vector   unix.Iovec
	body     [1]byte
	control  []byte
}

// newUnixPair makes a pair whose message carries so many descriptors of an AF_UNIX socket.
func newUnixPair(descriptors int) (*unixPair, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("no AF_UNIX sockets: %w", err)
	}
	p := &unixPair{from: fds[0], to: fds[1]}
	p.vector.Base = &p.body[0]
	p.vector.SetLen(len(p.body))
	p.header.Iov = &p.vector
	p.header.SetIovlen(1)
	if descriptors > 0 {
		passed := make([]int, descriptors)
		for i := range passed {
			passed[i] = p.from
		}
		p.control = unix.UnixRights(passed...)
		p.header.Control = &p.control[0]
		p.header.SetControllen(len(p.control))
	}
	return p, nil
}

func (p *unixPair) send() bool {
	n, _, _ := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(p.from), uintptr(unsafe.Pointer(&p.header)), 0)
	return n == uintptr(len(p.body))
}

// drain receives a message and closes what descriptors came with it.
func (p *unixPair) drain() error {
	var body [1]byte
	control := make([]byte, len(p.control))
	_, n, _, _, err := unix.Recvmsg(p.to, body[:], control, unix.MSG_CMSG_CLOEXEC)
	if err != nil || n == 0 {
		return err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return err
	}
	for i := range messages {
		fds, err := unix.ParseUnixRights(&messages[i])
		if err != nil {
			return err
		}
		closeAll(fds)
	}
	return nil
}

// sends times sending alone: a burst that fits into the receiver's queue, which is
// then emptied.
func (b *bench) sends(descriptors int) ([]window, error) {
	const burst = 8 // net.unix.max_dgram_qlen is 10 at least
	p, err := newUnixPair(descriptors)
	if err != nil {
		return nil, err
	}
	defer closeAll([]int{p.from, p.to})
	var found []window
	var failed error
	err = <-onThread(b.host, b.host.CPUs[0], func(pinned error) error {
		if pinned != nil {
			return pinned
		}
		found = b.repeat(func() float64 {
			sent := 0
			start := clock()
			for sent < burst && p.send() {
				sent++
			}
			ns := float64(clock()-start) / float64(max(sent, 1))
			for range sent {
				failed = firstError(failed, p.drain())
			}
			if sent < burst {
				failed = firstError(failed, fmt.Errorf("%d of %d messages could be sent", sent, burst))
			}
			return ns
		})
		return failed
	})
	return found, err
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

func sendmsg(b *bench) ([]window, error) {
	w, err := b.sends(0)
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, nullSyscallName)
}

func passUnixFD(b *bench) ([]window, error) {
	w, err := b.sends(1)
	if err != nil {
		return nil, err
	}
	return b.lessKnown(w, nullSyscallName, sendmsgPlain)
}
