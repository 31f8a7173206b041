package calibrate

import (
	"bufio"
	"os"
	"runtime"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// host looks at the machine that the process runs on.
func host() *Host {
	h := &Host{System: "Linux", Processor: processor()}
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		h.System += " " + unix.ByteSliceToString(name.Release[:])
	}
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err == nil {
		for cpu := range 1024 { // the size of a CPUSet in bits
			if set.IsSet(cpu) {
				h.CPUs = append(h.CPUs, cpu)
			}
		}
	}
	if len(h.CPUs) == 0 {
		h.CPUs = []int{0}
		h.Notes = append(h.Notes, "the system does not tell which CPUs may be used")
	}
	h.Pinning = canPin(h.CPUs)
	h.arrange(os.DirFS("/sys/devices/system/cpu"))
	h.remark()
	return h
}

// canPin tries to keep a thread on each of the CPUs.
func canPin(cpus []int) bool {
	done := make(chan bool)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		for _, cpu := range cpus {
			if pin(cpu) != nil {
				done <- false
				return
			}
		}
		done <- true
	}()
	return <-done
}

// processor returns the model that the system names.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}

// pin keeps the calling thread on a CPU.
func pin(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	return unix.SchedSetaffinity(0, &set)
}

// preemptions returns how often the calling thread had to give up its CPU, and
// whether the system tells.
func preemptions() (n int64, known bool) {
	_, preempted := switches()
	return preempted, true
}

// switches returns how often the calling thread gave up its CPU to sleep, and how
// often it had to.
func switches() (slept, preempted int64) {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_THREAD, &u) // fails for a bad address alone
	return int64(u.Nvcsw), int64(u.Nivcsw)
}

// yield offers the calling thread's CPU to others.
func yield() { _, _, _ = unix.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

// largePage is what most processors can map as one page; memory that is to be
// mapped so must begin at a multiple of it.
const largePage = 2 << 20

// pages returns zeroed memory of that size, in large pages if the system has them,
// as a kernel's own memory is, and a function that gives it back.
func pages(size int) (memory []byte, free func(), err error) {
	all, err := unix.Mmap(-1, 0, size+largePage, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return nil, nil, err
	}
	_ = unix.Madvise(all, unix.MADV_HUGEPAGE) // a wish
	start := largePage - int(uintptr(unsafe.Pointer(&all[0]))%largePage)
	return all[start : start+size], func() { _ = unix.Munmap(all) }, nil
}
