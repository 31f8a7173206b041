//go:build !linux

package calibrate

func nullSyscall(*bench) ([]window, error)   { return nil, errNotHere }
func wakeNobody(*bench) ([]window, error)    { return nil, errNotHere }
func waitOver(*bench) ([]window, error)      { return nil, errNotHere }
func pipeAlone(*bench) ([]window, error)     { return nil, errNotHere }
func switchThread(*bench) ([]window, error)  { return nil, errNotHere }
func pipeSameCPU(*bench) ([]window, error)   { return nil, errNotHere }
func switchProcess(*bench) ([]window, error) { return nil, errNotHere }
func wakeIdle(*bench) ([]window, error)      { return nil, errNotHere }
func wakeWaker(*bench) ([]window, error)     { return nil, errNotHere }
func futexCrossCPU(*bench) ([]window, error) { return nil, errNotHere }
func pipeCrossCPU(*bench) ([]window, error)  { return nil, errNotHere }
func getsockname(*bench) ([]window, error)   { return nil, errNotHere }
func sendmsg(*bench) ([]window, error)       { return nil, errNotHere }
func passUnixFD(*bench) ([]window, error)    { return nil, errNotHere }
