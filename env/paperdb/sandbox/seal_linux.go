package sandbox

import (
	"fmt"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// seal permanently prevents all threads of the process from gaining privileges, opening files and making connections.
// Open descriptors remain usable. A kernel without Landlock enforces only the first.
func seal() error {
	if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("set no_new_privs: %w", err)
	}
	return landlock.V11.BestEffort().Restrict()
}

// Landlock returns the kernel's version of the Landlock ABI, 0 for none. Version 4 also restricts connections.
func Landlock() int {
	version, err := ll.LandlockGetABIVersion()
	if err != nil {
		return 0
	}
	return version
}
