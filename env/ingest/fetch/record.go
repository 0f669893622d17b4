package fetch

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airqa/internal/filelock"
	"airqa/internal/jsonl"
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

// book is what a folder holds. It keeps the folder's book open and locked.
type book struct {
	dir    string
	file   *os.File
	byURL  map[string]record
	byFile map[string]string // file name in lower case to URL
}

// openBook reads the book of a folder, which is made when it is missing. A last line that a crash cut is taken off.
func openBook(dir string) (*book, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("open downloads: %w", err)
	}
	path := filepath.Join(dir, bookName)
	f, err := filelock.Take(path)
	if errors.Is(err, filelock.ErrHeld) {
		return nil, fmt.Errorf("open downloads %s: another airqa is downloading there; wait until it is done", dir)
	}
	if err != nil {
		return nil, fmt.Errorf("open downloads: %w", err)
	}
	b := &book{dir: dir, file: f, byURL: map[string]record{}, byFile: map[string]string{}}
	if err := b.read(path); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return b, nil
}

func (b *book) read(path string) error {
	var end int64
	n := 0
	for line, err := range jsonl.Lines(bufio.NewReader(b.file)) {
		if err != nil {
			return fmt.Errorf("read %s: %w", path, err)
		}
		n++
		var r record
		if err := jsonl.Strict(line, &r); err != nil {
			return fmt.Errorf("read %s:%d: %w; remove the line", path, n, err)
		}
		if r.Format != bookFormat {
			return fmt.Errorf("read %s:%d: format %d; this program reads %d", path, n, r.Format, bookFormat)
		}
		b.note(r)
		end += int64(len(line))
	}
	if err := b.file.Truncate(end); err != nil {
		return fmt.Errorf("read %s: %w", path, err)
	}
	_, err := b.file.Seek(end, io.SeekStart)
	return err
}

func (b *book) note(r record) {
	b.byURL[r.URL] = r
	b.byFile[strings.ToLower(r.File)] = r.URL
}

// add writes a record to the disk.
func (b *book) add(r record) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = b.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = b.file.Sync()
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", bookName, err)
	}
	b.note(r)
	return nil
}

// have returns the path of an item that was fetched before and is still there as it was.
func (b *book) have(item Item) (string, bool) {
	r, ok := b.byURL[item.URL]
	if !ok || item.SHA256 != "" && item.SHA256 != r.SHA256 || item.named && r.File != b.free(item) {
		return "", false
	}
	path := filepath.Join(b.dir, filepath.Base(r.File))
	info, err := os.Stat(path)
	return path, err == nil && info.Size() == r.Bytes
}

// fileName is the file that an item goes to.
func (b *book) fileName(item Item) string {
	if r, ok := b.byURL[item.URL]; ok && !item.named {
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

func (b *book) close() error { return b.file.Close() }
