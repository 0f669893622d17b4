package ledger

import (
	"context"
	"errors"
	"os"
	"time"

	"airqa/internal/filelock"
)

// pollEvery is how often Reserve looks whether another process is done.
const pollEvery = 50 * time.Millisecond

// Reserve keeps other processes from doing the same work: it locks one byte of the file, whose offset stands for the
// work, and waits while another process has it. The file may be shorter. A file that cannot be locked reserves nothing.
// free is never nil; the error is the context's.
func (l *Ledger[K, V]) Reserve(ctx context.Context, offset int64) (free func(), err error) {
	file := l.lockable()
	if file == nil {
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

// lockable returns the file that other processes may write to, nil when there is none.
func (l *Ledger[K, V]) lockable() *os.File {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.path == "" || l.create() != nil { // Add reports the error
		return nil
	}
	return l.file
}
