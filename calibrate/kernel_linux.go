package calibrate

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// System calls are made raw: a thread that sleeps in one keeps its place in Go's
// scheduler, whose own work would otherwise be measured with it.

func nullSyscall(b *bench) ([]window, error) {
	return b.windows(func(n int) {
		for range n {
			_, _, _ = unix.RawSyscall(unix.SYS_GETPPID, 0, 0, 0)
		}
	})
}

// Operations of futex(2).
const (
	futexWait    = 0
	futexWake    = 1
	futexPrivate = 128
)

// sleepWhile sleeps while the word has that value, but not for more than a
// second: whoever should have changed it may have given up.
func sleepWhile(word *uint32, v uint32) {
	timeout := unix.Timespec{Sec: 1}
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWait|futexPrivate, uintptr(v), uintptr(unsafe.Pointer(&timeout)), 0, 0)
}

// wake wakes one thread that sleeps at the word.
func wake(word *uint32) {
	_, _, _ = unix.RawSyscall6(unix.SYS_FUTEX, uintptr(unsafe.Pointer(word)), futexWake|futexPrivate, 1, 0, 0, 0)
}

func wakeNobody(b *bench) ([]window, error) {
	w := new(uint32)
	return b.windows(func(n int) {
		for range n {
			wake(w)
		}
	})
}

func waitOver(b *bench) ([]window, error) {
	w := new(uint32)
	return b.windows(func(n int) {
		for range n {
			sleepWhile(w, 1)
		}
	})
}

func pipeAlone(b *bench) ([]window, error) {
	var p [2]int
	if err := unix.Pipe2(p[:], unix.O_CLOEXEC); err != nil {
		return nil, fmt.Errorf("no pipe: %w", err)
	}
	defer closeAll(p[:])
	return b.windows(func(n int) {
		for range n {
			writeByte(p[1])
			readByte(p[0])
		}
	})
}

func writeByte(fd int) bool {
	c := byte(1)
	n, _, _ := unix.RawSyscall(unix.SYS_WRITE, uintptr(fd), uintptr(unsafe.Pointer(&c)), 1)
	return n == 1
}

// readByte reads a byte; it reports false at the pipe's end.
func readByte(fd int) bool {
	var c byte
	for {
		n, _, e := unix.RawSyscall(unix.SYS_READ, uintptr(fd), uintptr(unsafe.Pointer(&c)), 1)
		if e != unix.EINTR {
			return n == 1
		}
	}
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = unix.Close(fd)
	}
}
