//go:build !linux

package runlog

import "os"

// syncData brings the bytes of a file to the disk.
func syncData(f *os.File) error { return f.Sync() }
