package cache

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"airqa/internal/files"
	"airqa/internal/ledger"
)

// ErrNoStore is returned for a folder without a cache.
var ErrNoStore = errors.New("no cache here (replies.jsonl is missing); airqa run --cache DIR creates one")

// Held summarizes a store's entries for one model.
type Held struct {
	Model   string `json:"model"`
	Replies int    `json:"replies"`
	Bytes   int64  `json:"bytes"`
	// Prompt and Completion are the tokens originally used for the replies.
	Prompt     int       `json:"prompt"`
	Completion int       `json:"completion"`
	Oldest     time.Time `json:"oldest"`
	Newest     time.Time `json:"newest"`
}

// List summarizes a folder's entries by model. bad counts unreadable lines.
func List(dir string) (held []Held, bad int, err error) {
	by := make(map[string]*Held)
	err = scan(dir, func(line []byte) error {
		e, unread := decode(line)
		switch {
		case len(line) == 1:
			return nil
		case unread != nil:
			bad++
			return nil
		case by[e.Model] == nil:
			by[e.Model] = &Held{Model: e.Model, Oldest: e.Time}
		}
		h := by[e.Model]
		if e.Time.Before(h.Oldest) {
			h.Oldest = e.Time
		}
		if e.Time.After(h.Newest) {
			h.Newest = e.Time
		}
		h.Replies++
		h.Bytes += int64(len(line))
		h.Prompt += e.Reply.Usage.Prompt
		h.Completion += e.Reply.Usage.Completion
		return nil
	})
	for _, model := range slices.Sorted(maps.Keys(by)) {
		held = append(held, *by[model])
	}
	return held, bad, err
}

// Prune deletes the replies whose time of writing is not to be kept, and unreadable lines, from a folder that no other
// process uses. It returns the numbers of deleted and kept replies.
func Prune(dir string, keep func(written time.Time) bool) (dropped, kept int, err error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return 0, 0, fmt.Errorf("%s: %w", dir, ErrNoStore)
	}
	lock, err := files.Lock(filepath.Join(dir, lockFile))
	if err != nil {
		return 0, 0, fmt.Errorf("cache %s: %w", dir, inUse(err))
	}
	defer func() { _ = lock.Close() }()
	err = files.Write(path, func(w io.Writer) error {
		return scan(dir, func(line []byte) error {
			if e, unread := decode(line); unread != nil || !keep(e.Time) {
				dropped++
				return nil
			}
			kept++
			_, err := w.Write(line)
			return err
		})
	})
	return dropped, kept, err
}

// scan calls each with every complete line of a folder's file.
func scan(dir string, each func(line []byte) error) error {
	file, err := os.Open(filepath.Join(dir, File))
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s: %w", dir, ErrNoStore)
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	for line, err := range ledger.Lines(bufio.NewReaderSize(file, 1<<20)) {
		if err == nil {
			err = each(line)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ParseAge reads days and weeks besides what Go's durations have.
func ParseAge(text string) (time.Duration, error) {
	for suffix, unit := range map[string]time.Duration{"d": 24 * time.Hour, "w": 7 * 24 * time.Hour} {
		if number, found := strings.CutSuffix(text, suffix); found {
			if n, err := strconv.ParseFloat(number, 64); err == nil && n >= 0 && n < 1e5 {
				return time.Duration(n * float64(unit)), nil
			}
		}
	}
	age, err := time.ParseDuration(text)
	if err != nil || age < 0 {
		return 0, fmt.Errorf("%s: want an age such as 30d, 2w or 12h", text)
	}
	return age, nil
}
