package runlog

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
)

// maxFull bounds what is kept of a tool's result that the model saw only in part, in bytes.
const maxFull = 256 << 10

// blobs keeps texts and images by the hash of their content, each once.
type blobs struct {
	dir    string
	redact func([]byte) []byte
	mu     sync.Mutex
	known  map[string]bool
}

// text stores s under texts/ and returns its hash.
func (b *blobs) text(s string) (string, error) {
	data := b.redact([]byte(s))
	sum := hash(data)
	return sum, b.put(filepath.Join(textsDir, sum+".txt"), data)
}

// image stores a picture under images/ by the hash it carries.
func (b *blobs) image(sha string, data []byte) error {
	if len(data) == 0 {
		return nil
	}
	return b.put(filepath.Join(imagesDir, sha+".png"), data)
}

func (b *blobs) put(name string, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.known[name] {
		return nil
	}
	path := filepath.Join(b.dir, name)
	if _, err := os.Stat(path); err == nil {
		b.known[name] = true
		return nil
	}
	if err := writeAside(path, data); err != nil {
		return err
	}
	b.known[name] = true
	return nil
}

// writeAside writes a file under another name and renames it, so that a reader never sees half of it.
func writeAside(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(0o644), tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(tmp.Name()))
	}
	return nil
}

// readText returns the text of a hash.
func readText(dir, sum string) (string, error) {
	if _, err := hex.DecodeString(sum); err != nil || len(sum) != 64 {
		return "", fmt.Errorf("text %q: not a hash", sum)
	}
	data, err := os.ReadFile(filepath.Join(dir, textsDir, sum+".txt"))
	if errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("text %s is missing from the run directory", sum[:12])
	}
	return string(data), err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Hash returns the SHA-256 of a text in lower-case hex: how prompts, tool texts and files are named in run.json.
func Hash(s string) string { return hash([]byte(s)) }
