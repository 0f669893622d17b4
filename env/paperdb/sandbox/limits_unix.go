//go:build unix

package sandbox

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	// headroom is the address space that a worker may use in addition to what it starts with.
	headroom = 2 << 30
	// openFiles is enough for the pipes, the Go runtime and a database.
	openFiles = 32
)

// confinement is the baseline for the limits of a process.
type confinement struct {
	start uint64 // bytes of address space, 0 if unknown
}

// confine removes unnecessary rights and resources from the process.
func confine() (confinement, error) {
	if err := closeInherited(); err != nil {
		return confinement{}, err
	}
	if err := limitMemory(); err != nil {
		return confinement{}, err
	}
	for _, limit := range []struct {
		resource int
		value    uint64
	}{{syscall.RLIMIT_FSIZE, 0}, {syscall.RLIMIT_CORE, 0}, {syscall.RLIMIT_NOFILE, openFiles}} {
		if err := setLimit(limit.resource, limit.value); err != nil {
			return confinement{}, err
		}
	}
	// A scheduler signals all processes of a job, but the parent still waits for its queries.
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1)
	spent := make(chan os.Signal, 1)
	signal.Notify(spent, syscall.SIGXCPU)
	go func() {
		<-spent
		os.Exit(1)
	}()
	start, err := addressSpace()
	return confinement{start: start}, err
}

// setLimit lowers a limit permanently.
func setLimit(resource int, value uint64) error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(resource, &limit); err != nil {
		return err
	}
	limit.Max = min(limit.Max, value)
	limit.Cur = limit.Max
	return syscall.Setrlimit(resource, &limit)
}

// spend limits the processor time of a request. The parent kills the worker much earlier; this covers a parent that
// cannot.
func (confinement) spend(deadline time.Duration) error {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_CPU, &limit); err != nil {
		return err
	}
	// The engine has one thread, but the Go runtime's garbage collector runs concurrently.
	limit.Cur = uint64(used.Utime.Sec) + uint64(used.Stime.Sec) + uint64(2*deadline/time.Second) + 5
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &limit)
}

// exhausted reports whether the process retains so much memory that the next request would have too little.
func (c confinement) exhausted() bool {
	now, err := addressSpace()
	return err != nil || now > c.start+headroom/4
}
