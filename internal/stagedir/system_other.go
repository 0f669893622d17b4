//go:build !linux

package stagedir

import "errors"

func exchange(_, _ string) error { return errors.ErrUnsupported }

func syncSystem(string) error { return errors.ErrUnsupported }
