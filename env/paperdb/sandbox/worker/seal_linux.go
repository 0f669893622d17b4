package worker

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// seal takes from all threads of the process, for good, the rights to gain privileges, to open files and to make connections.
// What is open stays usable. A kernel without Landlock enforces only the first.
func seal() error {
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return landlock.V11.BestEffort().Restrict()
}

// Landlock returns the version of Landlock's interface that the kernel has, 0 for none. Version 4 restricts connections, too.
func Landlock() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}
