package sandbox

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// executable returns the program of a worker: this one, even after its file was replaced or removed.
func executable() (string, error) { return "/proc/self/exe", nil }

// attributes put a worker in its own process group, which protects it from Ctrl-C at the terminal, and kill it when the
// thread that started it ends.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// closeInherited closes descriptors that this program's parent leaked. It spares the Go runtime's descriptors:
// anonymous inodes and the processor limits of the control group. The runtime reads the latter every second by
// descriptor number, which a file opened later would reuse.
func closeInherited() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && !strings.HasPrefix(target, "anon_inode:") && !strings.HasPrefix(filepath.Base(target), "cpu.") {
			_ = syscall.Close(fd) // the listing itself is already closed
		}
	}
	return nil
}

// limitMemory lets the address space grow by headroom.
func limitMemory() error {
	size, err := addressSpace()
	if err != nil {
		return err
	}
	return setLimit(syscall.RLIMIT_AS, size+headroom)
}

// statm stays open, because a sealed process cannot open it.
var statm = sync.OnceValues(func() (*os.File, error) { return os.Open("/proc/self/statm") })

// addressSpace returns the number of mapped bytes. The Go runtime reserves 1 to 2 GiB at its start, and terabytes under
// the race detector.
func addressSpace() (uint64, error) {
	file, err := statm()
	if err != nil {
		return 0, err
	}
	raw := make([]byte, 256)
	n, err := file.ReadAt(raw, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, err
	}
	fields := bytes.Fields(raw[:n])
	if len(fields) == 0 {
		return 0, fmt.Errorf("read /proc/self/statm: %q", raw)
	}
	pages, err := strconv.ParseUint(string(fields[0]), 10, 64)
	return pages * uint64(os.Getpagesize()), err
}
