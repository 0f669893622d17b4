//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package flat

import (
	"errors"
	"os"
)

// mapFile is not supported here: files are read into memory.
func mapFile(*os.File, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func unmap([]byte) error { return nil }

func evict([]byte) {}
