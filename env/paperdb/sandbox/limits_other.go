//go:build !unix

package sandbox

import (
	"os"
	"syscall"
	"time"
)

// confinement is empty: a process cannot limit itself on this system.
type confinement struct{}

func confine() (confinement, error) { return confinement{}, nil }

func (confinement) spend(time.Duration) error { return nil }

func (confinement) exhausted() bool { return false }

// executable returns the program of a worker: this one.
func executable() (string, error) { return os.Executable() }

// attributes are the default. The parent's death closes the worker's standard input.
func attributes() *syscall.SysProcAttr { return nil }
