package concurrent

import (
	"context"
	"time"
)

// Sleep waits for d, or returns the error of a context that ends first. Packages that wait take such a function in their
// configuration, so that tests need no clock.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Until returns a context that ends with ctx, or with the given cause when stop is closed; a nil stop never is. The caller calls
// cancel.
func Until(ctx context.Context, stop <-chan struct{}, cause error) (until context.Context, cancel context.CancelFunc) {
	until, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-stop:
			end(cause)
		case <-until.Done():
		}
	}()
	return until, func() { end(nil) }
}
