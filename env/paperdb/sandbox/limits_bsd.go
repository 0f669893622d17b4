//go:build unix && !linux

package sandbox

import (
	"os"
	"syscall"
)

// executable returns the program of a worker: this one.
func executable() (string, error) { return os.Executable() }

// attributes put a worker in its own process group. Its parent's death closes its standard input.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// closeInherited does nothing, because the system provides no list of open files.
func closeInherited() error { return nil }

// limitMemory does nothing, because these systems do not enforce the limit of the address space. The engine's own limit
// and the deadline remain.
func limitMemory() error { return nil }

func addressSpace() (uint64, error) { return 0, nil }
