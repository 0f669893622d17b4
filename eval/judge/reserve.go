package judge

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strconv"
	"time"

	"airqa/internal/filelock"
)

// reserveEvery is how often a process looks whether another one has ended the same question.
const reserveEvery = 50 * time.Millisecond

// reserve keeps other processes from asking the same question: it locks a byte of the file, whose place is the key, so that
// different questions do not wait for each other. Then the verdicts that others wrote meanwhile are known. A file that cannot
// be locked keeps nobody from asking. free is never nil.
func (s *Store) reserve(ctx context.Context, key string) (free func(), err error) {
	file := s.shared()
	at, bad := strconv.ParseUint(key[:keyLen/2], 16, 64)
	if file == nil || bad != nil {
		return func() {}, nil
	}
	place := int64(at >> 2) // systems refuse the largest numbers
	for {
		err := filelock.TakeByte(file, place)
		if !errors.Is(err, filelock.ErrHeld) {
			break
		}
		select {
		case <-time.After(reserveEvery):
		case <-ctx.Done():
			return func() {}, ctx.Err()
		}
	}
	s.refresh()
	return func() { _ = filelock.FreeByte(file, place) }, nil
}

// shared returns the file that other processes may write to; nil when there is none.
func (s *Store) shared() *os.File {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.path == "" || s.open() != nil { // append reports the error
		return nil
	}
	return s.file
}

// refresh takes in the lines that were added to the file since it was read.
func (s *Store) refresh() {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := s.file.Stat()
	if err != nil || info.Size() <= s.read {
		return
	}
	added, err := io.ReadAll(io.NewSectionReader(s.file, s.read, info.Size()-s.read))
	end := bytes.LastIndexByte(added, '\n') + 1
	if err != nil || end == 0 {
		return
	}
	s.read += int64(end)
	s.torn = end < len(added)
	for line := range bytes.Lines(added[:end]) {
		if len(bytes.TrimSpace(line)) > 0 && s.take(line) != nil {
			return // a later format: nothing of it is used
		}
	}
}

// lookup returns what is known of a request.
func (s *Store) lookup(key string) (right, known bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	right, known = s.known[key]
	return right, known
}
