package replies

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"airqa/internal/aside"
	"airqa/internal/filelock"
)

// ErrNoStore is returned for a folder that holds no replies.
var ErrNoStore = errors.New("no cache here (replies.jsonl is missing); airqa run --cache DIR makes one")

// Held is what a store has of one model.
type Held struct {
	Model   string `json:"model"`
	Replies int    `json:"replies"`
	Bytes   int64  `json:"bytes"`
	// Prompt and Completion are the tokens that the replies once used.
	Prompt     int       `json:"prompt"`
	Completion int       `json:"completion"`
	Oldest     time.Time `json:"oldest"`
	Newest     time.Time `json:"newest"`
}

func (h *Held) add(e entry, size int) {
	if h.Replies == 0 || e.Time.Before(h.Oldest) {
		h.Oldest = e.Time
	}
	if e.Time.After(h.Newest) {
		h.Newest = e.Time
	}
	h.Replies++
	h.Bytes += int64(size)
	h.Prompt += e.Reply.Usage.Prompt
	h.Completion += e.Reply.Usage.Completion
}

// List counts what is in a folder, by model. bad counts the lines that cannot be read.
func List(dir string) (held []Held, bad int, err error) {
	file, err := openFile(dir)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = file.Close() }()
	by := make(map[string]*Held)
	err = scan(bufio.NewReaderSize(file, readSize), func(line []byte) {
		e, unread := decode(line)
		switch {
		case len(line) == 1:
		case unread != nil:
			bad++
		default:
			if by[e.Model] == nil {
				by[e.Model] = &Held{Model: e.Model}
			}
			by[e.Model].add(e, len(line))
		}
	})
	for _, h := range slices.SortedFunc(maps.Values(by), func(a, b *Held) int { return cmp.Compare(a.Model, b.Model) }) {
		held = append(held, *h)
	}
	return held, bad, err
}

// Prune drops the replies from before a moment, and lines that cannot be read. It counts what it dropped and kept.
func Prune(dir string, before time.Time) (dropped, kept int, err error) {
	return rewrite(dir, func(e entry) bool { return !e.Time.Before(before) })
}

// Clear drops all replies and counts them.
func Clear(dir string) (dropped int, err error) {
	dropped, _, err = rewrite(dir, func(entry) bool { return false })
	return dropped, err
}

// rewrite keeps some entries of a folder that nobody else uses.
func rewrite(dir string, keep func(entry) bool) (dropped, kept int, err error) {
	file, err := openFile(dir)
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = file.Close() }()
	lock, err := filelock.Take(filepath.Join(dir, lockFile))
	if errors.Is(err, filelock.ErrHeld) {
		return 0, 0, fmt.Errorf("cache %s: %w", dir, ErrInUse)
	}
	if err != nil {
		return 0, 0, err
	}
	defer func() { _ = lock.Close() }()
	err = aside.Write(filepath.Join(dir, File), func(w io.Writer) error {
		var failed error
		err := scan(bufio.NewReaderSize(file, readSize), func(line []byte) {
			if e, unread := decode(line); unread != nil || !keep(e) {
				dropped++
				return
			}
			kept++
			if _, err := w.Write(line); err != nil {
				failed = err
			}
		})
		return errors.Join(err, failed)
	})
	return dropped, kept, err
}

func openFile(dir string) (*os.File, error) {
	file, err := os.Open(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: %w", dir, ErrNoStore)
	}
	return file, err
}
