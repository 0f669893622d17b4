package pdf

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// maxDocumentTimeouts is the maximum time of a document in multiples of the timeout of one call.
const maxDocumentTimeouts = 10

type slowError struct {
	limit time.Duration
	whole bool // the document's limit rather than a call's
}

func (e *slowError) Error() string {
	if e.whole {
		return fmt.Sprintf("PDFium has worked on the file for %v, more than any normal paper needs", e.limit)
	}
	return fmt.Sprintf("PDFium did not finish within %v", e.limit)
}

// within runs work, a few calls of PDFium, and stops it if it takes too long or ctx is done. PDFium is then unusable,
// and the next work reopens the document.
func (d *Document) within(ctx context.Context, work func() error) error {
	switch {
	case d.release == nil:
		return errClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case d.left <= 0:
		return &slowError{maxDocumentTimeouts * d.pool.cfg.Timeout, true}
	}
	if d.inst == nil || d.g.spoiled {
		if err := d.reopen(ctx); err != nil {
			return err
		}
	}
	return d.watched(ctx, work)
}

// watched is within for an open document.
func (d *Document) watched(ctx context.Context, work func() error) error {
	m, limit := d.g.memory, min(d.left, d.pool.cfg.Timeout)
	deadline, hurried := ctx.Deadline()
	if hurried = hurried && time.Until(deadline) < limit; hurried {
		// The context's own timer may have to wait for the collector, which waits for the call.
		limit = max(time.Until(deadline), time.Millisecond)
	}
	stop, ok := m.watch(ctx, limit)
	if !ok {
		return errClosed
	}
	begun := time.Now()
	err := func() error {
		defer func() { d.g.spoiled = stop() }()
		return work()
	}()
	d.left -= time.Since(begun)
	switch {
	case !d.g.spoiled:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	case hurried:
		return context.DeadlineExceeded
	}
	return &slowError{limit: limit}
}

// onPage is within for work on page n, which is named in the error.
func (d *Document) onPage(ctx context.Context, n int, work func() error) error {
	err := d.within(ctx, work)
	var slow *slowError
	if errors.As(err, &slow) {
		return &PageError{Page: n, Pages: d.pages, Reason: slow.Error()}
	}
	return err
}
