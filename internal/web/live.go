package web

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// LookEvery is the time between two looks at the run directories.
const LookEvery = 300 * time.Millisecond

// beat is the time between two comments on a silent stream, which show the server that a page is gone.
const heartbeat = 15 * time.Second

// Feed announces versions of the runs. The version counts the changes since the server began.
type Feed struct {
	mu      sync.Mutex
	version int
	changed chan struct{}
}

// NewFeed returns a feed at version 1.
func NewFeed() *Feed { return &Feed{version: 1, changed: make(chan struct{})} }

// Watch calls look until ctx ends and announces each change that it reports. Errors go to failed, once for each text.
func (f *Feed) Watch(ctx context.Context, look func(context.Context) (bool, error), failed func(error)) {
	tick := time.NewTicker(LookEvery)
	defer tick.Stop()
	last := ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		changed, err := look(ctx)
		if err != nil && err.Error() != last && ctx.Err() == nil {
			last = err.Error()
			failed(err)
		}
		if changed {
			f.Announce()
		}
	}
}

// Announce begins a new version.
func (f *Feed) Announce() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.version++
	close(f.changed)
	f.changed = make(chan struct{})
}

// Version returns the current version and a channel that is closed when there is another.
func (f *Feed) Version() (version int, changed <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.version, f.changed
}

// ServeHTTP writes an event "version" with the number of each version, the current one first.
func (f *Feed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	out := http.NewResponseController(w)
	if err := out.SetWriteDeadline(time.Time{}); err != nil {
		http.Error(w, "this connection cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	tick := time.NewTicker(heartbeat)
	defer tick.Stop()
	for {
		version, changed := f.Version()
		if _, err := fmt.Fprintf(w, "event: version\ndata: %d\n\n", version); err != nil {
			return
		}
		for same := true; same; {
			if out.Flush() != nil {
				return
			}
			select {
			case <-r.Context().Done():
				return
			case <-changed:
				same = false
			case <-tick.C:
				if _, err := fmt.Fprint(w, ": still here\n\n"); err != nil {
					return
				}
			}
		}
	}
}
