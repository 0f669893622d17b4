//go:build !linux

package sandbox

func seal() error { return nil }

// Landlock returns 0: only Linux has it.
func Landlock() int { return 0 }
