//go:build !unix

package worker

import (
	"os"
	"syscall"
	"time"
)

// confinement is empty: the system has no limits that a process could set itself.
type confinement struct{}

func confine() (confinement, error) { return confinement{}, nil }

func (confinement) spend(time.Duration) error { return nil }

func (confinement) worn() bool { return false }

// executable is what a worker runs: this very program.
func executable() (string, error) { return os.Executable() }

// attributes are the default. A worker sees its parent's death as the end of its standard input.
func attributes() *syscall.SysProcAttr { return nil }
