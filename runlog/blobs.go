package runlog

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"airqa/internal/files"
)

// maxFull is the maximum size kept of a tool result that the model saw only in part, in bytes.
const maxFull = 256 << 10

// blobs stores texts and images once, by content hash.
type blobs struct {
	dir    string
	redact func([]byte) []byte
	fault  func(name string, n int) (int, error)
	mu     sync.Mutex
	known  map[string]bool
}

// namedText is a text with its hash.
type namedText struct{ sum, text string }

// text stores s under texts/ and returns its hash.
func (b *blobs) text(s string) (string, error) {
	data := b.redact([]byte(s))
	sum := files.Hash(data)
	return sum, b.put(filepath.Join(textsDir, sum+".txt"), data)
}

func (b *blobs) put(name string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[name] {
		return nil
	}
	// An existing file may be damaged: it is compared once, and replaced if it differs.
	if old, err := readIn(b.dir, name); err != nil || !bytes.Equal(old, data) {
		if _, err := b.fault(name, len(data)); err != nil {
			return fmt.Errorf("write %s: %w", name, err)
		}
		if err := files.WriteFile(filepath.Join(b.dir, name), data); err != nil {
			return err
		}
	}
	b.known[name] = true
	return nil
}

func readBlob(dir, folder, sum, suffix string) ([]byte, error) {
	if _, err := hex.DecodeString(sum); err != nil || len(sum) != 64 {
		return nil, &BlobError{folder + "/" + sum, "is not named by a hash"}
	}
	name := folder + "/" + sum + suffix
	data, err := readIn(dir, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &BlobError{name, "is missing from the run directory"}
	case err != nil:
		return nil, &BlobError{name, strings.TrimPrefix(err.Error(), name+" ")}
	case files.Hash(data) != sum:
		return nil, &BlobError{name, damaged}
	}
	return data, nil
}

const damaged = "is damaged: its content does not match the hash in its name"

// BlobError is a text or image of an episode that is missing, damaged or not a regular file.
type BlobError struct{ Name, Why string }

func (e *BlobError) Error() string { return e.Name + ": " + e.Why }

// Hash returns the SHA-256 of a text in lower-case hex, as run.json identifies prompts, tool texts and files.
func Hash(s string) string { return files.Hash(s) }

// KeepTexts stores texts under texts/ by hash, once each: the tools that run.json names by hash, so that the run
// directory alone shows what a model was offered.
func (w *Writer) KeepTexts(texts map[string]string) error {
	for _, text := range texts {
		if _, err := w.blobs.text(text); err != nil {
			return err
		}
	}
	return nil
}
