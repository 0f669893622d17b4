package ledger

import (
	"context"
	"errors"
	"time"

	"airqa/internal/filelock"
)

// pollEvery is the interval at which Reserve retries the lock.
const pollEvery = 50 * time.Millisecond

// Reserve keeps other processes from doing the same work: it locks one byte of the file, whose offset represents the
// work, and waits while another process has the lock. The file may be shorter. A file that cannot be locked reserves
// nothing. release is never nil; the error is the context's.
func (l *Ledger[K, V]) Reserve(ctx context.Context, offset int64) (release func(), err error) {
	l.mu.Lock()
	shared := l.path != "" && l.create() == nil // Add reports the error
	file := l.file
	l.mu.Unlock()
	if !shared {
		return func() {}, nil
	}
	for {
		if err := filelock.TakeByte(file, offset); !errors.Is(err, filelock.ErrHeld) {
			return func() { _ = filelock.FreeByte(file, offset) }, nil
		}
		select {
		case <-time.After(pollEvery):
		case <-ctx.Done():
			return func() {}, ctx.Err()
		}
	}
}
