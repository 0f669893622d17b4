package flat

import "context"

// gate lets as many goroutines scan at a time as there are cores, over all searches of a store: one search alone uses
// all of them, and of many at once each uses one or waits.
type gate chan struct{}

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (g gate) tryEnter() bool {
	select {
	case g <- struct{}{}:
		return true
	default:
		return false
	}
}

func (g gate) leave() { <-g }
