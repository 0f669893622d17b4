//go:build !linux

package merge

import "errors"

// exchange is not available here.
func exchange(_, _ string) error { return errors.ErrUnsupported }
