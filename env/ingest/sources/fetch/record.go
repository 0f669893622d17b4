package fetch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/ledger"
)

// bookName is the file that says what came from where.
const bookName = "fetched.jsonl"

const bookFormat = 1

// record is a line of the book: a file that was fetched whole.
type record struct {
	Format int       `json:"format"`
	URL    string    `json:"url"`
	File   string    `json:"file"`
	SHA256 string    `json:"sha256"`
	Bytes  int64     `json:"bytes"`
	At     time.Time `json:"at"`
}

// book is what a folder holds. It keeps the folder's fetched.jsonl open and locked.
type book struct {
	dir    string
	byURL  *ledger.Ledger[string, record]
	byFile map[string]string // file name in lower case to URL
}

// openBook reads the book of a folder, which is made when it is missing. An unfinished last line is cut off.
func openBook(dir string) (*book, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open downloads: %w", err)
	}
	b := &book{dir: dir, byFile: map[string]string{}}
	path := filepath.Join(dir, bookName)
	byURL, err := ledger.Open(path, ledger.Config[string, record]{Entry: b.read, Exclusive: true})
	if errors.Is(err, ledger.ErrInUse) {
		return nil, fmt.Errorf("open downloads %s: another airqa is downloading there; wait until it is done", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	b.byURL = byURL
	return b, nil
}

func (b *book) read(line []byte, _ ledger.Span) (string, record, error) {
	var r record
	if err := ledger.Strict(line, &r); err != nil {
		return "", r, fmt.Errorf("%w; remove the line", err)
	}
	if r.Format != bookFormat {
		return "", r, fmt.Errorf("format %d; this program reads %d", r.Format, bookFormat)
	}
	b.byFile[strings.ToLower(r.File)] = r.URL
	return r.URL, r, nil
}

// add writes a record to the disk.
func (b *book) add(r record) error {
	line, err := json.Marshal(r)
	if err == nil {
		err = b.byURL.Add(line)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", bookName, err)
	}
	return nil
}

// have returns the path of an item that was fetched before and is still there as it was.
func (b *book) have(item Item) (string, bool) {
	r, ok := b.byURL.Get(item.URL)
	if !ok || item.SHA256 != "" && item.SHA256 != r.SHA256 || item.named && r.File != b.free(item) {
		return "", false
	}
	path := filepath.Join(b.dir, filepath.Base(r.File))
	info, err := os.Stat(path)
	return path, err == nil && info.Size() == r.Bytes
}

// fileName is the file that an item goes to.
func (b *book) fileName(item Item) string {
	if r, ok := b.byURL.Get(item.URL); ok && !item.named {
		return filepath.Base(r.File)
	}
	return b.free(item)
}

// free is the item's own name, or that with a mark of its address when another paper has the name.
func (b *book) free(item Item) string {
	name := item.Name + ".pdf"
	owner, taken := b.byFile[strings.ToLower(name)]
	if taken && owner == item.URL {
		return name
	}
	if _, err := os.Lstat(filepath.Join(b.dir, name)); !taken && errors.Is(err, fs.ErrNotExist) {
		return name
	}
	mark := sha256.Sum256([]byte(item.URL))
	return item.Name + "-" + hex.EncodeToString(mark[:4]) + ".pdf"
}

func (b *book) close() error { return b.byURL.Close() }
