//go:build unix && !linux

package worker

import (
	"os"
	"syscall"
)

// executable is what a worker runs: this very program.
func executable() (string, error) { return os.Executable() }

// attributes make a worker the head of a process group of its own. It sees its parent's death as the end of its
// standard input.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// closeInherited does nothing: there is no list of open files to go by.
func closeInherited() error { return nil }

// limitMemory does nothing: these systems do not keep the limit of the address space. The engine's own limit
// stands, and the deadline.
func limitMemory() error { return nil }

func addressSpace() (uint64, error) { return 0, nil }
