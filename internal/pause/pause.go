// Package pause waits for a duration, or until a context ends. Packages that wait take a function like [For] in their configuration, so
// that tests need no clock.
package pause

import (
	"context"
	"time"
)

// For waits for d; its error is that of a context that ended first.
func For(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
