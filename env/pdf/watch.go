package pdf

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// mostSlow is how many times the limit of one call a document may take in all.
const mostSlow = 10

// slowError says that PDFium was not done in time.
type slowError struct {
	limit time.Duration
	whole bool // the document's time, not that of a call
}

// Error implements error.
func (e *slowError) Error() string {
	if e.whole {
		return fmt.Sprintf("the file has kept PDFium busy for %v, enough for a hundred papers", e.limit)
	}
	return fmt.Sprintf("PDFium was not done with it after %v", e.limit)
}

// within runs work, a few calls of PDFium, and ends it when it takes too long or ctx is done. PDFium is lost then; the next
// work has the document opened anew.
func (d *Document) within(ctx context.Context, work func() error) error {
	switch {
	case d.release == nil:
		return errClosed
	case ctx.Err() != nil:
		return ctx.Err()
	case d.left <= 0:
		return &slowError{mostSlow * d.pool.cfg.Timeout, true}
	}
	if d.inst == nil || d.g.spoiled {
		if err := d.reopen(ctx); err != nil {
			return err
		}
	}
	return d.watched(ctx, work)
}

// watched is within for a document that is open.
func (d *Document) watched(ctx context.Context, work func() error) error {
	m, limit := d.g.memory, min(d.left, d.pool.cfg.Timeout)
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
	}
	return &slowError{limit: limit}
}

// onPage is within for work on page n, whose error says so.
func (d *Document) onPage(ctx context.Context, n int, work func() error) error {
	err := d.within(ctx, work)
	var slow *slowError
	if errors.As(err, &slow) {
		return &PageError{Page: n, Pages: d.pages, Reason: slow.Error()}
	}
	return err
}
