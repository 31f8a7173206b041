//go:build !linux

package calibrate

import "runtime"

// host looks at the machine that the process runs on.
func host() *Host {
	h := &Host{System: runtime.GOOS, Processor: runtime.GOARCH}
	for cpu := range runtime.NumCPU() {
		h.CPUs = append(h.CPUs, cpu)
	}
	h.flatten("system calls, wake-ups and the arrangement of CPUs are found under Linux only: taken as one socket")
	h.remark()
	return h
}

func pin(int) error { return errNoPinning }

// preemptions cannot be told here, so every window counts as undisturbed; the least
// of them is what counts anyway.
func preemptions() (n int64, known bool) { return 0, false }

func yield() { runtime.Gosched() }

func pages(size int) (memory []byte, free func(), err error) {
	return make([]byte, size), func() {}, nil
}
